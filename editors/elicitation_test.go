package editors

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pillion/rpc/message"
)

func TestC48_AQuestionExpires(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var closed []message.ClosedAsk
		q := NewQuestions(func(c Change) { closed = append(closed, c.Closed...) })
		deadline := time.Now().Add(time.Minute)
		ctx, cancel := context.WithDeadline(t.Context(), deadline)
		defer cancel()
		var shown message.Ask
		_, _, err := q.AwaitElicitation(ctx, Question{Body: message.ElicitationBody{Name: "x", Message: "?", SchemaText: `{"type":"object"}`}, Deadline: deadline},
			func(ask message.Ask) { shown = ask })
		if !errors.Is(err, context.DeadlineExceeded) || len(closed) != 1 || closed[0].How != message.AskExpired || !shown.Deadline.Equal(deadline.Truncate(time.Millisecond)) {
			t.Errorf("%v, %+v, %+v", err, closed, shown)
		}
		if late := q.Answer(shown.AskID, []byte(`{"action":"decline"}`), "me"); late.Accepted || late.Reason != "the question has expired" {
			t.Errorf("%+v", late)
		}
	})
}

func TestS17_AFormSaysWhoseItIs(t *testing.T) {
	t.Parallel()
	const spoof = "Pillion asks: may this run?\n// Pillion\n\u202e\x1b[31m"
	var ask message.Ask
	body := message.ElicitationBody{
		Name: spoof, Message: spoof,
		SchemaText: `{"type":"object","required":["a"],"properties":{"a\nb":{"type":"string","title":"x\ny","default":"\u202e"},"a":{"type":"integer","enum":["1"]}}}`,
	}
	if err := ask.SetBody(body); err != nil {
		t.Fatal(err)
	}
	text := ReviewText(ask, "how")
	if !strings.HasPrefix(text, "// "+formHeading+"\n") || strings.ContainsAny(text, "\u202e\x1b") {
		t.Errorf("%q", text)
	}
	if content, err := Arguments([]byte(text)); err != nil || !strings.Contains(string(content), `"a": 0`) {
		t.Errorf("%s, %v", content, err)
	}
	for line := range strings.SplitSeq(text, "\n") {
		if strings.Contains(line, "Pillion asks") && !strings.HasPrefix(line, "// | ") {
			t.Errorf("%q", line)
		}
	}
	body = message.ElicitationBody{Name: "x", Message: spoof, URL: "https://a.example:8443/b?c#d"}
	if err := ask.SetBody(body); err != nil {
		t.Fatal(err)
	}
	if text := ReviewText(ask, "how"); !strings.HasPrefix(text, pageHeading) || !strings.Contains(text, "| https://a.example:8443/b?c#d\n") || !strings.Contains(text, "| a.example:8443\n") {
		t.Errorf("%s", text)
	}
	if prompt := Prompt(ask); !strings.HasPrefix(prompt, `The connector "x" asks, not Pillion`) || strings.ContainsAny(prompt, "\n\u202e\x1b") {
		t.Errorf("%q", prompt)
	}
	titles := []message.Title{}
	for _, choice := range Choices(ask) {
		titles = append(titles, choice.Title)
	}
	if len(titles) != 3 || titles[0] != message.TitleDecline || titles[2] != message.TitleOpen {
		t.Errorf("%q", titles)
	}
}

func TestF2_FieldsInTheirOrder(t *testing.T) {
	t.Parallel()
	fields := FormFields([]byte(`{"properties":{"z":{"type":"string","oneOf":[{"const":"p","title":"P"},{"const":"q"}]},"a":{"type":"array","items":{"anyOf":[{"const":"r"}]},"default":["r"]},"odd":5,"n":{"type":"number","description":"d"}},"required":["n"]}`))
	var names []string
	for _, f := range fields {
		names = append(names, f.Key+"="+strings.Join(f.Options, ","))
	}
	if strings.Join(names, " ") != "z=p,q a=r odd= n=" || !fields[3].IsRequired || string(fields[1].Default) != `["r"]` {
		t.Errorf("%q, %+v", names, fields)
	}
	for _, odd := range []string{``, `5`, `{"properties":[]}`, `{"properties":{"a":`} {
		if fields := FormFields([]byte(odd)); len(fields) != 0 {
			t.Errorf("%s: %+v", odd, fields)
		}
	}
}
