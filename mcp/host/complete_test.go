package host

import (
	"context"
	"strings"
	"testing"

	"pillion/mcp/connector"
)

// decliner declines every call and keeps what it was shown.
type decliner struct {
	Asker
	shown chan string
}

func (d decliner) Approve(_ context.Context, a Approval) (ApprovalAnswer, error) {
	d.shown <- string(a.Arguments)
	return ApprovalAnswer{Decision: DecideDecline}, nil
}

func (decliner) Abilities() Abilities { return Abilities{} }

// S10, S15: who lets another program have a text completed sees all that goes out with it.
func TestS10_ACompletionIsShownWhole(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	asker := decliner{shown: make(chan string, 1)}
	h.options.Asker = asker
	write(t, h.user, servers("f", ""))
	h.Start()
	h.started("f")
	answer, err := h.Complete(t.Context(), Request{Connector: "f", Caller: Caller{Kind: "cli"}}, connector.Completion{
		Prompt: "p-1", Argument: "a-2", Value: "v-3", Others: map[string]string{"n-4": "o-5"},
	})
	if err != nil || answer.Outcome.Status == StatusOK {
		t.Fatalf("%+v, %v", answer, err)
	}
	shown := <-asker.shown
	for _, part := range []string{"p-1", "a-2", "v-3", "n-4", "o-5"} {
		if !strings.Contains(shown, part) {
			t.Errorf("%s is not shown: %s", part, shown)
		}
	}
}
