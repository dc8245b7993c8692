package cases

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"go.lsp.dev/protocol"

	"pillion/editors/editortest"
	"pillion/mcp/mcptest"
	"pillion/rpc"
	"pillion/rpc/message"
)

// ok approves one call of the fake's tool and holds that it succeeds.
func ok(t *testing.T, e *editortest.Editor, connector string) message.CallResult {
	t.Helper()
	result := approved(t, e, connector+".a", "{}", message.ApproveOnce)
	if result.Status != message.CallOK {
		t.Errorf("a call of %s: %+v", connector, result)
	}
	return result
}

// idsIn are the process ids that fakes wrote to a file.
func idsIn(t testing.TB, path string) []int {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	var ids []int
	for _, field := range strings.Fields(string(text)) {
		id, err := strconv.Atoi(field)
		if err != nil {
			t.Fatalf("%s holds %q", path, field)
		}
		ids = append(ids, id)
	}
	return ids
}

// alive counts the processes that live of those that wrote their id to a file; one that only waits to be reaped is dead.
func alive(t testing.TB, path string) (count int) {
	t.Helper()
	for _, id := range idsIn(t, path) {
		status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", id))
		if isAlive(id) && !(err == nil && strings.Contains(string(status), "State:\tZ")) {
			count++
		}
	}
	return count
}

func TestC14_TheReasonIsItsOwn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.user(servers(map[string]entry{
		"exits":   fake("stderr=missing libfoo,exit=127"),
		"absent":  {"command": "no-such-program-anywhere"},
		"closed":  fake("closestdout"),
		"nothing": fake("mute").with("pillion", map[string]any{"startTimeout": "1s"}),
		"chatter": fake("banner=I speak no MCP,mute").with("pillion", map[string]any{"startTimeout": "1s"}),
	}))
	e := w.edit()
	for name, want := range map[string]struct {
		kind  message.ProblemKind
		words []string
	}{
		"exits":   {message.ProblemExited, []string{"127", "missing libfoo"}},
		"absent":  {message.ProblemProgram, []string{"no-such-program-anywhere", "PATH"}},
		"closed":  {"", nil},
		"nothing": {message.ProblemTimeout, nil},
		"chatter": {"", []string{"I speak no MCP"}},
	} {
		problem := e.Connector(name, message.ConnectorFailed).Problem
		if problem == nil || (want.kind != "" && problem.Kind != want.kind) || len(problem.Steps) == 0 {
			t.Errorf("%s: %+v", name, problem)
			continue
		}
		for _, word := range want.words {
			if !strings.Contains(problem.Reason, word) {
				t.Errorf("the reason of %s lacks %q: %s", name, word, problem.Reason)
			}
		}
	}
}

func TestC15_NoiseOnStdoutCostsNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	noises := map[string]string{
		"banner": "banner=Starting server...", "lines": "lines", "brace": "bracenoise", "json": "jsonlog", "bom": "bom",
		"blank": "blank", "flood": "flood=5000000", "latin": "latin1", "crlf": "crlf",
	}
	entries := map[string]entry{"glue": fake("glue")}
	for name, mode := range noises {
		entries[name] = fake(mode)
	}
	w.user(servers(entries))
	e := w.edit()
	for name := range noises {
		e.Connector(name, message.ConnectorReady)
		ok(t, e, name)
	}
	// An answer that a log is glued to is lost, and with it that call alone.
	e.Connector("glue", message.ConnectorReady)
	lost := begin(t, e, message.ToolCallParams{Tool: "glue.a", ArgumentsText: "{}", TimeoutMS: 1000})
	e.Approve(message.ApproveOnce)
	if result := ended(t, e, lost); result.Status == message.CallOK || !result.MayHaveRun {
		t.Errorf("%+v", result)
	}
	ok(t, e, "glue")
}

func TestC16_StderrIsAlwaysRead(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	modes := map[string]string{"lines": "stderrflood=300000", "raw": "stderrraw=300000", "spin": "stderrspin"}
	entries := map[string]entry{}
	for name, mode := range modes {
		entries[name] = fake(mode)
	}
	w.user(servers(entries))
	e := w.edit()
	for name := range modes {
		e.Connector(name, message.ConnectorReady)
		ok(t, e, name)
	}
}

func TestC18_NothingIsLeftOfAWrapper(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	wrapped, starting := w.file("wrapped.pid"), w.file("starting.pid")
	w.user(servers(map[string]entry{
		"wrapped": fake("wrapper,ignoreeof,pid=" + wrapped), "starting": fake("wrapper,mute,ignoreeof,pid=" + starting),
	}))
	e := w.edit()
	e.Connector("wrapped", message.ConnectorReady)
	stopped := editortest.Request(e, message.ConnectorStop, message.ConnectorParams{Connector: "wrapped"})
	if stopped.Connector.State != message.ConnectorIdle || alive(t, wrapped) != 0 || len(idsIn(t, wrapped)) == 0 {
		t.Errorf("%s, %d of %d processes live", stopped.Connector.State, alive(t, wrapped), len(idsIn(t, wrapped)))
	}
	// Stopping counts although initialize is unanswered.
	eventually(t, "the other one runs", func() bool { return alive(t, starting) > 0 })
	editortest.Request(e, message.ConnectorStop, message.ConnectorParams{Connector: "starting"})
	if alive(t, starting) != 0 {
		t.Errorf("%d processes live of one that was stopped while it started", alive(t, starting))
	}
}

func TestC18_AStormOfChangesLeavesOne(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ids := w.file("storm.pid")
	e := w.edit()
	for i := range 20 {
		saved(e, w.user(servers(map[string]entry{"storm": fake("dump,pid="+ids, "ROUND="+strconv.Itoa(i))})))
	}
	last := w.user(servers(map[string]entry{"storm": fake("dump,pid="+ids, "ROUND=last")}))
	saved(e, last)
	eventually(t, "the last definition runs alone", func() bool {
		c := e.Connector("storm")
		return c.State == message.ConnectorReady && processOf(t, e, "storm").env("ROUND") == "last" && alive(t, ids) == 1
	})
}

func TestC19_EndsPolitelyFirst(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	flushed := w.file("flushed")
	w.user(servers(map[string]entry{
		"flush": fake("flush=" + flushed), "term": fake("ignoreeof"), "kill": fake("ignoreeof,ignoreterm"),
	}))
	e := w.edit()
	for _, name := range []string{"flush", "term", "kill"} {
		e.Connector(name, message.ConnectorReady)
		go func() {
			_, _ = editortest.TryRequest(e, message.ConnectorStop, message.ConnectorParams{Connector: message.ConnectorRef(name)})
		}()
	}
	for _, name := range []string{"flush", "term", "kill"} {
		e.Connector(name, message.ConnectorIdle)
	}
	if text := string(read(t, flushed)); !strings.HasPrefix(text, "flushed") {
		t.Errorf("the clean one wrote %q", text)
	}
}

func TestC20_NothingOutlivesAKill(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*editortest.Editor){
		"killed": (*editortest.Editor).Kill,
		"input":  func(e *editortest.Editor) { e.CloseInput(); e.Wait() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			ids := w.file("ids")
			w.user(servers(map[string]entry{
				"stubborn": fake("ignoreeof,ignoreterm,pid=" + ids), "wrapped": fake("wrapper,ignoreeof,pid=" + ids),
			}))
			e := w.edit()
			e.Connector("stubborn", message.ConnectorReady)
			e.Connector("wrapped", message.ConnectorReady)
			end(e)
			eventually(t, "nothing is left", func() bool { return alive(t, ids) == 0 })
		})
	}
}

func TestC23_ExitsOnAnUnknownFirstMessage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ids := w.file("ids")
	w.user(servers(map[string]entry{"strict": fake("strict,pid=" + ids)}))
	for _, spawns := range []int{2, 3} { // the second session remembers
		e := w.edit()
		e.Connector("strict", message.ConnectorReady)
		if got := len(idsIn(t, ids)); got > spawns {
			t.Errorf("%d processes were started, want at most %d", got, spawns)
		}
		editortest.Request(e, message.ConnectorStop, message.ConnectorParams{Connector: "strict"})
	}
}

// Initialize is answered, and a fast connector used, while others are dead, mute and slow: by order, not by the clock.
func TestC24_OneDoesNotDelayAnother(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	gate := w.file("gate")
	w.user(servers(map[string]entry{
		"dead": fake("exit=1"), "mute": fake("mute"), "slow": fake("slowstart=1h"), "fast": fake("touch=" + gate),
		"remote": {"url": "http://127.0.0.1:1/mcp"},
	}))
	e := w.edit(func(o *editortest.Options) { o.IsSilent = true })
	e.Initialize()
	if exists(gate) {
		t.Error("a connector was started before initialize was answered")
	}
	editortest.Notify(e, rpc.Notification[message.Empty]{Method: "initialized"}, message.Empty{})
	e.Connector("fast", message.ConnectorReady)
	ok(t, e, "fast")
	for name, state := range map[string]message.ConnectorState{"mute": message.ConnectorStarting, "slow": message.ConnectorStarting} {
		if c := e.Connector(name); c.State != state {
			t.Errorf("%s is %s beside the fast one", name, c.State)
		}
	}
	if p := e.Connector("remote", message.ConnectorFailed).Problem; p == nil || p.Kind != message.ProblemUnreachable {
		t.Errorf("remote: %+v", p)
	}
}

func TestC26_TheConnectorIsToldToStop(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	log := w.log("late")
	w.user(servers(map[string]entry{"late": fake("late", "SRVLOG="+log)}))
	e := w.edit()
	e.Connector("late", message.ConnectorReady)

	answer := begin(t, e, message.ToolCallParams{Tool: "late.a", ArgumentsText: "{}", CallID: "by-user"})
	e.Approve(message.ApproveSession)
	eventually(t, "the call is sent", func() bool { return len(argumentsOf(t, log)) == 1 })
	editortest.Request(e, message.CallCancel, message.CallParams{CallID: "by-user"})
	if result := ended(t, e, answer); result.Status != message.CallCancelled || !result.MayHaveRun {
		t.Errorf("%+v", result)
	}
	timed := begin(t, e, message.ToolCallParams{Tool: "late.a", ArgumentsText: "{}", TimeoutMS: 200})
	if result := ended(t, e, timed); result.Status != message.CallTimeout || !result.MayHaveRun {
		t.Errorf("%+v", result)
	}
	eventually(t, "each was told once", func() bool { return len(cancelled(t, log)) == 2 })
	if ids := cancelled(t, log); ids[0] == ids[1] {
		t.Errorf("the same request was cancelled twice: %q", ids)
	}
	last := begin(t, e, message.ToolCallParams{Tool: "late.a", ArgumentsText: "{}", CallID: "after"})
	eventually(t, "the next call is sent", func() bool { return len(argumentsOf(t, log)) == 3 })
	editortest.Request(e, message.CallCancel, message.CallParams{CallID: "after"})
	ended(t, e, last)
}

// cancelled are the ids of the requests that a fake was told to stop.
func cancelled(t testing.TB, log string) []string {
	t.Helper()
	var ids []string
	for _, line := range mcptest.Received(t, log) {
		var note struct {
			Method string `json:"method"`
			Params struct {
				RequestID json.RawMessage `json:"requestId"`
			} `json:"params"`
		}
		if err := json.Unmarshal([]byte(line), &note); err != nil {
			t.Fatal(err)
		}
		if note.Method == "notifications/cancelled" {
			ids = append(ids, string(note.Params.RequestID))
		}
	}
	return ids
}

func TestC25_TheCallOfALostConnectorEnds(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.user(servers(map[string]entry{"dies": fake("exiton=tools/call:3")}))
	e := w.edit()
	e.Connector("dies", message.ConnectorReady)
	result := approved(t, e, "dies.a", "{}", message.ApproveOnce)
	if result.Status != message.CallConnectorDown || !result.MayHaveRun || !strings.Contains(result.Message, "3") || len(result.Steps) == 0 {
		t.Errorf("%+v", result)
	}
}

func TestE8_ProgressReachesTheEditor(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.user(servers(map[string]entry{"works": fake("progress=20ms:200ms")}))
	e := w.edit()
	e.Connector("works", message.ConnectorReady)
	answer := begin(t, e, message.ToolCallParams{Tool: "works.a", ArgumentsText: "{}", WorkDoneToken: protocol.String("mine")})
	e.Approve(message.ApproveOnce)
	if result := ended(t, e, answer); result.Status != message.CallOK {
		t.Errorf("%+v", result)
	}
	for _, kind := range []string{"begin", "report", "end"} {
		e.Progress(kind, func(p protocol.ProgressParams) bool {
			return strings.Contains(string(p.Value), fmt.Sprintf("%q", kind))
		})
	}
}

// A secret of a definition appears in nothing that Pillion writes or says (E7, S29).
func TestS29_ASecretStaysHome(t *testing.T) {
	t.Parallel()
	const secret = "canary-0123456789-abcdef"
	w := newWorld(t)
	trace := w.file("trace.txt")
	w.environ = append(w.environ, "CANARY="+secret)
	w.user(servers(map[string]entry{"dump": fake("dump,stderr="+"token is "+secret, "API_TOKEN=${CANARY}")}))
	e := w.edit(func(o *editortest.Options) { o.Command = append(o.Command, "--trace", trace) })
	e.Connector("dump", message.ConnectorReady)
	if result := ok(t, e, "dump"); !result.Redacted || !strings.Contains(result.Text, "[REDACTED]") {
		t.Errorf("%+v", result)
	}
	if strings.Contains(e.Session(), secret) {
		t.Error("the secret crossed the wire")
	}
	e.End()
	for _, folder := range []string{w.file("state"), trace} {
		err := filepath.WalkDir(folder, func(path string, d os.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return err
			}
			if text, err := os.ReadFile(path); err == nil && strings.Contains(string(text), secret) {
				t.Errorf("the secret is in %s", path)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
}
