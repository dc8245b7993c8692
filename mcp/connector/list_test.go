package connector

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
)

const everything = `PILLION_FAKE_CAPABILITIES={"tools":{"listChanged":true},"resources":{},"prompts":{}}`

func quickSync(t *tuning) { t.sync = 100 * time.Millisecond }

func TestC30_RefreshDuringACall(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"waitlist,grow", "waitlist,grow,modern"} {
		f := started(t, mode)
		if text := f.say(`{}`); text != "ok" {
			t.Errorf("%s: said %q", mode, text)
		}
		f.eventually("the new list", func() bool { return f.names() == "a t1" })
		if got := f.Status().Generation; got != 2 {
			t.Errorf("%s: generation %d", mode, got)
		}
		f.Stop(t.Context())
	}
}

func TestC31_StormIsSlowedDown(t *testing.T) {
	t.Parallel()
	f := started(t, "storm", tune(quickSync))
	f.eventually("warned", func() bool { return f.warned("again and again") })
	// 0, 100, 200, 400 ms …: by now seven seconds of a plain interval would have brought far more.
	if got := len(f.received("tools/list")); got > 8 {
		t.Errorf("%d lists", got)
	}
	if got := f.Status().Generation; got != 1 {
		t.Errorf("generation %d for equal lists", got)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, c := range f.changes {
		if c.Catalogue != nil && c.Catalogue.Generation > 1 {
			t.Errorf("event %+v", c)
		}
	}
}

func TestC31_BurstIsOneOrTwoLists(t *testing.T) {
	t.Parallel()
	f := started(t, "burst=200")
	s := f.session
	if text := f.say(`{}`); text != "ok" {
		t.Errorf("said %q", text)
	}
	f.eventually("listed, with nothing left to do", func() bool {
		s.dirtyMu.Lock()
		defer s.dirtyMu.Unlock()
		return len(f.received("tools/list")) >= 2 && s.dirty == 0 && len(s.changed) == 0
	})
	if got := len(f.received("tools/list")) - 1; got > 2 {
		t.Errorf("%d lists for one burst", got)
	}
}

func TestC31_ChangeDuringARefreshIsNotMissed(t *testing.T) {
	t.Parallel()
	f := started(t, "changewhile,burst=1", tune(quickSync))
	f.say(`{}`)
	f.eventually("the change", func() bool { return f.names() == "a t1" })
	if got := len(f.received("tools/list")); got != 3 {
		t.Errorf("%d lists", got)
	}
}

func TestC32_AllPagesOfAllLists(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"pages=3", "pages=3,modern"} {
		f := started(t, mode, environment(everything))
		catalogue := f.Status().Catalogue
		if f.names() != "a t1 t2" || len(catalogue.Resources) != 3 || len(catalogue.ResourceTemplates) != 3 || len(catalogue.Prompts) != 3 {
			t.Errorf("%s: tools %s, catalogue %+v", mode, f.names(), catalogue)
		}
		f.Stop(t.Context())
	}
}

func TestC32_FailedPageKeepsTheList(t *testing.T) {
	t.Parallel()
	f := started(t, "pages=3,pagefail=2", tune(func(t *tuning) { t.listRetry = time.Millisecond }))
	if f.names() != "a t1 t2" {
		t.Errorf("tools %s", f.names())
	}
	f.mu.Lock()
	for _, c := range f.changes {
		if c.Catalogue != nil && len(c.Catalogue.Tools) != 3 {
			t.Errorf("a partial list was published: %+v", c.Catalogue)
		}
	}
	f.mu.Unlock()
	g := started(t, "burst=1,failonce=prompts/list:-32603", environment(everything), tune(quickSync))
	if !g.warned("prompts/list: told to fail (-32603)") || g.names() != "a" {
		t.Errorf("warnings %q", g.Status().Warnings)
	}
}

func TestC4_FailedRefreshKeepsTheGeneration(t *testing.T) {
	t.Parallel()
	f := started(t, "burst=1", tune(quickSync))
	good := f.Status().Catalogue
	f.mu.Lock()
	f.changes = nil
	f.mu.Unlock()
	next := *good
	next.take(toolList, nil, false)
	if !f.publish(next) || f.Status().Generation != 2 || len(f.Status().Catalogue.Tools) != 0 {
		t.Errorf("status %+v", f.Status())
	}
	if len(good.Tools) != 1 || good.Generation != 1 {
		t.Errorf("a published catalogue changed: %+v", good)
	}
}

func TestC38_RefreshWithABadListKeepsTheLast(t *testing.T) {
	for _, answer := range []string{`{"tools":null}`, `{}`, `{"tools":{}}`, `{"tools":[],"tools":[]}`, `{"tools":[],"nextCursor":"x"`} {
		if _, err := readPage([]byte(answer), "tools"); err == nil {
			t.Errorf("%s is taken for a list", answer)
		}
	}
}

func TestC32_CursorsThatLeadNowhere(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ mode, tools, warning string }{
		{"emptycursor", "a", ""},
		{"emptycursor,pages=2", "a t1", ""},
		{"emptycursor,modern", "a a", "a cursor that it named before"},
		{"cursorloop", "a t1", "a cursor that it named before"},
	} {
		f := started(t, test.mode)
		if got := f.names(); got != test.tools && !(test.mode == "emptycursor,modern" && got == "a") {
			t.Errorf("%s: tools %s", test.mode, got)
		}
		if got := strings.Join(f.Status().Warnings, "; "); !strings.Contains(got, test.warning) || test.warning == "" && got != "" {
			t.Errorf("%s: warnings %q", test.mode, got)
		}
		f.Stop(t.Context())
	}
	f := started(t, "emptycursor,modern")
	if lists := f.received("tools/list"); len(lists) != 2 || strings.Contains(lists[0], `"cursor"`) || !strings.Contains(lists[1], `"cursor":""`) {
		t.Errorf("lists %q", lists)
	}
}

func TestC32_PagesWithoutEndHaveABound(t *testing.T) {
	t.Parallel()
	f := started(t, "cursorforever")
	if got := len(f.Status().Catalogue.Tools); got != maxPages || !f.warned("more than 1000 pages") {
		t.Errorf("%d tools, warnings %q", got, f.Status().Warnings)
	}
}

func TestC33_OptionalListsThatAreNotThere(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, mode, capabilities, tools string
		resources, templates            int
		warning                         string
	}{
		{"resources unknown", "fail=resources/list:-32601", `{"tools":{},"resources":{}}`, "a", 0, 1, "announces resources but does not know resources/list"},
		{"templates unknown", "fail=resources/templates/list:-32601", `{"tools":{},"resources":{}}`, "a", 1, 0, ""},
		{"resources alone", "", `{"resources":{}}`, "", 1, 1, "announces no tools"},
		{"nothing announced", "", `{}`, "", 0, 0, "announces no tools"},
		{"tools unknown", "fail=tools/list:-32601", `{"tools":{}}`, "", 0, 0, "announces tools but does not know tools/list"},
		{"true for an object", "", `{"tools":true,"logging":5}`, "a", 0, 0, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			f := started(t, test.mode, environment("PILLION_FAKE_CAPABILITIES="+test.capabilities))
			catalogue := f.Status().Catalogue
			if f.names() != test.tools || len(catalogue.Resources) != test.resources || len(catalogue.ResourceTemplates) != test.templates {
				t.Errorf("tools %s, catalogue %+v", f.names(), catalogue)
			}
			if got := strings.Join(f.Status().Warnings, "; "); !strings.Contains(got, test.warning) || test.warning == "" && got != "" {
				t.Errorf("warnings %q", got)
			}
			if test.tools == "" && !strings.Contains(test.mode, "tools") && len(f.received("tools/list")) > 0 {
				t.Error("what is not announced was asked for")
			}
		})
	}
}

func TestC33_SlowOptionalListFollows(t *testing.T) {
	t.Parallel()
	gate, open := gated(t)
	f := started(t, "gate=resources/list:"+gate, environment(everything), tune(func(t *tuning) { t.sideList, t.sync = 200*time.Millisecond, 100*time.Millisecond }))
	if got := f.Status().Catalogue; len(got.Resources) != 0 || len(got.Tools) != 1 {
		t.Errorf("catalogue %+v", got)
	}
	open()
	f.eventually("the resources", func() bool { return len(f.Status().Catalogue.Resources) == 1 })
}

func TestC38_BadToolsAreQuarantinedAlone(t *testing.T) {
	t.Parallel()
	const good = `{"name":"good","inputSchema":{"type":"object"}}`
	for _, test := range []struct{ entry, name, reason string }{
		{`null`, "", "it is not an object but null"},
		{`"x"`, "", "it is not an object but a string"},
		{`{"name":5,"inputSchema":{}}`, "", "name is not a string but a number"},
		{`{"name":"","inputSchema":{}}`, "", "it has no name"},
		{`{"inputSchema":{}}`, "", "it has no name"},
		{`{"name":"a\u0000b","inputSchema":{}}`, "a\x00b", "its name has control characters"},
		{`{"name":"` + strings.Repeat("n", 129) + `","inputSchema":{}}`, strings.Repeat("n", 129), "its name is longer than 128 characters"},
		{`{"name":"x","description":5,"inputSchema":{}}`, "x", "description is not a string but a number"},
		{`{"name":"x","inputSchema":{},"annotations":{"readOnlyHint":"yes"}}`, "x", "annotations.readOnlyHint is not true or false but a string"},
		{`{"name":"x","inputSchema":{},"annotations":[]}`, "x", "annotations is not an object but an array"},
		{`{"name":"x"}`, "x", "inputSchema is missing"},
		{`{"name":"x","inputSchema":null}`, "x", "inputSchema is not an object but null"},
		{`{"name":"x","inputSchema":"{}"}`, "x", "inputSchema is not an object but a string"},
		{`{"name":"x","inputSchema":[]}`, "x", "inputSchema is not an object but an array"},
		{`{"name":"x","inputSchema":{},"name":"y"}`, "x", "a name stands twice in one object"},
		{`{"name":"x","inputSchema":{"type":"object","type":"string"}}`, "x", "an object in it in which a name stands twice"},
		{`{"name":"good","inputSchema":{"type":"array"}}`, "good", "another tool before it has the same name"},
	} {
		t.Run(test.reason, func(t *testing.T) {
			t.Parallel()
			f := started(t, "", environment("PILLION_FAKE_TOOLS=["+good+","+test.entry+`,{"name":"last","inputSchema":{}}]`))
			catalogue := f.Status().Catalogue
			if f.names() != "good last" || len(catalogue.Quarantined) != 1 {
				t.Fatalf("tools %s, quarantined %+v", f.names(), catalogue.Quarantined)
			}
			if q := catalogue.Quarantined[0]; q.Index != 1 || q.Name != test.name || !strings.Contains(q.Reason, test.reason) {
				t.Errorf("quarantined %+v", q)
			}
			if text := f.say(`{}`); text != "ok" {
				t.Errorf("said %q", text)
			}
		})
	}
}

func TestC4_ExactRepeatIsDropped(t *testing.T) {
	tools, quarantined := readTools(raws(`{"name":"a","inputSchema":{}}`, `{"name":"a","inputSchema":{}}`), false)
	if len(tools) != 1 || len(quarantined) != 0 {
		t.Errorf("%+v, %+v", tools, quarantined)
	}
}

func TestC34_BooleanSchemasAreKept(t *testing.T) {
	t.Parallel()
	for _, schema := range []string{
		`{"properties":{"p":true}}`, `{"properties":{"p":false}}`, `{"additionalProperties":false}`, `{"items":true}`,
		`{ "type" : "object", "properties":{"n":{"maximum":9007199254740993,"default":1.0}}, "$defs":{"z":{},"a":{}} }`,
	} {
		f := started(t, "", environment(`PILLION_FAKE_TOOLS=[{"name":"a","inputSchema":`+schema+`,"outputSchema":`+schema+`}]`))
		tool := f.Status().Catalogue.Tools[0]
		if string(tool.InputSchema) != schema || string(tool.OutputSchema) != schema {
			t.Errorf("schemas %s and %s, want %s", tool.InputSchema, tool.OutputSchema, schema)
		}
		f.Stop(t.Context())
	}
}

func TestC36_DeepSchemasAreCutNotDropped(t *testing.T) {
	deep := func(n int) string { return strings.Repeat(`{"not":`, n) + `{"enum":["]}"]}` + strings.Repeat("}", n) }
	for _, n := range []int{0, 62, 63, 64, 5000, 20_000} {
		tools, quarantined := readTools(raws(`{"name":"a","inputSchema":`+deep(n)+`}`), false)
		switch {
		case n <= 62 && (len(tools) != 1 || string(tools[0].InputSchema) != deep(n)):
			t.Errorf("%d deep: %+v", n, tools)
		case n > 62 && (len(tools) != 1 || !json.Valid(tools[0].InputSchema) || isTooDeep(tools[0].InputSchema, maxSchemaDepth)):
			t.Errorf("%d deep: %.200v, quarantined %.200v", n, tools, quarantined)
		}
	}
}

func TestC62_KeysCountByCase(t *testing.T) {
	tools, _ := readTools(raws(`{"name":"safe","Name":"evil","inputſchema":{},"InputSchema":{"x":1},"inputSchema":{}}`), false)
	if len(tools) != 1 || tools[0].Name != "safe" || string(tools[0].InputSchema) != "{}" {
		t.Errorf("%+v", tools)
	}
}

func TestC74_HashCoversWhatAPermissionIsFor(t *testing.T) {
	hash := func(entry string) string {
		tools, quarantined := readTools(raws(entry), false)
		if len(tools) != 1 {
			t.Fatalf("%s: %+v", entry, quarantined)
		}
		return tools[0].Hash
	}
	base := hash(`{"name":"a","title":"T","description":"d","inputSchema":{"type":"object","maximum":1}}`)
	for name, entry := range map[string]string{
		"description": `{"name":"a","title":"T","description":"e","inputSchema":{"type":"object","maximum":1}}`,
		"schema":      `{"name":"a","title":"T","description":"d","inputSchema":{"type":"object","maximum":2}}`,
		"digits":      `{"name":"a","title":"T","description":"d","inputSchema":{"type":"object","maximum":1.0}}`,
		"annotations": `{"name":"a","title":"T","description":"d","inputSchema":{"type":"object","maximum":1},"annotations":{"readOnlyHint":true}}`,
		"output":      `{"name":"a","title":"T","description":"d","inputSchema":{"type":"object","maximum":1},"outputSchema":{}}`,
	} {
		if hash(entry) == base {
			t.Errorf("another %s: the same hash", name)
		}
	}
	for name, entry := range map[string]string{
		"icon":     `{"name":"a","title":"T","description":"d","inputSchema":{"type":"object","maximum":1},"icons":[{"src":"https://x.example/i.png"}],"_meta":{"n":1}}`,
		"title":    `{"name":"a","title":"U","description":"d","inputSchema":{"type":"object","maximum":1}}`,
		"order":    `{"inputSchema":{"maximum":1,"type":"object"},"description":"d","name":"a"}`,
		"spelling": `{"name":"\u0061","description":"d","inputSchema":{ "type" : "ob\u006aect","maximum":1}}`,
	} {
		if hash(entry) != base {
			t.Errorf("another %s: another hash", name)
		}
	}
}

func TestTool_HintsAreReadOrAbsent(t *testing.T) {
	tools, _ := readTools(raws(`{"name":"a","inputSchema":{},"annotations":{"readOnlyHint":true,"destructiveHint":false,"openWorldHint":null},"execution":{"taskSupport":"required"}}`), false)
	tool := tools[0]
	if tool.ReadOnly == nil || !*tool.ReadOnly || tool.Destructive == nil || *tool.Destructive || tool.Idempotent != nil || tool.OpenWorld != nil {
		t.Errorf("%+v", tool)
	}
	if tool.TaskSupport != "required" || string(tool.Annotations) != `{"readOnlyHint":true,"destructiveHint":false,"openWorldHint":null}` {
		t.Errorf("%+v", tool)
	}
}

func TestListAll_EntriesHaveABound(t *testing.T) {
	t.Parallel()
	f := started(t, fmt.Sprintf("tools=%d", maxEntries+5))
	if got := len(f.Status().Catalogue.Tools); got != maxEntries || !f.warned("more than 10000 entries") {
		t.Errorf("%d tools, warnings %q", got, f.Status().Warnings)
	}
}
