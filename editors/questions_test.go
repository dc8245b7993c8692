package editors

import (
	"errors"
	"strings"
	"sync"
	"testing"

	"pillion/rpc/message"
)

func approval() message.ApprovalBody {
	return message.ApprovalBody{
		Tool: message.Tool{Label: "demo.write_note"}, ArgumentsText: `{"name":"a"}`, Reason: "it changes something",
		Choices: []message.ApprovalChoice{message.ApproveDecline, message.ApproveOnce, message.ApproveSession, message.ApproveTool},
		Scopes:  []message.PermissionScope{message.PermissionSession, message.PermissionProject},
	}
}

func consentOf(names ...string) message.ConsentBody {
	body := message.ConsentBody{}
	for _, name := range names {
		body.Items = append(body.Items, message.ConsentItem{
			Connector: message.ConnectorID("id-" + name), Name: name, Reason: message.ConsentNew, DefinitionText: `{"command":"npx"}`,
			Shown: message.ShownDefinition{Command: "npx", Args: []string{"-y", "good@1.0.0"}, Reads: []string{}, Files: []message.NamedFile{}}, Warnings: []string{},
		})
	}
	return body
}

func opened(t *testing.T, q *Questions, body message.AskBody, accept func(message.Answer, string) error) message.Ask {
	t.Helper()
	if accept == nil {
		accept = func(message.Answer, string) error { return nil }
	}
	ask, err := q.Open(Question{Body: body, Asker: message.Asker{Kind: message.AskerEditor}, Accept: accept})
	if err != nil {
		t.Fatal(err)
	}
	return ask
}

func TestS16_OnlyTheExactAnswerIsAYes(t *testing.T) {
	for kind, test := range map[string]struct {
		body message.AskBody
		yes  string
		noes []string
	}{
		"approval": {approval(), `{"decision":"once"}`, []string{
			``, `null`, `{}`, `[]`, `true`, `"once"`, `{"decision":"Once"}`, `{"decision":"ONCE"}`, `{"Decision":"once"}`, `{"decision":null}`,
			`{"decision":true}`, `{"decision":"connector"}`, `{"decision":"yes"}`, `{"decision":"once","decision":"decline"}`,
			`{"decision":"tool","scope":"user"}`, `{"decision":"tool","scope":"everywhere"}`, `{"decision":"session","argumentsText":"{}"}`,
		}},
		"consent": {consentOf("a"), `{"decisions":{"id-a":"allow"}}`, []string{
			`null`, `{}`, `{"decisions":{"id-a":"Allow"}}`, `{"decisions":{"id-b":"allow"}}`, `{"decisions":"allow"}`, `{"decisions":{"id-a":true}}`, `{"decision":"allow"}`,
		}},
	} {
		t.Run(kind, func(t *testing.T) {
			accepted := 0
			q := NewQuestions(nil)
			ask := opened(t, q, test.body, func(message.Answer, string) error { accepted++; return nil })
			for _, no := range test.noes {
				if result := q.Answer(ask.AskID, []byte(no), "me"); result.Accepted || result.Reason == "" {
					t.Errorf("answer %s: %+v", no, result)
				}
			}
			if accepted != 0 {
				t.Fatalf("something that is no answer was acted on")
			}
			if _, isOpen := q.Ask(ask.AskID); !isOpen {
				t.Fatal("something that is no answer closed the question")
			}
			if result := q.Answer(ask.AskID, []byte(test.yes), "me"); !result.Accepted || accepted != 1 {
				t.Errorf("the exact answer: %+v, acted on %d times", result, accepted)
			}
		})
	}
}

func TestALateAnswerIsToldWhoAnswered(t *testing.T) {
	q := NewQuestions(nil)
	ask := opened(t, q, approval(), nil)
	q.Answer(ask.AskID, []byte(`{"decision":"decline"}`), "cli pid 7")
	if result := q.Answer(ask.AskID, []byte(`{"decision":"once"}`), "editor"); result.Accepted || !strings.Contains(result.Reason, "cli pid 7") {
		t.Errorf("got %+v", result)
	}
	gone := opened(t, q, approval(), nil)
	q.Withdraw(gone.AskID)
	if result := q.Answer(gone.AskID, []byte(`{"decision":"once"}`), "editor"); result.Accepted || !strings.Contains(result.Reason, "withdrawn") {
		t.Errorf("got %+v", result)
	}
}

func TestOneAnswerOfManyCounts(t *testing.T) {
	q := NewQuestions(nil)
	var mu sync.Mutex
	acted := 0
	ask := opened(t, q, approval(), func(message.Answer, string) error {
		mu.Lock()
		defer mu.Unlock()
		acted++
		return nil
	})
	var wait sync.WaitGroup
	accepted := make(chan bool, 20)
	for range 20 {
		wait.Go(func() { accepted <- q.Answer(ask.AskID, []byte(`{"decision":"once"}`), "x").Accepted })
	}
	wait.Wait()
	close(accepted)
	yes := 0
	for one := range accepted {
		if one {
			yes++
		}
	}
	if yes != 1 || acted != 1 {
		t.Errorf("%d answers were accepted and %d acted on, want 1 and 1", yes, acted)
	}
}

func TestAnAnswerThatCannotBeActedOnLeavesTheQuestionOpen(t *testing.T) {
	q := NewQuestions(nil)
	err := errors.New("the disk is full")
	ask := opened(t, q, approval(), func(message.Answer, string) error { return err })
	if result := q.Answer(ask.AskID, []byte(`{"decision":"once"}`), "x"); result.Accepted || result.Reason != err.Error() {
		t.Errorf("got %+v", result)
	}
	err = nil
	if result := q.Answer(ask.AskID, []byte(`{"decision":"once"}`), "x"); !result.Accepted {
		t.Errorf("got %+v", result)
	}
}

func TestEveryChangeCountsOne(t *testing.T) {
	var changes []Change
	q := NewQuestions(func(c Change) { changes = append(changes, c) })
	first := opened(t, q, approval(), nil)
	second := opened(t, q, consentOf("a"), nil)
	q.Withdraw(first.AskID)
	q.Answer(second.AskID, []byte(`{"decisions":{"id-a":"never"}}`), "me")
	for i, change := range changes {
		if change.Rev != i+1 {
			t.Errorf("change %d has revision %d", i, change.Rev)
		}
	}
	if asks, rev := q.Asks(); len(asks) != 0 || rev != 4 || len(changes) != 4 {
		t.Errorf("%d questions are open at revision %d after %d changes", len(asks), rev, len(changes))
	}
}
