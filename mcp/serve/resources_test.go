package serve

import (
	"testing"

	"pillion/mcp/connector"
	"pillion/mcp/host"
)

func TestL1_AddressesLeadBackToTheirConnector(t *testing.T) {
	t.Parallel()
	resource := func(id, uri string) host.Resource {
		return host.Resource{Connector: id, Resource: connector.Resource{URI: uri}}
	}
	template := func(id, uri string) host.ResourceTemplate {
		return host.ResourceTemplate{Connector: id, ResourceTemplate: connector.ResourceTemplate{URITemplate: uri}}
	}
	b := newAddressBook(map[string]string{"1": "one", "2": "two"},
		[]host.Resource{resource("1", "file:///both"), resource("2", "file:///both"), resource("1", "file:///mine")},
		[]host.ResourceTemplate{template("1", "notes://{id}/text"), template("2", "mail://{box}/{id}"), template("1", "any://{+path}"), template("2", "any://{x}")})
	for _, c := range []struct{ connector, uri, served string }{
		{"1", "file:///mine", "file:///mine"},
		{"1", "file:///both", "pillion.1+file:///both"},
		{"2", "file:///both", "pillion.2+file:///both"},
		{"1", "notes://7/text", "notes://7/text"},
		{"2", "notes://7/text", "pillion.2+notes://7/text"}, // by its form it would be the other's
		{"2", "any://x", "pillion.2+any://x"},
		{"2", "nobody://x", "pillion.2+nobody://x"},
		{"1", "pillion.2+file:///both", "pillion.1+pillion.2+file:///both"},
		{"1", "notes://{id}/text", "notes://{id}/text"},
	} {
		if got := b.served(c.connector, c.uri); got != c.served {
			t.Errorf("%s of %s is served as %s, want %s", c.uri, c.connector, got, c.served)
		}
		if owner, uri, isKnown := b.owner(c.served); !isKnown || owner != c.connector || uri != c.uri {
			t.Errorf("%s leads to %s of %s, %v", c.served, uri, owner, isKnown)
		}
	}
	for _, unknown := range []string{"file:///both", "any://x", "nobody://x", "", "pillion.3+file:///both", "pillion.1", "notes://7/text/more"} {
		if owner, _, isKnown := b.owner(unknown); isKnown {
			t.Errorf("%s leads to %s", unknown, owner)
		}
	}
	if got := b.served("1", "https://example.com/"); got != "https://example.com/" {
		t.Errorf("a page of the web is served as %s", got)
	}
	alone := newAddressBook(map[string]string{"1": "one"}, nil, nil)
	if owner, uri, isKnown := alone.owner("any://thing"); !isKnown || owner != "1" || uri != "any://thing" || alone.served("1", uri) != uri {
		t.Errorf("with one connector alone an address leads to %q of %q", uri, owner)
	}
	rewritten := b.rewritten([]byte(`[{"type":"resource","resource":{"uri":"file:///both","text":"x","n":1.0}},{"type":"text","text":"file:///both"}]`), "2")
	if want := `[{"type":"resource","resource":{"uri":"pillion.2+file:///both","text":"x","n":1.0}},{"type":"text","text":"file:///both"}]`; string(rewritten) != want {
		t.Errorf("%s, want %s", rewritten, want)
	}
}
