package host

import (
	"errors"
	"fmt"
	"testing"

	"pillion/mcp/permission"
)

// S8: a connector names its tools as it likes, also as the id, the label or the served name of another one that is to be refused:
// the refusal is of the one that is meant, or is not taken at all.
func TestS8_ARefusalIsOfTheToolThatIsMeant(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	write(t, h.user, servers("f", ""))
	h.Start()
	id := ToolID(h.id("f"), "a")
	tools := ""
	for _, name := range []string{"b.c", "a", "f.a", id, "off"} {
		tools += fmt.Sprintf(`,{"name":%q,"inputSchema":{"type":"object"}}`, name)
	}
	write(t, h.user, servers("f", "", "PILLION_FAKE_TOOLS=["+tools[1:]+"]"))
	h.Reload()
	h.started("f")
	off, err := h.SetTool(t.Context(), "f.off", false, true)
	if err != nil {
		t.Fatalf("%+v, %v", off, err)
	}
	served := servedNameAlone(identity{h.id("f"), "f", "b.c"})
	for name, want := range map[string]string{
		id: "a", "a": "a", "f__a": "a", ToolID(h.id("f"), "f.a"): "f.a", "f.f.a": "f.a", ToolID(h.id("f"), id): id,
		served: "b.c", "f.b.c": "b.c", ToolID(h.id("f"), "off"): "off", "f.off": "off", "later": "later", "f.later": "later",
	} {
		draft, err := h.DraftRule(NewRule{Connector: "f", Tool: name, Decision: permission.RuleDeny, Scope: permission.ScopeUser})
		if err != nil || draft.Tool != want {
			t.Errorf("%s is taken for %q, not %q; %v", name, draft.Tool, want, err)
		}
	}
	var unclear *UnknownError
	draft, err := h.DraftRule(NewRule{Connector: "f", Tool: "f.a", Decision: permission.RuleDeny, Scope: permission.ScopeUser})
	if !errors.As(err, &unclear) || len(unclear.Candidates) != 2 {
		t.Errorf("a name of two tools is taken for %q; %v", draft.Tool, err)
	}
	for _, name := range []string{"later", ToolID(h.id("f"), "off")} {
		if draft, err := h.DraftRule(NewRule{Connector: "f", Tool: name, Decision: permission.RuleAsk, Scope: permission.ScopeUser}); !errors.As(err, &unclear) {
			t.Errorf("%s, which is not offered, is taken for %q; %v", name, draft.Tool, err)
		}
	}
}
