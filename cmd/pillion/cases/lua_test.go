package cases

import (
	"testing"

	"pillion/rpc/message"
)

// An editor that is written in Lua sends an empty table as an empty list: those are no arguments, not wrong ones.
func TestU16_AnEmptyListIsNoArguments(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.user(servers(map[string]entry{"mine": fake("echo", readOnly)}))
	e := w.edit()
	e.Connector("mine", message.ConnectorReady)
	execute(e, "pillion.server.tool.call", `"mine.a"`, `[]`)
	e.Shown("The tool answered.")
}
