package policy

import (
	"net/netip"
	"testing"

	"pgregory.net/rapid"
)

func TestS22_PlaceOfHost(t *testing.T) {
	for host, want := range map[string]Place{
		"127.0.0.1": Loopback, "127.255.255.254": Loopback, "::1": Loopback, "[::1]": Loopback,
		"localhost": Loopback, "LOCALHOST": Loopback, "localhost.": Loopback, "app.localhost": Loopback,
		"::ffff:127.0.0.1": Loopback, "::ffff:7f00:1": Loopback, "64:ff9b::127.0.0.1": Loopback, "2002:7f00:1::": Loopback,

		"10.0.0.1": Refused, "172.16.0.1": Refused, "172.31.255.255": Refused, "192.168.1.1": Refused,
		"169.254.169.254": Refused, "169.254.170.2": Refused, "100.100.100.200": Refused, "192.0.0.192": Refused,
		"0.0.0.0": Refused, "0.1.2.3": Refused, "255.255.255.255": Refused, "224.0.0.251": Refused, "240.0.0.1": Refused,
		"198.18.0.1": Refused, "::": Refused, "fe80::1": Refused, "fe80::1%eth0": Refused, "fd00:ec2::254": Refused,
		"fc00::1": Refused, "ff02::1": Refused, "fec0::1": Refused, "2001::1": Refused, "2001:db8::1": Refused,
		"::ffff:10.0.0.1": Refused, "::ffff:a9fe:a9fe": Refused, "64:ff9b::a9fe:a9fe": Refused, "2002:a00:1::": Refused,
		"::10.0.0.1": Refused, "::8.8.8.8": Refused, "64:ff9b:1::1": Refused, "4000::1": Refused,
		"metadata.google.internal": Refused, "METADATA.GOOGLE.INTERNAL.": Refused, "metadata": Refused,
		"": Refused, "127.1": Refused, "0x7f000001": Refused, "2130706433": Refused, "0177.0.0.1": Refused, "1.2.3.0x": Refused,
		"a b": Refused, "user@host": Refused, "[::1": Loopback,

		"8.8.8.8": Public, "172.32.0.1": Public, "2606:4700::1111": Public, "64:ff9b::8.8.8.8": Public, "::ffff:8.8.8.8": Public,
		"example.com": Public, "localhost.example.com": Public, "notlocalhost": Public, "127.0.0.1.example.com": Public,
	} {
		if got := PlaceOfHost(host); got != want {
			t.Errorf("PlaceOfHost(%q) = %v, want %v", host, got, want)
		}
	}
}

func TestS22_NamesThatLeadToSeveralPlacesAreRefused(t *testing.T) {
	loopback, public, private := netip.MustParseAddr("127.0.0.1"), netip.MustParseAddr("8.8.8.8"), netip.MustParseAddr("10.0.0.1")
	for _, test := range []struct {
		addrs []netip.Addr
		want  Place
	}{
		{nil, Refused},
		{[]netip.Addr{public}, Public},
		{[]netip.Addr{loopback, netip.IPv6Loopback()}, Loopback},
		{[]netip.Addr{public, private}, Refused},
		{[]netip.Addr{public, loopback}, Refused},
		{[]netip.Addr{private}, Refused},
	} {
		if got := Together(test.addrs); got != test.want {
			t.Errorf("Together(%v) = %v, want %v", test.addrs, got, test.want)
		}
	}
}

// However an IPv4 address is written into an IPv6 one, it is judged as it is.
func TestS22_EmbeddedAddresses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		four := [4]byte(rapid.SliceOfN(rapid.Byte(), 4, 4).Draw(t, "address"))
		plain := PlaceOf(netip.AddrFrom4(four))
		mapped := netip.AddrFrom16(netip.AddrFrom4(four).As16())
		translated := [16]byte{0x00, 0x64, 0xff, 0x9b, 12: four[0], 13: four[1], 14: four[2], 15: four[3]}
		tunnelled := [16]byte{0x20, 0x02, four[0], four[1], four[2], four[3]}
		for _, addr := range []netip.Addr{mapped, netip.AddrFrom16(translated), netip.AddrFrom16(tunnelled)} {
			if got := PlaceOf(addr); got != plain {
				t.Fatalf("%v: %v, but %v: %v", addr, got, netip.AddrFrom4(four), plain)
			}
		}
	})
}

func TestS14_Judge(t *testing.T) {
	origin := func(text string) Origin {
		o, err := OriginOf(text)
		if err != nil {
			t.Fatal(err)
		}
		return o
	}
	var allowed Allowed
	allowed.Allow(origin("https://allowed.example"))
	allowed.Allow(origin("https://whole.example"))
	allowed.AllowParts(origin("https://whole.example"))
	local, whole, plain := origin("http://localhost:3000"), origin("https://whole.example"), origin("https://allowed.example")
	for _, test := range []struct {
		name string
		r    Request
		want Verdict
		why  Reason
	}{
		{"agent opens loopback", Request{URL: "http://localhost:3000/", By: Agent, From: Outside, Document: true}, Pass, ""},
		{"agent opens a new origin", Request{URL: "https://new.example/", By: Agent, Document: true}, Ask, NewOrigin},
		{"agent opens an allowed origin", Request{URL: "https://allowed.example/x", By: Agent, Document: true}, Pass, ""},
		{"another port is another origin", Request{URL: "https://allowed.example:8443/", By: Agent, Document: true}, Ask, NewOrigin},
		{"another scheme is another origin", Request{URL: "http://allowed.example/", By: Agent, Document: true}, Ask, NewOrigin},
		{"below an allowed host", Request{URL: "https://a.allowed.example/", By: Agent, Document: true}, Ask, NewOrigin},
		{"agent opens private", Request{URL: "http://10.0.0.1/", By: Agent, Document: true}, Refuse, NotReachable},
		{"agent opens metadata", Request{URL: "http://169.254.169.254/latest/", By: Agent, Document: true}, Refuse, NotReachable},
		{"agent opens mapped metadata", Request{URL: "http://[::ffff:169.254.169.254]/", By: Agent, Document: true}, Refuse, NotReachable},
		{"agent opens a file", Request{URL: "file:///etc/passwd", By: Agent, Document: true}, Refuse, NotWeb},
		{"agent opens settings", Request{URL: "chrome://version", By: Agent, Document: true}, Refuse, NotWeb},
		{"no scheme", Request{URL: "localhost", By: Agent, Document: true}, Refuse, NotClear},
		{"no host", Request{URL: "http://", By: Agent, Document: true}, Refuse, NotClear},
		{"inside to inside", Request{URL: "http://127.0.0.1:8080/api", From: Inside, Top: local}, Pass, ""},
		{"inside links out", Request{URL: "https://new.example/", From: Inside, Top: local, Document: true}, Ask, NewOrigin},
		{"inside loads from outside", Request{URL: "https://new.example/x.js", From: Inside, Top: local}, Refuse, NewPart},
		{"inside loads from allowed", Request{URL: "https://allowed.example/x.js", From: Inside, Top: local}, Pass, ""},
		{"inside opens a socket outside", Request{URL: "wss://new.example/", From: Inside, Top: local}, Refuse, NewPart},
		{"inside opens a socket of its own", Request{URL: "ws://localhost:3000/hmr", From: Inside, Top: local}, Pass, ""},
		{"outside to inside", Request{URL: "http://localhost:3000/", From: Outside, Top: plain}, Refuse, FromPublic},
		{"outside to inside by a link", Request{URL: "http://[::1]:3000/", From: Outside, Top: plain, Document: true}, Refuse, FromPublic},
		{"outside to inside by a socket", Request{URL: "ws://127.0.0.1:3000/", From: Outside, Top: plain}, Refuse, FromPublic},
		{"a page with all parts to inside", Request{URL: "http://localhost/", From: Outside, Top: whole}, Refuse, FromPublic},
		{"a page with all parts to private", Request{URL: "http://192.168.0.1/", From: Outside, Top: whole}, Refuse, NotReachable},
		{"a page with all parts", Request{URL: "https://cdn.example/x.js", From: Outside, Top: whole}, Pass, ""},
		{"a page with all parts links on", Request{URL: "https://cdn.example/", From: Outside, Top: whole, Document: true}, Ask, NewOrigin},
		{"a page with its own parts", Request{URL: "https://cdn.example/x.js", From: Outside, Top: plain}, Refuse, NewPart},
		{"nobody knows whose it is", Request{URL: "http://localhost/"}, Refuse, FromPublic},
		{"data", Request{URL: "data:image/png;base64,AA", From: Outside}, Pass, ""},
		{"blob", Request{URL: "blob:https://x/1", From: Outside}, Pass, ""},
		{"page links to a file", Request{URL: "FILE:///etc/passwd", From: Inside, Document: true}, Refuse, NotWeb},
	} {
		if got, why := Judge(test.r, &allowed); got != test.want || why != test.why {
			t.Errorf("%s: %v, %q; want %v, %q", test.name, got, why, test.want, test.why)
		}
	}
}

func TestS17_Destination(t *testing.T) {
	for text, ok := range map[string]bool{
		"http://localhost:3000/a?b#c": true, "https://example.com": true, "about:blank": true,
		"file:///etc/passwd": false, "javascript:alert(1)": false, "data:text/html,x": false, "chrome://gpu": false,
		"https://user:secret@example.com/": false, "https://user@example.com/": false, "https://ex\u0430mple.com/": false,
		"localhost:3000": false, "http:///x": false, "": false, "view-source:http://localhost": false, "http://a b/": false,
	} {
		if _, err := Destination(text); (err == nil) != ok {
			t.Errorf("Destination(%q): %v", text, err)
		}
	}
}

func TestOrigin(t *testing.T) {
	for text, want := range map[string]string{
		"http://Example.com/x": "http://example.com", "https://example.com:443": "https://example.com",
		"ws://localhost:3000/x": "http://localhost:3000", "wss://[::1]:8443/": "https://[::1]:8443", "http://localhost./": "http://localhost",
	} {
		if got, err := OriginOf(text); err != nil || got.String() != want {
			t.Errorf("OriginOf(%q) = %v, %v; want %s", text, got, err, want)
		}
	}
}

func TestZoneOf(t *testing.T) {
	for _, test := range []struct {
		url      string
		by, want Zone
	}{
		{"http://localhost/", Unknown, Inside}, {"https://example.com/", Inside, Outside},
		{"about:blank", Inside, Inside}, {"about:srcdoc", Outside, Outside}, {"blob:https://x/1", Outside, Outside},
		{"data:text/html,x", Outside, Outside}, {"http://10.0.0.1/", Inside, Outside},
	} {
		if got := ZoneOf(test.url, test.by); got != test.want {
			t.Errorf("ZoneOf(%q, %v) = %v, want %v", test.url, test.by, got, test.want)
		}
	}
}
