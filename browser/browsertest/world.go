package browsertest

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"strings"

	"pillion/browser/relay"
)

// World has every name that ends in .test at a public address, which is the site.
func World(site *Site) relay.Options {
	address := strings.TrimPrefix(site.URL, "http://")
	return relay.Options{
		Lookup: func(_ context.Context, host string) ([]netip.Addr, error) {
			switch host {
			case "private.test":
				return []netip.Addr{netip.MustParseAddr("10.0.0.1")}, nil
			case "rebound.test":
				return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
			}
			if strings.HasSuffix(host, ".test") {
				return []netip.Addr{netip.MustParseAddr("93.184.216.34")}, nil
			}
			return nil, errors.New("no such host")
		},
		Dial: func(ctx context.Context, network, to string) (net.Conn, error) {
			if strings.HasPrefix(to, "93.184.216.34:") {
				to = address
			}
			return (&net.Dialer{}).DialContext(ctx, network, to)
		},
	}
}
