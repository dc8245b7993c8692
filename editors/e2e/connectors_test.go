//go:build e2e

package e2e

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"go.lsp.dev/protocol"

	"pillion/rpc/message"
)

// The main job with the two reference connectors that people know: nothing runs before permission, both are asked about
// in one question, and a call that must ask runs with exactly the arguments that were shown, or not at all.
func TestConnectorsMainJob(t *testing.T) {
	s := newSandbox(t, pillion(t))
	s.writeConfiguration(t, map[string]definition{"everything": s.everything(t), "filesystem": s.filesystem(t, s.repository)})
	e := startSession(t, s)
	for _, name := range []string{"everything", "filesystem"} {
		if c := e.connector(name); c.State != message.ConnectorWaiting || len(c.Processes) > 0 {
			t.Errorf("%s is %s with %d processes, want waiting with none", name, c.State, len(c.Processes))
		}
	}
	if running := runs("mcp-server-"); running != nil {
		t.Fatalf("running without permission: %q", running)
	}
	allowAll(e, 2)

	note := filepath.Join(s.repository, "note.txt")
	write := message.ToolCallParams{Tool: "filesystem.write_file", ArgumentsText: arguments(t, map[string]any{"path": note, "content": "milk\n"})}
	declined := e.begin(write)
	e.answer(e.nextAsk(message.AskApproval), message.ApprovalAnswer{Decision: message.ApproveDecline, Text: "not yet"})
	if r := receive(e, declined, "result"); r.Status != message.CallDeclined || r.MayHaveRun {
		t.Errorf("a declined call is %s (may have run: %t): %s", r.Status, r.MayHaveRun, r.Message)
	}
	if _, err := os.Stat(note); err == nil {
		t.Error("a declined call wrote its file")
	}

	wantOK(t, receive(e, e.approved(write), "result"), message.AllowedByAnswer)
	if text, err := os.ReadFile(note); err != nil || string(text) != "milk\n" {
		t.Errorf("the approved call wrote %q: %v", text, err)
	}

	// A repository's word that a tool only reads is a claim: it asks too.
	read := message.ToolCallParams{Tool: "filesystem.read_text_file", ArgumentsText: arguments(t, map[string]any{"path": note})}
	r := receive(e, e.approved(read), "result")
	if wantOK(t, r, message.AllowedByAnswer); !strings.Contains(r.Text, "milk") {
		t.Errorf("read %q", r.Text)
	}
}

// A read-only tool of a connector that the user added runs without a question.
func TestConnectorsOfTheUserReadWithoutAsking(t *testing.T) {
	s := newSandbox(t, pillion(t))
	// Outside the repository: an entry that names something inside it waits like the repository's own (S1).
	folder := filepath.Join(s.home, "notes")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	note := filepath.Join(folder, "note.txt")
	if err := os.WriteFile(note, []byte("bread\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s.writeUserConfiguration(t, map[string]definition{"filesystem": s.filesystem(t, folder)})
	e := startSession(t, s)
	r := receive(e, e.begin(message.ToolCallParams{
		Tool: "filesystem.read_text_file", ArgumentsText: arguments(t, map[string]any{"path": note}),
	}), "result")
	if wantOK(t, r, message.AllowedByReadOnly); !strings.Contains(r.Text, "bread") {
		t.Errorf("read %q", r.Text)
	}
}

func TestConnectorsImage(t *testing.T) {
	e := startEverything(t)
	r := receive(e, e.approved(message.ToolCallParams{Tool: "everything.get-tiny-image"}), "result")
	wantOK(t, r, message.AllowedByAnswer)
	if len(r.Attachments) != 1 || r.Attachments[0].MIMEType != "image/png" {
		t.Fatalf("attachments: %+v", r.Attachments)
	}
	picture, err := os.ReadFile(r.Attachments[0].URI.FsPath())
	if err != nil || !bytes.HasPrefix(picture, []byte("\x89PNG\r\n\x1a\n")) || len(picture) != r.Attachments[0].Bytes {
		t.Errorf("%s is no whole picture: %v", r.Attachments[0].URI, err)
	}
}

// A long call reports progress, and a cancel is answered at once while the connector goes on serving others.
func TestConnectorsCancel(t *testing.T) {
	e := startEverything(t)
	call := longCall("cancelled")
	result := e.approved(call)
	e.reported()
	request(e, message.CallCancel, message.CallParams{CallID: call.CallID})
	if r := receive(e, result, "result"); r.Status != message.CallCancelled || !r.MayHaveRun {
		t.Errorf("a cancelled call is %s (may have run: %t): %s", r.Status, r.MayHaveRun, r.Message)
	}
	sum := receive(e, e.approved(message.ToolCallParams{Tool: "everything.get-sum", ArgumentsText: `{"a":2,"b":3}`}), "result")
	if wantOK(t, sum, message.AllowedByAnswer); !strings.Contains(sum.Text, "The sum of 2 and 3 is 5") {
		t.Errorf("sum: %q", sum.Text)
	}
}

// A connector that is killed in the middle of a call costs that call, is told as such, and serves again.
func TestConnectorsKilledMidCall(t *testing.T) {
	e := startEverything(t)
	result := e.approved(longCall("killed"))
	e.reported()
	processes := e.connector("everything").Processes
	if len(processes) != 1 {
		t.Fatalf("processes: %+v", processes)
	}
	if err := syscall.Kill(processes[0].PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if r := receive(e, result, "result"); r.Status != message.CallConnectorDown || !r.MayHaveRun || len(r.Steps) == 0 {
		t.Errorf("a call on a killed connector is %s (may have run: %t): %s %q", r.Status, r.MayHaveRun, r.Message, r.Steps)
	}
	again := request(e, message.ConnectorStart, message.ConnectorParams{Connector: "everything"}).Connector
	if again.State != message.ConnectorReady {
		t.Errorf("after a new start it is %s: %+v", again.State, again.Problem)
	}
}

// startEverything opens a repository in which the reference connector is allowed and ready.
func startEverything(t *testing.T) *session {
	t.Helper()
	s := newSandbox(t, pillion(t))
	s.writeConfiguration(t, map[string]definition{"everything": s.everything(t)})
	e := startSession(t, s)
	allowAll(e, 1)
	return e
}

// allowAll raises the one question about everything that waits and allows it all, then waits for the tools.
func allowAll(e *session, waiting int) {
	e.t.Helper()
	if shown := request(e, message.AskShow, message.AskShowParams{}); shown.AskID == nil {
		e.t.Fatal("nothing is asked about what waits")
	}
	ask := e.nextAsk(message.AskConsent)
	body, err := ask.ParseBody()
	if err != nil {
		e.t.Fatal(err)
	}
	items := body.(message.ConsentBody).Items
	if len(items) != waiting {
		e.t.Fatalf("asked about %d definitions, want %d in one question", len(items), waiting)
	}
	for _, item := range items {
		if !strings.Contains(item.Shown.Command+strings.Join(item.Shown.Args, " "), "mcp-server-"+item.Name) {
			e.t.Errorf("the question shows %+v for %s", item.Shown, item.Name)
		}
	}
	e.answer(ask, body.(message.ConsentBody).Deciding(message.ConsentAllow))
	for _, item := range items {
		c := e.waitForState(item.Name, message.ConnectorReady)
		tools := request(e, message.Tools, message.ToolsParams{Connector: message.ConnectorRef(item.Name)})
		if c.Tools == 0 || tools.Total != c.Tools {
			e.t.Errorf("%s has %d tools and lists %d", item.Name, c.Tools, tools.Total)
		}
	}
}

func longCall(id message.CallID) message.ToolCallParams {
	return message.ToolCallParams{
		Tool: "everything.trigger-long-running-operation", CallID: id,
		ArgumentsText: `{"duration":60,"steps":120}`, WorkDoneToken: protocol.String(id),
	}
}

func wantOK(t *testing.T, r message.CallResult, by message.AllowedBy) {
	t.Helper()
	if r.Status != message.CallOK {
		t.Fatalf("status %s: %s %q", r.Status, r.Message, r.Text)
	}
	if r.Allowed == nil || r.Allowed.By != by {
		t.Errorf("allowed by %+v, want %s", r.Allowed, by)
	}
}

// arguments is their JSON text.
func arguments(t *testing.T, values map[string]any) string {
	t.Helper()
	text, err := json.Marshal(values)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
