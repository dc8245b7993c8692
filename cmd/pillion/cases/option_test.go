package cases

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"go.lsp.dev/uri"

	"pillion/editors/editortest"
	"pillion/mcp/mcptest"
	"pillion/rpc/message"
)

// threeTools are a, which only reads, and b and c.
const threeTools = mcptest.ToolsVar + `=[{"name":"a","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}},` +
	`{"name":"b","inputSchema":{"type":"object"}},{"name":"c","inputSchema":{"type":"object"}}]`

// options is the entry with options.
func (e entry) options(o entry) entry { return e.with("pillion", o) }

// A6: what stands before the tools' names where programs are given them; people see the connector's own name.
func TestA6_ToolPrefix(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	log := w.log("f")
	w.user(servers(map[string]entry{
		"a long name (of mine)": fake("", threeTools, "SRVLOG="+log).options(entry{"toolPrefix": "gh"}),
		"same":                  fake("", readOnly).options(entry{"toolPrefix": "gh"}),
	}))
	e := w.edit()
	e.Connector("a long name (of mine)", message.ConnectorReady)
	e.Connector("same", message.ConnectorReady)
	served := map[string]string{}
	for _, tool := range editortest.Request(e, message.Tools, message.ToolsParams{}).Tools {
		served[tool.Label] = tool.ServedName
	}
	if served["a long name (of mine).b"] != "gh__b" {
		t.Errorf("%v", served)
	}
	// Two of one name are told apart, in whichever order they came (C40).
	mine, other := served["a long name (of mine).a"], served["same.a"]
	if mine == other || !strings.HasPrefix(mine, "gh__a-") || !strings.HasPrefix(other, "gh__a-") {
		t.Errorf("%v", served)
	}
	if result := call(t, e, mine, `{"n":1}`); result.Status != message.CallOK || len(argumentsOf(t, log)) != 1 {
		t.Errorf("%+v", result)
	}
}

// A6: tools beside those of a list, and never what is excluded.
func TestA6_ExtraIncludeTools(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.user(servers(map[string]entry{
		"f":    fake("", threeTools).options(entry{"tools": []string{"a"}, "excludeTools": []string{"c"}}),
		"more": {"pillion": entry{"aliasOf": "f", "extraIncludeTools": []string{"b", "c"}}},
	}))
	e := w.edit()
	e.Connector("more", message.ConnectorReady)
	e.Connector("f", message.ConnectorReady)
	if got := labels(editortest.Request(e, message.Tools, message.ToolsParams{}).Tools); !slices.Equal(got, []string{"f.a", "more.a", "more.b"}) {
		t.Errorf("%v", got)
	}
}

// A6: tools are found by the words that a file gives them.
func TestA6_Tags(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.user(servers(map[string]entry{
		"f": fake("", threeTools).options(entry{"tags": []string{"tracker"}, "toolTags": entry{"[bc]": []string{"writes"}, "c": []string{"rare"}}}),
		"g": fake("", readOnly),
	}))
	e := w.edit()
	e.Connector("f", message.ConnectorReady)
	e.Connector("g", message.ConnectorReady)
	for _, test := range []struct {
		params message.ToolsParams
		want   []string
	}{
		{message.ToolsParams{Tag: "tracker"}, []string{"f.a", "f.b", "f.c"}},
		{message.ToolsParams{Tag: "writes"}, []string{"f.b", "f.c"}},
		{message.ToolsParams{Tag: "write"}, nil},
		{message.ToolsParams{Query: "RARE"}, []string{"f.c"}},
		{message.ToolsParams{Query: "tracker b"}, []string{"f.b"}},
	} {
		if got := editortest.Request(e, message.Tools, test.params).Tools; !slices.Equal(labels(got), test.want) {
			t.Errorf("%+v: %v", test.params, labels(got))
		}
	}
	tool := editortest.Request(e, message.ToolDetail, message.ToolParams{Tool: "f.c"}).Tool
	if !slices.Equal(tool.Tags, []string{"rare", "tracker", "writes"}) {
		t.Errorf("%v", tool.Tags)
	}
}

// A6, A7: one that is not on by default is there with its profile alone.
func TestA6_OffByDefault(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.user(servers(map[string]entry{"f": fake("").options(entry{"default": false, "profiles": []string{"work"}})}))
	e := w.edit()
	if off := e.Connector("f", message.ConnectorDisabled); !slices.Equal(off.DisabledBy, []message.DisabledBy{message.DisabledByProfile}) {
		t.Errorf("%+v", off.DisabledBy)
	}
	if got := kinds(e, message.WhyParams{Connector: "f"}); !slices.Equal(got, []message.ReasonKind{message.ReasonProfile}) {
		t.Errorf("%v", got)
	}
	editortest.Request(e, message.WorkspaceSet, message.WorkspaceSetParams{Root: message.URI(uri.File(w.repository)), Profile: jsontext.Value(`"work"`)})
	e.Connector("f", message.ConnectorReady)
}

// A6: a server's instructions are passed on as far as its entry says, and each name of a process has its own bound.
func TestA6_MaxInstructionBytes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.user(servers(map[string]entry{
		"all":  fake(""),
		"some": {"pillion": entry{"aliasOf": "all", "maxInstructionBytes": 6}},
		"none": {"pillion": entry{"aliasOf": "all", "maxInstructionBytes": 0}},
	}))
	e := w.edit()
	for name, want := range map[string]string{"all": "Be brief.", "some": "Be …", "none": ""} {
		if got := e.Connector(name, message.ConnectorReady).Server.Instructions; got != want {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// A6: standard error goes to Pillion's own log where an entry says so, without secrets (E7), and nowhere beside its file else.
func TestA6_StderrLevel(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.user(servers(map[string]entry{
		"loud":  fake("stderr=over heated with s3cr3t-s3cr3t", "API_TOKEN=s3cr3t-s3cr3t").options(entry{"stderrLevel": "warn"}),
		"fine":  fake("stderr=only details").options(entry{"stderrLevel": "debug"}),
		"quiet": fake("stderr=all well"),
	}))
	e := w.edit()
	for _, name := range []string{"loud", "fine", "quiet"} {
		e.Connector(name, message.ConnectorReady)
	}
	e.End()
	log := string(read(t, filepath.Join(w.home, "state", "pillion.log")))
	if !strings.Contains(log, "over heated with [REDACTED]") || strings.Contains(log, "s3cr3t") {
		t.Errorf("the log has not what was asked for: %s", log)
	}
	if strings.Contains(log, "only details") || strings.Contains(log, "all well") {
		t.Errorf("the log has what nobody asked for: %s", log)
	}
}

// E2, S4, S14: the user's file says whose claim to only read is believed, and a project's file does not.
func TestE2_WhoIsBelieved(t *testing.T) {
	t.Parallel()
	hints := func(hints string) string {
		return mcptest.ToolsVar + `=[{"name":"a","inputSchema":{"type":"object"},"annotations":{` + hints + `}}]`
	}
	const reads, open = `"readOnlyHint":true`, `"readOnlyHint":true,"openWorldHint":true`
	tests := []struct {
		name          string
		project, user map[string]entry
		want          message.ToolPermission
	}{
		{"a project's", map[string]entry{"f": fake("", hints(reads))}, nil, message.ToolAsk},
		{"a project's that says it of itself", map[string]entry{"f": fake("", hints(reads)).options(entry{"trustReadOnly": true})}, nil, message.ToolAsk},
		{"a project's that the user vouches for", map[string]entry{"f": fake("", hints(reads))}, map[string]entry{"f": {"pillion": entry{"trustReadOnly": true}}}, message.ToolAuto},
		{"another of the project's", map[string]entry{"f": fake("", hints(reads))}, map[string]entry{"g": {"pillion": entry{"trustReadOnly": true}}}, message.ToolAsk},
		{"vouched for and open", map[string]entry{"f": fake("", hints(open))}, map[string]entry{"f": {"pillion": entry{"trustReadOnly": true}}}, message.ToolAsk},
		{"vouched for and writes", map[string]entry{"f": fake("", hints(`"readOnlyHint":false`))}, map[string]entry{"f": {"pillion": entry{"trustReadOnly": true}}}, message.ToolAsk},
		{"the user's own", nil, map[string]entry{"f": fake("", hints(reads))}, message.ToolAuto},
		{"the user's own that is doubted", nil, map[string]entry{"f": fake("", hints(reads)).options(entry{"trustReadOnly": false})}, message.ToolAsk},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			if test.user != nil {
				w.user(servers(test.user))
			}
			e := (*editortest.Editor)(nil)
			if test.project != nil {
				w.project(servers(test.project))
				e = w.edit()
				e.Connector("f", message.ConnectorWaiting) // it is none of the user's own for it
				e.Allow("f")
			} else {
				e = w.edit()
			}
			e.Connector("f", message.ConnectorReady)
			if tool := editortest.Request(e, message.ToolDetail, message.ToolParams{Tool: "f.a"}).Tool; tool.Permission != test.want {
				t.Errorf("%s, want %s", tool.Permission, test.want)
			}
			if test.want == message.ToolAuto {
				if result := call(t, e, "f.a", "{}"); result.Status != message.CallOK || result.Allowed.By != message.AllowedByReadOnly {
					t.Errorf("%+v", result)
				}
			}
		})
	}
}
