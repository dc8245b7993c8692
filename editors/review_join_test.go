package editors

import (
	"strings"
	"testing"

	"pillion/rpc/message"
)

func TestS7_AJoinIsShownByWhatTheKernelKnows(t *testing.T) {
	t.Parallel()
	ask := message.Ask{AskID: "a"}
	err := ask.SetBody(message.JoinBody{Program: "/usr/bin/pillion", PID: 42, Parent: "/tmp/evil", ClaimedName: "Pillion\n| program\n| /bin/true"})
	if err != nil {
		t.Fatal(err)
	}
	text := ReviewText(ask, "how")
	for _, line := range []string{"| /usr/bin/pillion", "| /tmp/evil", "| 42", `| "Pillion\u{a}| program\u{a}| /bin/true"`} {
		if !strings.Contains(text, "\n"+line+"\n") {
			t.Errorf("no line %q in\n%s", line, text)
		}
	}
	prompt := Prompt(ask)
	if strings.Contains(prompt, "\n") || !strings.Contains(prompt, "/tmp/evil") {
		t.Errorf("prompt %q", prompt)
	}
	var titles []string
	q := NewQuestions(nil)
	for _, c := range Choices(ask) {
		titles = append(titles, string(c.Title))
		opened, err := q.Open(Question{Body: message.JoinBody{}, Accept: func(message.Answer, string) error { return nil }})
		if err != nil {
			t.Fatal(err)
		}
		if result := q.Answer(opened.AskID, c.Answer, "you"); !result.Accepted {
			t.Errorf("%s: %s", c.Title, result.Reason)
		}
	}
	if got := strings.Join(titles, ", "); got != "Decline, Never, Allow for session, Allow" {
		t.Errorf("offered: %s", got)
	}
}
