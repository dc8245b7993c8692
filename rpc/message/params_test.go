package message

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"go.lsp.dev/protocol"

	"pillion/rpc"
)

// decode is what a handler gets for the params that a peer sent.
func decode[P any](t *testing.T, text string) P {
	t.Helper()
	var p P
	if err := rpc.Unmarshal([]byte(text), &p); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return p
}

func TestArgumentsKeepTheirDigits(t *testing.T) {
	for _, test := range []struct{ params, want string }{
		{`{"tool":"a.b"}`, `{}`},
		{`{"tool":"a.b","arguments":null}`, `{}`},
		{`{"tool":"a.b","arguments":{}}`, `{}`},
		{`{"tool":"a.b","arguments":[ ]}`, `{}`}, // Lua's empty table
		{`{"tool":"a.b","arguments":{"z":12345678901234567890,"a":1.10,"e":1e400}}`, `{"z":12345678901234567890,"a":1.10,"e":1e400}`},
		{`{"tool":"a.b","argumentsText":"{\"z\":12345678901234567890, \"a\":1.10}"}`, `{"z":12345678901234567890, "a":1.10}`},
		{`{"tool":"a.b","argumentsText":"{\"n\":1,\"n\":2}"}`, `{"n":1,"n":2}`}, // judged by the gate, not here
	} {
		p := decode[ToolCallParams](t, test.params)
		if err := p.Check(); err != nil {
			t.Errorf("%s: %v", test.params, err)
		}
		if got := string(p.ArgumentBytes()); got != test.want {
			t.Errorf("%s: %s, want %s", test.params, got, test.want)
		}
	}
}

func TestToolCallIncludesTextUnlessTold(t *testing.T) {
	for _, test := range []struct {
		params string
		want   string
	}{
		{`{"tool":"t"}`, "text"},
		{`{"tool":"t","include":[]}`, ""},
		{`{"tool":"t","include":["structured","hologram","content"]}`, "content structured"},
		{`{"tool":"t","include":["Text"]}`, ""},
	} {
		p, got := decode[ToolCallParams](t, test.params), []string{}
		for _, part := range []CallPart{CallPartText, CallPartContent, CallPartStructured} {
			if p.Includes(part) {
				got = append(got, string(part))
			}
		}
		if strings.Join(got, " ") != test.want {
			t.Errorf("%s: %q, want %q", test.params, got, test.want)
		}
	}
}

func TestProgressTokenIsNumberOrText(t *testing.T) {
	if got := decode[ToolCallParams](t, `{"tool":"t","workDoneToken":7}`).WorkDoneToken; got != protocol.Integer(7) {
		t.Errorf("%#v", got)
	}
	if got := decode[ToolCallParams](t, `{"tool":"t","workDoneToken":"7"}`).WorkDoneToken; got != protocol.String("7") {
		t.Errorf("%#v", got)
	}
	if got := decode[ToolCallParams](t, `{"tool":"t"}`).WorkDoneToken; got != nil {
		t.Errorf("%#v", got)
	}
}

func TestChecksTellMisuse(t *testing.T) {
	allow := PermissionSetParams{Connector: "c", Tool: OneTool("t"), Decision: PermissionAllow, Scope: PermissionUser}
	with := func(change func(*PermissionSetParams)) PermissionSetParams {
		p := allow
		change(&p)
		return p
	}
	where := func(c Condition) PermissionSetParams {
		return with(func(p *PermissionSetParams) { p.Where = []Condition{c} })
	}
	for _, test := range []struct {
		name   string
		params interface{ Check() error }
		want   string // part of the sentence; empty: nothing is wrong
	}{
		{"no tool", ToolCallParams{}, "tool is missing"},
		{"both arguments", ToolCallParams{Tool: "t", ArgumentsText: "{}", Arguments: jsontext.Value(`{}`)}, "send one"},
		{"arguments are text", ToolCallParams{Tool: "t", Arguments: jsontext.Value(`"{}"`)}, "not an object"},
		{"arguments are a list", ToolCallParams{Tool: "t", Arguments: jsontext.Value(`[1]`)}, "not an object"},
		{"negative timeout", ToolCallParams{Tool: "t", TimeoutMS: -1}, "timeoutMs"},
		{"a call", ToolCallParams{Tool: "t"}, ""},
		{"command without arguments", ToolCallArguments{}, ""},
		{"command with a list", ToolCallArguments{Tool: "t", Arguments: jsontext.Value(`[1]`)}, "not an object"},
		{"negative limit", ToolsParams{Limit: -1}, "limit"},
		{"all tools", ToolsParams{}, ""},
		{"why nothing", WhyParams{}, "either"},
		{"why both", WhyParams{Connector: "c", Tool: "t"}, "either"},
		{"why a tool", WhyParams{Tool: "t"}, ""},
		{"negative offset", ResultReadParams{Offset: -1}, "negative"},
		{"from the start", ResultReadParams{CallID: "c"}, ""},
		{"a rule", allow, ""},
		{"a rule for all tools", with(func(p *PermissionSetParams) { p.Tool = AllTools() }), ""},
		{"a rule without a tool", with(func(p *PermissionSetParams) { p.Tool = nil }), "tool is missing"},
		{"a rule for an empty tool", with(func(p *PermissionSetParams) { p.Tool = OneTool("") }), "tool is not"},
		{"a rule for a number", with(func(p *PermissionSetParams) { p.Tool = jsontext.Value("1") }), "tool is not"},
		{"a rule of another case", with(func(p *PermissionSetParams) { p.Decision = "Allow" }), "decision"},
		{"a rule without a scope", with(func(p *PermissionSetParams) { p.Scope = "" }), "scope"},
		{"a rule without a connector", with(func(p *PermissionSetParams) { p.Connector = "" }), "connector"},
		{"a condition", where(Condition{Path: "/path", Under: "/tmp"}), ""},
		{"an empty condition", where(Condition{Path: "/path"}), "exactly one"},
		{"two conditions in one", where(Condition{Path: "/path", Under: "/tmp", Glob: "*"}), "exactly one"},
		{"no mode", ModeParams{}, "mode"},
		{"unknown mode", ModeParams{Mode: "yolo"}, "mode"},
		{"a mode", ModeParams{Mode: ModePaused}, ""},
		{"nothing wanted of a connector", ConnectorSetParams{Connector: "c"}, ""},
		{"of no connector", ConnectorSetParams{}, "connector is missing"},
		{"a profile", ConnectorSetParams{Connector: "c", Profile: jsontext.Value(`"work"`)}, ""},
		{"no profile", WorkspaceSetParams{Profile: jsontext.Value(`null`)}, ""},
		{"a number for a profile", WorkspaceSetParams{Profile: jsontext.Value(`1`)}, "profile"},
		{"a tool off", ToolSetParams{Tool: "t", State: ToolOff}, ""},
		{"a tool quarantined", ToolSetParams{Tool: "t", State: ToolQuarantined}, "state"},
		{"a tool of another case", ToolSetParams{Tool: "t", State: "Off"}, "state"},
		{"a tool for a session", ToolSetParams{Tool: "t", State: ToolOff, Scope: "session"}, "scope"},
		{"no tool off", ToolSetParams{State: ToolOff}, "tool is missing"},
		{"unknown role", AttachParams{Role: "root", Name: "x"}, "role"},
		{"no name", AttachParams{Role: AttachCLI}, "name"},
		{"long name", AttachParams{Role: AttachCLI, Name: strings.Repeat("x", 129)}, "name"},
		{"a terminal", AttachParams{Role: AttachCLI, Name: "pillion"}, ""},
		{"half an answer", AskAnswerArguments{AskID: "a", Answer: jsontext.Value(`{}`)}, "all needed"},
		{"an answer", AskAnswerArguments{AskID: "a", Answer: jsontext.Value(`{}`), Hash: "h"}, ""},
	} {
		err := test.params.Check()
		switch {
		case test.want == "" && err != nil:
			t.Errorf("%s: %v", test.name, err)
		case test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)):
			t.Errorf("%s: %v, want %q", test.name, err, test.want)
		}
	}
}

// TestRuleForAllToolsIsSaid holds that leaving the tool out makes no rule for
// all of them.
func TestRuleForAllToolsIsSaid(t *testing.T) {
	base := `{"connector":"c","decision":"allow","scope":"user"`
	for _, test := range []struct {
		params string
		ref    ToolRef
		all    bool
		fails  bool
	}{
		{base + `}`, "", false, true},
		{base + `,"tool":null}`, "", true, false},
		{base + `,"tool":"t"}`, "t", false, false},
		{base + `,"Tool":null}`, "", false, true},
		{base + `,"tool":[]}`, "", false, true},
	} {
		ref, all, err := decode[PermissionSetParams](t, test.params).ToolRef()
		if ref != test.ref || all != test.all || (err != nil) != test.fails {
			t.Errorf("%s: %q, %v, %v", test.params, ref, all, err)
		}
	}
}
