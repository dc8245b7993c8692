package cases

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.lsp.dev/protocol"

	"pillion/editors/editortest"
	"pillion/mcp/mcptest"
	"pillion/rpc/message"
)

// refused holds that a connector is listed as not to be started, for a reason that says all the words.
func refused(t testing.TB, c message.Connector, words ...string) {
	t.Helper()
	if c.State != message.ConnectorFailed || c.Problem == nil || c.Problem.Kind != message.ProblemConfig {
		t.Errorf("%s: %+v", c.Name, c)
		return
	}
	for _, word := range words {
		if !strings.Contains(c.Problem.Reason, word) {
			t.Errorf("%s: the reason %q does not say %q", c.Name, c.Problem.Reason, word)
		}
	}
	if len(c.Problem.Steps) == 0 {
		t.Errorf("%s: there are no steps back", c.Name)
	}
}

func TestC01_UnsetVariable(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.environ = append(w.environ, "EMPTY_XYZ=")
	w.project(servers(map[string]entry{
		"good":    fake("dump"),
		"bad":     fake("touch="+w.file("bad"), "T=${NOPE_XYZ}"),
		"empty":   fake("dump", "T=[${EMPTY_XYZ}]"),
		"default": fake("dump", "T=${NOPE_XYZ:-${NOPE_TOO:-fallback}}", "U=$NOPE_XYZ"),
	}))
	e := w.edit()
	refused(t, e.Connector("bad"), "variable NOPE_XYZ is not set (env.T)")
	for _, name := range []string{"good", "empty", "default"} {
		e.Connector(name, message.ConnectorWaiting)
	}
	shown := editortest.Request(e, message.AskShow, message.AskShowParams{})
	if shown.AskID == nil {
		t.Fatal("nothing is asked")
	}
	var asked []string
	for _, item := range consentOf(t, e.Ask(message.AskConsent)).Items {
		asked = append(asked, item.Name)
	}
	if want := []string{"default", "empty", "good"}; !slices.Equal(slices.Sorted(slices.Values(asked)), want) {
		t.Errorf("asked about %q, want %q", asked, want)
	}
	e.Allow("good", "empty", "default")
	e.Connector("good", message.ConnectorReady)
	if got := processOf(t, e, "empty").env("T"); got != "[]" {
		t.Errorf("a set but empty variable is %q", got)
	}
	p := processOf(t, e, "default")
	if p.env("T") != "fallback" || p.env("U") != "$NOPE_XYZ" {
		t.Errorf("T=%s U=%s", p.env("T"), p.env("U"))
	}
	// Asked for outright it is not started either.
	started := editortest.Request(e, message.ConnectorStart, message.ConnectorParams{Connector: "bad"})
	refused(t, started.Connector, "NOPE_XYZ")
	if exists(w.file("bad")) {
		t.Error("a connector whose variable is not set was started")
	}
}

func TestC02_PlaceholdersInEveryField(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	silent, peer := newListener(t), mcptest.NewHTTP(t, "")
	w.environ = append(w.environ, "WHERE="+filepath.Dir(fakestdio), "WHAT=what it is", "WHO=who-is-it-1234", "TOOLS_FOLDER=tools")
	if err := os.Mkdir(filepath.Join(w.repository, "tools"), 0o755); err != nil {
		t.Fatal(err)
	}
	token := entry{"type": "http", "url": silent.url()}
	w.project(servers(map[string]entry{
		"command": fake("dump").with("command", "${WHERE}/"+filepath.Base(fakestdio)),
		"args":    fake("dump").with("args", []string{"-x", "a ${WHAT} b", "${env:WHAT}"}),
		"env":     fake("dump", "V=<${WHAT}>"),
		"cwd":     fake("dump").with("cwd", "${TOOLS_FOLDER}"),
		"url":     {"type": "http", "url": peer.Origin() + "/${TOOLS_FOLDER}"},
		"headers": over(peer).with("headers", map[string]string{"Authorization": "Bearer ${WHO}"}),
		"unset":   token.with("headers", map[string]string{"Authorization": "Bearer ${NOPE_XYZ}"}),
		"broken":  token.with("headers", map[string]string{"X-A": "a\r\nX-B: b"}),
	}))
	e := w.edit()
	e.Allow("command", "args", "env", "cwd", "url", "headers")
	processOf(t, e, "command")
	if p := processOf(t, e, "args"); !slices.Equal(p.Arg, []string{"-x", "a what it is b", "what it is"}) {
		t.Errorf("args: %q", p.Arg)
	}
	if p := processOf(t, e, "env"); p.env("V") != "<what it is>" {
		t.Errorf("env: %q", p.env("V"))
	}
	if p := processOf(t, e, "cwd"); p.Cwd != real(t, filepath.Join(w.repository, "tools")) {
		t.Errorf("cwd: %q", p.Cwd)
	}
	e.Connector("url", message.ConnectorReady)
	e.Connector("headers", message.ConnectorReady)
	for _, request := range peer.Requests() {
		if got, isOne := request.Header.Get("Authorization"), request.Path == "/mcp"; isOne != (got == "Bearer who-is-it-1234") || !isOne && request.Path != "/tools" {
			t.Errorf("%s %s with the header %q", request.Method, request.Path, got)
		}
	}
	started := editortest.Request(e, message.ConnectorStart, message.ConnectorParams{Connector: "unset"})
	refused(t, started.Connector, "NOPE_XYZ")
	refused(t, e.Connector("broken"), "line break")
}

func TestC03_CommentsAreRead(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	path := w.project(`// what we use
{
  /* the only
     one */
  "mcpServers": {
    "good": { "command": "` + fakestdio + `", "env": {"PILLION_FAKE_MODE": ""}, }, // it's "fine" /* here
  },
}
`)
	e := w.edit()
	e.Allow("good")
	e.Connector("good", message.ConnectorReady)
	e.Open(path, string(read(t, path)))
	// That other hosts will not read it is a hint, never a problem (U22, U23).
	for _, d := range e.Diagnostics(path, "are there", func([]protocol.Diagnostic) bool { return true }) {
		if d.Severity <= protocol.DiagnosticSeverityWarning {
			t.Errorf("%+v", d)
		}
	}
}

func TestC03_SyntaxErrorKeepsTheLastGoodVersion(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	other := w.file("other")
	if err := os.Mkdir(other, 0o755); err != nil {
		t.Fatal(err)
	}
	otherPath := w.write(filepath.Join(other, ".mcp.json"), servers(map[string]entry{"elsewhere": fake("")}))
	good := servers(map[string]entry{"stays": fake("dump")})
	path := w.project(good)
	e := w.edit(func(o *editortest.Options) { o.Roots = []string{w.repository, other} })
	e.Allow("stays", "elsewhere")
	before := e.Connector("stays", message.ConnectorReady)
	e.Connector("elsewhere", message.ConnectorReady)

	broken := "{\n  \"mcpServers\": {\n    \"stays\": {\"command\": \"x\"},\n    \"new\" {\"command\": \"y\"}\n  }\n}\n"
	w.write(path, broken)
	w.write(otherPath, servers(map[string]entry{"elsewhere": fake(""), "later": fake("").with("disabled", true)}))
	e.Open(path, broken)
	saved(e, path)
	e.Connector("later", message.ConnectorDisabled) // the files have been read again
	diagnostics := e.Diagnostics(path, "name the fault", func(all []protocol.Diagnostic) bool { return len(all) > 0 })
	if len(diagnostics) != 1 {
		t.Fatalf("%+v", diagnostics)
	}
	if d := diagnostics[0]; d.Severity != protocol.DiagnosticSeverityError || d.Range.Start.Line != 3 || d.Range.Start.Character < 4 {
		t.Errorf("%+v", d)
	}
	after := e.Connector("stays", message.ConnectorReady)
	if samePID(before, after) == 0 {
		t.Errorf("it did not stay up: %+v, then %+v", before, after)
	}
	if p := processOf(t, e, "stays"); p.PID != before.Processes[0].PID {
		t.Errorf("the call reached process %d", p.PID)
	}
	e.Connector("elsewhere", message.ConnectorReady)
}

// samePID is the process that both views show, 0 when it is not the same one.
func samePID(a, b message.Connector) int {
	if len(a.Processes) != 1 || len(b.Processes) != 1 || a.Processes[0].PID != b.Processes[0].PID {
		return 0
	}
	return a.Processes[0].PID
}

func TestC05_TypeIsInferredOrNamed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	silent, peer := newListener(t), mcptest.NewHTTP(t, "")
	w.project(servers(map[string]entry{
		"url only":             {"url": peer.URL()},
		"url, streamable-http": {"url": peer.URL(), "type": "streamable-http"},
		"url, http":            {"url": peer.URL(), "type": "http"},
		"url, stdio":           {"url": silent.url(), "type": "stdio"},
		"url, command":         {"url": silent.url(), "command": fakestdio, "env": map[string]string{"PILLION_FAKE_MODE": "touch=" + w.file("conflict")}},
		"neither":              {"env": map[string]string{}},
		"htpp":                 {"url": silent.url(), "type": "htpp"},
		"sibling":              fake(""),
	}))
	e := w.edit()
	remote := []string{"url only", "url, streamable-http", "url, http"}
	e.Allow(append(remote, "sibling")...)
	for _, name := range remote {
		e.Connector(name, message.ConnectorReady)
	}
	for name, words := range map[string]string{
		"url, stdio": "stdio", "url, command": "both command and url", "neither": "neither command nor url", "htpp": `"htpp" is not known`,
	} {
		refused(t, e.Connector(name), words)
	}
	e.Connector("sibling", message.ConnectorReady)
	if exists(w.file("conflict")) {
		t.Error("an entry with both command and url was started")
	}
}

func TestC06_ByteOrderMark(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	text := "\ufeff" + strings.ReplaceAll(servers(map[string]entry{"good": fake("")}), "\n", "\r\n")
	path := w.project(text)
	e := w.edit()
	e.Allow("good")
	e.Connector("good", message.ConnectorReady)
	editortest.Request(e, message.ConnectorAdd, message.ConnectorAddParams{
		Name: "second", DefinitionText: `{"command":"nowhere"}`, Scope: message.FileScopeProject,
	})
	e.Connector("second", message.ConnectorWaiting)
	e.Connector("good", message.ConnectorReady)
	after := string(read(t, path))
	if !strings.HasPrefix(after, "\ufeff{") || strings.Count(after, "\n") != strings.Count(after, "\r\n") || !strings.Contains(after, fakestdio) {
		t.Errorf("the edit made of it %q", after)
	}
}

func TestC06_WhatDoesNotParseIsNotWritten(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	path := w.project(servers(map[string]entry{"good": fake("")}))
	e := w.edit()
	e.Allow("good")
	e.Connector("good", message.ConnectorReady)
	const broken = "\ufeff{ \"mcpServers\": { \"good\": { \"command\": \"x\" \r\n"
	w.project(broken)
	w.user(broken)
	saved(e, path)
	for _, params := range []message.ConnectorAddParams{
		{Name: "added", DefinitionText: `{"command":"nowhere"}`, Scope: message.FileScopeProject},
		{Name: "added", DefinitionText: `{"command":"nowhere"}`, Scope: message.FileScopeProject, Force: true},
		{Name: "added", DefinitionText: `{"command":"nowhere"}`, Scope: message.FileScopeUser},
	} {
		_, err := editortest.TryRequest(e, message.ConnectorAdd, params)
		if code, _ := errorOf(err); code != -32602 {
			t.Errorf("%+v: %v", params, err)
		}
	}
	if _, err := editortest.TryRequest(e, message.ConnectorRemove, message.ConnectorRemoveParams{Connector: "good"}); err == nil {
		t.Error("an entry was removed from a file that does not parse")
	}
	// What a person decides is kept elsewhere.
	if result := approved(t, e, "good.a", "{}", message.ApproveTool); result.Status != message.CallOK {
		t.Errorf("%+v", result)
	}
	if rules := editortest.Request(e, message.Permissions, message.Empty{}).Rules; len(rules) != 1 {
		t.Errorf("%+v", rules)
	}
	for _, file := range []string{path, w.file("config/mcp.json")} {
		if got := string(read(t, file)); got != broken {
			t.Errorf("%s is now %q", file, got)
		}
	}
}

func read(t testing.TB, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestC07_WorkingFolder(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	absolute := w.file("absolute")
	tools := filepath.Join(w.repository, "tools")
	for _, folder := range []string{absolute, tools} {
		if err := os.Mkdir(folder, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Link(fakestdio, filepath.Join(tools, "fake")); err != nil {
		t.Fatal(err)
	}
	w.environ = append(w.environ, "WHERE="+absolute)
	w.project(servers(map[string]entry{
		"absolute": fake("dump").with("cwd", absolute),
		"relative": fake("dump").with("cwd", "tools"),
		"variable": fake("dump").with("cwd", "${WHERE}"),
		"missing":  fake("dump"),
		"program":  fake("dump").with("command", "./tools/fake"),
		"both":     fake("dump").with("command", "./tools/fake").with("cwd", absolute),
		"nowhere":  fake("dump").with("cwd", "not/there"),
	}))
	w.user(servers(map[string]entry{"mine": fake("dump")}))
	e := w.edit() // started in /
	e.Allow("absolute", "relative", "variable", "missing", "program", "both", "nowhere")
	for name, want := range map[string]string{
		"absolute": absolute, "relative": tools, "variable": absolute, "missing": w.repository, "program": w.repository, "both": absolute,
	} {
		if got := processOf(t, e, name).Cwd; got != real(t, want) {
			t.Errorf("%s works in %s, want %s", name, got, want)
		}
	}
	refused(t, e.Connector("nowhere", message.ConnectorFailed), filepath.Join(w.repository, "not/there"))
	// The user's own starts in a folder of Pillion's, where nothing of a repository is picked up (S1).
	mine := processOf(t, e, "mine").Cwd
	if !strings.HasPrefix(mine, real(t, w.file("state"))) || mine == real(t, w.file("state")) {
		t.Errorf("the user's own works in %s", mine)
	}
	if left, err := os.ReadDir(mine); err != nil || len(left) != 0 {
		t.Errorf("%v %v", left, err)
	}
}

func TestC08_DisabledIsNotStarted(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	entries := func(firstIsOff bool) string {
		return servers(map[string]entry{
			"off":     fake("touch="+w.file("off")).with("disabled", firstIsOff),
			"enabled": fake("touch="+w.file("enabled")).with("enabled", false),
			"mine":    {"disabled": true},
			"other":   fake(""),
		})
	}
	path := w.project(entries(true))
	w.user(servers(map[string]entry{"mine": fake("touch=" + w.file("mine"))}))
	e := w.edit()
	e.Allow("other")
	other := e.Connector("other", message.ConnectorReady)
	for _, name := range []string{"off", "enabled", "mine"} {
		e.Connector(name, message.ConnectorDisabled)
		started := editortest.Request(e, message.ConnectorStart, message.ConnectorParams{Connector: message.ConnectorRef(name)})
		if started.Connector.State != message.ConnectorDisabled {
			t.Errorf("%s: %+v", name, started.Connector)
		}
		if result := call(t, e, name+".a", "{}"); result.Status != message.CallDenied || result.MayHaveRun {
			t.Errorf("%s: %+v", name, result)
		}
	}
	if shown := editortest.Request(e, message.AskShow, message.AskShowParams{}); shown.AskID != nil {
		t.Error("permission is asked for what is switched off")
	}

	w.write(path, entries(false))
	saved(e, path)
	e.Allow("off") // waits now
	on := e.Connector("off", message.ConnectorReady)
	w.write(path, entries(true))
	saved(e, path)
	e.Connector("off", message.ConnectorDisabled)
	eventually(t, "the connector that was switched off has ended", func() bool { return !isAlive(on.Processes[0].PID) })
	if samePID(other, e.Connector("other", message.ConnectorReady)) == 0 {
		t.Error("another connector was restarted")
	}
	for _, name := range []string{"enabled", "mine"} {
		if exists(w.file(name)) {
			t.Errorf("%s was started", name)
		}
	}
}

func TestC09_WorkspaceFolder(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	second := w.file("second")
	if err := os.Mkdir(second, 0o755); err != nil {
		t.Fatal(err)
	}
	project := func(name string) string {
		return servers(map[string]entry{
			name: fake("dump", "IN=${workspaceFolder}/x", "BASE=${workspaceFolderBasename}", "HOME_IS=${userHome}", "TWICE=${ONCE}").
				with("args", []string{"${workspaceFolder}/x"}),
			name + "-odd": fake("touch="+w.file(name+"-odd"), "T=${foo:bar}"),
		})
	}
	w.environ = append(w.environ, "ONCE=${HOME}")
	path := w.project(project("first"))
	w.write(filepath.Join(second, ".mcp.json"), project("second"))
	e := w.edit(func(o *editortest.Options) { o.Roots = []string{w.repository, second} })
	e.Allow("first", "second")
	for name, folder := range map[string]string{"first": w.repository, "second": second} {
		p := processOf(t, e, name)
		want := map[string]string{
			"IN": folder + "/x", "BASE": filepath.Base(folder), "HOME_IS": w.home, "CLAUDE_PROJECT_DIR": folder,
			"TWICE": "${HOME}", // a value is never expanded twice
		}
		for variable, value := range want {
			if got := p.env(variable); got != value {
				t.Errorf("%s: %s is %q, want %q", name, variable, got, value)
			}
		}
		if !slices.Equal(p.Arg, []string{folder + "/x"}) {
			t.Errorf("%s: %q", name, p.Arg)
		}
		refused(t, e.Connector(name+"-odd"), "foo:bar")
		if exists(w.file(name + "-odd")) {
			t.Errorf("%s-odd was started", name)
		}
	}
	e.Open(path, string(read(t, path)))
	e.Diagnostics(path, "name ${foo:bar}", func(all []protocol.Diagnostic) bool {
		return slices.ContainsFunc(all, func(d protocol.Diagnostic) bool {
			return d.Severity == protocol.DiagnosticSeverityError && strings.Contains(fmt.Sprint(d.Message), "foo:bar")
		})
	})
}

// A2, S4: on a shared name the user's entry is taken whole, narrowed by what the project disables and excludes.
func TestS4_ProjectOnlyNarrowsTheUsersEntry(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.environ = append(w.environ, "CANARY_XYZ=leaked")
	tools := `[{"name":"a","inputSchema":{"type":"object"}},{"name":"b","inputSchema":{"type":"object"}},` +
		`{"name":"c","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}]`
	w.user(servers(map[string]entry{
		"shared": fake("dump", "WHOSE=user", mcptest.ToolsVar+"="+tools),
		"off":    fake("touch=" + w.file("off")),
	}))
	w.project(servers(map[string]entry{
		"shared": fake("dump,touch="+w.file("shadowed"), "WHOSE=project").with("cwd", w.repository).with("timeout", 1).with("pillion", map[string]any{
			"excludeTools": []string{"b"}, "tools": []string{"b"}, "trustReadOnly": true, "inheritEnv": []string{"CANARY_XYZ"},
			"callTimeout": "1ms", "startTimeout": "1ms", "maxConcurrent": 1, "era": "modern",
		}),
		"off": fake("touch="+w.file("off")).with("disabled", true),
	}))
	e := w.edit()
	shared := e.Connector("shared", message.ConnectorReady) // it needs nobody's permission
	if shared.Source != message.SourceUser || shared.Tools != 2 {
		t.Errorf("%+v", shared)
	}
	var shadowed []message.Connector
	for _, c := range editortest.Request(e, message.Connectors, message.Empty{}).Connectors {
		if c.Source == message.SourceProject {
			shadowed = append(shadowed, c)
			if c.State != message.ConnectorDisabled || c.ShadowedBy == "" {
				t.Errorf("%+v", c)
			}
		}
	}
	if len(shadowed) != 2 {
		t.Errorf("%+v", shadowed)
	}
	p := processOf(t, e, "shared")
	if p.env("WHOSE") != "user" || p.env("CANARY_XYZ") != "(unset)" || p.Cwd == real(t, w.repository) {
		t.Errorf("%+v", p)
	}
	if _, err := editortest.TryRequest(e, message.ToolCall, message.ToolCallParams{Tool: "shared.b"}); err == nil {
		t.Error("a tool that the project excludes can be called")
	}
	if result := call(t, e, "shared.c", "{}"); result.Status != message.CallOK || result.Allowed == nil || result.Allowed.By != message.AllowedByReadOnly {
		t.Errorf("%+v", result)
	}
	e.Connector("off", message.ConnectorDisabled)
	for _, name := range []string{"off", "shadowed"} {
		if exists(w.file(name)) {
			t.Errorf("%s was started", name)
		}
	}
}
