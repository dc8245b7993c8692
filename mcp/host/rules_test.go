package host

import (
	"path/filepath"
	"slices"
	"testing"

	"pillion/mcp/audit"
	"pillion/mcp/permission"
	"pillion/mcp/state"
)

// What could not be kept holds in this window all the same, and so it is on record (E9).
func TestHost_ARuleThatIsNotKeptIsOnRecord(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	write(t, filepath.Join(h.options.Folder.Path(), "permissions.json"), `{"version": 99}`)
	write(t, h.user, servers("mine", ""))
	h.Start()
	draft, err := h.DraftRule(NewRule{Connector: h.id("mine"), Tool: "a", Decision: permission.RuleDeny, Scope: permission.ScopeUser})
	if err != nil {
		t.Fatal(err)
	}
	added, err := h.StoreRule(t.Context(), draft)
	if !state.IsUnsaved(err) || added.ID == "" {
		t.Fatalf("%+v, %v", added, err)
	}
	if err := h.RemoveRule(t.Context(), added.ID); !state.IsUnsaved(err) {
		t.Errorf("taken back: %v", err)
	}
	if err := h.audit.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	var said []string
	if err := h.audit.Each(func(r audit.Record) bool {
		if r.Kind == audit.KindRule {
			said = append(said, r.Status)
		}
		return true
	}); err != nil || !slices.Equal(said, []string{permission.RuleDeny, "removed"}) {
		t.Errorf("on record is %q, %v", said, err)
	}
}
