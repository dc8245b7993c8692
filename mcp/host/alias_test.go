package host

import (
	"testing"

	"pillion/mcp/config"
	"pillion/mcp/permission"
)

// TestS8_DenyHoldsThroughAliases, from whichever of the two names it was given;
// an allow of the one is none of the other where they offer different tools.
func TestS8_DenyHoldsThroughAliases(t *testing.T) {
	t.Parallel()
	d := config.Parse(config.File{Path: "/home/u/mcp.json", Source: config.SourceUser},
		[]byte(`{"mcpServers":{"github":{"command":"gh"},"issues":{"pillion":{"aliasOf":"github","tools":["rm"]}},"other":{"command":"gh"}}}`))
	slotOf := func(name string) *slot { return &slot{entry: d.Entry(name), hash: d.Entry(name).Hash()} }
	judged := func(rule permission.Rule, name string) permission.Decision {
		subject := new(Host).subjectOf(slotOf(name), Tool{Name: "rm", Hash: "h", IsDestructive: true})
		return permission.Judge([]permission.Rule{rule}, permission.ModeAsk, subject, true).Decision
	}
	for _, given := range []string{"github", "issues"} {
		rule := ruleFor(slotOf(given), permission.ScopeUser, "")
		rule.Tool, rule.ToolHashes["rm"], rule.Decision = "rm", "h", permission.RuleDeny
		for name, want := range map[string]permission.Decision{"github": permission.Deny, "issues": permission.Deny, "other": permission.Ask} {
			if got := judged(rule, name); got != want {
				t.Errorf("refused to %s: %s is %s, want %s", given, name, got, want)
			}
		}
		rule.Decision = permission.RuleAllow
		for _, name := range []string{"github", "issues"} {
			if got, isGiven := judged(rule, name), name == given; (got == permission.Auto) != isGiven {
				t.Errorf("allowed to %s: %s is %s", given, name, got)
			}
		}
	}
}
