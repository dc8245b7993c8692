package cases

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"testing"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"pillion/editors/editortest"
	"pillion/mcp/config"
	"pillion/rpc"
	"pillion/rpc/message"
)

var (
	hover      = rpc.Request[protocol.HoverParams, *protocol.Hover]{Method: "textDocument/hover"}
	lenses     = rpc.Request[protocol.CodeLensParams, []protocol.CodeLens]{Method: "textDocument/codeLens"}
	definition = rpc.Request[protocol.DefinitionParams, []protocol.Location]{Method: "textDocument/definition"}
	rename     = rpc.Request[protocol.RenameParams, *protocol.WorkspaceEdit]{Method: "textDocument/rename"}
	completion = rpc.Request[protocol.CompletionParams, []protocol.CompletionItem]{Method: "textDocument/completion"}
	formatting = rpc.Request[protocol.DocumentFormattingParams, []protocol.TextEdit]{Method: "textDocument/formatting"}
	change     = rpc.Notification[protocol.DidChangeTextDocumentParams]{Method: "textDocument/didChange"}
)

// dynamic is a feature that can be registered for single files.
func dynamic() map[string]any { return map[string]any{"dynamicRegistration": true} }

func document(path string) protocol.TextDocumentIdentifier {
	return protocol.TextDocumentIdentifier{URI: uri.File(path)}
}

// editedBuffer is a buffer that is edited as an editor does it: by ranges, of which the test keeps its own copy.
type editedBuffer struct {
	e       *editortest.Editor
	path    string
	text    string
	version int32
	isUTF8  bool
}

func (b *editedBuffer) apply(edits []protocol.TextEdit) {
	edits = slices.Clone(edits)
	offset := func(p protocol.Position) int {
		return config.Offset([]byte(b.text), int(p.Line), int(p.Character), !b.isUTF8)
	}
	sort.SliceStable(edits, func(i, j int) bool { return offset(edits[i].Range.Start) > offset(edits[j].Range.Start) })
	params := protocol.DidChangeTextDocumentParams{}
	for _, edit := range edits { // from the end on, so that no range moves
		params.ContentChanges = append(params.ContentChanges, &protocol.TextDocumentContentChangePartial{Range: edit.Range, Text: edit.NewText})
		b.text = b.text[:offset(edit.Range.Start)] + edit.NewText + b.text[offset(edit.Range.End):]
	}
	b.version++
	params.TextDocument = protocol.VersionedTextDocumentIdentifier{TextDocumentIdentifier: document(b.path), Version: b.version}
	editortest.Notify(b.e, change, params)
}

func (b *editedBuffer) position(t *testing.T, part string) protocol.Position {
	t.Helper()
	offset := strings.Index(b.text, part)
	if offset < 0 {
		t.Fatalf("%q is not in the text", part)
	}
	line, character := config.Position([]byte(b.text), offset, !b.isUTF8)
	return protocol.Position{Line: uint32(line), Character: uint32(character)}
}

func (b *editedBuffer) save(w *world) {
	w.write(b.path, b.text)
	saved(b.e, b.path)
}

func isFault(d protocol.Diagnostic) bool { return d.Severity <= protocol.DiagnosticSeverityWarning }

func hasCode(all []protocol.Diagnostic, code string) bool {
	return slices.ContainsFunc(all, func(d protocol.Diagnostic) bool { return d.Code == protocol.String(code) })
}

// One file from a fault to a call and a new name: what stands about a connector moves along with it.
func TestI2_AFileIsMendedAllowedAndRenamed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	broken := "{\n  \"mcpServers\": {\n    \"build\": {\"comand\": \"" + fakestdio + "\" \"env\": {\"PILLION_FAKE_MODE\": \"\"}}\n  }\n}\n"
	path := w.project(broken)
	e := w.edit(func(o *editortest.Options) {
		o.TextDocument = map[string]any{"hover": map[string]any{"contentFormat": []string{"markdown"}}, "rename": map[string]any{}}
	})
	b := &editedBuffer{e: e, path: path, text: broken}
	e.Open(path, broken)
	e.Diagnostics(path, "name both faults", func(all []protocol.Diagnostic) bool {
		return hasCode(all, "syntax") && hasCode(all, "unknown-key")
	})
	for range 2 {
		actions := editortest.Request(e, codeAction, protocol.CodeActionParams{
			TextDocument: document(path), Range: protocol.Range{Start: b.position(t, "build"), End: b.position(t, "build")},
			Context: protocol.CodeActionContext{Diagnostics: []protocol.Diagnostic{}, Only: []protocol.CodeActionKind{"quickfix"}},
		})
		i := slices.IndexFunc(actions, func(a protocol.CodeAction) bool { return a.IsPreferred != nil && *a.IsPreferred })
		if i < 0 {
			t.Fatalf("%+v", actions)
		}
		b.apply(actions[i].Edit.Changes[uri.File(path)])
	}
	e.Diagnostics(path, "name no fault", func(all []protocol.Diagnostic) bool { return !slices.ContainsFunc(all, isFault) })
	b.save(w)
	e.Connector("build", message.ConnectorWaiting)
	e.Diagnostics(path, "say that it waits", func(all []protocol.Diagnostic) bool { return hasCode(all, "needs-permission") })
	e.Allow("build")
	e.Connector("build", message.ConnectorReady)
	shown := editortest.Request(e, hover, protocol.HoverParams{TextDocumentPositionParams: protocol.TextDocumentPositionParams{
		TextDocument: document(path), Position: b.position(t, "build"),
	}})
	if shown == nil {
		t.Fatal("no hover")
	}
	if content := shown.Contents.(*protocol.MarkupContent); !strings.Contains(content.Value, "ready") || !strings.Contains(content.Value, "Tools:") {
		t.Errorf("%+v", content)
	}

	edit := editortest.Request(e, rename, protocol.RenameParams{TextDocumentPositionParams: protocol.TextDocumentPositionParams{TextDocument: document(path), Position: b.position(t, "build")}, NewName: "builder"})
	b.apply(edit.Changes[uri.File(path)])
	b.save(w)
	e.Connector("builder", message.ConnectorReady, message.ConnectorIdle, message.ConnectorStarting)
	if records := editortest.Request(e, message.Consents, message.Empty{}).Records; len(records) != 1 || records[0].Name != "builder" {
		t.Errorf("%+v", records)
	}
}

// A name that somebody gives the entry in the file, with another definition or not in this editor, takes nothing along.
func TestS2_ARenameTakesItsPermissionOnlyToTheSameDefinition(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	text := servers(map[string]entry{"build": fake("")})
	path := w.project(text)
	e := w.edit(func(o *editortest.Options) { o.TextDocument = map[string]any{"rename": map[string]any{}} })
	b := &editedBuffer{e: e, path: path, text: text}
	e.Open(path, text)
	e.Allow("build")
	e.Connector("build", message.ConnectorReady)
	edit := editortest.Request(e, rename, protocol.RenameParams{TextDocumentPositionParams: protocol.TextDocumentPositionParams{TextDocument: document(path), Position: b.position(t, "build")}, NewName: "evil"})
	b.apply(edit.Changes[uri.File(path)])
	// What is saved under the new name is another definition.
	w.write(path, servers(map[string]entry{"evil": fake("touch=" + w.file("mark"))}))
	saved(e, path)
	e.Connector("evil", message.ConnectorWaiting)
	if _, err := os.Stat(w.file("mark")); err == nil {
		t.Error("it ran")
	}
}

// What the editor can register for single files is registered for them; what it has not declared is neither registered nor
// provided; what it has and cannot register is provided (U14).
func TestU14_FeaturesAreThereForThoseWhoDeclareThem(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.project(servers(map[string]entry{"a": fake("")}))
	e := w.edit(func(o *editortest.Options) {
		o.IsSilent = true
		o.TextDocument = map[string]any{"hover": dynamic(), "rename": dynamic(), "formatting": dynamic(), "completion": map[string]any{}}
	})
	c := e.Initialize().Capabilities
	editortest.Notify(e, rpc.Notification[message.Empty]{Method: "initialized"}, message.Empty{})
	if c.HoverProvider != nil || c.RenameProvider != nil || c.DefinitionProvider != nil || c.CodeLensProvider != nil || c.InlayHintProvider != nil {
		t.Errorf("%+v", c)
	}
	if c.CompletionProvider == nil {
		t.Error("completion is not provided")
	}
	e.Registered("textDocument/hover")
	e.Registered("textDocument/rename")
	registered := e.Registrations()
	for method, options := range registered {
		if !strings.Contains(options, "**/.mcp.json") || method != "textDocument/hover" && method != "textDocument/rename" {
			t.Errorf("%s %s", method, options)
		}
	}
}

// Formatting is off, and stays so until somebody switches it on.
func TestI2_FormattingIsOffByDefault(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	text := "{\n\"mcpServers\": {}\n}\n"
	path := w.project(text)
	ask := func(e *editortest.Editor) []protocol.TextEdit {
		e.Open(path, text)
		return editortest.Request(e, formatting, protocol.DocumentFormattingParams{TextDocument: document(path)})
	}
	declared := map[string]any{"formatting": map[string]any{}}
	if edits := ask(w.edit(func(o *editortest.Options) { o.TextDocument = declared })); len(edits) != 0 {
		t.Errorf("%+v", edits)
	}
	e := w.edit(func(o *editortest.Options) { o.TextDocument, o.Initialize = declared, map[string]any{"format": true} })
	if edits := ask(e); len(edits) != 1 || edits[0].NewText != "  " {
		t.Errorf("%+v", edits)
	}
}

// Ranges are exact in the unit that was agreed on, before and after the buffer is edited (C78).
func TestC78_PositionsInTheUnitOfTheEditor(t *testing.T) {
	t.Parallel()
	for _, encoding := range []string{"", "utf-16", "utf-8"} {
		t.Run("in "+encoding, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			name := "😀漢字😀"
			text := "{\"mcpServers\": {\"" + name + "\":{},\r\n \"x\": {}, \"" + name + "y\": {\"command\": \"" + filepath.ToSlash(fakestdio) + "\"}, \"" + name + "z\": {\"comand\": 1}}}\r\n"
			path := w.project(text)
			e := w.edit(func(o *editortest.Options) {
				o.TextDocument = map[string]any{"hover": map[string]any{}, "codeLens": map[string]any{}, "definition": map[string]any{}}
				if encoding != "" {
					o.Encodings = []string{encoding}
				}
			})
			b := &editedBuffer{e: e, path: path, text: text, isUTF8: encoding == "utf-8"}
			e.Open(path, text)
			check := func() {
				t.Helper()
				at := b.position(t, "\"comand\"")
				e.Diagnostics(path, "are where the key is", func(all []protocol.Diagnostic) bool {
					return slices.ContainsFunc(all, func(d protocol.Diagnostic) bool {
						return d.Code == protocol.String("unknown-key") && d.Range.Start == at && d.Range.End.Character == at.Character+8
					})
				})
			}
			check()
			e.ConnectorThat("is known", func(c message.Connector) bool { return c.Name == name+"y" })
			at := b.position(t, "\""+name+"y\"")
			shown := editortest.Request(e, hover, protocol.HoverParams{TextDocumentPositionParams: protocol.TextDocumentPositionParams{TextDocument: document(path), Position: at}})
			if shown == nil || shown.Range.Start != at {
				t.Errorf("hover %+v, want at %+v", shown, at)
			}
			found := editortest.Request(e, lenses, protocol.CodeLensParams{TextDocument: document(path)})
			if !slices.ContainsFunc(found, func(l protocol.CodeLens) bool { return l.Range.Start == at }) {
				t.Errorf("lenses %+v, want one at %+v", found, at)
			}
			// Beyond the end of the line is its end.
			far := protocol.TextDocumentPositionParams{TextDocument: document(path), Position: protocol.Position{Line: 0, Character: 10_000}}
			editortest.Request(e, definition, protocol.DefinitionParams{TextDocumentPositionParams: far})
			editortest.Request(e, completion, protocol.CompletionParams{TextDocumentPositionParams: far})
			b.apply([]protocol.TextEdit{{Range: protocol.Range{Start: b.position(t, "\"x\""), End: b.position(t, ": {}, \""+name+"y")}, NewText: "\"😀w\""}})
			check()
		})
	}
}

// A tool that is another than it was permitted as is a diagnostic of its entry, and hover names it (C74).
func TestC74_AToolThatChangedIsADiagnostic(t *testing.T) {
	t.Parallel()
	const before = `[{"name":"send","description":"Sends.","inputSchema":{"type":"object"}}]`
	const after = `[{"name":"send","description":"Sends elsewhere.","inputSchema":{"type":"object"}}]`
	w := newWorld(t)
	mine, file := w.turncoat(before)
	text := servers(map[string]entry{"mine": mine})
	path := w.user(text)
	e := w.edit(func(o *editortest.Options) { o.TextDocument = map[string]any{} })
	e.Open(path, text)
	c := e.Connector("mine", message.ConnectorReady)
	answer := begin(t, e, message.ToolCallParams{Tool: "mine.send", ArgumentsText: "{}"})
	e.Approve(message.ApproveTool)
	ended(t, e, answer)
	e.Diagnostics(path, "say nothing of it", func(all []protocol.Diagnostic) bool { return !hasCode(all, "tools-changed") })
	w.write(file, after)
	editortest.Request(e, message.ConnectorRestart, message.ConnectorParams{Connector: message.ConnectorRef(c.ID)})
	e.Diagnostics(path, "say that it changed", func(all []protocol.Diagnostic) bool { return hasCode(all, "tools-changed") })
	w.write(file, before)
	editortest.Request(e, message.ConnectorRestart, message.ConnectorParams{Connector: message.ConnectorRef(c.ID)})
	e.Diagnostics(path, "say nothing of it any more", func(all []protocol.Diagnostic) bool { return !hasCode(all, "tools-changed") })
}

// Not now and never take away, and need no question; a test tells whether a connector answers.
func TestB4_NotNowAndNeverAreActions(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	text := servers(map[string]entry{"build": fake("")})
	path := w.project(text)
	e := w.edit(func(o *editortest.Options) { o.IsPlain = true })
	e.Open(path, text)
	run := func(title string) {
		t.Helper()
		var command protocol.Command
		eventually(t, title+" is offered", func() bool {
			for _, action := range actionsAt(t, e, path, text, "build") {
				if strings.HasPrefix(action.Title, title) {
					command = action.Command
					return true
				}
			}
			return false
		})
		params := protocol.ExecuteCommandParams{Command: command.Command, Arguments: command.Arguments}
		editortest.Request(e, executeCommand, params)
	}
	run("Not now")
	run("Never run")
	e.Diagnostics(path, "say that it is blocked", func(all []protocol.Diagnostic) bool { return hasCode(all, "blocked") })
	if prompts := e.Prompts(); len(prompts) > 0 {
		t.Errorf("it asked %q", prompts)
	}
}

func TestI2_ATestTellsWhetherAConnectorAnswers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.user(servers(map[string]entry{"mine": fake("")}))
	e := w.edit()
	e.Connector("mine", message.ConnectorReady)
	execute(e, "pillion.server.connector.test")
	e.Told("answers after")
}

// A file of VS Code is converted by an action, with a report; nothing of it runs (A5, C04).
func TestA5_AFileOfAnotherProgramIsConvertedByAnAction(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	mark := w.file("mark")
	text := `{"servers": {"theirs": {"command": "` + filepath.ToSlash(fakestdio) + `", "env": {"PILLION_FAKE_MODE": "touch=` + filepath.ToSlash(mark) + `"}, "gallery": true}}}`
	if err := os.MkdirAll(filepath.Join(w.repository, ".vscode"), 0o755); err != nil {
		t.Fatal(err)
	}
	path := w.write(filepath.Join(w.repository, ".vscode", "mcp.json"), text)
	e := w.edit(func(o *editortest.Options) { o.IsPlain = true })
	e.Open(path, text)
	e.Diagnostics(path, "say whose they are", func(all []protocol.Diagnostic) bool { return hasCode(all, "other-program") })
	actions := actionsAt(t, e, path, text, "theirs")
	i := slices.IndexFunc(actions, func(a protocol.CodeAction) bool { return strings.HasPrefix(a.Title, "Convert \"theirs\"") })
	if i < 0 {
		t.Fatalf("%+v", actions)
	}
	editortest.Request(e, executeCommand, protocol.ExecuteCommandParams{Command: actions[i].Command.Command, Arguments: actions[i].Command.Arguments})
	e.Shown("what was converted")
	var written struct {
		MCPServers map[string]json.RawMessage `json:"mcpServers"`
	}
	if err := json.Unmarshal(read(t, filepath.Join(w.repository, ".mcp.json")), &written); err != nil || written.MCPServers["theirs"] == nil {
		t.Errorf("%v %v", written, err)
	}
	e.Connector("theirs", message.ConnectorWaiting)
	if _, err := os.Stat(mark); err == nil {
		t.Error("it ran")
	}
}
