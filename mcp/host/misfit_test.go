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

// A schema that holds a secret is checked as it came, and what is said of it has none.
func TestE4_ASchemaWithASecretTakesIt(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	const secret = "sekret-value-1"
	write(t, h.user, servers("x", "", "API_TOKEN="+secret,
		mcptest.ToolsVar+`=[{"name":"a","annotations":{"readOnlyHint":true},"inputSchema":{"type":"object","required":["`+secret+`"],"properties":{"`+secret+`":{"enum":["`+secret+`"]}}}}]`))
	h.Start()
	h.started("x")
	for arguments, status := range map[string]Status{`{"` + secret + `":"` + secret + `"}`: StatusOK, `{}`: StatusInvalidArguments, `{"` + secret + `":1}`: StatusInvalidArguments} {
		got, err := h.Call(t.Context(), CallRequest{Tool: "x.a", Arguments: []byte(arguments)})
		if err != nil || got.Status != status {
			t.Errorf("%s: %+v %v", arguments, got, err)
		}
		if fault := got.ArgumentFault; strings.Contains(got.Message, secret) || fault != nil && strings.Contains(fault.Path+fault.Reason, secret) {
			t.Errorf("%s: %q %+v", arguments, got.Message, fault)
		}
	}
}
