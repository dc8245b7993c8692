package host

import (
	"strings"
	"testing"

	"pillion/mcp/connector"
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

// Arguments are looked at again where the tool takes others once its question is answered, before anybody is asked anew.
func TestE4_ArgumentsAreCheckedAgainWhereTheToolChangedMeanwhile(t *testing.T) {
	t.Parallel()
	for schema, want := range map[string]struct {
		status Status
		asked  int
	}{
		`{"type":"object","required":["m"]}`: {StatusInvalidArguments, 1},
		`{"type":"object","required":["n"]}`: {StatusOK, 2},
	} {
		h := newHouse(t)
		asked := 0
		h.options.Asker = allower{before: func() {
			if asked++; asked == 1 {
				h.lists(connector.Tool{Name: "a", InputSchema: []byte(schema), Hash: "another"})
			}
		}}
		write(t, h.user, servers("x", ""))
		h.Start()
		h.started("x")
		got, err := h.Call(t.Context(), CallRequest{Tool: "x.a", Arguments: []byte(`{"n":1}`)})
		if err != nil || got.Status != want.status || asked != want.asked {
			t.Errorf("%s: %+v, %v, asked %d times", schema, got, err, asked)
		}
		if isFault := want.status == StatusInvalidArguments; isFault && (got.MayHaveRun || got.ArgumentFault == nil) {
			t.Errorf("%s: %+v", schema, got)
		}
	}
}

// lists makes the tools of x those, as if it had listed them so.
func (h *house) lists(tools ...connector.Tool) {
	id := h.idOf("x")
	h.locked(func() {
		s := h.slots[id]
		next := *s.catalogue
		next.Generation++
		next.Tools = tools
		h.publish(s, &next)
	})
}
