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
	// The race detector looks at every byte of it too.
	long := begin(t, e, message.ToolCallParams{Tool: "mine.a", ArgumentsText: fmt.Sprintf(`{"bytes":%d}`, 65<<20)})
	if result := endedWithin(t, e, long, 4*editortest.Patience); result.Status != message.CallConnectorError || !result.MayHaveRun || !strings.Contains(result.Message, "exceeds the limit of 64 MiB") {
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

// oneTool is a tool beside a good one.
type oneTool struct {
	tool     string
	isListed bool // as it is, or in part
}

// besideGood holds that the good tool in a list can be used, whatever else is in it, and that each bad one is named with the reason.
func besideGood(t *testing.T, tests map[string]oneTool) {
	for name, test := range tests {
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

// Booleans are schemas.
func TestC34_BooleansAreSchemas(t *testing.T) {
	t.Parallel()
	besideGood(t, map[string]oneTool{
		"true":       {`{"name":"x","inputSchema":{"type":"object","properties":{"p":true}}}`, true},
		"false":      {`{"name":"x","inputSchema":{"type":"object","properties":{"p":false}}}`, true},
		"additional": {`{"name":"x","inputSchema":{"type":"object","additionalProperties":false}}`, true},
		"items":      {`{"name":"x","inputSchema":{"type":"object","properties":{"p":{"type":"array","items":true}}}}`, true},
	})
}

// A schema that cannot be checked against keeps no tool away (E4), and nothing is fetched for one.
func TestC35_OneBadToolSpoilsNothing(t *testing.T) {
	t.Parallel()
	silent := newListener(t) // nobody may connect to it
	besideGood(t, map[string]oneTool{
		"no such type":     {`{"name":"x","inputSchema":{"type":"int"}}`, true},
		"anyOf":            {`{"name":"x","inputSchema":{"anyOf":[{"type":"object"},{"type":"object","required":["a"]}]}}`, true},
		"no schema":        {`{"name":"x"}`, false},
		"schema null":      {`{"name":"x","inputSchema":null}`, false},
		"schema text":      {`{"name":"x","inputSchema":"object"}`, false},
		"required text":    {`{"name":"x","inputSchema":{"type":"object","required":"a"}}`, true},
		"remote reference": {`{"name":"x","inputSchema":{"$ref":"` + silent.url() + `/schema"}}`, true},
	})
}

// A schema that refers to itself, or goes on for ever, is listed, described and checked against within bounds.
func TestC36_SchemasWithoutEnd(t *testing.T) {
	t.Parallel()
	const node = `{"type":"object","properties":{"n":{"$ref":"#/$defs/N"}},"$defs":{"N":{"type":"object","properties":{"children":{"type":"array","items":{"$ref":"#/$defs/N"}}}}}}`
	const mutual = `{"$ref":"#/$defs/A","type":"object","$defs":{"A":{"properties":{"b":{"$ref":"#/$defs/B"}}},"B":{"properties":{"a":{"$ref":"#/$defs/A"}}}}}`
	wide := `{"type":"object","properties":{"p":{"$ref":"#/$defs/d0"}},"$defs":{`
	for i := range 20 { // 2^20 of the last one, if they are put in
		wide += fmt.Sprintf(`"d%d":{"properties":{"l":{"$ref":"#/$defs/d%d"},"r":{"$ref":"#/$defs/d%d"}}},`, i, i+1, i+1)
	}
	wide += `"d20":{"type":"integer"}}}`
	deep := `{"type":"object","properties":{"d":` + strings.Repeat(`{"items":`, 5000) + "{}" + strings.Repeat("}", 5000) + `}}`
	for name, schema := range map[string]string{
		"recursive": node, "mutual": mutual, "itself": `{"type":"object","$ref":"#"}`, "wide": wide, "deep": deep,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			const result = `{"content":[{"type":"text","text":"here"}],"structuredContent":{"n":{"children":[{"children":[]}]}}}`
			w.user(servers(map[string]entry{"mine": fake("", mcptest.ResultVar+"="+result,
				mcptest.ToolsVar+`=[{"name":"x","annotations":{"readOnlyHint":true},"inputSchema":`+schema+`,"outputSchema":`+schema+`}]`)}))
			e := w.edit()
			e.Connector("mine", message.ConnectorReady)
			if detail := editortest.Request(e, message.ToolDetail, message.ToolParams{Tool: "mine.x"}); detail.Tool.InputSchemaText == "" || len(detail.TypeScript) > 1<<16 {
				t.Errorf("a signature of %d bytes", len(detail.TypeScript))
			}
			if got := call(t, e, "mine.x", "{}"); got.Status != message.CallOK || got.Text != "here" {
				t.Errorf("%+v", got)
			}
		})
	}
}

// An entry that is no tool costs itself alone; a list that is none is an error, and the list before stands.
func TestC38_EntriesThatAreNoTools(t *testing.T) {
	t.Parallel()
	besideGood(t, map[string]oneTool{
		"null":            {`null`, false},
		"number for name": {`{"name":5}`, false},
		"text for a hint": {`{"name":"x","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":"yes"}}`, false},
		"no name":         {`{"name":"","inputSchema":{"type":"object"}}`, false},
		"the same name":   {`{"name":"good","inputSchema":{"type":"object","required":["other"]}}`, false},
	})
	t.Run("no list", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.user(servers(map[string]entry{"mine": fake("", mcptest.ToolsVar+"=null"), "good": listing("", goodTool)}))
		e := w.edit()
		problem := e.Connector("mine", message.ConnectorFailed).Problem
		if problem == nil || !strings.Contains(problem.Reason, `"tools" is not an array but null`) {
			t.Errorf("%+v", problem)
		}
		if result := call(t, e, "good.good", "{}"); result.Status != message.CallOK {
			t.Errorf("%+v", result)
		}
	})
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

// integerResult is the schema of a result that holds an integer.
const integerResult = `"outputSchema":{"type":"object","required":["n"],"properties":{"n":{"type":"integer"}}},`

// answered holds what a call of the one tool of each connector comes to.
func answered(t *testing.T, entries map[string]entry, wants map[string]message.CallResult) {
	w := newWorld(t)
	w.user(servers(entries))
	e := w.edit()
	for name, want := range wants {
		e.Connector(name, message.ConnectorReady)
		result := call(t, e, name+".a", "{}")
		if result.Status != want.Status || !strings.Contains(result.Text, want.Text) || (result.Message != "") != (want.Message != "") || !strings.Contains(result.Message, want.Message) {
			t.Errorf("%s: %+v", name, result)
		}
	}
}

// Structured data is shown where there is no text; a mismatch is said, and hides nothing.
func TestC43_StructuredDataIsNeverLost(t *testing.T) {
	t.Parallel()
	answered(t, map[string]entry{
		"empty":    answering("", `{"content":[],"structuredContent":{"n":12345678901234567890}}`),
		"absent":   answering("", `{"structuredContent":{"n":1}}`),
		"mismatch": answering(integerResult, `{"content":[],"structuredContent":{"n":"one"}}`),
	}, map[string]message.CallResult{
		"empty":    {Status: message.CallOK, Text: "12345678901234567890"},
		"absent":   {Status: message.CallOK, Text: `"n"`},
		"mismatch": {Status: message.CallOK, Text: `"one"`, Message: "expected integer"},
	})
}

// What a tool says of its failure stands as it is: the schema is that of its results.
func TestC44_AFailureIsNoResultToCheck(t *testing.T) {
	t.Parallel()
	answered(t, map[string]entry{
		"fails":    answering(integerResult, `{"isError":true,"content":[{"type":"text","text":"quota exceeded"}]}`),
		"fails so": answering(integerResult, `{"isError":true,"content":[{"type":"text","text":"quota exceeded"}],"structuredContent":{"n":"x"}}`),
	}, map[string]message.CallResult{
		"fails":    {Status: message.CallToolError, Text: "quota exceeded"},
		"fails so": {Status: message.CallToolError, Text: "quota exceeded"},
	})
}

// What a tool is called by depends on names alone: neither on who is ready first nor on who was before.
func TestC40_NamesDoNotDependOnWhoComesFirst(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	long := strings.Repeat("l", 64)
	tool := func(name string) string {
		return fmt.Sprintf(`{"name":%q,"inputSchema":{"type":"object"},"annotations":{"readOnlyHint":false}}`, name)
	}
	var before string
	for i, modes := range [][2]string{{"delay=initialize:300ms", ""}, {"", "delay=initialize:300ms"}} {
		w.user(servers(map[string]entry{
			"x": listing(modes[0], tool("search"), tool(long)).options(entry{"toolPrefix": "p"}),
			"y": listing(modes[1], tool("search"), tool(long)).options(entry{"toolPrefix": "p"}),
			"s": listing("", tool("a-b"), tool("a_b"), tool("a b")),
		}))
		e := w.edit()
		for _, name := range []string{"x", "y", "s"} {
			e.Connector(name, message.ConnectorReady)
		}
		var served []string
		for _, one := range editortest.Request(e, message.Tools, message.ToolsParams{}).Tools {
			served = append(served, one.Label+" "+one.ServedName)
		}
		if now := strings.Join(served, "\n"); i > 0 && now != before {
			t.Errorf("names\n%s\nwere\n%s", now, before)
		} else {
			before = now
		}
		e.End()
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
