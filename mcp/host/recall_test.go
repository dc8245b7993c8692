package host

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pillion/mcp/catalog"
	"pillion/mcp/permission"
	"pillion/mcp/state"
)

// later is a host of the same user that comes after another; like that one it keeps its lists in the folder.
func (h *house) later(lists string) *house {
	h.t.Helper()
	h.Close(context.Background())
	options := h.options
	options.Lists = storeIn(h.t, lists)
	n := New(options)
	n.sight = 0
	h.t.Cleanup(func() { n.Close(context.Background()) })
	return &house{n, h.t, h.user}
}

func storeIn(t *testing.T, path string) *catalog.Store {
	t.Helper()
	folder, err := state.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	return catalog.NewStore(folder)
}

// keeping is a host that keeps its lists in a folder, and has started a connector of the configuration.
func keeping(t *testing.T, text string, environ ...string) (h *house, lists string) {
	t.Helper()
	lists = filepath.Join(t.TempDir(), "lists")
	h = newHouse(t)
	write(t, h.user, text)
	h.options.Environ = append(h.options.Environ, environ...)
	h = h.later(lists)
	h.Start()
	h.until("mine", StateReady)
	return h, lists
}

const readOnlyA = `[{"name":"a","description":"First.","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}]`

func starts(t *testing.T, log string) int {
	t.Helper()
	text, _ := os.ReadFile(log)
	return strings.Count(string(text), "tools/list")
}

func TestC3_AKnownConnectorStartsOnItsFirstCall(t *testing.T) {
	t.Parallel()
	log := filepath.Join(t.TempDir(), "log")
	text := servers("mine", "", "PILLION_FAKE_TOOLS="+readOnlyA, "SRVLOG="+log)
	h, lists := keeping(t, text)
	before := starts(t, log)
	h = h.later(lists)
	h.Start()
	mine, err := h.Connector("mine")
	if err != nil || mine.State != StateIdle || mine.Tools != 1 || !mine.IsStale || mine.ListedAt.IsZero() || mine.Tokens == 0 {
		t.Fatalf("%+v, %v", mine, err)
	}
	if tools := h.Tools(); len(tools) != 1 || tools[0].Label != "mine.a" || string(tools[0].InputSchema) != `{"type":"object"}` {
		t.Errorf("%+v", tools)
	}
	if starts(t, log) != before {
		t.Error("it was started to learn what is known")
	}
	result, err := h.Call(t.Context(), CallRequest{Tool: "mine.a", Arguments: []byte(`{}`), Caller: Caller{Kind: CallerEditor}})
	if err != nil || result.Status != StatusOK {
		t.Fatalf("%+v, %v", result, err)
	}
	if mine, err = h.Connector("mine"); err != nil || mine.State != StateReady || mine.IsStale || starts(t, log) == before {
		t.Errorf("%+v, %v", mine, err)
	}
}

// What was read-only when it was listed is destructive by now: no call is seen before an answer.
func TestS9_ACallIsJudgedOnTheLiveListAndNotOnTheKeptOne(t *testing.T) {
	t.Parallel()
	log := filepath.Join(t.TempDir(), "log")
	h, lists := keeping(t, servers("mine", "", "PILLION_FAKE_TOOLS=${TOOLS}", "SRVLOG="+log), "TOOLS="+readOnlyA)
	if tool, err := h.Tool("mine.a"); err != nil || tool.Permission != string(permission.Auto) {
		t.Fatalf("%+v, %v", tool, err)
	}
	h.options.Environ = append(h.options.Environ, `TOOLS=[{"name":"a","description":"First.","inputSchema":{"type":"object"},"annotations":{"destructiveHint":true}},{"name":"new","inputSchema":{"type":"object"}}]`)
	h = h.later(lists)
	h.Start()
	if mine, err := h.Connector("mine"); err != nil || mine.State != StateIdle || mine.Tools != 1 {
		t.Fatalf("%+v, %v", mine, err)
	}
	result, err := h.Call(t.Context(), CallRequest{Tool: "mine.a", Arguments: []byte(`{}`), Caller: Caller{Kind: CallerEditor}})
	if err != nil || result.Status != StatusDeclined {
		t.Errorf("%+v, %v", result, err)
	}
	if text, _ := os.ReadFile(log); strings.Contains(string(text), "tools/call") {
		t.Errorf("a call was seen: %s", text)
	}
	h = h.later(lists)
	h.Start()
	// A tool that is new since then is found by its name.
	if result, err = h.Call(t.Context(), CallRequest{Tool: "mine.new", Arguments: []byte(`{}`), Caller: Caller{Kind: CallerEditor}}); err != nil || result.Status != StatusDeclined {
		t.Errorf("%+v, %v", result, err)
	}
}

// A list that somebody wrote into the cache gives nobody anything: what it says may be shown, and no permission is made of it.
func TestS9_NoPermissionIsMadeOfAKeptList(t *testing.T) {
	t.Parallel()
	h, lists := keeping(t, servers("mine", ""))
	h = h.later(lists)
	h.Start()
	rule := NewRule{Connector: h.id("mine"), Tool: "a", Decision: permission.RuleAllow, Scope: permission.ScopeUser}
	if draft, err := h.DraftRule(rule); err == nil {
		t.Errorf("%+v", draft)
	}
	rule.Tool = ""
	if draft, err := h.DraftRule(rule); err != nil || len(draft.ToolHashes) != 0 {
		t.Errorf("all tools: %+v, %v", draft, err)
	}
	rule.Tool, rule.Decision = "mine.a", permission.RuleDeny
	if draft, err := h.DraftRule(rule); err != nil || draft.Tool != "a" || len(draft.ToolHashes) != 0 {
		t.Errorf("refused: %+v, %v", draft, err)
	}
	if err := h.ListLive(t.Context(), "mine"); err != nil {
		t.Fatal(err)
	}
	rule.Decision = permission.RuleAllow
	if draft, err := h.DraftRule(rule); err != nil || len(draft.ToolHashes) != 1 {
		t.Errorf("listed live: %+v, %v", draft, err)
	}
}

func TestJ1_AnotherDefinitionIsListedAnew(t *testing.T) {
	t.Parallel()
	h, lists := keeping(t, servers("mine", ""))
	h = h.later(lists)
	write(t, h.user, servers("mine", "", "MORE=1"))
	h.Start()
	h.until("mine", StateReady)
	if mine, err := h.Connector("mine"); err != nil || mine.IsStale {
		t.Errorf("%+v, %v", mine, err)
	}
}

func TestJ1_ABrokenListCostsAStart(t *testing.T) {
	t.Parallel()
	h, lists := keeping(t, servers("mine", ""))
	h.Close(context.Background())
	files, _ := filepath.Glob(filepath.Join(lists, "*.list"))
	if len(files) != 1 {
		t.Fatalf("%q", files)
	}
	write(t, files[0], "{")
	h = h.later(lists)
	h.Start()
	h.until("mine", StateReady)
	if aside, _ := filepath.Glob(filepath.Join(lists, "*.broken")); len(aside) != 1 {
		t.Errorf("%q", aside)
	}
}

// The value of a secret is in no file, whatever a connector puts into its words.
func TestJ1_NoSecretIsKept(t *testing.T) {
	t.Parallel()
	const canary = "sk-canary-0123456789"
	tools, _ := json.Marshal([]any{
		map[string]any{"name": "a", "title": canary, "description": "It uses " + canary + ".", "inputSchema": map[string]any{"type": "object", "default": canary}},
		map[string]any{"name": "of_" + canary, "inputSchema": map[string]any{"type": "object"}},
	})
	h, lists := keeping(t, servers("mine", "", "PILLION_FAKE_TOOLS="+string(tools), "API_TOKEN="+canary))
	h.Close(context.Background())
	files, _ := filepath.Glob(filepath.Join(lists, "*.list"))
	if len(files) != 1 {
		t.Fatalf("%q", files)
	}
	text, err := os.ReadFile(files[0])
	if err != nil || strings.Contains(string(text), canary) || !strings.Contains(string(text), "[REDACTED]") {
		t.Errorf("%s, %v", text, err)
	}
	h = h.later(lists)
	h.Start()
	if tools := h.Tools(); len(tools) != 1 || slices.ContainsFunc(tools, func(tool Tool) bool { return strings.Contains(tool.Description, canary) }) {
		t.Errorf("%+v", tools)
	}
}

// Nothing of a connector that needs permission is shown from what is kept.
func TestB1_AKeptListOfAConnectorThatWaitsIsNotShown(t *testing.T) {
	t.Parallel()
	lists := filepath.Join(t.TempDir(), "lists")
	root := workspace(t, "theirs", "")
	h := newHouse(t, root)
	h = h.later(lists)
	h.options.Roots = []string{root}
	h.Start()
	waiting := h.Waiting(true)
	if len(waiting) != 1 {
		t.Fatalf("%+v", waiting)
	}
	if err := h.Decide(t.Context(), waiting[0], "allow", "test"); err != nil {
		t.Fatal(err)
	}
	h.until("theirs", StateReady)
	if err := h.Revoke(t.Context(), root, "theirs"); err != nil {
		t.Fatal(err)
	}
	h = h.later(lists)
	h.Start()
	if theirs, err := h.Connector("theirs"); err != nil || theirs.State != StateWaiting || theirs.Tools != 0 || len(h.Tools()) != 0 {
		t.Errorf("%+v, %v", theirs, err)
	}
}
