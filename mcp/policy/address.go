package policy

import (
	"net/url"
	"path"
	"slices"
	"strings"
)

// addressesOf are the spellings by which rules know an address, none for one that cannot be read: who is named in it and what
// stands behind # are left out, the host is in lower case and ends in no dot, a path begins behind it, so that no ? or # of an
// address is taken for a part of a host, and leads through no "..". The default port may be written or not, and so may the slash
// of an empty path.
func addressesOf(address string) []string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Opaque != "" {
		return nil
	}
	scheme, name := strings.ToLower(u.Scheme), strings.ToLower(strings.TrimRight(u.Hostname(), "."))
	if strings.Contains(name, ":") {
		name = "[" + name + "]"
	}
	port, usual := u.Port(), map[string]string{"http": "80", "https": "443"}[scheme]
	hosts := []string{name + ":" + port}
	if port == "" || port == usual {
		hosts = []string{name, name + ":" + usual}
	}
	below := path.Clean("/" + u.Path)
	if strings.HasSuffix(u.Path, "/") && below != "/" {
		below += "/"
	}
	paths := []string{below}
	if below == "/" && u.RawQuery == "" {
		paths = append(paths, "")
	}
	query := ""
	if u.RawQuery != "" {
		query = "?" + u.RawQuery
	}
	var all []string
	for _, host := range hosts {
		for _, p := range paths {
			all = append(all, scheme+"://"+host+p+query)
		}
	}
	return all
}

// matchesAddress reports whether a rule is certainly about an address.
func matchesAddress(pattern, address string) bool {
	if scheme, rest, hasHost := strings.Cut(pattern, "://"); hasHost {
		host, below, hasPath := strings.Cut(rest, "/")
		pattern = strings.ToLower(scheme + "://" + host)
		if hasPath {
			pattern += "/" + below
		}
	}
	return slices.ContainsFunc(addressesOf(address), func(one string) bool { return matches(pattern, one) })
}

// mayMatchAddress is that of a prohibition.
func mayMatchAddress(pattern, address string) bool {
	pattern = strings.ToLower(pattern)
	return slices.ContainsFunc(append(addressesOf(address), address), func(one string) bool { return matches(pattern, strings.ToLower(one)) })
}
