package cases

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"pillion/editors/editortest"
	"pillion/mcp/mcptest"
	"pillion/rpc/message"
)

// forms are the ways in which a secret shows itself (S29), by name, and of each the part that nothing else has a hand in.
func forms(secret string) (whole, core map[string]string) {
	whole = map[string]string{
		"plain": secret, "url": url.QueryEscape(secret), "url, lower case": lowerEscapes(url.QueryEscape(secret)),
		"hex": hex.EncodeToString([]byte(secret)), "HEX": strings.ToUpper(hex.EncodeToString([]byte(secret))),
	}
	escaped, _ := json.Marshal(secret)
	whole["JSON"] = string(escaped[1 : len(escaped)-1])
	core = maps.Clone(whole)
	twice, _ := json.Marshal(whole["JSON"])
	core["JSON in JSON"] = string(twice[1 : len(twice)-1])
	for i, before := range []string{"", "u", "uu"} {
		text := base64.StdEncoding.EncodeToString([]byte(before + secret + ":tail"))
		name := fmt.Sprintf("base64 at %d", i)
		whole[name], core[name] = text, text[(len(before)*8+5)/6:(len(before)+len(secret))*8/6]
	}
	return whole, core
}

func lowerEscapes(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '%' && i+2 < len(text) {
			b.WriteString(strings.ToLower(text[i : i+3]))
			i += 2
		} else {
			b.WriteByte(text[i])
		}
	}
	return b.String()
}

// traces are the forms of a secret that stand in a text.
func traces(secret string, text []byte) []string {
	var found []string
	_, core := forms(secret)
	for form, value := range core {
		if bytes.Contains(text, []byte(value)) {
			found = append(found, form)
		}
	}
	return found
}

// heard is everything that Pillion said.
type heard struct {
	mu   sync.Mutex
	said bytes.Buffer
}

func (h *heard) hear(body []byte) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.said.Write(body)
	h.said.WriteByte('\n')
}

func (h *heard) bytes() []byte {
	h.mu.Lock()
	defer h.mu.Unlock()
	return bytes.Clone(h.said.Bytes())
}

// A secret that a definition reads is in nothing that Pillion says or keeps, whatever its connector does with it.
func TestE7_ASecretIsSaidNowhere(t *testing.T) {
	t.Parallel()
	const secret = `canary/0123+4567 "89"-abcdefgh`
	w := newWorld(t)
	trace := w.file("trace")
	w.environ = append(w.environ, "CANARY_XYZ="+secret, "PILLION_LOG=debug")
	reads := func(e entry) entry { return e.withEnv("API_TOKEN=${CANARY_XYZ}") }
	echoing := w.puppet("echoing")
	whole, _ := forms(secret)
	tools := `[{"name":"a","description":"Works with ` + strings.ReplaceAll(secret, `"`, `\"`) + `.","inputSchema":{"type":"object","description":"` + whole["base64 at 1"] + `"},"annotations":{"readOnlyHint":true}}]`
	w.user(servers(map[string]entry{
		"dumping":  reads(fake("dump", readOnly)),
		"echoing":  reads(echoing),
		"dying":    reads(fake("stderr=the token is " + secret + ",exit=3")),
		"chatting": reads(fake("banner=the token is "+secret+",mute").with("pillion", map[string]any{"startTimeout": "500ms"})),
		"noisy":    reads(fake("banner=the token is "+secret, readOnly)),
		"listing":  reads(fake("", mcptest.ToolsVar+"="+tools)),
		"odd":      reads(fake("", mcptest.ToolsVar+"="+strings.Replace(tools, `"name":"a"`, `"name":"a"},{"name":"`+strings.ReplaceAll(secret, `"`, `\"`)+`","inputSchema":7`, 1))),
		"flags":    reads(fake("exit=4")).with("args", []string{"--token", "${CANARY_XYZ}"}),
	}))
	h := &heard{}
	e := w.edit(func(o *editortest.Options) { o.Heard, o.Command = h.hear, append(o.Command, "--trace", trace) })
	for _, name := range []string{"dumping", "echoing", "noisy", "listing", "odd"} {
		e.Connector(name, message.ConnectorReady)
	}
	for _, name := range []string{"dying", "chatting", "flags"} {
		e.Connector(name, message.ConnectorFailed)
		call(t, e, name+".a", "{}")
	}
	if result := call(t, e, "dumping.a", "{}"); !result.Redacted || !strings.Contains(result.Text, "[REDACTED]") {
		t.Errorf("%+v", result)
	}
	for form, value := range whole {
		for _, order := range []string{"text", "error", "stderr", "stdout"} {
			id := message.CallID(order + " " + form)
			params := message.ToolCallParams{Tool: "echoing.look", CallID: id, ArgumentsText: told(t, map[string]any{order: "<" + value + ">", "times": 2}), Include: everything}
			result := ended(t, e, begin(t, e, params))
			if order == "text" && (!result.Redacted || strings.Count(result.Text, "[REDACTED]") != 2) {
				t.Errorf("%s: %+v", form, result)
			}
		}
	}
	// A long text, which ends up in a file.
	long := ended(t, e, begin(t, e, message.ToolCallParams{Tool: "echoing.look", CallID: "long", ArgumentsText: told(t, map[string]any{"text": "0123456" + secret, "times": 5000})}))
	if !long.Truncated || !long.Redacted {
		t.Errorf("%+v", long)
	}
	if found := traces(secret, read(t, long.FullTextURI.FsPath())); len(found) != 0 {
		t.Errorf("the whole text has it: %q", found)
	}
	editortest.Request(e, message.Tools, message.ToolsParams{Detail: message.ToolFull, Explain: true})
	for _, c := range editortest.Request(e, message.Connectors, message.Empty{}).Connectors {
		editortest.Request(e, message.Why, message.WhyParams{Connector: message.ConnectorRef(c.ID)})
	}
	editortest.Request(e, message.Calls, message.Empty{})
	execute(e, "pillion.server.status")
	e.Shown("connectors")
	execute(e, "pillion.server.tool.call", `"dumping.a"`, `{}`)
	if text := e.Shown("The tool answered"); !strings.Contains(text, "[REDACTED]") {
		t.Errorf("%s", text)
	}
	if text := strings.Join(e.ShownTexts(), "\n"); len(traces(secret, []byte(text))) != 0 {
		t.Errorf("a document has it: %q\n%s", traces(secret, []byte(text)), text)
	}
	for line := range bytes.Lines(h.bytes()) {
		if found := traces(secret, line); len(found) != 0 {
			t.Errorf("said was, with the secret in the forms %q: %.700s", found, line)
		}
	}
	hasTrace(t, trace)
	e.End()
	if found := traces(secret, []byte(e.Stderr())); len(found) != 0 {
		t.Errorf("stderr has it: %q", found)
	}
	keptNowhere(t, w, secret, w.log("echoing"))
}

func hasTrace(t *testing.T, path string) {
	t.Helper()
	if text := read(t, path); !bytes.Contains(text, []byte("pillion/tool/call")) {
		t.Errorf("the trace is %d bytes", len(text))
	}
}

// keptNowhere holds that no file of the world has the secret, but for those named.
func keptNowhere(t *testing.T, w *world, secret string, but ...string) {
	t.Helper()
	looked := 0
	err := filepath.WalkDir(w.home, func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || slices.Contains(but, path) {
			return err
		}
		text, err := os.ReadFile(path)
		looked++
		for _, form := range traces(secret, text) {
			if filepath.Base(path) != "mcp.json" { // which is the user's own
				t.Errorf("%s has it, in the form %s", path, form)
			}
		}
		return err
	})
	if err != nil || looked < 5 {
		t.Errorf("looked at %d files: %v", looked, err)
	}
}

// audited are the lines of the audit log.
func audited(t testing.TB, w *world) []map[string]any {
	t.Helper()
	var all []map[string]any
	for line := range bytes.Lines(read(t, filepath.Join(w.home, "state", "audit.jsonl"))) {
		var record map[string]any
		if err := json.Unmarshal(line, &record); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		all = append(all, record)
	}
	return all
}

func TestE9_EveryCallQuestionAndAnswerIsKept(t *testing.T) {
	t.Parallel()
	const secret = "canary-0123456789-abcdef"
	w := newWorld(t)
	w.environ = append(w.environ, "CANARY_XYZ="+secret)
	w.project(servers(map[string]entry{"theirs": w.puppet("theirs").withEnv("API_TOKEN=${CANARY_XYZ}")}))
	w.user(servers(map[string]entry{"mine": w.puppet("mine")}))
	e := w.edit()
	e.Allow("theirs")
	e.Connector("theirs", message.ConnectorReady)
	e.Connector("mine", message.ConnectorReady)
	make := func(id message.CallID, tool message.ToolRef, arguments, answer string) {
		t.Helper()
		called := begin(t, e, message.ToolCallParams{Tool: tool, CallID: id, ArgumentsText: arguments})
		if answer != "" {
			e.Answer(e.Ask(message.AskApproval).AskID, answer)
		}
		ended(t, e, called)
	}
	make("once", "theirs.write", `{"text":"`+secret+`","n":9007199254740993}`, `{"decision":"once"}`)
	make("declined", "theirs.write", `{"text":"no"}`, `{"decision":"decline","text":"not today"}`)
	make("edited", "theirs.write", `{"text":"before"}`, `{"decision":"once","argumentsText":"{\"text\":\"after\"}"}`)
	make("unasked", "mine.look", `{"text":"x"}`, "")
	make("failing", "mine.look", `{"error":"no"}`, "")
	make("unclear", "mine.look", `{"a":1,"a":2}`, "")
	e.End()

	records := audited(t, w)
	is := func(record map[string]any, want map[string]any) bool {
		for key, value := range want {
			if record[key] != value {
				return false
			}
		}
		return true
	}
	for _, want := range []map[string]any{
		{"kind": "ask", "connector": "theirs", "asker": "editor"},
		{"kind": "consent", "connector": "theirs", "status": "allow", "asker": "editor"},
		{"kind": "ask", "callId": "once", "connector": "theirs", "tool": "write", "asker": "editor"},
		{"kind": "answer", "callId": "once", "status": "once", "asker": "editor"},
		{"kind": "written", "callId": "once", "allowed": "answer", "mayHaveRun": true, "tool": "write", "connector": "theirs"},
		{"kind": "call", "callId": "once", "allowed": "answer", "status": "ok", "mayHaveRun": true},
		{"kind": "ask", "callId": "declined"},
		{"kind": "answer", "callId": "declined", "status": "decline", "message": "not today"},
		{"kind": "call", "callId": "declined", "status": "declined", "mayHaveRun": nil},
		{"kind": "answer", "callId": "edited", "status": "once"},
		{"kind": "written", "callId": "unasked", "allowed": "readOnly"},
		{"kind": "call", "callId": "unasked", "status": "ok", "allowed": "readOnly"},
		{"kind": "call", "callId": "failing", "status": "connectorError"},
		{"kind": "call", "callId": "unclear", "status": "invalidArguments", "mayHaveRun": nil},
	} {
		if !slices.ContainsFunc(records, func(record map[string]any) bool { return is(record, want) }) {
			t.Errorf("there is no %v", want)
		}
	}
	text := string(read(t, filepath.Join(w.home, "state", "audit.jsonl")))
	for _, part := range []string{`"arguments":{"text":"[REDACTED]","n":9007199254740993}`, `"arguments":{"text":"after"}`, `"arguments":{"text":"no"}`, `"window":"`} {
		if !strings.Contains(text, part) {
			t.Errorf("the log lacks %s", part)
		}
	}
	if strings.Contains(text, secret) {
		t.Error("the log has the secret")
	}
	for _, record := range records {
		if record["callId"] == "declined" && record["kind"] == "written" {
			t.Errorf("a declined call was written: %v", record)
		}
	}
	if info, err := os.Stat(filepath.Join(w.home, "state", "audit.jsonl")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if t.Failed() {
		t.Log(text)
	}
}
