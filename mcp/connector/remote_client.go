package connector

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"golang.org/x/net/http/httpproxy"
)

const (
	maxRedirects           = 5
	maxResponseHeaderBytes = 1 << 20
	dialTimeout            = 10 * time.Second
	maxCABytes             = 16 << 20
)

// httpClient makes requests to one origin and to no other: it follows redirects within it, keeps no cookies, and goes through
// the proxy that the environment names, but never through one to this machine.
type httpClient struct {
	transport *http.Transport
	proxy     func(*url.URL) (*url.URL, error)
}

// newHTTPClient reads the certificates that are trusted besides the system's.
func newHTTPClient(endpoint *url.URL, environ, caFiles []string) (*httpClient, error) {
	c := &httpClient{proxy: proxyOf(environ)}
	c.transport = &http.Transport{
		Proxy:                  func(r *http.Request) (*url.URL, error) { return c.proxy(r.URL) },
		DialContext:            (&net.Dialer{Timeout: dialTimeout, KeepAlive: 30 * time.Second}).DialContext,
		TLSHandshakeTimeout:    dialTimeout,
		IdleConnTimeout:        30 * time.Second,
		MaxIdleConnsPerHost:    8,
		MaxResponseHeaderBytes: maxResponseHeaderBytes,
		ForceAttemptHTTP2:      true,
	}
	if endpoint.Scheme == "https" {
		pool, err := certificates(environ, caFiles)
		if err != nil {
			return nil, err
		}
		c.transport.TLSClientConfig = &tls.Config{RootCAs: pool}
	}
	return c, nil
}

// proxyOf reads the proxies from an environment.
func proxyOf(environ []string) func(*url.URL) (*url.URL, error) {
	either := func(name string) string {
		if value := variableOf(environ, name); value != "" {
			return value
		}
		return variableOf(environ, strings.ToLower(name))
	}
	fromEnvironment := (&httpproxy.Config{
		HTTPProxy: either("HTTP_PROXY"), HTTPSProxy: either("HTTPS_PROXY"), NoProxy: either("NO_PROXY"),
	}).ProxyFunc()
	return func(u *url.URL) (*url.URL, error) {
		if isLoopbackHost(u.Hostname()) {
			return nil, nil
		}
		return fromEnvironment(u)
	}
}

func variableOf(environ []string, name string) string {
	found := ""
	for _, variable := range environ {
		if value, ok := strings.CutPrefix(variable, name+"="); ok {
			found = value
		}
	}
	return found
}

func isLoopbackHost(host string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	address := net.ParseIP(host)
	return address != nil && address.IsLoopback()
}

// certificates are those that the system trusts, with those of the files; nil where there are none but the system's.
func certificates(environ, caFiles []string) (*x509.CertPool, error) {
	files := append([]string(nil), caFiles...)
	if file := variableOf(environ, "SSL_CERT_FILE"); file != "" {
		files = append(files, file)
	}
	if len(files) == 0 {
		return nil, nil
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool()
	}
	for _, path := range files {
		text, err := readCertificates(path)
		if err != nil {
			return nil, fmt.Errorf("read the certificates: %w", err)
		}
		if !pool.AppendCertsFromPEM(text) {
			return nil, fmt.Errorf("the file %q holds no certificate in PEM form", path)
		}
	}
	return pool, nil
}

func readCertificates(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(io.LimitReader(file, maxCABytes))
}

func (c *httpClient) close() { c.transport.CloseIdleConnections() }

// proxyFor is the proxy on the way to an address, as it can be shown; empty where there is none.
func (c *httpClient) proxyFor(u *url.URL) string {
	proxy, err := c.proxy(u)
	if err != nil || proxy == nil {
		return ""
	}
	return proxy.Host
}

// do sends the request and follows redirects of its origin. A POST is sent again as it is, body and headers, by 307 and 308
// alone (RFC 9110, 15.4): the others would make a GET of it.
func (c *httpClient) do(request *http.Request) (*http.Response, error) {
	for hops := 0; ; hops++ {
		response, err := c.transport.RoundTrip(request)
		if err != nil {
			return nil, err
		}
		if !isRedirect(response) {
			return response, nil
		}
		_, _ = io.CopyN(io.Discard, response.Body, 4<<10)
		_ = response.Body.Close()
		if request, err = redirected(request, response, hops); err != nil {
			return nil, err
		}
	}
}

func isRedirect(response *http.Response) bool {
	switch response.StatusCode {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return response.Header.Get("Location") != ""
	}
	return false
}

// redirectError says why a redirect was not followed.
type redirectError struct {
	reason string
	// target is where it leads, to be written into the entry; empty where that is no good advice.
	target string
	isLeak bool // it leads to another origin
}

func (e *redirectError) Error() string { return e.reason }

// redirected is the request to send after a redirect, or why there is none. Nothing has been sent to where it leads.
func redirected(request *http.Request, response *http.Response, hops int) (*http.Request, error) {
	status := response.StatusCode
	target, err := request.URL.Parse(response.Header.Get("Location"))
	if err != nil {
		return nil, &redirectError{reason: fmt.Sprintf("redirects (%d) to something that is no address", status)}
	}
	switch {
	case originOf(target) != originOf(request.URL):
		said := fmt.Sprintf("redirects (%d) to another origin, %s, which is refused", status, visible(target.Scheme+"://"+target.Host, sampleBytes))
		if request.URL.Scheme == "https" && target.Scheme == "http" {
			said = fmt.Sprintf("redirects (%d) away from https to %s, which is refused", status, visible(target.Scheme+"://"+target.Host, sampleBytes))
		}
		return nil, &redirectError{reason: said, target: shownURL(target), isLeak: true}
	case hops == maxRedirects:
		return nil, &redirectError{reason: fmt.Sprintf("redirects more than %d times", maxRedirects)}
	case request.Method != http.MethodGet && status != http.StatusTemporaryRedirect && status != http.StatusPermanentRedirect:
		return nil, &redirectError{reason: fmt.Sprintf("redirects (%d) to %s, which a message cannot follow", status, shownURL(target)), target: shownURL(target)}
	}
	again := request.Clone(request.Context())
	again.URL = target
	if request.GetBody != nil {
		if again.Body, err = request.GetBody(); err != nil {
			return nil, err
		}
	}
	return again, nil
}

// originOf is the origin of an address (RFC 6454).
func originOf(u *url.URL) string {
	host, port := strings.ToLower(u.Hostname()), u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[strings.ToLower(u.Scheme)]
	}
	return strings.ToLower(u.Scheme) + "://" + net.JoinHostPort(host, port)
}

// shownURL is an address without what may be secret in it.
func shownURL(u *url.URL) string {
	shown := *u
	shown.User, shown.RawQuery, shown.Fragment = nil, "", ""
	return visible(shown.String(), maxReasonBytes)
}

// ownHeaders are those of the protocol, which no entry sets.
var ownHeaders = map[string]bool{
	"Accept": true, "Content-Type": true, "Content-Length": true, "Transfer-Encoding": true, "Connection": true,
	"Mcp-Session-Id": true, "Mcp-Protocol-Version": true, "Mcp-Method": true, "Mcp-Name": true, "Last-Event-Id": true,
}

// repeatingHeaders are those by which net/http takes any request for one that may be sent again after it was written. That looks
// for them by these names alone, and servers read them in any case.
var repeatingHeaders = map[string]bool{"Idempotency-Key": true, "X-Idempotency-Key": true}

// headersOf are the entry's headers as they are sent. Nothing is sent with a header that could be read as two (C02).
func headersOf(d *Definition, endpoint *url.URL) (headers http.Header, host string, err error) {
	headers = http.Header{}
	for name, value := range d.Headers {
		switch {
		case strings.ContainsAny(name, "\r\n\x00 :") || name == "":
			return nil, "", errors.New("a header has a name that cannot be sent")
		case strings.ContainsAny(value, "\r\n\x00"):
			return nil, "", fmt.Errorf("the value of the header %s holds a line break", name)
		}
		if http.CanonicalHeaderKey(name) == "Host" {
			host = value
			continue
		}
		if !ownHeaders[http.CanonicalHeaderKey(name)] {
			headers.Set(name, value)
		}
	}
	for name := range repeatingHeaders {
		if values, isThere := headers[name]; isThere {
			delete(headers, name)
			headers[strings.ToLower(name)] = values
		}
	}
	if endpoint.User != nil && headers.Get("Authorization") == "" {
		password, _ := endpoint.User.Password()
		login := &http.Request{Header: headers}
		login.SetBasicAuth(endpoint.User.Username(), password)
	}
	return headers, host, nil
}

// request is a request under the terms, which are those of the server's session.
func (r *remote) request(ctx context.Context, method string, at terms, body []byte) (*http.Request, error) {
	var content io.Reader
	if body != nil {
		content = bytes.NewReader(body)
	}
	request, err := http.NewRequestWithContext(ctx, method, at.target.String(), content)
	if err != nil {
		return nil, err
	}
	request.Header = r.headers.Clone()
	if r.host != "" {
		request.Host = r.host
	}
	client := r.session.connector.options.Client
	if request.Header.Get("User-Agent") == "" {
		request.Header.Set("User-Agent", client.Name+"/"+client.Version)
	}
	set := func(name, value string) {
		if value != "" {
			request.Header.Set(name, value)
		}
	}
	set("Mcp-Session-Id", at.sessionID)
	set("Mcp-Protocol-Version", at.version)
	switch method {
	case http.MethodPost:
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Accept", "application/json, text/event-stream")
	case http.MethodGet:
		request.Header.Set("Accept", eventStream)
		request.Header.Set("Cache-Control", "no-store")
	}
	return request, nil
}
