//go:build unix

package cases

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pillion/editors/editortest"
	"pillion/mcp/mcptest"
	"pillion/rpc/message"
)

// listing is an entry whose connector lists these tools, as JSON.
func listing(mode string, tools ...string) entry {
	return fake(mode, mcptest.ToolsVar+"=["+strings.Join(tools, ",")+"]")
}

// answering is an entry whose connector has one tool that only reads, and answers its calls with this result.
func answering(output, result string) entry {
	return fake("", mcptest.ToolsVar+`=[{"name":"a","inputSchema":{"type":"object"},`+output+`"annotations":{"readOnlyHint":true}}]`, mcptest.ResultVar+"="+result)
}

const goodTool = `{"name":"good","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}`

// A reply that is too long costs its call alone, and says how long it was.
func TestC17_ALongReplyCostsItsCallAlone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.user(servers(map[string]entry{"mine": fake("", readOnly)}))
	e := w.edit()
	pid := pidOf(t, e, "mine")
	for _, bytes := range []int{65_537, 1<<20 + 1, 17 << 20} {
		if result := call(t, e, "mine.a", fmt.Sprintf(`{"bytes":%d}`, bytes)); result.Status != message.CallOK || !result.Truncated || result.FullTextURI == "" {
			t.Errorf("%d bytes: %s %s", bytes, result.Status, result.Message)
		}
	}
	if result := call(t, e, "mine.a", fmt.Sprintf(`{"bytes":%d}`, 65<<20)); result.Status != message.CallConnectorError || !result.MayHaveRun || !strings.Contains(result.Message, "exceeds the limit of 64 MiB") {
		t.Errorf("%+v", result)
	}
	if result := call(t, e, "mine.a", "{}"); result.Status != message.CallOK || pidOf(t, e, "mine") != pid {
		t.Errorf("%+v", result)
	}
}

// C28: one that ends as soon as it is ready is not started over and over: it stands still, says why, and starts again when
// somebody wants it; what has recovered by then runs.
func TestC28_NoLoopOfStarts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.user(servers(map[string]entry{
		"dies":     fake("pid="+w.file("dies")+",exitafter=tools/list:3", readOnly),
		"recovers": fake("pid="+w.file("recovers")+",failfirst=2:"+w.file("lives"), readOnly),
		"bystands": fake("", readOnly),
	}))
	e := w.edit()
	const starts = 4
	for i := range starts {
		c := e.Connector("dies", message.ConnectorFailed)
		if c.Problem.Kind != message.ProblemExited || !strings.Contains(c.Problem.Reason, "exited (3)") || len(c.Processes) != 0 {
			t.Errorf("%+v", c)
		}
		if i < starts-1 {
			editortest.Request(e, message.ConnectorStart, message.ConnectorParams{Connector: "dies"})
		}
	}
	// A first start may take two processes, for a server that does not bear the first message (C23).
	e.Connector("recovers", message.ConnectorFailed)
	if result := call(t, e, "recovers.a", "{}"); result.Status != message.CallOK {
		t.Errorf("%+v", result)
	}
	// By now there was time for more, had it been tried again by itself.
	if result := call(t, e, "bystands.a", "{}"); result.Status != message.CallOK {
		t.Errorf("%+v", result)
	}
	if n := len(idsIn(t, w.file("dies"))); n > starts+1 {
		t.Errorf("%d processes for %d starts", n, starts)
	}
	if n := len(idsIn(t, w.file("recovers"))); n != 3 {
		t.Errorf("%d processes for 2 starts", n)
	}
}

// All pages of all lists, in order; a list that is announced and refused, and one that fails half-way, cost nothing else.
func TestC32_AllPagesOfAllLists(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.user(servers(map[string]entry{
		"pages":   fake("pages=3", mcptest.CapabilitiesVar+`={"tools":{},"resources":{},"prompts":{}}`),
		"stumble": fake("pages=3,pagefail=2"),
		"forever": fake("cursorforever"),
		"refused": fake("fail=resources/list:-32601+prompts/list:-32601+resources/templates/list:-32601", mcptest.CapabilitiesVar+`={"tools":{},"resources":{},"prompts":{}}`, readOnly),
		"absent":  fake("", mcptest.CapabilitiesVar+`={}`),
	}))
	e := w.edit()
	for name, tools := range map[string]int{"pages": 3, "stumble": 3, "refused": 1, "absent": 0} {
		if c := e.Connector(name, message.ConnectorReady); c.Tools != tools {
			t.Errorf("%s: %+v", name, c)
		}
	}
	if c := e.Connector("pages"); c.Resources < 3 || c.Prompts != 3 {
		t.Errorf("%+v", c)
	}
	e.Connector("forever", message.ConnectorReady, message.ConnectorFailed)
	if result := call(t, e, "refused.a", "{}"); result.Status != message.CallOK {
		t.Errorf("%+v", result)
	}
}

// C34, C35, C36, C38: whatever else a list holds, the good tool in it can be used, and each bad one is named with the reason.
// A schema that cannot be checked against keeps no tool away (E4), and nothing is fetched for one.
func TestC35_OneBadToolSpoilsNothing(t *testing.T) {
	t.Parallel()
	silent := newListener(t) // nobody may connect to it
	deep := strings.Repeat(`{"items":`, 5000) + "{}" + strings.Repeat("}", 5000)
	for name, test := range map[string]struct {
		tool     string
		isListed bool // as it is, or in part
	}{
		"true":             {`{"name":"x","inputSchema":{"type":"object","properties":{"p":true}}}`, true},
		"false":            {`{"name":"x","inputSchema":{"type":"object","properties":{"p":false},"additionalProperties":false}}`, true},
		"no such type":     {`{"name":"x","inputSchema":{"type":"int"}}`, true},
		"anyOf":            {`{"name":"x","inputSchema":{"anyOf":[{"type":"object"},{"type":"object","required":["a"]}]}}`, true},
		"no schema":        {`{"name":"x"}`, false},
		"schema null":      {`{"name":"x","inputSchema":null}`, false},
		"schema text":      {`{"name":"x","inputSchema":"object"}`, false},
		"required text":    {`{"name":"x","inputSchema":{"type":"object","required":"a"}}`, true},
		"remote reference": {`{"name":"x","inputSchema":{"$ref":"` + silent.url() + `/schema"}}`, true},
		"recursive":        {`{"name":"x","inputSchema":{"type":"object","properties":{"c":{"$ref":"#"}}}}`, true},
		"deep":             {`{"name":"x","inputSchema":{"type":"object","properties":{"d":` + deep + `}}}`, true},
		"null":             {`null`, false},
		"number for name":  {`{"name":5}`, false},
		"text for a hint":  {`{"name":"x","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":"yes"}}`, false},
		"no name":          {`{"name":"","inputSchema":{"type":"object"}}`, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.user(servers(map[string]entry{"mine": listing("", goodTool, test.tool)}))
			e := w.edit()
			c := e.Connector("mine", message.ConnectorReady)
			if result := call(t, e, "mine.good", "{}"); result.Status != message.CallOK {
				t.Errorf("%+v", result)
			}
			isNamed := slices.ContainsFunc(c.Warnings, func(warning string) bool { return strings.Contains(warning, "is left out") })
			if c.Tools != map[bool]int{true: 2, false: 1}[test.isListed] || isNamed == test.isListed {
				t.Errorf("%d tools, warnings %.300q", c.Tools, c.Warnings)
			}
		})
	}
}

// The schema that the editor reads is the one that the connector sent, references and definitions with it.
func TestC37_DefinitionsStay(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const schema = `{"type":"object","required":["q"],"properties":{"q":{"$ref":"#/$defs/Q","description":"beside it"},"n":{"anyOf":[{"type":"integer"},{"type":"null"}]},"t":{"type":["string","null"]}},"$defs":{"Q":{"type":"object","properties":{"limit":{"type":"integer","maximum":9007199254740993}}}},"definitions":{"old":{}}}`
	w.user(servers(map[string]entry{"mine": listing("echo", `{"name":"find","annotations":{"readOnlyHint":true},"inputSchema":`+schema+`}`)}))
	e := w.edit()
	e.Connector("mine", message.ConnectorReady)
	if got := editortest.Request(e, message.ToolDetail, message.ToolParams{Tool: "mine.find"}).Tool.InputSchemaText; got != schema {
		t.Errorf("got %s", got)
	}
	if result := call(t, e, "mine.find", `{"q":{}}`); result.Status != message.CallOK || result.Text != `{"q":{}}` {
		t.Errorf("%+v", result)
	}
}

// Served names fit every host, are unique and the same in every run; the connector is called by its own.
func TestC39_ServedNamesFitAndStay(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("n", 60)
	names := []string{"a.b", "a/b", "a-b", "a_b", "ü", "with space", long + "1", long + "2", strings.Repeat("m", 128)}
	var tools []string
	for _, name := range names {
		tools = append(tools, fmt.Sprintf(`{"name":%q,"inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}`, name))
	}
	fits := regexp.MustCompile(`^[A-Za-z0-9_-]{1,48}$`)
	var before map[string]string
	w := newWorld(t)
	for _, mode := range []string{"", "delay=initialize:300ms"} {
		seen := map[string]string{}
		log := w.file("log")
		w.user(servers(map[string]entry{
			"x.y": listing(mode, tools...).withEnv(mcptest.LogVar + "=" + log), "my server": listing("", tools...), "z": listing("delay=initialize:100ms", tools...),
		}))
		e := w.edit()
		for _, name := range []string{"x.y", "my server", "z"} {
			e.Connector(name, message.ConnectorReady)
		}
		for _, tool := range editortest.Request(e, message.Tools, message.ToolsParams{}).Tools {
			if !fits.MatchString(tool.ServedName) || seen[tool.ServedName] != "" {
				t.Errorf("%q is served as %q, as is %q", tool.Label, tool.ServedName, seen[tool.ServedName])
			}
			seen[tool.ServedName] = tool.Label
			if strings.HasPrefix(tool.Label, "x.y.") {
				if result := call(t, e, tool.ServedName, "{}"); result.Status != message.CallOK {
					t.Errorf("%s: %+v", tool.ServedName, result)
				}
			}
		}
		if len(seen) != 3*len(names) {
			t.Errorf("%d names", len(seen))
		}
		for _, name := range names {
			if !strings.Contains(string(read(t, log)), fmt.Sprintf(`"name":%q`, name)) {
				t.Errorf("nobody called %q by its name", name)
			}
		}
		if before != nil && fmt.Sprint(before) != fmt.Sprint(seen) {
			t.Errorf("the names depend on who starts first:\n%v\n%v", before, seen)
		}
		before = seen
		e.End()
	}
}

// C43, C44: structured data is shown where there is no text, a mismatch is said and hides nothing, and what a tool says of its
// failure stands as it is.
func TestC43_StructuredDataIsNeverLost(t *testing.T) {
	t.Parallel()
	const schema = `"outputSchema":{"type":"object","required":["n"],"properties":{"n":{"type":"integer"}}},`
	w := newWorld(t)
	w.user(servers(map[string]entry{
		"empty":    answering("", `{"content":[],"structuredContent":{"n":12345678901234567890}}`),
		"absent":   answering("", `{"structuredContent":{"n":1}}`),
		"mismatch": answering(schema, `{"content":[],"structuredContent":{"n":"one"}}`),
		"fails":    answering(schema, `{"isError":true,"content":[{"type":"text","text":"quota exceeded"}]}`),
		"fails so": answering(schema, `{"isError":true,"content":[{"type":"text","text":"quota exceeded"}],"structuredContent":{"n":"x"}}`),
	}))
	e := w.edit()
	for name, want := range map[string]struct {
		status        message.CallStatus
		text, message string
	}{
		"empty":    {message.CallOK, "12345678901234567890", ""},
		"absent":   {message.CallOK, `"n"`, ""},
		"mismatch": {message.CallOK, `"one"`, "expected integer"},
		"fails":    {message.CallToolError, "quota exceeded", ""},
		"fails so": {message.CallToolError, "quota exceeded", ""},
	} {
		e.Connector(name, message.ConnectorReady)
		result := call(t, e, name+".a", "{}")
		if result.Status != want.status || !strings.Contains(result.Text, want.text) || (result.Message != "") != (want.message != "") || !strings.Contains(result.Message, want.message) {
			t.Errorf("%s: %+v", name, result)
		}
	}
}

// An id that comes back as another type is understood and said; one that leads nowhere ends its call by its own clock, and no
// other.
func TestC61_IDsThatComeBackOtherwise(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	modes := []string{"ids=string", "ids=float", "collide", "reverse", "ids=null", "ids=other", "ids=missing"}
	entries := map[string]entry{}
	for _, mode := range modes {
		entries[mode] = fake(mode, readOnly).with("pillion", map[string]any{"callTimeout": "3s"})
	}
	w.user(servers(entries))
	e := w.edit()
	for _, mode := range modes {
		e.Connector(mode, message.ConnectorReady)
		if mode == "reverse" {
			first, second := begin(t, e, message.ToolCallParams{Tool: "reverse.a"}), begin(t, e, message.ToolCallParams{Tool: "reverse.a"})
			if a, b := ended(t, e, first), ended(t, e, second); a.Status != message.CallOK || b.Status != message.CallOK {
				t.Errorf("%+v, %+v", a, b)
			}
			continue
		}
		result := call(t, e, mode+".a", "{}")
		isLost := slices.Contains([]string{"ids=null", "ids=other", "ids=missing"}, mode)
		if isOK := result.Status == message.CallOK; isOK == isLost || result.Message == "" == isLost {
			t.Errorf("%s: %+v", mode, result)
		}
		if c := e.Connector(mode); c.State != message.ConnectorReady {
			t.Errorf("%s: %+v", mode, c)
		}
	}
}

// A list that changes in the middle of a call is fetched while the call is open: the connector answers it only then.
func TestC30_RefreshDuringACall(t *testing.T) {
	t.Parallel()
	const mode = "grow,waitlist"
	w := newWorld(t)
	entries, peers := overModes(t, map[string]string{"sse": mode + ",sse,getstream", "old": mode + ",oldsse"})
	entries["stdio"] = fake(mode, mcptest.LogVar+"="+w.log("stdio"))
	entries["modern"] = fake(mode + ",modern")
	entries["one by one"] = fake(mode).with("pillion", map[string]any{"maxConcurrent": 1})
	w.user(servers(entries))
	e := w.edit()
	for name := range entries {
		if c := e.Connector(name, message.ConnectorReady); c.Tools != 1 {
			t.Errorf("%s has %d tools at first", name, c.Tools)
		}
	}
	// What it says outside of an answer comes by this stream.
	eventually(t, "the stream is open", func() bool { return len(peers["sse"].Received("GET")) > 0 })
	for name := range entries {
		if result := approved(t, e, name+".a", "{}", message.ApproveOnce); result.Status != message.CallOK {
			t.Errorf("%s: %+v", name, result)
		}
		e.ConnectorThat("the new list of "+name+" is shown", func(c message.Connector) bool { return c.Name == name && c.Tools == 2 })
		listed := editortest.Request(e, message.Tools, message.ToolsParams{Connector: message.ConnectorRef(name)}).Tools
		if len(listed) != 2 || listed[1].Name != "t1" {
			t.Errorf("%s: %+v", name, listed)
		}
	}
	if n := len(requestsOf(t, w.log("stdio"), "tools/call")); n != 1 {
		t.Errorf("the call was sent %d times", n)
	}
}
