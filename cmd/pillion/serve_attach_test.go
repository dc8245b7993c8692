//go:build !windows

package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"pillion/editors/editortest"
	"pillion/rpc/message"
)

// mcpAgent is an agent that has Pillion as a server.
type mcpAgent struct {
	t       *testing.T
	session *mcp.ClientSession
	changed chan struct{}
}

var bothEras = []string{"2025-11-25", "2026-07-28"}

// startAgent starts an agent in the repository that calls itself so.
func (w *world) startAgent(t *testing.T, name, version string, arguments ...string) *mcpAgent {
	t.Helper()
	a := &mcpAgent{t: t, changed: make(chan struct{}, 64)}
	client := mcp.NewClient(&mcp.Implementation{Name: name, Version: "1"}, &mcp.ClientOptions{
		PromptListChangedHandler: func(context.Context, *mcp.PromptListChangedRequest) { a.changed <- struct{}{} },
	})
	command := w.command(append([]string{"serve", "--attach"}, arguments...)...)
	command.Stderr = os.Stderr
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	session, err := client.Connect(ctx, &mcp.CommandTransport{Command: command}, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	a.session = session
	t.Cleanup(func() { _ = session.Close() })
	return a
}

// calling is a call that is under way.
type calling <-chan called

type called struct {
	result *mcp.CallToolResult
	err    error
}

// call calls a tool of a connector by the tool that calls all others.
func (a *mcpAgent) call(tool string, arguments any) calling {
	done := make(chan called, 1)
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		result, err := a.session.CallTool(ctx, &mcp.CallToolParams{Name: "call", Arguments: map[string]any{"tool": tool, "arguments": arguments}})
		done <- called{result, err}
	}()
	return done
}

// text is what came of a call.
func (c calling) text(t *testing.T) (text string, isError bool) {
	t.Helper()
	got := <-c
	if got.err != nil {
		t.Fatal(got.err)
	}
	var all []string
	for _, block := range got.result.Content {
		if text, isText := block.(*mcp.TextContent); isText {
			all = append(all, text.Text)
		}
	}
	return strings.Join(all, "\n"), got.result.IsError
}

// letJoin answers the question whether an agent may join.
func letJoin(e *editortest.Editor, decision message.JoinDecision) message.Ask {
	asked := e.Ask(message.AskJoin)
	e.Answer(asked.AskID, `{"decision":"`+string(decision)+`"}`)
	return asked
}

func TestL2_AnAgentUsesTheEditorsConnectorsAndItsUserIsAskedThere(t *testing.T) {
	t.Parallel()
	for _, version := range bothEras {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t).with(t)
			w.user(w.fake("mine", "echo", nil))
			e := w.edit()
			e.Connector("mine", message.ConnectorReady)
			var agent *mcpAgent
			var starting sync.WaitGroup
			starting.Go(func() { agent = w.startAgent(t, "Fine agent", version) })
			asked := letJoin(e, message.JoinAllow)
			starting.Wait()
			body, _ := asked.ParseBody()
			if join := body.(message.JoinBody); join.Program != pathOf(t, "pillion") || join.ClaimedName != "Fine agent" || join.PID == 0 || join.Parent == "" {
				t.Errorf("asked: %+v", join)
			}
			calling := agent.call("mine__a", map[string]any{"n": 1})
			approved := e.Approve(message.ApproveOnce)
			if approved.Asker.Kind != message.AskerAgent || approved.Asker.Name != "Fine agent" || approved.Asker.Program != pathOf(t, "pillion") || approved.Asker.PID == 0 {
				t.Errorf("asked by %+v", approved.Asker)
			}
			if text, isError := calling.text(t); isError || !strings.Contains(text, `{"n":1}`) {
				t.Errorf("%t: %s", isError, text)
			}
		})
	}
}

// TestS7_TwoAgentsAtOnce holds that a yes to one is none to the other.
func TestS7_TwoAgentsAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.user(w.fake("mine", "echo", nil))
	e := w.edit()
	e.Connector("mine", message.ConnectorReady)
	var agents [2]*mcpAgent
	var starting sync.WaitGroup
	for i, name := range []string{"first", "second"} {
		starting.Go(func() { agents[i] = w.startAgent(t, name, bothEras[i]) })
	}
	letJoin(e, message.JoinSession) // one question is for both: they are one program
	starting.Wait()
	for i, name := range []string{"first", "second"} {
		calling := agents[i].call("mine__a", map[string]any{})
		if approved := e.Approve(message.ApproveSession); approved.Asker.Name != name {
			t.Errorf("%s: asked by %+v", name, approved.Asker)
		}
		if text, isError := calling.text(t); isError {
			t.Error(text)
		}
		if text, isError := agents[i].call("mine__a", map[string]any{}).text(t); isError { // not asked again
			t.Error(text)
		}
	}
}

// TestU9_TheWindowGoesWhileACallIsAsked kills it, and opens another one.
func TestU9_TheWindowGoesWhileACallIsAsked(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*editortest.Editor){
		"it is closed": (*editortest.Editor).End,
		"it is killed": (*editortest.Editor).Kill,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t).with(t)
			w.user(w.fake("mine", "echo", nil))
			e := w.edit()
			e.Connector("mine", message.ConnectorReady)
			var agent *mcpAgent
			var starting sync.WaitGroup
			starting.Go(func() { agent = w.startAgent(t, "agent", bothEras[0]) })
			letJoin(e, message.JoinAllow)
			starting.Wait()
			calling := agent.call("mine__a", map[string]any{})
			e.Ask(message.AskApproval)
			end(e)
			text, isError := calling.text(t)
			if !isError || !strings.Contains(text, "the editor reloaded before you answered; call again. Nothing ran.") {
				t.Errorf("%t: %s", isError, text)
			}
			tools, err := agent.session.ListTools(t.Context(), nil) // meanwhile
			if err != nil || len(tools.Tools) != 3 {
				t.Errorf("%+v, %v", tools, err)
			}
			again := w.edit()
			again.Connector("mine", message.ConnectorReady, message.ConnectorIdle)
			calling = agent.call("mine__a", map[string]any{"n": 2}) // it is the agent's old connection
			again.Approve(message.ApproveOnce)
			if text, isError := calling.text(t); isError || !strings.Contains(text, `{"n":2}`) {
				t.Errorf("%t: %s", isError, text)
			}
			<-agent.changed
		})
	}
}

func TestU8_WithoutAWindowItHostsByItself(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.user(w.fake("mine", "echo", map[string]string{"PILLION_FAKE_TOOLS": `[{"name":"a","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}},{"name":"b","inputSchema":{"type":"object"}}]`}))
	agent := w.startAgent(t, "agent", bothEras[0])
	if text, isError := agent.call("mine__a", map[string]any{"n": 1}).text(t); isError || !strings.Contains(text, `{"n":1}`) {
		t.Errorf("%t: %s", isError, text)
	}
	if text, isError := agent.call("mine__b", map[string]any{}).text(t); !isError || !strings.Contains(text, "nobody can be asked here") {
		t.Errorf("%t: %s", isError, text)
	}
	// A window that opens is joined.
	e := w.edit()
	letJoin(e, message.JoinAllow)
	<-agent.changed
	calling := agent.call("mine__b", map[string]any{})
	e.Approve(message.ApproveOnce)
	if text, isError := calling.text(t); isError {
		t.Error(text)
	}
}

// TestS7_AnAgentThatMayNotJoinIsTold has it still be there, and its server too.
func TestS7_AnAgentThatMayNotJoinIsTold(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	e := w.edit()
	client := mcp.NewClient(&mcp.Implementation{Name: "agent", Version: "1"}, nil)
	ended := make(chan error, 1)
	go func() {
		_, err := client.Connect(t.Context(), &mcp.CommandTransport{Command: w.command("serve", "--attach")}, &mcp.ClientSessionOptions{ProtocolVersion: bothEras[0]})
		ended <- err
	}()
	letJoin(e, message.JoinNever)
	if err := <-ended; err == nil || !strings.Contains(err.Error(), "the user does not let this program join") {
		t.Errorf("%v", err)
	}
	if records := w.read(filepath.Join(w.home, "state", "admissions.json")); !strings.Contains(records, `"never"`) {
		t.Errorf("kept: %s", records)
	}
	// It is listed by every door, and once it is taken back the program asks again (I6).
	kept := decode[message.JoinsResult](t, w.expect(exitOK, "joins", "--json")).Records
	if told := editortest.Request(e, message.Joins, message.Empty{}).Records; len(kept) != 1 || !slices.Equal(kept, told) ||
		kept[0].Decision != message.JoinNever || kept[0].Program != pathOf(t, "pillion") {
		t.Fatalf("listed %+v, told %+v", kept, told)
	}
	w.expect(exitUsage, "joins", "forget", "/none")
	w.expect(exitOK, "joins", "forget", kept[0].Parent)
	go letJoin(e, message.JoinAllow)
	w.startAgent(t, "agent", bothEras[0])
	kept = editortest.Request(e, message.Joins, message.Empty{}).Records
	if len(kept) != 1 || kept[0].Decision != message.JoinAllow {
		t.Fatalf("told %+v", kept)
	}
	editortest.Request(e, message.JoinForget, message.JoinForgetParams{Program: kept[0].Program, Parent: kept[0].Parent})
	if o := w.expect(exitOK, "joins"); o.stdout != "" {
		t.Errorf("listed %q", o.stdout)
	}
}

func TestU8_AWindowIsNamed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	inner := filepath.Join(w.repository, "inner")
	if err := os.Mkdir(inner, 0o700); err != nil {
		t.Fatal(err)
	}
	outer := w.edit()
	other := editortest.Start(t, editortest.Options{Command: []string{pathOf(t, "pillion"), "--stdio"}, Environ: w.environ, Roots: []string{inner}})
	editortest.Request(other, message.Connectors, message.Empty{})
	window := decode[listShape](t, w.expect(exitOK, "mcp", "list", "--json")).Window
	start := func(folder string, arguments ...string) *exec.Cmd {
		command := w.command(append([]string{"serve", "--attach"}, arguments...)...)
		command.Dir = folder
		return command
	}
	for asked, command := range map[*editortest.Editor]*exec.Cmd{
		other: start(inner),
		outer: start(inner, "--window", window),
	} {
		client := mcp.NewClient(&mcp.Implementation{Name: "agent", Version: "1"}, nil)
		go letJoin(asked, message.JoinSession)
		session, err := client.Connect(t.Context(), &mcp.CommandTransport{Command: command}, &mcp.ClientSessionOptions{ProtocolVersion: bothEras[0]})
		if err != nil {
			t.Fatal(err)
		}
		_ = session.Close()
	}
	w.expect(exitUsage, "serve", "--window", window)
}

// TestU8_AnAgentGivesUpBeforeItsUserAnswers has the question stay, and the yes count for the same call once.
// TestU8_AnAgentStartsWhileItsUserIsAsked has nobody answer whether it may join until it has shaken hands and listed all there is.
func TestU8_AnAgentStartsWhileItsUserIsAsked(t *testing.T) {
	t.Parallel()
	for _, expose := range []string{"meta", "all"} {
		t.Run(expose, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t).with(t)
			w.user(w.fake("mine", "echo", nil))
			e := w.edit()
			e.Connector("mine", message.ConnectorReady)
			var asked message.Ask
			agent := w.startRaw("agent", func() { asked = e.Ask(message.AskJoin) }, "--attach", "--expose", expose)
			for i, method := range []string{"tools/list", "resources/list", "resources/templates/list", "prompts/list", "ping"} {
				if answer := agent.asks(i+1, method, `{}`); answer.Error != nil {
					t.Errorf("%s: %+v", method, answer)
				} else if isMeta := strings.Contains(string(answer.Result), `"search"`); isMeta != (method == "tools/list" && expose == "meta") {
					t.Errorf("%s: %s", method, answer.Result)
				}
			}
			e.Answer(asked.AskID, `{"decision":"session"}`)
			if expose == "all" {
				agent.hear("notifications/tools/list_changed")
				if answer := agent.asks(8, "tools/list", `{}`); !strings.Contains(string(answer.Result), "mine__a") {
					t.Errorf("%s", answer.Result)
				}
				return
			}
			if answer := agent.asks(8, "tools/call", `{"name":"search","arguments":{}}`); !strings.Contains(string(answer.Result), "mine__a") {
				t.Errorf("%s", answer.Result)
			}
		})
	}
}

func TestU8_AnAgentGivesUpBeforeItsUserAnswers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.user(w.fake("mine", "echo", nil))
	e := w.edit()
	e.Connector("mine", message.ConnectorReady)
	var agent *mcpAgent
	var starting sync.WaitGroup
	starting.Go(func() { agent = w.startAgent(t, "agent", bothEras[0]) })
	letJoin(e, message.JoinAllow)
	starting.Wait()
	ctx, giveUp := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := agent.session.CallTool(ctx, &mcp.CallToolParams{Name: "call", Arguments: map[string]any{"tool": "mine__a", "arguments": map[string]any{"n": 1}}})
		ended <- err
	}()
	asked := e.Ask(message.AskApproval)
	giveUp()
	if err := <-ended; err == nil {
		t.Error("the call ended without its answer")
	}
	eventually(t, "the call has ended", func() bool {
		for _, call := range editortest.Request(e, message.Calls, message.Empty{}).Calls {
			if call.CallID == asked.CallID {
				return call.State == message.CallFinished
			}
		}
		return false
	})
	if result := e.Answer(asked.AskID, `{"decision":"once"}`); !result.Accepted {
		t.Fatal(result.Reason)
	}
	if text, isError := agent.call("mine__a", map[string]any{"n": 1}).text(t); isError || !strings.Contains(text, `{"n":1}`) {
		t.Errorf("%t: %s", isError, text)
	}
	calling := agent.call("mine__a", map[string]any{"n": 1})
	e.Approve(message.ApproveDecline)
	if text, isError := calling.text(t); !isError || !strings.Contains(text, "declined") {
		t.Errorf("%t: %s", isError, text)
	}
}

// TestU8_OfTwoWindowsOnAFolderTheLastFocused has the one that was opened first get the focus back.
func TestU8_OfTwoWindowsOnAFolderTheLastFocused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	first, second := w.edit(), w.edit()
	chosen := func() string { return decode[listShape](t, w.expect(exitOK, "mcp", "list", "--json")).Window }
	if got := chosen(); !strings.HasPrefix(got, pidText(second)) {
		t.Errorf("the one opened last: window %s", got)
	}
	for _, focused := range []*editortest.Editor{first, second, first} {
		editortest.Notify(focused, message.Focused, message.Empty{})
		eventually(t, "the window that has the focus is chosen", func() bool { return strings.HasPrefix(chosen(), pidText(focused)) })
	}
	go letJoin(first, message.JoinSession)
	w.startAgent(t, "agent", bothEras[0])
	if asks := editortest.Request(second, message.Asks, message.Empty{}).Asks; len(asks) != 0 {
		t.Errorf("the other window was asked: %+v", asks)
	}
}
