//go:build e2e

package e2e

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/textproto"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// fakeServerVar makes the test binary serve as the fake of a language server that the harness is tested with.
const fakeServerVar = "PILLION_E2E_FAKE_SERVER"

// A fakeServer speaks just enough of Pillion for one journey: one connector "everything" that waits, one tool, no process.
// It keeps no promise of the real one; the harness is tested with it, never Pillion.
type fakeServer struct {
	out     io.Writer
	uri     string
	allowed bool
	asked   map[int]func(title string) // questions on the editor's screen by request id
	results map[string]string          // call id to status
}

type frame struct {
	ID     json.RawMessage `json:"id,omitempty"`
	Method string          `json:"method,omitempty"`
	Params json.RawMessage `json:"params,omitempty"`
	Result json.RawMessage `json:"result,omitempty"`
}

func runFakeServer(in io.Reader, out io.Writer) int {
	f := &fakeServer{out: out, asked: map[int]func(string){}, results: map[string]string{}}
	reader := textproto.NewReader(bufio.NewReader(in))
	for {
		header, err := reader.ReadMIMEHeader()
		if err != nil {
			return 1
		}
		length, _ := strconv.Atoi(header.Get("Content-Length"))
		body := make([]byte, length)
		var message frame
		if _, err := io.ReadFull(reader.R, body); err != nil || json.Unmarshal(body, &message) != nil {
			return 1
		}
		switch message.Method {
		case "exit":
			return 0
		case "":
			f.takeAnswer(message)
		default:
			f.serve(message)
		}
	}
}

func (f *fakeServer) send(message map[string]any) {
	message["jsonrpc"] = "2.0"
	body, err := json.Marshal(message)
	if err != nil {
		panic(err)
	}
	fmt.Fprintf(f.out, "Content-Length: %d\r\n\r\n%s", len(body), body)
}

func (f *fakeServer) serve(message frame) {
	var result any
	switch message.Method {
	case "initialize":
		result = map[string]any{"capabilities": map[string]any{
			"textDocumentSync": 1, "codeActionProvider": true,
			"executeCommandProvider": map[string]any{"commands": []string{"pillion.server.connector.allow", "pillion.server.tool.call"}},
		}}
	case "textDocument/didOpen":
		var params struct{ TextDocument struct{ URI string } }
		_ = json.Unmarshal(message.Params, &params)
		if strings.HasSuffix(params.TextDocument.URI, "/.mcp.json") {
			f.uri = params.TextDocument.URI
			f.publish()
		}
	case "textDocument/codeAction":
		command := map[string]any{"title": "Review and allow", "command": "pillion.server.connector.allow", "arguments": []string{"c1"}}
		result = []any{map[string]any{"title": "Review and allow \"everything\"", "kind": "pillion.trust", "command": command}}
	case "workspace/executeCommand":
		result = f.execute(message.Params)
	case "pillion/tools":
		result = map[string]any{"tools": []any{map[string]any{"label": "everything.get-sum"}}, "total": 1}
	case "pillion/call":
		var params struct{ CallID string }
		_ = json.Unmarshal(message.Params, &params)
		result = map[string]any{"state": "finished", "result": map[string]any{"status": f.results[params.CallID]}}
	case "pillion/connectors":
		state := map[bool]string{false: "waiting", true: "ready"}[f.allowed]
		result = map[string]any{"connectors": []any{map[string]any{"name": "everything", "state": state}}}
	}
	if message.ID != nil {
		f.send(map[string]any{"id": message.ID, "result": result})
	}
}

func (f *fakeServer) publish() {
	found := []any{}
	if !f.allowed {
		at := map[string]any{"start": map[string]int{"line": 2, "character": 4}, "end": map[string]int{"line": 2, "character": 16}}
		found = append(found, map[string]any{"range": at, "severity": 3, "message": `"everything" needs permission`})
	}
	f.send(map[string]any{"method": "textDocument/publishDiagnostics", "params": map[string]any{"uri": f.uri, "diagnostics": found}})
}

func (f *fakeServer) execute(raw json.RawMessage) any {
	var params struct {
		Command   string
		Arguments []json.RawMessage
	}
	_ = json.Unmarshal(raw, &params)
	if params.Command == "pillion.server.connector.allow" {
		f.ask("Allow \"everything\"?\nmcp-server-everything", []string{"Not now", "Never", "Allow"}, func(title string) {
			f.allowed = title == "Allow"
			f.publish()
		})
		return nil
	}
	call := fmt.Sprintf("call-%d", len(f.results)+1)
	f.results[call] = "asking"
	text := fmt.Sprintf("Run everything.get-sum?\n%s", params.Arguments[1])
	f.ask(text, []string{"Decline", "Allow once"}, func(title string) {
		f.results[call] = "declined"
		document := filepath.Join(os.TempDir(), call+".md")
		content := "everything.get-sum: declined\n"
		if title == "Allow once" {
			f.results[call] = "ok"
			content = "The sum of 2 and 3 is 5.\n"
		}
		if err := os.WriteFile(document, []byte(content), 0o600); err != nil {
			panic(err)
		}
		f.send(map[string]any{"id": 0, "method": "window/showDocument", "params": map[string]any{"uri": "file://" + document, "takeFocus": false}})
	})
	return map[string]any{"callId": call}
}

func (f *fakeServer) ask(message string, titles []string, then func(title string)) {
	id := len(f.asked) + 1
	f.asked[id] = then
	actions := []any{}
	for _, title := range titles {
		actions = append(actions, map[string]string{"title": title})
	}
	f.send(map[string]any{"id": id, "method": "window/showMessageRequest", "params": map[string]any{"type": 3, "message": message, "actions": actions}})
}

func (f *fakeServer) takeAnswer(message frame) {
	id, _ := strconv.Atoi(string(message.ID))
	var choice struct{ Title string }
	if then := f.asked[id]; then != nil && json.Unmarshal(message.Result, &choice) == nil {
		then(choice.Title)
	}
}
