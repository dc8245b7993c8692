package cases

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pillion/editors/editortest"
	"pillion/mcp/mcptest"
	"pillion/rpc"
	"pillion/rpc/message"
)

// exact are arguments that a decoder on the way would change: digits, order, white space within strings, escapes.
const exact = `{"z":9007199254740993,"a":1.10,"e":1E+2,"big":123456789012345678901234567890,"s":"\u0041\/é 🙂","n":null,"o":{"b":1,"a":[true,-0]}}`

func TestS10_BytesApprovedAreBytesSent(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.user(servers(map[string]entry{"mine": fake("echo", mcptest.LogVar+"="+w.log("mine"))}))
	e := w.edit()
	e.Connector("mine", message.ConnectorReady)
	spaced := strings.NewReplacer(`{"z"`, "{ \n\t\"z\"", `,"a"`, ` , "a"`, `:`, `: `).Replace(exact)
	for _, params := range []message.ToolCallParams{{ArgumentsText: exact}, {ArgumentsText: spaced}, {Arguments: []byte(exact)}} {
		params.Tool = "mine.a"
		answer := begin(t, e, params)
		if shown := approvalOf(t, e.Approve(message.ApproveOnce)).ArgumentsText; shown != exact {
			t.Errorf("shown: %s", shown)
		}
		result := ended(t, e, answer)
		if sent := argumentsOf(t, w.log("mine")); sent[len(sent)-1] != exact || result.Text != exact {
			t.Errorf("sent: %s\ncame: %s", sent[len(sent)-1], result.Text)
		}
	}
	for _, nothing := range []message.ToolCallParams{{}, {Arguments: []byte("[]")}, {Arguments: []byte("null")}, {ArgumentsText: " {} "}} {
		nothing.Tool = "mine.a"
		answer := begin(t, e, nothing)
		if shown := approvalOf(t, e.Approve(message.ApproveOnce)).ArgumentsText; shown != "{}" {
			t.Errorf("%+v: shown %s", nothing, shown)
		}
		ended(t, e, answer)
	}
}

func TestS10_UnclearArgumentsAreRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.user(servers(map[string]entry{"mine": fake("", mcptest.LogVar+"="+w.log("mine"))}))
	e := w.edit()
	e.Connector("mine", message.ConnectorReady)
	for _, arguments := range []string{
		`{"a":1,"a":2}`, `{"o":{"a":1,"\u0061":1}}`, `{"l":[{"a":1,"a":1}]}`, `{"s":"\ud800"}`, `{"s":"\udc00\ud800"}`, `{"\udfff":1}`,
		`[]`, `"x"`, `null`, `{`, `{"a":1} {}`, `{"a":1,}`, `{"a":01}`, "{\"s\":\"\n\"}",
	} {
		result := call(t, e, "mine.a", arguments)
		if result.Status != message.CallInvalidArguments || result.MayHaveRun || result.Message == "" {
			t.Errorf("%s: %+v", arguments, result)
		}
	}
	// What one decoder reads as one key and another as two is two keys.
	if result := approved(t, e, "mine.a", `{"a":1,"A":2}`, message.ApproveOnce); result.Status != message.CallOK {
		t.Errorf("%+v", result)
	}
	if sent := argumentsOf(t, w.log("mine")); !slices.Equal(sent, []string{`{"a":1,"A":2}`}) {
		t.Errorf("sent %q", sent)
	}
}

func TestS10_EditedArgumentsAllowOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.user(servers(map[string]entry{"mine": fake("", mcptest.LogVar+"="+w.log("mine"))}))
	e := w.edit()
	e.Connector("mine", message.ConnectorReady)
	ask := func() (<-chan editortest.Outcome[message.CallResult], message.AskID) {
		answer := begin(t, e, message.ToolCallParams{Tool: "mine.a", ArgumentsText: `{"path":"/etc"}`})
		return answer, e.Ask(message.AskApproval).AskID
	}
	answer, id := ask()
	for _, decision := range []string{"session", "tool", "connector", "decline"} {
		if result := e.Answer(id, `{"decision":"`+decision+`","argumentsText":"{\"path\":\"/tmp\"}"}`); result.Accepted {
			t.Errorf("edited arguments were taken with %s", decision)
		}
	}
	if result := e.Answer(id, `{"decision":"once","argumentsText":"{\"path\": \"/tmp\", \"n\": 9007199254740993}"}`); !result.Accepted {
		t.Fatalf("%+v", result)
	}
	if result := ended(t, e, answer); result.Status != message.CallOK {
		t.Errorf("%+v", result)
	}
	answer, id = ask()                                                       // nothing stands
	for _, unclear := range []string{`{\"path\":1,\"path\":2}`, `[]`, `{`} { // refused whole, so that it can be mended
		if result := e.Answer(id, `{"decision":"once","argumentsText":"`+unclear+`"}`); result.Accepted || result.Reason == "" {
			t.Errorf("%s: %+v", unclear, result)
		}
	}
	e.Answer(id, `{"decision":"decline"}`)
	if result := ended(t, e, answer); result.Status != message.CallDeclined {
		t.Errorf("%+v", result)
	}
	if sent := argumentsOf(t, w.log("mine")); !slices.Equal(sent, []string{`{"path":"/tmp","n":9007199254740993}`}) {
		t.Errorf("sent %q", sent)
	}
	if rules := editortest.Request(e, message.Permissions, message.Empty{}).Rules; len(rules) != 0 {
		t.Errorf("%+v", rules)
	}
}

func TestS16_OnlyTheExactAnswerCounts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.project(servers(map[string]entry{"theirs": fake("touch=" + w.file("ran"))}))
	w.user(servers(map[string]entry{"mine": fake("", mcptest.LogVar+"="+w.log("mine"))}))
	e := w.edit()
	id := e.Connector("theirs", message.ConnectorWaiting).ID
	consent := editortest.Request(e, message.AskShow, message.AskShowParams{}).AskID
	of := func(text string) string { return strings.ReplaceAll(text, "ID", string(id)) }
	for _, inexact := range []string{
		`null`, `{}`, `true`, `"allow"`, `[]`, `1`, `{"decisions":{}}`, `{"decisions":null}`, of(`{"decisions":{"ID":"ALLOW"}}`), of(`{"decisions":{"ID":"Allow"}}`),
		of(`{"decisions":{"ID":"yes"}}`), of(`{"decisions":{"ID":true}}`), of(`{"decisions":{"ID":null}}`), of(`{"decisions":{"ID":["allow"]}}`),
		of(`{"Decisions":{"ID":"allow"}}`), of(`{"decisions":{"ID":"allow"},"all":true}`), of(`{"decisions":{"ID":"allow","other":"allow"}}`),
		of(`{"decisions":{"theirs":"allow"}}`), `{"decision":"allow"}`,
	} {
		if result := e.Answer(*consent, inexact); result.Accepted || result.Reason == "" {
			t.Errorf("consent %s: %+v", inexact, result)
		}
	}
	e.Connector("theirs", message.ConnectorWaiting)

	e.Connector("mine", message.ConnectorReady)
	answer := begin(t, e, message.ToolCallParams{Tool: "mine.a", ArgumentsText: `{}`})
	approval := e.Ask(message.AskApproval)
	body := approvalOf(t, approval)
	if len(body.Choices) < 2 || body.Choices[0] != message.ApproveDecline || body.Choices[1] != message.ApproveOnce {
		t.Errorf("the safest answer is not the first: %q", body.Choices)
	}
	for _, inexact := range []string{
		`null`, `{}`, `true`, `"once"`, `{"decision":"ONCE"}`, `{"decision":"Once"}`, `{"decision":" once"}`, `{"decision":"allow"}`, `{"decision":true}`,
		`{"decision":null}`, `{"Decision":"once"}`, `{"decision":"once","DECISION":"tool"}`, `{"decision":"once","scope":"user"}`, `{"decision":"tool","scope":"world"}`,
		`{"decision":"tool","scope":null}`, `{"decision":"tool","scope":""}`, `{"decision":"once","text":"yes"}`, `{"decision":"readOnly"}`, `{"decision":"once","argumentsText":""}`,
		`{"decision":"once","argumentsText":"null"}`, `{"decision":"once","forever":true}`,
	} {
		result := e.Answer(approval.AskID, inexact)
		if result.Accepted || result.Reason == "" {
			t.Errorf("approval %s: %+v", inexact, result)
			return
		}
	}
	if exists(w.file("ran")) || len(argumentsOf(t, w.log("mine"))) != 0 {
		t.Error("an answer that is none let something run")
	}
	if result := e.Answer(approval.AskID, `{"decision":"once"}`); !result.Accepted {
		t.Errorf("%+v", result)
	}
	ended(t, e, answer)
	if late := e.Answer(approval.AskID, `{"decision":"decline"}`); late.Accepted || !strings.Contains(late.Reason, "answered") {
		t.Errorf("%+v", late)
	}
	if result := e.Answer(*consent, of(`{"decisions":{"ID":"allow"}}`)); !result.Accepted {
		t.Errorf("%+v", result)
	}
	e.Connector("theirs", message.ConnectorReady)
	if result := e.Answer("no such question", `{"decision":"once"}`); result.Accepted {
		t.Errorf("%+v", result)
	}
}

// Of a plain editor no button, an unknown one, or an error decides nothing, and the safest is the first.
func TestS16_PlainButtons(t *testing.T) {
	t.Parallel()
	for _, chosen := range []string{"", "allow", "ALLOW", "Yes", "Allow ", "Allow once and for all", "refuse"} {
		t.Run("button "+chosen, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.project(servers(map[string]entry{"theirs": fake("touch=" + w.file("ran"))}))
			w.user(servers(map[string]entry{"mine": fake("", mcptest.LogVar+"="+w.log("mine"))}))
			titles := make(chan []string, 10)
			choose := func(_ string, all []string) string { titles <- all; return chosen }
			if chosen == "refuse" {
				choose = nil // the editor does not know the request
			}
			e := w.edit(chooser(choose))
			e.Connector("mine", message.ConnectorReady)
			e.Connector("theirs", message.ConnectorWaiting)
			execute(e, "pillion.server.connector.allow", `"theirs"`)
			e.Shown("may these connectors of this repository run")
			execute(e, "pillion.server.tool.call", `"mine.a"`, `{}`)
			e.Shown("arguments, exactly as they will be sent")
			if choose != nil {
				seen := [][]string{next(t, e, titles), next(t, e, titles)}
				slices.SortFunc(seen, func(a, b []string) int { return strings.Compare(a[0], b[0]) })
				if !slices.Equal(seen[0], []string{"Decline", "Allow once", "Allow for session", "Always allow tool", "Always allow connector"}) ||
					!slices.Equal(seen[1], []string{"Not now", "Never", "Allow"}) {
					t.Errorf("%q", seen)
				}
			}
			asks := editortest.Request(e, message.Asks, message.Empty{}).Asks
			if len(asks) != 2 {
				t.Errorf("open: %+v", asks)
			}
			e.Connector("theirs", message.ConnectorWaiting)
			if exists(w.file("ran")) || len(argumentsOf(t, w.log("mine"))) != 0 {
				t.Error("it let something run")
			}
		})
	}
}

// modal has a tool of each kind.
const modal = `[{"name":"look","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}},{"name":"write","inputSchema":{"type":"object"}}]`

func TestE2_PlanAndPaused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.user(servers(map[string]entry{"mine": fake("", mcptest.ToolsVar+"="+modal, mcptest.LogVar+"="+w.log("mine"))}))
	w.project(servers(map[string]entry{"theirs": fake("", mcptest.ToolsVar+"="+modal)}))
	e := w.edit()
	e.Allow("theirs")
	e.Connector("theirs", message.ConnectorReady)
	e.Connector("mine", message.ConnectorReady)
	approved(t, e, "mine.write", "{}", message.ApproveTool)
	mode := func(m message.Mode) {
		t.Helper()
		if id := editortest.Request(e, message.ModeSet, message.ModeParams{Mode: m}).AskID; id != "" {
			e.Answer(id, `{"decision":"make"}`)
		}
		if now := editortest.Request(e, message.ModeCurrent, message.Empty{}).Mode; now != m {
			t.Errorf("the mode is %s, want %s", now, m)
		}
	}
	denied := func(tool string) {
		t.Helper()
		sent := len(argumentsOf(t, w.log("mine")))
		if result := call(t, e, tool, "{}"); result.Status != message.CallDenied || result.MayHaveRun || result.Message == "" {
			t.Errorf("%s: %+v", tool, result)
		}
		if len(argumentsOf(t, w.log("mine"))) != sent {
			t.Errorf("%s was sent", tool)
		}
	}
	mode(message.ModePlan)
	denied("mine.write") // a standing yes does not get round the mode
	denied("theirs.write")
	if result := call(t, e, "mine.look", "{}"); result.Status != message.CallOK || result.Allowed.By != message.AllowedByReadOnly {
		t.Errorf("%+v", result)
	}
	if result := approved(t, e, "theirs.look", "{}", message.ApproveOnce); result.Status != message.CallOK {
		t.Errorf("%+v", result)
	}
	mode(message.ModePaused)
	for _, tool := range []string{"mine.look", "mine.write", "theirs.look", "theirs.write"} {
		denied(tool)
	}
	if asks := editortest.Request(e, message.Asks, message.Empty{}).Asks; len(asks) != 0 {
		t.Errorf("%+v", asks)
	}
	// A question that was open when the mode changed lets nothing through any more.
	mode(message.ModeAsk)
	answer := begin(t, e, message.ToolCallParams{Tool: "theirs.write", ArgumentsText: "{}"})
	open := e.Ask(message.AskApproval)
	mode(message.ModePaused)
	e.Answer(open.AskID, `{"decision":"once"}`)
	if result := ended(t, e, answer); result.Status != message.CallDenied || result.MayHaveRun {
		t.Errorf("%+v", result)
	}
	mode(message.ModeAsk)
	if result := call(t, e, "mine.write", "{}"); result.Status != message.CallOK {
		t.Errorf("%+v", result)
	}
	for _, unknown := range []message.Mode{"", "auto", "PLAN"} {
		_, err := editortest.TryRequest(e, message.ModeSet, message.ModeParams{Mode: unknown})
		if code, text := errorOf(err); code != rpc.CodeInvalidParams || !strings.Contains(text, "unknown") {
			t.Errorf("%q: %v", unknown, err)
		}
	}
}

func TestE3_ApprovalWaitsForEver(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.user(servers(map[string]entry{
		"mine": fake("").with("timeout", 100),
		"mute": fake("silent=tools/call", mcptest.ToolsVar+"="+modal),
	}))
	e := w.edit()
	e.Connector("mine", message.ConnectorReady)
	e.Connector("mute", message.ConnectorReady)
	answer := begin(t, e, message.ToolCallParams{Tool: "mine.a", ArgumentsText: "{}", TimeoutMS: 100})
	open := e.Ask(message.AskApproval)
	// Longer than any time that the call was given passes: a call that is sent runs into it.
	slow := begin(t, e, message.ToolCallParams{Tool: "mute.look", ArgumentsText: "{}", TimeoutMS: 400})
	if result := ended(t, e, slow); result.Status != message.CallTimeout {
		t.Errorf("%+v", result)
	}
	if state := editortest.Request(e, message.CallDetail, message.CallParams{CallID: open.CallID}).State; state != message.CallAsking {
		t.Errorf("%s", state)
	}
	ask(t, e, open.AskID)
	e.Answer(open.AskID, `{"decision":"once"}`)
	if result := ended(t, e, answer); result.Status != message.CallOK {
		t.Errorf("%+v", result)
	}
}

func TestE3_WithdrawnWithItsCall(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.user(servers(map[string]entry{"mine": fake("", mcptest.LogVar+"="+w.log("mine"))}))
	e := w.edit()
	e.Connector("mine", message.ConnectorReady)
	cancels := map[string]func(id message.CallID, cancel func()){
		"by the request": func(_ message.CallID, cancel func()) { cancel() },
		"by the call": func(id message.CallID, _ func()) {
			editortest.Request(e, message.CallCancel, message.CallParams{CallID: id})
		},
		"by stopping everything": func(message.CallID, func()) { editortest.Request(e, message.StopAll, message.Empty{}) },
	}
	for how, withdraw := range cancels {
		ctx, cancel := context.WithCancel(t.Context())
		answer := editortest.Go(ctx, e, message.ToolCall, message.ToolCallParams{Tool: "mine.a", ArgumentsText: "{}"})
		open := e.Ask(message.AskApproval)
		withdraw(open.CallID, cancel)
		if closed := e.Closed(open.AskID); closed.How != message.AskWithdrawn {
			t.Errorf("%s: %+v", how, closed)
		}
		if late := e.Answer(open.AskID, `{"decision":"once"}`); late.Accepted || !strings.Contains(late.Reason, "withdrawn") {
			t.Errorf("%s: %+v", how, late)
		}
		detail := editortest.Request(e, message.CallDetail, message.CallParams{CallID: open.CallID})
		if detail.State != message.CallFinished || detail.Result.Status != message.CallCancelled || detail.Result.MayHaveRun {
			t.Errorf("%s: %+v", how, detail)
		}
		cancel()
		<-answer
		if id := editortest.Request(e, message.ModeSet, message.ModeParams{Mode: message.ModeAsk}).AskID; id != "" { // after stopping everything
			e.Answer(id, `{"decision":"make"}`)
		}
	}
	if sent := argumentsOf(t, w.log("mine")); len(sent) != 0 {
		t.Errorf("sent %q", sent)
	}
}

func TestE3_TheWindowsEndCancels(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.user(servers(map[string]entry{"mine": fake("", mcptest.LogVar+"="+w.log("mine"))}))
	e := w.edit()
	e.Connector("mine", message.ConnectorReady)
	answer := begin(t, e, message.ToolCallParams{Tool: "mine.a", ArgumentsText: "{}"})
	e.Ask(message.AskApproval)
	editortest.Request(e, rpc.Request[message.Empty, rpc.Null]{Method: "shutdown"}, message.Empty{})
	result := ended(t, e, answer)
	if result.Status != message.CallCancelled || result.MayHaveRun || !strings.Contains(result.Message, "nothing ran") {
		t.Errorf("%+v", result)
	}
	editortest.Notify(e, rpc.Notification[message.Empty]{Method: "exit"}, message.Empty{})
	if code := e.Wait(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	if sent := argumentsOf(t, w.log("mine")); len(sent) != 0 {
		t.Errorf("sent %q", sent)
	}
}

// Two windows are two processes; what one answers, the other asks no more.
func TestE3_ClosedEverywhere(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.project(servers(map[string]entry{"theirs": fake(""), "never": fake("touch=" + w.file("never"))}))
	one, two := w.edit(), w.edit()
	for _, e := range []*editortest.Editor{one, two} {
		e.Connector("theirs", message.ConnectorWaiting)
		editortest.Request(e, message.AskShow, message.AskShowParams{})
	}
	theirs, never := one.Connector("theirs").ID, one.Connector("never").ID
	answer := fmt.Sprintf(`{"decisions":{%q:"allow",%q:"never"}}`, theirs, never)
	other := two.Ask(message.AskConsent)
	if result := one.Answer(one.Ask(message.AskConsent).AskID, answer); !result.Accepted {
		t.Fatalf("%+v", result)
	}
	if closed := two.Closed(other.AskID); closed.How != message.AskWithdrawn {
		t.Errorf("%+v", closed)
	}
	if late := two.Answer(other.AskID, answer); late.Accepted {
		t.Errorf("%+v", late)
	}
	for _, e := range []*editortest.Editor{one, two} {
		e.Connector("theirs", message.ConnectorReady)
		e.Connector("never", message.ConnectorDenied)
	}
	if exists(w.file("never")) {
		t.Error("what is blocked was started")
	}
}

func TestS19_OneQuestionForEverythingThatWaits(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	entries := map[string]entry{}
	for i := range 30 {
		entries[fmt.Sprintf("c%02d", i)] = fake("touch=" + w.file("ran"))
	}
	w.project(servers(entries))
	prompts := make(chan string, 100)
	e := w.edit(chooser(func(text string, _ []string) string { prompts <- text; return "Not now" }))
	e.Connector("c00", message.ConnectorWaiting)
	// Nothing is asked by opening it, however much waits (U2).
	if asks := editortest.Request(e, message.Asks, message.Empty{}).Asks; len(asks) != 0 || len(prompts) != 0 {
		t.Errorf("%d questions, %d prompts", len(asks), len(prompts))
	}
	execute(e, "pillion.server.review")
	if text := next(t, e, prompts); !strings.Contains(text, "30 connectors") {
		t.Errorf("%q", text)
	}
	review := e.Shown("may these connectors of this repository run")
	for name := range entries {
		if !strings.Contains(review, name) {
			t.Errorf("%s is not among what is asked", name)
		}
	}
	eventually(t, "the question is answered", func() bool {
		return len(editortest.Request(e, message.Asks, message.Empty{}).Asks) == 0
	})
	// After "not now" a change is a diagnostic, not another question.
	hash := e.Connector("c00").Hash
	entries["c00"] = fake("touch="+w.file("ran"), "A=1")
	path := w.project(servers(entries))
	saved(e, path)
	e.ConnectorThat("is as it was changed", func(c message.Connector) bool {
		return c.Name == "c00" && c.State == message.ConnectorWaiting && c.Hash != hash
	})
	if asks := editortest.Request(e, message.Asks, message.Empty{}).Asks; len(asks) != 0 || len(prompts) != 0 {
		t.Errorf("%d questions, %d prompts", len(asks), len(prompts))
	}
	if exists(w.file("ran")) {
		t.Error("something ran")
	}
}

func TestS19_Floods(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.user(servers(map[string]entry{"mine": fake("", mcptest.LogVar+"="+w.log("mine"))}))
	e := w.edit()
	e.Connector("mine", message.ConnectorReady)

	// One question is open, twenty calls wait behind it, and the rest is told so.
	var calls []<-chan editortest.Outcome[message.CallResult]
	first := begin(t, e, message.ToolCallParams{Tool: "mine.a", ArgumentsText: "{}", SessionID: "flood"})
	e.Ask(message.AskApproval)
	const more = 40
	refusals := make(chan message.CallResult, more)
	for range more {
		answer := begin(t, e, message.ToolCallParams{Tool: "mine.a", ArgumentsText: "{}", SessionID: "flood"})
		calls = append(calls, answer)
	}
	for _, answer := range calls {
		go func() {
			if outcome := <-answer; outcome.Err == nil {
				refusals <- outcome.Result
			}
		}()
	}
	for range more - 20 {
		result := next(t, e, refusals)
		if result.Status != message.CallDeclined || result.MayHaveRun || !strings.Contains(result.Message, "too many") {
			t.Errorf("%+v", result)
		}
	}
	if asks := editortest.Request(e, message.Asks, message.Empty{}).Asks; len(asks) != 1 {
		t.Errorf("%d questions are open", len(asks))
	}
	if len(refusals) != 0 {
		t.Errorf("%d more were refused", len(refusals))
	}
	// Another session is not held up.
	other := begin(t, e, message.ToolCallParams{Tool: "mine.a", ArgumentsText: "{}", SessionID: "quiet"})
	var quiet message.Ask
	eventually(t, "the other session asks", func() bool {
		for _, open := range editortest.Request(e, message.Asks, message.Empty{}).Asks {
			if open.SessionID == "quiet" {
				quiet = open
			}
		}
		return quiet.AskID != ""
	})
	e.Answer(quiet.AskID, `{"decision":"once"}`)
	if result := ended(t, e, other); result.Status != message.CallOK {
		t.Errorf("%+v", result)
	}
	editortest.Request(e, message.StopAll, message.Empty{})
	if result := ended(t, e, first); result.Status != message.CallCancelled {
		t.Errorf("%+v", result)
	}
	if sent := argumentsOf(t, w.log("mine")); len(sent) != 1 {
		t.Errorf("%d calls were sent", len(sent))
	}
}

func TestS19_ThreeDeclinesEndTheTurn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.user(servers(map[string]entry{"mine": fake("", mcptest.LogVar+"="+w.log("mine"))}))
	e := w.edit()
	e.Connector("mine", message.ConnectorReady)
	calls := 0
	inTurn := func(turn string, decision message.ApprovalChoice) message.CallResult {
		calls++
		answer := begin(t, e, message.ToolCallParams{Tool: "mine.a", ArgumentsText: fmt.Sprintf(`{"n":%d}`, calls), SessionID: "agent", TurnID: turn})
		if decision != "" {
			e.Approve(decision)
		}
		return ended(t, e, answer)
	}
	for range 3 {
		if result := inTurn("one", message.ApproveDecline); result.Status != message.CallDeclined {
			t.Errorf("%+v", result)
		}
	}
	if result := inTurn("one", ""); result.Status != message.CallDeclined || !strings.Contains(result.Message, "turn") {
		t.Errorf("%+v", result)
	}
	if result := inTurn("two", message.ApproveOnce); result.Status != message.CallOK {
		t.Errorf("%+v", result)
	}
	if sent := argumentsOf(t, w.log("mine")); len(sent) != 1 {
		t.Errorf("%d calls were sent", len(sent))
	}
}

// S20: a call that names Pillion's own folders has no standing yes.
func TestS20_OwnFoldersAsk(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.environ = append(w.environ, "XDG_RUNTIME_DIR="+w.write(w.file("run/x"), "")[:len(w.file("run"))])
	w.user(servers(map[string]entry{"mine": fake("", mcptest.ToolsVar+"="+modal)}))
	e := w.edit()
	e.Connector("mine", message.ConnectorReady)
	approved(t, e, "mine.write", "{}", message.ApproveTool)
	for _, path := range []string{"/etc/hosts", w.home, filepath.Join(w.home, "state-of-the-art"), "notes/today.md", "../x"} {
		if result := call(t, e, "mine.write", fmt.Sprintf(`{"path":%q}`, path)); result.Status != message.CallOK || result.Allowed.By != message.AllowedBySession {
			t.Errorf("%s: %+v", path, result)
		}
	}
	state, link := w.file("state"), filepath.Join(w.repository, "docs")
	if err := os.Symlink(state, link); err != nil {
		t.Fatal(err)
	}
	for _, arguments := range []string{
		fmt.Sprintf(`{"path":%q}`, state), fmt.Sprintf(`{"path":%q}`, filepath.Join(state, "permissions.json")),
		fmt.Sprintf(`{"path":%q}`, w.home+"/x/../state/consents.json"), fmt.Sprintf(`{"path":%q}`, w.home+"//state/./consents.json"),
		fmt.Sprintf(`{"edits":[{"to":{"file":%q}}]}`, filepath.Join(state, "audit.jsonl")), fmt.Sprintf(`{%q:1}`, state),
		fmt.Sprintf(`{"url":"file://%s/consents.json"}`, state), fmt.Sprintf(`{"command":"cat '%s/consents.json' | sh"}`, state),
		fmt.Sprintf(`{"path":"%s\/consents.json"}`, strings.ReplaceAll(state, "/", `\u002f`)),
		fmt.Sprintf(`{"path":%q}`, w.file("config/mcp.json")), fmt.Sprintf(`{"path":%q}`, w.file("run/pillion")),
		fmt.Sprintf(`{"path":%q}`, filepath.Join(link, "consents.json")), `{"path":"../../consents.json"}`,
	} {
		for _, tool := range []string{"mine.write", "mine.look"} {
			answer := begin(t, e, message.ToolCallParams{Tool: message.ToolRef(tool), ArgumentsText: arguments})
			body := approvalOf(t, e.Approve(message.ApproveDecline))
			if result := ended(t, e, answer); result.Status != message.CallDeclined {
				t.Errorf("%s: %+v", arguments, result)
			}
			if !slices.Equal(body.Choices, []message.ApprovalChoice{message.ApproveDecline, message.ApproveOnce}) {
				t.Errorf("%s: offers %q", arguments, body.Choices)
			}
		}
	}
}
