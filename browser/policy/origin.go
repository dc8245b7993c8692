package policy

import (
	"errors"
	"net"
	"net/netip"
	"net/url"
	"strings"
)

// Origin is who a page belongs to: scheme, host and port. The zero value is nobody.
type Origin struct {
	Scheme string // "http" or "https", which stand for "ws" and "wss" too
	Host   string // lower case; an IPv6 address without brackets
	Port   string
}

// OriginOf is the origin of an http, https, ws or wss URL.
func OriginOf(text string) (Origin, error) {
	parsed, err := url.Parse(text)
	if err != nil {
		return Origin{}, errors.New("it is no URL")
	}
	o := Origin{Host: strings.TrimSuffix(strings.ToLower(parsed.Hostname()), "."), Port: parsed.Port()}
	switch strings.ToLower(parsed.Scheme) {
	case "http", "ws":
		o.Scheme = "http"
	case "https", "wss":
		o.Scheme = "https"
	default:
		return Origin{}, errors.New("it is neither http nor https")
	}
	if o.Host == "" {
		return Origin{}, errors.New("it names no host")
	}
	if o.Port == "" {
		o.Port = map[string]string{"http": "80", "https": "443"}[o.Scheme]
	}
	return o, nil
}

// HostPort is what a connection to the origin is made to.
func (o Origin) HostPort() string { return net.JoinHostPort(o.Host, o.Port) }

// Place is where its host lies.
func (o Origin) Place() Place { return PlaceOfHost(o.Host) }

// String is the origin as browsers write it.
func (o Origin) String() string {
	if o == (Origin{}) {
		return "null"
	}
	host := o.Host
	if addr, err := netip.ParseAddr(host); err == nil && addr.Is6() {
		host = "[" + host + "]"
	}
	if o.Scheme == "http" && o.Port == "80" || o.Scheme == "https" && o.Port == "443" {
		return o.Scheme + "://" + host
	}
	return o.Scheme + "://" + host + ":" + o.Port
}

// Destination is the URL that somebody asks to go to, if a question about it can be read by a person: http or https, whole,
// with an ASCII host and without a name and password (S17). about:blank is one too.
func Destination(text string) (string, error) {
	if text == "about:blank" {
		return text, nil
	}
	parsed, err := url.Parse(text)
	switch {
	case err != nil:
		return "", errors.New("it is no URL")
	case parsed.Scheme != "http" && parsed.Scheme != "https":
		return "", errors.New("only http and https can be opened")
	case parsed.User != nil:
		return "", errors.New("it holds a name or password")
	case parsed.Hostname() == "":
		return "", errors.New("it names no host")
	case strings.IndexFunc(parsed.Host, func(r rune) bool { return r <= ' ' || r > '~' }) >= 0:
		return "", errors.New("its host is not plain ASCII; write it in its xn-- form")
	}
	return parsed.String(), nil
}
