package host

import "testing"

// A12, S6: what the user switched off stays off under the name that he gives the connector: everywhere, and in folders that are
// not open now.
func TestS6_ARenameSwitchesNothingOn(t *testing.T) {
	t.Parallel()
	root, other := t.TempDir(), t.TempDir()
	h := newHouse(t, root)
	write(t, h.user, servers("before", ""))
	h.Start()
	before := h.started("before")
	if _, err := h.SetTool(t.Context(), "before.a", false, true); err != nil { // everywhere
		t.Fatal(err)
	}
	h.SetRoots([]string{other})
	off := false
	if _, err := h.SetConnector(t.Context(), before.ID, ConnectorWish{Enabled: &off}); err != nil {
		t.Fatal(err)
	}
	h.SetRoots([]string{root})
	write(t, h.user, servers("after", ""))
	h.Reload()
	if err := h.MoveDecisions(t.Context(), h.user, "before", "after", before.Hash); err != nil {
		t.Fatal(err)
	}
	h.started("after")
	if tool, err := h.AnyTool("after.a"); err != nil || tool.State != ToolOff {
		t.Errorf("the tool that was switched off: %+v, %v", tool, err)
	}
	h.SetRoots([]string{other})
	if c, err := h.Connector("after"); err != nil || c.State != StateDisabled {
		t.Errorf("in the folder where it was switched off: %+v, %v", c, err)
	}
}
