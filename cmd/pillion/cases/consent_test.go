package cases

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"pillion/editors/editortest"
	"pillion/mcp/mcptest"
	"pillion/rpc"
	"pillion/rpc/message"
)

var (
	executeCommand = rpc.Request[protocol.ExecuteCommandParams, json.RawMessage]{Method: "workspace/executeCommand"}
	codeAction     = rpc.Request[protocol.CodeActionParams, []protocol.CodeAction]{Method: "textDocument/codeAction"}
)

// execute runs a server command as the editor's user does.
func execute(e *editortest.Editor, command string, arguments ...string) {
	params := protocol.ExecuteCommandParams{Command: command}
	for _, argument := range arguments {
		params.Arguments = append(params.Arguments, []byte(argument))
	}
	editortest.Request(e, executeCommand, params)
}

// actionsAt are the code actions that are offered on the line of a document that holds a text.
func actionsAt(t testing.TB, e *editortest.Editor, path, text, part string) []protocol.CodeAction {
	t.Helper()
	before, _, found := strings.Cut(text, part)
	if !found {
		t.Fatalf("%q does not hold %q", text, part)
	}
	at := protocol.Position{Line: uint32(strings.Count(before, "\n"))}
	return editortest.Request(e, codeAction, protocol.CodeActionParams{
		TextDocument: protocol.TextDocumentIdentifier{URI: uri.File(path)}, Range: protocol.Range{Start: at, End: at},
		Context: protocol.CodeActionContext{Diagnostics: []protocol.Diagnostic{}},
	})
}

// repositoryOfTraps is a project that leaves a mark at every way in which it could be made to act unasked.
func repositoryOfTraps(t *testing.T, w *world) (text string, marks []string) {
	t.Helper()
	silent := newListener(t)
	script := "#!/bin/sh\n: > '" + w.file("mark-script") + "'\n"
	for _, name := range []string{"run.sh", "tools/npx"} {
		path := w.write(filepath.Join(w.repository, name), script)
		if err := os.Chmod(path, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	w.write(filepath.Join(w.repository, ".env"), "FROM_FILE=canary-of-the-file\n")
	w.environ = append(w.environ, "CANARY_XYZ=canary-of-the-environment")
	entries := map[string]entry{
		"program":  fake("touch="+w.file("mark-program"), "T=${CANARY_XYZ}"),
		"eager":    fake("touch="+w.file("mark-eager")).with("pillion", map[string]any{"start": "eager"}),
		"relative": {"command": "./run.sh"},
		"bare":     {"command": "npx", "args": []string{"-y", "x"}, "env": map[string]string{"PATH": "${workspaceFolder}/tools"}},
		"shell":    {"command": "sh", "args": []string{"-c", ": > '" + w.file("mark-shell") + "'"}},
		"file":     fake("touch="+w.file("mark-file")).with("envFile", ".env"),
		"approved": fake("touch="+w.file("mark-approved")).with("alwaysAllow", []string{"a"}).with("autoApprove", []string{"*"}),
		"remote":   {"type": "http", "url": silent.url(), "headers": map[string]string{"A": "Bearer ${CANARY_XYZ}"}},
	}
	for _, name := range []string{"script", "program", "eager", "shell", "file", "approved"} {
		marks = append(marks, w.file("mark-"+name))
	}
	return servers(entries), marks
}

// askAboutEverything asks every question that an editor can ask without meaning to run anything.
func askAboutEverything(t *testing.T, e *editortest.Editor, path, text string) {
	t.Helper()
	e.Open(path, text)
	for _, c := range editortest.Request(e, message.Connectors, message.Empty{}).Connectors {
		ref := message.ConnectorRef(c.ID)
		editortest.Request(e, message.Tools, message.ToolsParams{Connector: ref, Explain: true})
		editortest.Request(e, message.Why, message.WhyParams{Connector: ref})
		if name := `"` + c.Name + `"`; strings.Contains(text, name) { // some stand in another file, or escaped
			actionsAt(t, e, path, text, name)
		}
	}
	editortest.Request(e, message.Tools, message.ToolsParams{Detail: message.ToolFull, Explain: true})
	editortest.Request(e, message.Permissions, message.Empty{})
	editortest.Request(e, message.Consents, message.Empty{})
	editortest.Request(e, message.Calls, message.Empty{})
	editortest.Request(e, message.Asks, message.Empty{})
	editortest.Request(e, message.AskShow, message.AskShowParams{})
	execute(e, "pillion.server.status")
	execute(e, "pillion.server.review")
}

func TestC70_OpeningARepositoryRunsNothing(t *testing.T) {
	t.Parallel()
	for _, isTrusted := range []bool{false, true} {
		t.Run(fmt.Sprintf("trusted=%t", isTrusted), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			text, marks := repositoryOfTraps(t, w)
			path := w.project(text)
			trust := func(o *editortest.Options) { o.Initialize = map[string]any{"trusted": isTrusted} }
			for range 2 { // once more after a restart
				e := w.edit(trust)
				for _, name := range []string{"program", "eager", "relative", "bare", "shell", "file", "approved"} {
					e.Connector(name, message.ConnectorWaiting)
				}
				askAboutEverything(t, e, path, text)
				saved(e, path)
				editortest.Notify(e, rpc.Notification[message.Empty]{Method: "workspace/didChangeWatchedFiles"}, message.Empty{})
				for _, name := range []string{"program", "eager", "relative", "bare", "shell", "file", "approved"} {
					if result := call(t, e, name+".a", "{}"); result.Status != message.CallNeedsConsent || result.MayHaveRun {
						t.Errorf("%s: %+v", name, result)
					}
					for _, act := range []rpc.Request[message.ConnectorParams, message.ConnectorResult]{message.ConnectorStart, message.ConnectorRestart, message.ConnectorStop} {
						after := editortest.Request(e, act, message.ConnectorParams{Connector: message.ConnectorRef(name)}).Connector
						if after.State != message.ConnectorWaiting || len(after.Processes) != 0 {
							t.Errorf("%s of %s: %+v", act.Method, name, after)
						}
					}
					execute(e, "pillion.server.connector.start", `"`+name+`"`)
				}
				execute(e, "pillion.server.tool.call", `"program.a"`, `{}`)
				e.Shown("needs permission first")
				if heard := e.Session(); strings.Contains(heard, "canary-of") {
					t.Errorf("a variable was read for display:\n%s", heard)
				}
				editortest.Request(e, rpc.Request[message.Empty, rpc.Null]{Method: "shutdown"}, message.Empty{})
				editortest.Notify(e, rpc.Notification[message.Empty]{Method: "exit"}, message.Empty{})
				e.Wait()
			}
			for _, mark := range marks {
				if exists(mark) {
					t.Errorf("%s was made before anybody allowed it", mark)
				}
			}
		})
	}
}

// versions writes one version after the other of a project's file.
type versions struct {
	w *world
	e *editortest.Editor
	n int
}

// write puts a version in place and waits until it counts: each has a connector of its own that nothing runs.
func (v *versions) write(t testing.TB, text func(sentinel string) string) {
	t.Helper()
	v.n++
	name := fmt.Sprintf("version %d", v.n)
	sentinel := fmt.Sprintf(`%q: {"command": "nothing", "disabled": true}`, name)
	saved(v.e, v.w.project(`{"mcpServers": {`+text(sentinel)+`}}`))
	v.e.Connector(name, message.ConnectorDisabled)
}

func (v *versions) entry(t testing.TB, e entry) {
	t.Helper()
	text, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	v.write(t, func(sentinel string) string { return `"build": ` + string(text) + `, ` + sentinel })
}

func TestC71_AnotherDefinitionAsksAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	base := fake("dump", "A=1").with("args", []string{"one"}).with("cwd", w.repository)
	v := &versions{w: w, e: w.edit()}
	v.entry(t, base)
	v.e.Allow("build")
	pid := v.e.Connector("build", message.ConnectorReady).Processes[0].PID

	// Written otherwise it is the same.
	compact, err := json.Marshal(base)
	if err != nil {
		t.Fatal(err)
	}
	same := map[string]string{
		"white space": strings.NewReplacer(`":`, "\" :\n\t\t", `,"`, " , \n\"").Replace(string(compact)),
		"a comment":   "/* what we build with */ " + string(compact),
		"order":       reversed(t, base),
		"escapes":     strings.Replace(string(compact), `"cwd"`, `"\u0063wd"`, 1),
		"enabled":     strings.Replace(string(compact), `{`, `{"disabled": false, "description": "builds", `, 1),
	}
	for what, text := range same {
		v.write(t, func(sentinel string) string { return sentinel + `, "build": ` + text })
		after := v.e.Connector("build")
		if after.State != message.ConnectorReady || after.Processes[0].PID != pid {
			t.Errorf("%s: %+v", what, after)
		}
	}

	link := w.file("link")
	if err := os.Symlink(fakestdio, link); err != nil {
		t.Fatal(err)
	}
	other := map[string]entry{
		"command":         base.with("command", link),
		"args":            base.with("args", []string{"one", ""}),
		"args order":      base.with("args", []string{"two"}),
		"value":           base.withEnv("A=2"),
		"key":             base.withEnv("B=1"),
		"loader":          base.withEnv("LD_PRELOAD=x.so"),
		"case of a key":   base.withEnv("a=1"),
		"reference":       base.withEnv("A=${HOME}"),
		"cwd":             base.with("cwd", w.home),
		"no cwd":          base.with("cwd", nil),
		"envFile":         base.with("envFile", ".env"),
		"transport":       {"type": "http", "url": "http://127.0.0.1:1/"},
		"option":          base.with("pillion", map[string]any{"era": "modern"}),
		"what is unknown": base.with("sandbox", false),
	}
	for what, definition := range other {
		v.entry(t, definition)
		after := v.e.Connector("build")
		if after.State != message.ConnectorWaiting && after.State != message.ConnectorFailed {
			t.Errorf("%s: %+v", what, after)
		}
		eventually(t, "the process of the earlier definition has ended", func() bool { return !isAlive(pid) })
		if what == "value" {
			shown := editortest.Request(v.e, message.AskShow, message.AskShowParams{Connector: "build"})
			item := consentOf(t, ask(t, v.e, *shown.AskID)).Items[0]
			if item.Reason != message.ConsentChanged || len(item.Changes) != 1 || item.Changes[0] != (message.Change{Path: "/env/A", Before: `"1"`, After: `"2"`}) {
				t.Errorf("%+v", item)
			}
			if !strings.Contains(item.DefinitionText, `"A":"2"`) || item.Shown.Env["A"] != "2" || item.Shown.Cwd != w.repository || item.Shown.Command != fakestdio || !slices.Equal(item.Shown.Args, []string{"one"}) {
				t.Errorf("%+v", item)
			}
		}
		v.entry(t, base) // the text that was allowed is known again, and starts on use
		v.e.Connector("build", message.ConnectorReady, message.ConnectorIdle)
		pid = processOf(t, v.e, "build").PID
	}
}

// ask is an open question.
func ask(t testing.TB, e *editortest.Editor, id message.AskID) message.Ask {
	t.Helper()
	for _, one := range editortest.Request(e, message.Asks, message.Empty{}).Asks {
		if one.AskID == id {
			return one
		}
	}
	t.Fatalf("the question %s is not open", id)
	panic("unreachable")
}

// reversed is an entry with its members in the opposite order.
func reversed(t testing.TB, e entry) string {
	t.Helper()
	var members []string
	for key, value := range e {
		text, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		members = append(members, fmt.Sprintf("%q: %s", key, text))
	}
	slices.Sort(members)
	slices.Reverse(members)
	return "{" + strings.Join(members, ", ") + "}"
}

func TestC71_AnotherCheckoutAsks(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	text := servers(map[string]entry{"build": fake("")})
	w.project(text)
	first := w.edit()
	first.Allow("build")
	first.Connector("build", message.ConnectorReady)
	second := w.file("second")
	w.write(filepath.Join(second, ".mcp.json"), text)
	w.edit(func(o *editortest.Options) { o.Roots = []string{second} }).Connector("build", message.ConnectorWaiting)
	// Nor does a clone in the place of the one that was allowed.
	if err := os.Rename(w.repository, w.file("elsewhere")); err != nil {
		t.Fatal(err)
	}
	w.project(text)
	w.edit().Connector("build", message.ConnectorWaiting)
}

func TestC71_WhatStartsIsWhatWasShown(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	v := &versions{w: w, e: w.edit()}
	shown := fake("dump", "WHICH=shown")
	v.entry(t, shown)
	v.e.Connector("build", message.ConnectorWaiting)
	first := editortest.Request(v.e, message.AskShow, message.AskShowParams{Connector: "build"})
	v.entry(t, fake("touch="+w.file("swapped"), "WHICH=swapped"))
	// The question is about what is no longer there: it is withdrawn, and a yes to it is late.
	id := v.e.Connector("build", message.ConnectorWaiting).ID
	if closed := v.e.Closed(*first.AskID); closed.How != message.AskWithdrawn {
		t.Errorf("%+v", closed)
	}
	answer := v.e.Answer(*first.AskID, `{"decisions":{"`+string(id)+`":"allow"}}`)
	if answer.Accepted || !strings.Contains(answer.Reason, "withdrawn") {
		t.Errorf("%+v", answer)
	}
	v.e.Connector("build", message.ConnectorWaiting)

	// Swapped behind Pillion's back, after it was shown and before the answer.
	second := editortest.Request(v.e, message.AskShow, message.AskShowParams{Connector: "build"})
	v.w.project(servers(map[string]entry{"build": fake("touch=" + w.file("swapped-late"))}))
	v.e.Answer(*second.AskID, `{"decisions":{"`+string(id)+`":"allow"}}`)
	v.entry(t, shown) // which nobody has said yes to
	v.e.Connector("build", message.ConnectorWaiting)
	if exists(w.file("swapped-late")) {
		t.Error("what was not shown was started")
	}
}

// tell puts a question's buttons before the user of a plain editor and takes the answer.
func chooser(choose func(text string, titles []string) string) func(*editortest.Options) {
	return func(o *editortest.Options) { o.IsPlain, o.Choose = true, choose }
}

func TestC72_EveryDoorPassesTheGate(t *testing.T) {
	t.Parallel()
	t.Run("a request", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.user(servers(map[string]entry{"mine": fake("", mcptest.LogVar+"="+w.log("mine"))}))
		e := w.edit()
		c := e.Connector("mine", message.ConnectorReady)
		tool := editortest.Request(e, message.Tools, message.ToolsParams{}).Tools[0]
		for _, name := range []string{tool.Label, tool.ServedName, string(tool.ID)} {
			sent := len(argumentsOf(t, w.log("mine")))
			answer := begin(t, e, message.ToolCallParams{Tool: message.ToolRef(name), ArgumentsText: `{"x":1}`})
			open := e.Ask(message.AskApproval)
			if n := len(argumentsOf(t, w.log("mine"))); n != sent {
				t.Errorf("%s: %d calls were sent before the answer", name, n-sent)
			}
			e.Answer(open.AskID, `{"decision":"once"}`)
			if result := ended(t, e, answer); result.Status != message.CallOK || result.Allowed.By != message.AllowedByAnswer {
				t.Errorf("%s: %+v", name, result)
			}
			if n := len(argumentsOf(t, w.log("mine"))); n != sent+1 {
				t.Errorf("%s: %d calls were sent", name, n-sent)
			}
		}
		// A yes to one call is none to the next, nor to one after a restart of the connector.
		editortest.Request(e, message.ConnectorRestart, message.ConnectorParams{Connector: message.ConnectorRef(c.ID)})
		sent := len(argumentsOf(t, w.log("mine")))
		if result := approved(t, e, tool.Label, `{"x":2}`, message.ApproveDecline); result.Status != message.CallDeclined || result.MayHaveRun {
			t.Errorf("%+v", result)
		}
		if n := len(argumentsOf(t, w.log("mine"))); n != sent {
			t.Error("a declined call was sent")
		}
	})
	t.Run("a queued call", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.user(servers(map[string]entry{"mine": fake("", mcptest.LogVar+"="+w.log("mine"))}))
		e := w.edit()
		e.Connector("mine", message.ConnectorReady)
		first := begin(t, e, message.ToolCallParams{Tool: "mine.a", ArgumentsText: `{"n":1}`})
		one := e.Ask(message.AskApproval)
		second := begin(t, e, message.ToolCallParams{Tool: "mine.a", ArgumentsText: `{"n":1}`})
		e.Answer(one.AskID, `{"decision":"once"}`)
		ended(t, e, first)
		two := e.Ask(message.AskApproval)
		if two.AskID == one.AskID || len(argumentsOf(t, w.log("mine"))) != 1 {
			t.Errorf("%+v after %+v; sent %q", two, one, argumentsOf(t, w.log("mine")))
		}
		e.Answer(two.AskID, `{"decision":"decline"}`)
		ended(t, e, second)
		if sent := argumentsOf(t, w.log("mine")); len(sent) != 1 {
			t.Errorf("sent %q", sent)
		}
	})
	t.Run("a command", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.user(servers(map[string]entry{"mine": fake("", mcptest.LogVar+"="+w.log("mine"))}))
		e := w.edit(chooser(func(string, []string) string { return "Decline" }))
		e.Connector("mine", message.ConnectorReady)
		execute(e, "pillion.server.tool.call", `"mine.a"`, `{"x":1}`)
		e.Shown("You declined the call")
		if sent := argumentsOf(t, w.log("mine")); len(sent) != 0 || len(e.Prompts()) != 1 {
			t.Errorf("prompts %q, sent %q", e.Prompts(), sent)
		}
	})
	t.Run("a code action", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		tools := `[{"name":"a","inputSchema":{"type":"object","required":["text"],"properties":{"text":{"type":"string"}}}}]`
		w.user(servers(map[string]entry{"mine": fake("", mcptest.LogVar+"="+w.log("mine"), mcptest.ToolsVar+"="+tools)}))
		e := w.edit(chooser(func(string, []string) string { return "Allow once" }))
		e.Connector("mine", message.ConnectorReady)
		execute(e, "pillion.server.tool.call", `"mine.a"`)
		e.Shown("the arguments of a call")
		path := e.ShownPaths()[0]
		text := "{\n  // what to say\n  \"text\": \"hello\"\n}\n"
		e.Open(path, text)
		actions := actionsAt(t, e, path, text, "text")
		if len(actions) != 1 {
			t.Fatalf("%+v", actions)
		}
		if sent := argumentsOf(t, w.log("mine")); len(sent) != 0 {
			t.Errorf("sent %q", sent)
		}
		editortest.Request(e, executeCommand, protocol.ExecuteCommandParams{Command: actions[0].Command.Command, Arguments: actions[0].Command.Arguments})
		e.Shown("The tool answered")
		if sent := argumentsOf(t, w.log("mine")); !slices.Equal(sent, []string{`{"text":"hello"}`}) || len(e.Prompts()) != 1 {
			t.Errorf("prompts %q, sent %q", e.Prompts(), sent)
		}
	})
}

// hints are tools with every way to claim, or not to claim, that they are harmless.
const hints = `[{"name":"delete_all","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}},` +
	`{"name":"writes","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":false}},` +
	`{"name":"harmless","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":false,"destructiveHint":false}},` +
	`{"name":"null","inputSchema":{"type":"object"},"annotations":null},` +
	`{"name":"silent","inputSchema":{"type":"object"}},` +
	`{"name":"open","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true,"openWorldHint":true}}]`

func TestC73_ReadOnlyHintIsAClaim(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.project(servers(map[string]entry{"theirs": fake("", mcptest.ToolsVar+"="+hints).with("pillion", map[string]any{"trustReadOnly": true})}))
	w.user(servers(map[string]entry{"mine": fake("", mcptest.ToolsVar+"="+hints)}))
	e := w.edit()
	e.Allow("theirs")
	e.Connector("theirs", message.ConnectorReady)
	e.Connector("mine", message.ConnectorReady)
	for _, name := range []string{"delete_all", "writes", "harmless", "null", "silent", "open"} {
		answer := begin(t, e, message.ToolCallParams{Tool: message.ToolRef("theirs." + name), ArgumentsText: "{}"})
		reason := approvalOf(t, e.Approve(message.ApproveOnce)).Reason
		if result := ended(t, e, answer); result.Status != message.CallOK || result.Allowed.By != message.AllowedByAnswer {
			t.Errorf("%s: %+v", name, result)
		}
		isDestructive := name == "writes" || name == "silent" || name == "null"
		if strings.Contains(reason, "change or delete") != isDestructive {
			t.Errorf("%s: %q", name, reason)
		}
	}
	// Of what the user added the claim counts, but not where reading can leak (S14).
	for name, want := range map[string]message.ToolPermission{
		"delete_all": message.ToolAuto, "writes": message.ToolAsk, "harmless": message.ToolAsk, "null": message.ToolAsk, "silent": message.ToolAsk, "open": message.ToolAsk,
	} {
		if tool := editortest.Request(e, message.ToolDetail, message.ToolParams{Tool: message.ToolRef("mine." + name)}).Tool; tool.Permission != want {
			t.Errorf("%s: %s", name, tool.Permission)
		}
	}
	if result := call(t, e, "mine.delete_all", "{}"); result.Status != message.CallOK || result.Allowed.By != message.AllowedByReadOnly {
		t.Errorf("%+v", result)
	}
	if result := approved(t, e, "mine.delete_all", `{"to":"https://example.com/x"}`, message.ApproveDecline); result.Status != message.CallDeclined {
		t.Errorf("%+v", result)
	}
}

func TestB4_DecisionsStandUntilTakenBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	v := &versions{w: w, e: w.edit()}
	v.entry(t, fake("touch="+w.file("ran")))
	decide := func(decision string) message.Connector {
		t.Helper()
		shown := editortest.Request(v.e, message.AskShow, message.AskShowParams{Connector: "build"})
		if shown.AskID == nil {
			t.Fatal("nothing is asked")
		}
		id := v.e.Connector("build").ID
		if result := v.e.Answer(*shown.AskID, `{"decisions":{"`+string(id)+`":"`+decision+`"}}`); !result.Accepted {
			t.Fatalf("%s: %+v", decision, result)
		}
		return v.e.Connector("build")
	}
	v.e.Connector("build", message.ConnectorWaiting)
	if c := decide("later"); c.State != message.ConnectorWaiting {
		t.Errorf("%+v", c)
	}
	if c := decide("never"); c.State != message.ConnectorDenied {
		t.Errorf("%+v", c)
	}
	if result := call(t, v.e, "build.a", "{}"); result.Status != message.CallDenied {
		t.Errorf("%+v", result)
	}
	// Whatever it says, and in whatever window.
	v.entry(t, fake("touch="+w.file("ran"), "A=1"))
	v.e.Connector("build", message.ConnectorDenied)
	if shown := editortest.Request(v.e, message.AskShow, message.AskShowParams{}); shown.AskID != nil {
		t.Error("what is blocked is asked about unasked")
	}
	w.edit().Connector("build", message.ConnectorDenied)
	records := editortest.Request(v.e, message.Consents, message.Empty{}).Records
	if len(records) != 1 || records[0].Decision != message.ConsentNever || records[0].Name != "build" || records[0].At.IsZero() || records[0].Root != uri.File(w.repository) || records[0].DefinitionText == "" {
		t.Errorf("%+v", records)
	}
	if exists(w.file("ran")) {
		t.Fatal("it ran")
	}

	// Looked at again it may be allowed after all, and that may be taken back.
	decide("allow")
	pid := v.e.Connector("build", message.ConnectorReady).Processes[0].PID
	editortest.Request(v.e, message.ConsentRevoke, message.ConsentRevokeParams{Root: uri.File(w.repository), Connector: "build"})
	v.e.Connector("build", message.ConnectorWaiting)
	eventually(t, "it has ended", func() bool { return !isAlive(pid) })
	if records := editortest.Request(v.e, message.Consents, message.Empty{}).Records; len(records) != 0 {
		t.Errorf("%+v", records)
	}
	w.edit().Connector("build", message.ConnectorWaiting)
}

func TestB4_AQuestionAboutWhatIsBlockedStands(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.project(servers(map[string]entry{"build": fake("")}))
	e := w.edit()
	blocked := e.Connector("build", message.ConnectorWaiting)
	answer := func(decision string) {
		t.Helper()
		shown := editortest.Request(e, message.AskShow, message.AskShowParams{Connector: "build"})
		if decision == "allow" { // something else happens while it is looked at
			w.project(servers(map[string]entry{"build": fake(""), "other": fake("")}))
			e.Connector("other", message.ConnectorWaiting)
		}
		if result := e.Answer(*shown.AskID, `{"decisions":{"`+string(blocked.ID)+`":"`+decision+`"}}`); !result.Accepted {
			t.Fatalf("%s: %+v", decision, result)
		}
	}
	answer("never")
	e.Connector("build", message.ConnectorDenied)
	answer("allow")
	e.Connector("build", message.ConnectorReady)
}

func TestB5_UntrustedWorkspaceWaits(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.project(servers(map[string]entry{"theirs": fake("")}))
	w.user(servers(map[string]entry{"mine": fake("")}))
	trusted := w.edit()
	trusted.Allow("theirs")
	trusted.Connector("theirs", message.ConnectorReady)

	e := w.edit(func(o *editortest.Options) { o.Initialize = map[string]any{"trusted": false} })
	e.Connector("mine", message.ConnectorReady)
	e.Connector("theirs", message.ConnectorWaiting) // though it was allowed
	if result := call(t, e, "theirs.a", "{}"); result.Status != message.CallNeedsConsent || !strings.Contains(result.Message, "waits until this workspace is trusted") {
		t.Errorf("%+v", result)
	}
	found := findings(editortest.Request(e, message.Doctor, message.DoctorParams{}).Rows).about(t, message.DoctorConnectors, "theirs")
	if found.Text != "waits until this workspace is trusted" || len(found.Steps) != 1 || strings.Contains(found.Steps[0], "approve") {
		t.Errorf("%+v", found)
	}
	trust := func(is bool) { editortest.Notify(e, message.TrustChanged, message.TrustChangedParams{Trusted: is}) }
	trust(true)
	pid := e.Connector("theirs", message.ConnectorReady).Processes[0].PID
	trust(false)
	e.Connector("theirs", message.ConnectorWaiting)
	eventually(t, "it has ended", func() bool { return !isAlive(pid) })

	// Trust is no consent.
	other := w.file("other")
	w.write(filepath.Join(other, ".mcp.json"), servers(map[string]entry{"theirs": fake("")}))
	w.edit(func(o *editortest.Options) {
		o.Roots, o.Initialize = []string{other}, map[string]any{"trusted": true}
	}).Connector("theirs", message.ConnectorWaiting)
	// What is not clearly yes is no.
	w.edit(func(o *editortest.Options) { o.Initialize = map[string]any{"trusted": "true"} }).Connector("theirs", message.ConnectorWaiting)
}

// S1: a user's entry that names something of a workspace runs code of that workspace, and waits there.
func TestS1_UsersEntryInTheWorkspaceWaits(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.environ = append(w.environ, "REPOSITORY_XYZ="+w.repository)
	inside := filepath.Join(w.repository, "tools")
	if err := os.Mkdir(inside, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, link := range []string{"fake", "npx"} {
		if err := os.Link(fakestdio, filepath.Join(inside, link)); err != nil {
			t.Fatal(err)
		}
	}
	alias := w.file("alias")
	if err := os.Symlink(w.repository, alias); err != nil {
		t.Fatal(err)
	}
	waiting := map[string]entry{
		"program":        {"command": filepath.Join(inside, "fake")},
		"relative":       {"command": "./tools/fake"},
		"by a link":      {"command": filepath.Join(alias, "tools", "fake")},
		"unclean":        {"command": w.home + "/x/../repository/tools/fake"},
		"argument":       {"command": "node", "args": []string{filepath.Join(w.repository, "x.js")}},
		"reference":      {"command": "node", "args": []string{"${workspaceFolder}/x.js"}},
		"folder":         fake("tools=1").with("args", []string{"${workspaceFolder}"}),
		"default":        {"command": "node", "args": []string{"${NOPE_XYZ:-${workspaceFolder}}/x.js"}},
		"claude":         {"command": "node", "args": []string{"${CLAUDE_PROJECT_DIR}/x.js"}},
		"home":           {"command": "node", "args": []string{"${userHome}/repository/x.js"}},
		"variable":       {"command": "node", "args": []string{"${REPOSITORY_XYZ}/x.js"}},
		"flag":           {"command": "node", "args": []string{"--require=" + w.repository + "/x.js"}},
		"short flag":     {"command": "node", "args": []string{"-r" + w.repository + "/x.js"}},
		"shell":          {"command": "sh", "args": []string{"-c", "cd '" + w.repository + "' && ./tools/fake"}},
		"url":            {"command": "deno", "args": []string{"run", "file://" + w.repository + "/x.ts"}},
		"mount":          {"command": "docker", "args": []string{"run", "-v", w.repository + ":/w", "x"}},
		"cwd":            fake("").with("cwd", w.repository),
		"cwd inside":     fake("").with("cwd", inside),
		"relative cwd":   fake("").with("cwd", "tools"),
		"envFile":        fake("").with("envFile", filepath.Join(w.repository, ".env")),
		"relative file":  fake("").with("envFile", ".env"),
		"variable given": fake("", "NODE_OPTIONS=--require "+w.repository+"/x.js"),
		"path given":     fake("", "PATH="+inside),
	}
	free := map[string]entry{
		"elsewhere": fake("dump"),
		"sibling":   fake("tools=1").with("args", []string{w.repository + "-two/x.js"}),
		"bare":      {"command": "npx", "args": []string{"-y", "good@1.0.0"}},
	}
	all := map[string]entry{}
	for _, some := range []map[string]entry{waiting, free} {
		for name, e := range some {
			all[name] = e
		}
	}
	w.user(servers(all))
	// A folder of the workspace on PATH, and a relative one, are none to find a program in.
	for i, variable := range w.environ {
		if strings.HasPrefix(variable, "PATH=") {
			w.environ[i] = "PATH=" + inside + ":tools:.:/nowhere"
		}
	}
	e := w.edit(func(o *editortest.Options) { o.Dir = inside })
	for name := range waiting {
		if c := e.Connector(name); c.State != message.ConnectorWaiting {
			t.Errorf("%s: %s %+v", name, c.State, c.Problem)
		}
	}
	for _, name := range []string{"elsewhere", "sibling"} {
		e.Connector(name, message.ConnectorReady)
	}
	if got := processOf(t, e, "elsewhere").env("PATH"); strings.Contains(got, w.repository) || strings.Contains(got, ".") {
		t.Errorf("PATH=%s", got)
	}
	if c := e.Connector("bare", message.ConnectorFailed); c.Problem.Kind != message.ProblemProgram {
		t.Errorf("%+v", c.Problem)
	}

	// A yes counts in this repository alone.
	e.Allow("folder")
	e.Connector("folder", message.ConnectorReady)
	w.edit().Connector("folder", message.ConnectorReady)
	another := w.file("another")
	if err := os.Mkdir(another, 0o755); err != nil {
		t.Fatal(err)
	}
	w.edit(func(o *editortest.Options) { o.Roots = []string{another} }).Connector("folder", message.ConnectorWaiting)
}

// TestS2_TheQuestionSaysThatARunnerMayBringAnotherVersion asks about npx with and without a version.
func TestS2_TheQuestionSaysThatARunnerMayBringAnotherVersion(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.project(servers(map[string]entry{
		"free":   {"command": "npx", "args": []string{"-y", "some-server"}},
		"pinned": {"command": "npx", "args": []string{"-y", "some-server@1.2.3"}},
	}))
	e := w.edit()
	for name, want := range map[string]bool{"free": true, "pinned": false} {
		c := e.Connector(name, message.ConnectorWaiting)
		shown := editortest.Request(e, message.AskShow, message.AskShowParams{Connector: message.ConnectorRef(c.ID)})
		item := consentOf(t, ask(t, e, *shown.AskID)).Items[0]
		if got := strings.Contains(strings.Join(item.Warnings, "\n"), "not pinned"); got != want {
			t.Errorf("%s: %q", name, item.Warnings)
		}
	}
}
