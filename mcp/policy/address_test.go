package policy

import "testing"

// O6: no spelling of an address leads past a prohibition, or into a list of what may run.
func TestO6_AnAddressBySpelling(t *testing.T) {
	t.Parallel()
	read := func(rules string) Policy {
		p, err := parse([]byte(`{"version": 1, "connectors": ` + rules + `}`))
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	list := read(`{"allow": [{"url": "https://*.corp.example/**"}, {"url": "https://One.example"}, {"url": "https://p.example:443/a/**"}]}`)
	deny := read(`{"deny": [{"url": "https://evil.example/**"}, {"url": "https://bare.example"}, {"url": "https://p.example/secret/**"}]}`)
	for _, test := range []struct {
		policy   Policy
		url      string
		mayStart bool
	}{
		{list, "https://a.corp.example/mcp", true}, {list, "https://A.Corp.Example/mcp", true}, {list, "https://a.corp.example:443/mcp?x=1", true},
		{list, "https://one.example", true}, {list, "https://one.example/", true}, {list, "https://p.example/a/b", true},
		{list, "https://evil.example?.corp.example/x", false}, {list, "https://evil.example#.corp.example/x", false},
		{list, "https://evil.example/.corp.example/x", false}, {list, "https://a.corp.example@evil.example/x", false},
		{list, "https://evil.example:1.corp.example/x", false}, {list, "https://evil.example%2f.corp.example/x", false},
		{list, "https://p.example/a/../b", false}, {list, "https://p.example/a/%2e%2e/b", false}, {list, "https://one.example/x", false},
		{list, "http://a.corp.example/mcp", false}, {list, "https://a.corp.example:444/mcp", false}, {list, "", false},
		{deny, "https://good.example/x", true}, {deny, "https://evil.example/x", false}, {deny, "https://EVIL.example/x", false},
		{deny, "https://evil.example:443/x", false}, {deny, "https://u:p@evil.example/x", false}, {deny, "https://evil.example./x", false},
		{deny, "https://evil.example", false}, {deny, "https://evil.example?x", false}, {deny, "https://bare.example/", false},
		{deny, "https://bare.example:443/#x", false}, {deny, "https://p.example/a/../secret/x", false}, {deny, "https://p.example/%73ecret/x", false},
		{deny, "https://p.example//secret/x", false}, {deny, "HTTPS://evil.example/x", false},
	} {
		if reason := test.policy.Refusal(Connector{Name: "c", URL: test.url}); (reason == "") != test.mayStart {
			t.Errorf("%q: %q", test.url, reason)
		}
	}
}
