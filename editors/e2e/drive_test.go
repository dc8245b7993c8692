//go:build e2e

package e2e

import (
	"encoding/json"
	"flag"
	"os"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"pillion/rpc"
	"pillion/rpc/message"
)

// TestDriveScenario is the client under test of one conformance scenario: an editor that opens a folder, whose user has the
// suite's server as a connector, and does what the scenario wants done. The suite appends the server's address.
func TestDriveScenario(t *testing.T) {
	if os.Getenv(driveVar) == "" {
		t.Skip("the conformance suite starts this")
	}
	act, isKnown := scenarios()[os.Getenv("MCP_CONFORMANCE_SCENARIO")]
	if !isKnown {
		t.Fatalf("the driver does not know the scenario %q", os.Getenv("MCP_CONFORMANCE_SCENARIO"))
	}
	s := newSandbox(t, pillion(t))
	s.writeUserText(t, arguments(t, map[string]any{"mcpServers": map[string]any{
		"suite": map[string]string{"type": "http", "url": flag.Arg(flag.NArg() - 1)},
	}}))
	e := startSession(t, s)
	go e.answerAll()
	started := request(e, message.ConnectorStart, message.ConnectorParams{Connector: "suite"}).Connector
	if started.State != message.ConnectorReady {
		t.Fatalf("the connector is %s: %+v", started.State, started.Problem)
	}
	tools := request(e, message.Tools, message.ToolsParams{Connector: "suite", Detail: message.ToolFull}).Tools
	if act != nil {
		act(driven{e, tools})
	}
}

// scenarios are what is to be done in each of them, once the tools are listed.
func scenarios() map[string]func(driven) {
	return map[string]func(driven){
		"initialize":                          nil,
		"request-metadata":                    nil,
		"json-schema-ref-no-deref":            nil,
		"tools_call":                          func(d driven) { d.call("add_numbers", `{"a":5,"b":3}`) },
		"sse-retry":                           func(d driven) { d.call("test_reconnection", `{}`) },
		"http-standard-headers":               driven.everythingOnce,
		"http-custom-headers":                 driven.callsOfTheContext,
		"http-invalid-tool-headers":           func(d driven) { d.callAll(`{"region":"us-west1"}`) },
		"elicitation-sep1034-client-defaults": func(d driven) { d.call("test_client_elicitation_defaults", `{}`) },
		"sep-2322-client-request-state": func(d driven) {
			for _, name := range []string{"test_mrtr_echo_state", "test_mrtr_no_state", "test_mrtr_unrelated", "test_mrtr_no_result_type"} {
				d.call(name, `{}`)
			}
		},
		"json-schema-2020-12-preservation": func(d driven) {
			for _, tool := range d.tools {
				if tool.Name == "json_schema_2020_12_tool" {
					d.call("json_schema_echo", `{"schema":`+tool.InputSchemaText+`}`)
				}
			}
		},
	}
}

// driven is a session with the suite's server as its connector.
type driven struct {
	*session
	tools []message.Tool
}

// call makes one call. What came of it is for the suite to judge.
func (d driven) call(tool, argumentsText string) {
	d.t.Helper()
	r := receive(d.session, d.begin(message.ToolCallParams{Tool: message.ToolRef("suite." + tool), ArgumentsText: argumentsText}), "result")
	d.t.Logf("%s %s: %s %s %s", tool, argumentsText, r.Status, r.Message, r.Text)
}

func (d driven) callAll(argumentsText string) {
	d.t.Helper()
	for _, tool := range d.tools {
		d.call(tool.Name, argumentsText)
	}
}

// everythingOnce calls, reads and gets everything that is listed.
func (d driven) everythingOnce() {
	d.t.Helper()
	d.callAll(`{}`)
	type named struct{ URI, Name string }
	type connector = map[string]any
	resources := request(d.session, rpc.Request[connector, struct{ Resources []named }]{Method: "pillion/resources"}, connector{"connector": "suite"})
	for _, r := range resources.Resources {
		read := request(d.session, rpc.Request[connector, jsontext.Value]{Method: "pillion/resource/read"}, connector{"connector": "suite", "uri": r.URI})
		d.t.Logf("%s: %s", r.URI, read)
	}
	prompts := request(d.session, rpc.Request[connector, struct{ Prompts []named }]{Method: "pillion/prompts"}, connector{"connector": "suite"})
	for _, p := range prompts.Prompts {
		got := request(d.session, rpc.Request[connector, jsontext.Value]{Method: "pillion/prompt/get"}, connector{"connector": "suite", "name": p.Name})
		d.t.Logf("%s: %s", p.Name, got)
	}
}

// callsOfTheContext makes the calls that the suite wants made.
func (d driven) callsOfTheContext() {
	d.t.Helper()
	var wanted struct {
		ToolCalls []struct {
			Name      string
			Arguments json.RawMessage
		}
	}
	if err := json.Unmarshal([]byte(os.Getenv("MCP_CONFORMANCE_CONTEXT")), &wanted); err != nil {
		d.t.Fatal(err)
	}
	for _, c := range wanted.ToolCalls {
		d.call(c.Name, string(c.Arguments))
	}
}

// answerAll says yes to every question until the session ends; forms are sent as they stand.
func (e *session) answerAll() {
	for ask := range e.opened {
		var answer any
		switch body, err := ask.ParseBody(); b := body.(type) {
		case message.ApprovalBody:
			answer = message.ApprovalAnswer{Decision: message.ApproveOnce}
		case message.ElicitationBody:
			answer = message.ElicitationAnswer{Action: message.ElicitAccept, ContentText: untouched(b.SchemaText)}
		default:
			e.t.Errorf("a question of the kind %s: %v", ask.Kind, err)
			continue
		}
		e.answer(ask, answer)
	}
}

// untouched is a form as it is sent when nobody fills anything in, but for a box that must be ticked.
func untouched(schema string) string {
	var shape struct{ Properties map[string]json.RawMessage }
	if json.Unmarshal([]byte(schema), &shape) == nil && shape.Properties["confirmed"] != nil {
		return `{"confirmed":true}`
	}
	return `{}`
}
