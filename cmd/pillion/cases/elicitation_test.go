package cases

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"pillion/editors/editortest"
	"pillion/mcp/mcptest"
	"pillion/rpc/message"
)

// nameForm asks for a name, a number within bounds and one of several, with a default.
const nameForm = `{"method":"elicitation/create","params":{"message":"Who are you?","requestedSchema":{"type":"object","required":["name"],"properties":{` +
	`"name":{"type":"string","title":"Your name","minLength":2},"age":{"type":"integer","minimum":1,"maximum":150},` +
	`"color":{"type":"string","enum":["red","green"],"default":"green"},"odd":{"type":"string","format":"no-such-format"}}}}}`

// asking begins a call whose connector asks for something first.
func asking(t testing.TB, e *editortest.Editor, tool string, requests ...string) <-chan editortest.Outcome[message.CallResult] {
	t.Helper()
	return begin(t, e, message.ToolCallParams{Tool: message.ToolRef(tool), ArgumentsText: `{"ask":[` + strings.Join(requests, ",") + `]}`})
}

// answersIn are the answers that the connector got.
func answersIn(t testing.TB, result message.CallResult) []string {
	t.Helper()
	var answers []json.RawMessage
	if err := json.Unmarshal([]byte(result.Text), &answers); err != nil {
		t.Fatalf("%+v: %v", result, err)
	}
	texts := make([]string, len(answers))
	for i, answer := range answers {
		texts[i] = string(answer)
	}
	return texts
}

// asksAll makes an editor that shows a connector's own questions itself.
func asksAll(o *editortest.Options) {
	o.Asks = []message.AskKind{message.AskElicitation, message.AskURL, message.AskSampling}
}

func TestC48_AConnectorsQuestionIsAnswered(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.user(servers(map[string]entry{"mine": fake("", readOnly)}))
	e := w.edit(asksAll)
	e.Connector("mine", message.ConnectorReady)
	for _, test := range []struct{ answer, want string }{
		{`{"action":"accept","contentText":"{\"name\":\"Ada\",\"age\":36}"}`, `{"action":"accept","content":{"name":"Ada","age":36,"color":"green"}}`},
		{`{"action":"decline"}`, `{"action":"decline"}`},
		{`{"action":"cancel"}`, `{"action":"cancel"}`},
	} {
		answer := asking(t, e, "mine.a", nameForm)
		ask := e.Ask(message.AskElicitation)
		body := bodyOf[message.ElicitationBody](t, ask)
		if body.Name != "mine" || body.Message != "Who are you?" || ask.CallID == "" || ask.Deadline.IsZero() || ask.Asker.Kind != message.AskerEditor {
			t.Errorf("%+v: %+v", ask, body)
		}
		// What does not fit the form is refused, and leaves the question open.
		for _, wrong := range []string{`{}`, `{"name":"A"}`, `{"name":"Ada","age":0}`, `{"name":"Ada","color":"blue"}`, `[]`} {
			quoted, _ := json.Marshal(wrong)
			if taken := e.Answer(ask.AskID, `{"action":"accept","contentText":`+string(quoted)+`}`); taken.Accepted || taken.Reason == "" {
				t.Errorf("%s: %+v", wrong, taken)
			}
		}
		if taken := e.Answer(ask.AskID, test.answer); !taken.Accepted {
			t.Fatalf("%s: %s", test.answer, taken.Reason)
		}
		if got := answersIn(t, ended(t, e, answer)); got[0] != test.want {
			t.Errorf("%s: the connector got %s", test.answer, got[0])
		}
	}
}

// A call that is cancelled takes its question along; what a window leaves open at its end is a cancel.
func TestC48_AnUnansweredQuestionIsACancel(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	log := w.log("mine")
	w.user(servers(map[string]entry{"mine": fake("", readOnly, mcptest.LogVar+"="+log)}))
	e := w.edit(asksAll)
	e.Connector("mine", message.ConnectorReady)
	answer := begin(t, e, message.ToolCallParams{Tool: "mine.a", CallID: "held", ArgumentsText: `{"ask":[` + nameForm + `]}`})
	ask := e.Ask(message.AskElicitation)
	editortest.Request(e, message.CallCancel, message.CallParams{CallID: "held"})
	if result := ended(t, e, answer); result.Status != message.CallCancelled {
		t.Errorf("%+v", result)
	}
	if closed := e.Closed(ask.AskID); closed.How != message.AskWithdrawn {
		t.Errorf("%+v", closed)
	}
	eventually(t, "the connector is told", func() bool {
		return strings.Contains(strings.Join(mcptest.Received(t, log), "\n"), `"action":"cancel"`)
	})
}

// A reference in a form's schema is followed without end by validators that do not guard against it: it is declined unseen.
func TestS17_AFormThatIsDeclinedUnseen(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.user(servers(map[string]entry{"mine": fake("", readOnly)}))
	e := w.edit(asksAll)
	e.Connector("mine", message.ConnectorReady)
	form := `{"method":"elicitation/create","params":{"message":"?","requestedSchema":%s}}`
	page := `{"method":"elicitation/create","params":{"mode":"url","elicitationId":"1","message":"?","url":%q}}`
	answer := asking(t, e, "mine.a",
		fmt.Sprintf(form, `{"type":"object","properties":{"x":{"type":"string"}},"$ref":"#"}`),
		fmt.Sprintf(form, `{"type":"object","properties":{"x":{"type":"string","$ref":"#/properties/x"}}}`),
		fmt.Sprintf(form, `{"type":"object","properties":{"password":{"type":"string"}}}`),
		fmt.Sprintf(form, `{"type":"object","properties":{"x":{"type":"object"}}}`),
		fmt.Sprintf(page, "http:x.example"),
		fmt.Sprintf(page, "javascript:alert(1)"),
	)
	e.Approve(message.ApproveOnce) // the arguments hold an address
	got := answersIn(t, ended(t, e, answer))
	for i, want := range []string{`"decline"`, `"decline"`, `"decline"`, "-32602", "-32602", "-32602"} {
		if !strings.Contains(got[i], want) {
			t.Errorf("%d: %s, want %s", i, got[i], want)
		}
	}
	if c := e.Connector("mine"); !strings.Contains(strings.Join(c.Warnings, "\n"), "has references") {
		t.Errorf("%q", c.Warnings)
	}
	if len(editortest.Request(e, message.Asks, message.Empty{}).Asks) != 0 {
		t.Error("somebody was asked")
	}
}

// C49: whatever is asked in the middle of a call is answered while it is open.
func TestC49_AskedInTheMiddleOfACall(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.project(servers(map[string]entry{"theirs": fake("", mcptest.LogVar+"="+w.log("theirs"))}))
	w.user(servers(map[string]entry{"mine": fake("", readOnly)}))
	e := w.edit(asksAll)
	e.Allow("theirs")
	e.Connector("theirs", message.ConnectorReady)
	sampling := `{"method":"sampling/createMessage","params":{"messages":[{"role":"user","content":{"type":"text","text":"2+2?"}}],"maxTokens":5,"includeContext":"thisServer"}}`
	answer := asking(t, e, "theirs.a", `{"method":"ping"}`, `{"method":"roots/list"}`, nameForm, sampling, sampling)
	e.Approve(message.ApproveOnce)
	e.Answer(e.Ask(message.AskElicitation).AskID, `{"action":"decline"}`)
	first := e.Ask(message.AskSampling)
	if body := bodyOf[message.SamplingBody](t, first); body.Name != "theirs" || strings.Contains(body.ParamsText, "thisServer") || !strings.Contains(body.ParamsText, "2+2?") {
		t.Errorf("%+v", body)
	}
	if taken := e.Answer(first.AskID, `{"resultText":"{\"role\":\"assistant\",\"content\":{\"type\":\"text\",\"text\":\"4\"},\"model\":\"m\"}"}`); !taken.Accepted {
		t.Fatal(taken.Reason)
	}
	e.Closed(first.AskID)
	e.Answer(e.Ask(message.AskSampling).AskID, `{"declined":true}`)
	got := answersIn(t, ended(t, e, answer))
	root := "file://" + filepath.ToSlash(w.repository)
	for i, want := range []string{`{}`, root, `"decline"`, `"text":"4"`, `"code":-1`} {
		if !strings.Contains(got[i], want) {
			t.Errorf("%d: %s, want %s", i, got[i], want)
		}
	}
	// S30: nobody else's connector is told of the folder, nor offered what nobody can do.
	e.Connector("mine", message.ConnectorReady)
	if other := answersIn(t, ended(t, e, asking(t, e, "mine.a", `{"method":"roots/list"}`))); !strings.Contains(other[0], "-32601") {
		t.Errorf("%s", other)
	}
}

func TestC47_OfferedIsWhatCanBeAnswered(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	log := w.log("mine")
	w.user(servers(map[string]entry{"mine": fake("", readOnly, mcptest.LogVar+"="+log)}))
	// Without a model none is offered, and with nobody to ask no question.
	e := w.edit()
	e.Connector("mine", message.ConnectorReady)
	got := answersIn(t, ended(t, e, asking(t, e, "mine.a", `{"method":"sampling/createMessage","params":{"messages":[1]}}`)))
	if !strings.Contains(got[0], "-32601") || strings.Contains(strings.Join(mcptest.Received(t, log), "\n"), `"sampling"`) {
		t.Errorf("%s", got)
	}
	e.End()
	out, err := w.run("call", "mine.a", `{"ask":[`+nameForm+`]}`)
	if err != nil || !strings.Contains(out, "-32601") {
		t.Errorf("%s, %v", out, err)
	}
	var announced []string
	for _, line := range mcptest.Received(t, log) {
		if strings.Contains(line, `"method":"initialize"`) {
			announced = append(announced, line)
		}
	}
	if len(announced) != 2 || !strings.Contains(announced[0], `"elicitation":{"form":{},"url":{}}`) || !strings.Contains(announced[1], `"capabilities":{}`) {
		t.Errorf("%q", announced)
	}
}

// Nothing that a connector asks outside of a call reaches anybody.
func TestS30_AskedOutsideOfACall(t *testing.T) {
	t.Parallel()
	for name, params := range map[string]string{
		"elicitation/create":     `{"message":"?","requestedSchema":{"type":"object","properties":{}}}`,
		"sampling/createMessage": `{"messages":[{"role":"user","content":{"type":"text","text":"?"}}],"maxTokens":1}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.user(servers(map[string]entry{"mine": fake("askafter="+name, readOnly, mcptest.LogVar+"="+w.log("mine"), mcptest.AskParamsVar+"="+params)}))
			e := w.edit(asksAll)
			e.ConnectorThat("it is warned of", func(c message.Connector) bool {
				return strings.Contains(strings.Join(c.Warnings, "\n"), "outside of any call")
			})
			eventually(t, "it is refused", func() bool {
				return strings.Contains(strings.Join(mcptest.Received(t, w.log("mine")), "\n"), `"id":"outside","error"`)
			})
			if len(editortest.Request(e, message.Asks, message.Empty{}).Asks) != 0 {
				t.Error("somebody was asked")
			}
		})
	}
}

// An editor without a question view of its own fills the form in in a document.
func TestF2_AFormInAPlainEditor(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.user(servers(map[string]entry{"mine": fake("", readOnly)}))
	e := w.edit(func(o *editortest.Options) { o.IsPlain = true })
	eventually(t, "it is ready", func() bool {
		for _, c := range editortest.Request(e, message.Connectors, message.Empty{}).Connectors {
			if c.State == message.ConnectorReady {
				return true
			}
		}
		return false
	})
	answer := asking(t, e, "mine.a", nameForm)
	text := e.Shown("A connector asks, not Pillion")
	if !strings.HasPrefix(text, "// A connector asks, not Pillion.") || !strings.Contains(text, `// | mine`) || !strings.Contains(text, `"name": ""`) || !strings.Contains(text, `"color": "green"`) {
		t.Errorf("%s", text)
	}
	path := e.ShownPaths()[len(e.ShownPaths())-1]
	send := func(text string) {
		e.Open(path, text)
		for _, action := range actionsAt(t, e, path, text, "{") {
			if action.Title == string(message.TitleSend) {
				var arguments []string
				for _, argument := range action.Command.Arguments {
					arguments = append(arguments, string(argument))
				}
				execute(e, action.Command.Command, arguments...)
				return
			}
		}
		t.Error("there is no action to send")
	}
	send(text) // the name is missing
	e.Told("name")
	send(strings.Replace(text, `"name": ""`, `"name": "Grace"`, 1))
	if got := answersIn(t, ended(t, e, answer)); got[0] != `{"action":"accept","content":{"name":"Grace","color":"green"}}` {
		t.Errorf("%s", got)
	}
}

// A page is opened by the editor, outside of it, after a person said so, and by nothing before.
func TestF2_APageInAPlainEditor(t *testing.T) {
	t.Parallel()
	const address = "https://sign-in.example/start?x=1&y=%20"
	w := newWorld(t)
	w.user(servers(map[string]entry{"mine": fake("", readOnly)}))
	prompted := make(chan string, 5)
	e := w.edit(func(o *editortest.Options) {
		o.IsPlain = true
		o.Choose = func(text string, titles []string) string {
			if strings.Join(titles, ",") == "Decline,Dismiss,Open the page" {
				prompted <- text
				return "Open the page"
			}
			return "Allow once"
		}
	})
	eventually(t, "it is ready", func() bool {
		for _, c := range editortest.Request(e, message.Connectors, message.Empty{}).Connectors {
			if c.State == message.ConnectorReady {
				return true
			}
		}
		return false
	})
	// Arguments with an address are asked about themselves; a connector's fixed question needs none.
	answer := begin(t, e, message.ToolCallParams{Tool: "mine.a", ArgumentsText: `{"ask":[{"method":"elicitation/create","params":{"mode":"url","elicitationId":"1","message":"Sign in","url":"https:\/\/sign-in.example\/start?x=1&y=%20"}}]}`})
	e.Opened(address)
	if text := <-prompted; !strings.HasPrefix(text, `The connector "mine" asks, not Pillion: open a page of sign-in.example?`) {
		t.Errorf("%s", text)
	}
	if got := answersIn(t, ended(t, e, answer)); got[0] != `{"action":"accept"}` {
		t.Errorf("%s", got)
	}
}
