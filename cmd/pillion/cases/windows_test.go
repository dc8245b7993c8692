package cases

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"testing"

	"go.lsp.dev/protocol"

	"pillion/editors/editortest"
	"pillion/mcp/mcptest"
	"pillion/rpc"
	"pillion/rpc/message"
)

func TestC76_TenWindowsOnOneHome(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.user(servers(map[string]entry{"mine": fake("", mcptest.ToolsVar+"="+modal)}))
	names := make([]string, 10)
	entries := map[string]entry{}
	for i := range names {
		names[i] = fmt.Sprintf("c%d", i)
		entries[names[i]] = fake("tools=1")
	}
	w.project(servers(entries))
	windows := make([]*editortest.Editor, len(names))
	defer func() { // all at once
		var ends sync.WaitGroup
		for _, e := range windows {
			ends.Go(func() {
				_, _ = editortest.TryRequest(e, rpc.Request[message.Empty, rpc.Null]{Method: "shutdown"}, message.Empty{})
				editortest.Notify(e, rpc.Notification[message.Empty]{Method: "exit"}, message.Empty{})
				e.Wait()
			})
		}
		ends.Wait()
	}()
	sockets := map[string]bool{}
	for i := range windows { // each starts while the others do
		windows[i] = w.edit(func(o *editortest.Options) { o.IsSilent = true })
	}
	for _, e := range windows {
		editortest.Notify(e, initialized, message.Empty{}) // dropped: it comes too early
	}
	for _, e := range windows {
		capability := capabilityOf(t, e.Initialize())
		if capability.Attach.Socket == "" || sockets[capability.Attach.Socket] {
			t.Errorf("%+v", capability)
		}
		sockets[capability.Attach.Socket] = true
		editortest.Notify(e, initialized, message.Empty{})
	}
	for _, e := range windows {
		e.Connector("mine", message.ConnectorReady)
	}
	// Every window decides about another connector, all at once; no decision is lost, and all see all.
	decisions := []message.ConsentDecision{message.ConsentNever, message.ConsentAllow, message.ConsentLater, message.ConsentNever}
	done := make(chan struct{}, len(windows))
	for i, e := range windows {
		go func() {
			defer func() { done <- struct{}{} }()
			decide(t, e, names[i], decisions[i%len(decisions)])
		}()
	}
	for range windows {
		<-done
	}
	for _, e := range windows {
		for i, name := range names {
			e.Connector(name, map[message.ConsentDecision]message.ConnectorState{
				message.ConsentAllow: message.ConnectorReady, message.ConsentNever: message.ConnectorDenied, message.ConsentLater: message.ConnectorWaiting,
			}[decisions[i%len(decisions)]])
		}
	}
	records := editortest.Request(windows[0], message.Consents, message.Empty{}).Records
	if len(records) != len(names) {
		t.Errorf("%d decisions are kept", len(records))
	}
	// So with permissions.
	answer := begin(t, windows[3], message.ToolCallParams{Tool: "mine.write", ArgumentsText: "{}"})
	windows[3].Answer(windows[3].Ask(message.AskApproval).AskID, `{"decision":"tool","scope":"user"}`)
	ended(t, windows[3], answer)
	if result := call(t, windows[7], "mine.write", "{}"); result.Status != message.CallOK || result.Allowed.By != message.AllowedByRule {
		t.Errorf("%+v", result)
	}
}

// decide answers the question about one connector.
func decide(t testing.TB, e *editortest.Editor, name string, decision message.ConsentDecision) {
	t.Helper()
	id := e.Connector(name).ID
	shown, err := editortest.TryRequest(e, message.AskShow, message.AskShowParams{Connector: message.ConnectorRef(id)})
	if err != nil || shown.AskID == nil {
		t.Errorf("%s: there is no question: %v", name, err)
		return
	}
	answer := fmt.Sprintf(`{"decisions":{%q:%q}}`, id, decision)
	result, err := editortest.TryRequest(e, message.AskAnswer, message.AskAnswerParams{AskID: *shown.AskID, Answer: []byte(answer)})
	if err != nil || !result.Accepted {
		t.Errorf("%s: %+v, %v", name, result, err)
	}
}

func TestC76_LocksEndWithTheirProcess(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.user(servers(map[string]entry{"mine": fake("", mcptest.ToolsVar+"="+modal)}))
	// Lock files that name a live process, as a program that keeps its lock in the file's content would leave them.
	state := w.file("state")
	for _, name := range []string{"consents.json.lock", "permissions.json.lock", "eras.json.lock", "lock"} {
		w.write(filepath.Join(state, name), strconv.Itoa(os.Getpid()))
	}
	survivor := w.edit()
	survivor.Connector("mine", message.ConnectorReady)
	// Windows that are killed while they write.
	for range 3 {
		e := w.edit()
		e.Connector("mine", message.ConnectorReady)
		answer := begin(t, e, message.ToolCallParams{Tool: "mine.write", ArgumentsText: "{}"})
		open := e.Ask(message.AskApproval)
		go func() {
			_, _ = editortest.TryRequest(e, message.AskAnswer, message.AskAnswerParams{AskID: open.AskID, Answer: []byte(`{"decision":"tool","scope":"user"}`)})
		}()
		e.Kill()
		<-answer
	}
	for _, rule := range editortest.Request(survivor, message.Permissions, message.Empty{}).Rules {
		if rule.Decision != message.PermissionAllow || rule.Scope != message.PermissionUser {
			t.Errorf("half a rule: %+v", rule)
		}
	}
	if asks := editortest.Request(survivor, message.Asks, message.Empty{}).Asks; len(asks) != 0 {
		t.Errorf("%+v", asks)
	}
	approvedOrNot := begin(t, survivor, message.ToolCallParams{Tool: "mine.write", ArgumentsText: "{}", SessionID: "s"})
	eventually(t, "it ran or asks", func() bool {
		asks := editortest.Request(survivor, message.Asks, message.Empty{}).Asks
		for _, open := range asks {
			survivor.Answer(open.AskID, `{"decision":"tool","scope":"user"}`)
		}
		return len(approvedOrNot) == 1
	})
	ended(t, survivor, approvedOrNot)
	if result := call(t, w.again("mine"), "mine.write", "{}"); result.Status != message.CallOK || result.Allowed.By != message.AllowedByRule {
		t.Errorf("%+v", result)
	}
}

// again is another window, in which a connector is ready.
func (w *world) again(name string) *editortest.Editor {
	w.t.Helper()
	e := w.edit()
	e.Connector(name, message.ConnectorReady)
	return e
}

// A home that cannot be written to costs what would have been kept, not the work.
func TestC76_ReadOnlyHome(t *testing.T) {
	t.Parallel()
	for _, hasState := range []bool{true, false} {
		t.Run(fmt.Sprintf("state=%t", hasState), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.user(servers(map[string]entry{"mine": fake("", mcptest.ToolsVar+"="+modal)}))
			w.project(servers(map[string]entry{"theirs": fake("")}))
			if hasState {
				quit(w.again("mine"))
			}
			w.makeReadOnly()
			e, other := w.again("mine"), w.again("mine")
			if result := call(t, e, "mine.look", "{}"); result.Status != message.CallOK {
				t.Errorf("%+v", result)
			}
			e.Allow("theirs")
			e.Connector("theirs", message.ConnectorReady)
			e.Told("this window only")
			other.Connector("theirs", message.ConnectorWaiting)
			approved(t, e, "mine.write", "{}", message.ApproveTool)
			if result := call(t, e, "mine.write", "{}"); result.Status != message.CallOK {
				t.Errorf("%+v", result)
			}
		})
	}
}

// makeReadOnly takes from Pillion the right to write to the home; where the test is root it runs as nobody.
func (w *world) makeReadOnly() {
	w.t.Helper()
	chmod := func(mode os.FileMode) {
		_ = filepath.WalkDir(w.home, func(path string, d os.DirEntry, err error) error {
			if err == nil && d.IsDir() {
				return os.Chmod(path, mode)
			}
			return nil
		})
	}
	if os.Geteuid() == 0 {
		const nobody = 65534
		setpriv, err := exec.LookPath("setpriv")
		if err != nil {
			w.t.Skip("root can write everywhere, and there is no setpriv")
		}
		w.before = []string{setpriv, fmt.Sprintf("--reuid=%d", nobody), fmt.Sprintf("--regid=%d", nobody), "--clear-groups", "--"}
		if err := errors.Join(os.Chmod(filepath.Dir(w.home), 0o755), filepath.WalkDir(w.home, func(path string, _ os.DirEntry, err error) error {
			return errors.Join(err, os.Lchown(path, nobody, nobody))
		})); err != nil {
			w.t.Fatal(err)
		}
	}
	chmod(0o555)
	w.t.Cleanup(func() { chmod(0o700) }) // or it could not be removed
}

var initialized = rpc.Notification[message.Empty]{Method: "initialized"}

// capabilityOf is what Pillion says of itself.
func capabilityOf(t testing.TB, result protocol.InitializeResult) message.ServerCapability {
	t.Helper()
	var experimental map[string]message.ServerCapability
	if err := json.Unmarshal(result.Capabilities.Experimental, &experimental); err != nil {
		t.Fatal(err)
	}
	return experimental[message.CapabilityName]
}
