package policy

import (
	"net/netip"
	"strings"
)

// Place is where an address lies, as seen from this machine.
type Place int

const (
	Refused  Place = iota // private, link-local, metadata, reserved, or not clear: nobody reaches it
	Loopback              // this machine
	Public                // everywhere else
)

func (p Place) String() string {
	switch p {
	case Loopback:
		return "this machine"
	case Public:
		return "public"
	}
	return "refused"
}

// PlaceOfHost is where a host of a URL lies, as far as its text tells: a name is taken for a public one until it is looked up,
// for looking it up is a request already. Only localhost and the names below it are this machine by their name (RFC 6761).
func PlaceOfHost(host string) Place {
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	if bare, ok := strings.CutPrefix(host, "["); ok {
		host = strings.TrimSuffix(bare, "]")
	}
	if addr, err := netip.ParseAddr(host); err == nil {
		return PlaceOf(addr)
	}
	switch {
	case host == "" || strings.ContainsAny(host, ":%/@\\ "):
		return Refused
	case host == "localhost" || strings.HasSuffix(host, ".localhost"):
		return Loopback
	case isMetadataName(host):
		return Refused
	case endsInNumber(host):
		return Refused // what a browser would still read as an IPv4 address, such as 127.1 or 0x7f000001
	}
	return Public
}

// isMetadataName reports whether clouds give their machines' credentials to whoever asks at this name.
func isMetadataName(host string) bool {
	return host == "metadata" || host == "metadata.google.internal" || host == "metadata.goog" || host == "instance-data" ||
		host == "instance-data.ec2.internal" || strings.HasSuffix(host, ".metadata.google.internal")
}

// endsInNumber is WHATWG's "ends in a number", of hosts that are no plain address.
func endsInNumber(host string) bool {
	last := host[strings.LastIndexByte(host, '.')+1:]
	if last == "" {
		return true
	}
	if hex, ok := strings.CutPrefix(last, "0x"); ok {
		return strings.Trim(hex, "0123456789abcdef") == ""
	}
	return strings.Trim(last, "0123456789") == ""
}

// PlaceOf is where an address lies. IPv4 inside of IPv6, however it is written there, is judged as what it is.
func PlaceOf(addr netip.Addr) Place {
	if addr.Zone() != "" || !addr.IsValid() {
		return Refused
	}
	addr = embedded(addr)
	switch {
	case addr.IsLoopback():
		return Loopback
	case addr.IsUnspecified(), addr.IsPrivate(), addr.IsLinkLocalUnicast(), addr.IsMulticast():
		return Refused
	}
	for _, prefix := range reserved() {
		if prefix.Contains(addr) {
			return Refused
		}
	}
	if addr.Is6() && !netip.PrefixFrom(netip.AddrFrom16([16]byte{0x20}), 3).Contains(addr) {
		return Refused // only 2000::/3 is given to anybody
	}
	return Public
}

// embedded is the IPv4 address that an IPv6 one stands for: mapped (::ffff:0:0/96), translated (64:ff9b::/96) or tunnelled
// (2002::/16).
func embedded(addr netip.Addr) netip.Addr {
	addr = addr.Unmap()
	if addr.Is4() {
		return addr
	}
	bytes := addr.As16()
	switch {
	case netip.MustParsePrefix("64:ff9b::/96").Contains(addr):
		return netip.AddrFrom4([4]byte(bytes[12:]))
	case bytes[0] == 0x20 && bytes[1] == 0x02:
		return netip.AddrFrom4([4]byte(bytes[2:6]))
	}
	return addr
}

// reserved are the ranges that IANA gives to nobody in public, beside those that package netip knows.
func reserved() []netip.Prefix {
	parse := netip.MustParsePrefix
	return []netip.Prefix{
		parse("0.0.0.0/8"), parse("100.64.0.0/10"), parse("192.0.0.0/24"), parse("192.0.2.0/24"), parse("192.88.99.0/24"),
		parse("198.18.0.0/15"), parse("198.51.100.0/24"), parse("203.0.113.0/24"), parse("240.0.0.0/4"),
		parse("2001::/23"), parse("2001:db8::/32"), parse("3fff::/20"), parse("fec0::/10"),
	}
}

// Together is where a name leads that has all of these addresses: what is not clear is refused.
func Together(addrs []netip.Addr) Place {
	if len(addrs) == 0 {
		return Refused
	}
	place := PlaceOf(addrs[0])
	for _, addr := range addrs[1:] {
		if PlaceOf(addr) != place {
			return Refused
		}
	}
	return place
}
