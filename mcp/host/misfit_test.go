package host

import (
	"strings"
	"testing"

	"pillion/mcp/mcptest"
)

func TestE4_WrongArgumentsAreNamedBeforeAnybodyIsAsked(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	write(t, h.user, servers("x", "", mcptest.ToolsVar+`=[{"name":"a","inputSchema":{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}}]`))
	h.Start()
	h.started("x")
	for arguments, path := range map[string]string{`{}`: "", `{"n":"1"}`: "/n", `{"n":1.5}`: "/n"} {
		got, err := h.Call(t.Context(), CallRequest{Tool: "x.a", Arguments: []byte(arguments)})
		if err != nil || got.Status != StatusInvalidArguments || got.MayHaveRun || got.ArgumentFault == nil || got.ArgumentFault.Path != path {
			t.Errorf("%s: %+v %v", arguments, got, err)
			continue
		}
		if !strings.Contains(got.Message, got.ArgumentFault.Reason) || !strings.Contains(got.Message, "nothing ran") {
			t.Errorf("%s: %q", arguments, got.Message)
		}
	}
}
