package host

import (
	"context"
	"log/slog"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"pillion/mcp/permission"
	"pillion/mcp/state"
)

// deskAsker puts questions on a desk, to be answered when the test says so.
type deskAsker struct {
	Asker
	desk chan question
}

type question struct {
	Approval
	answer    chan ApprovalAnswer
	withdrawn <-chan struct{}
}

func (d deskAsker) Approve(ctx context.Context, a Approval) (ApprovalAnswer, error) {
	q := question{a, make(chan ApprovalAnswer, 1), ctx.Done()}
	d.desk <- q
	select {
	case answer := <-q.answer:
		return answer, nil
	case <-ctx.Done():
		return ApprovalAnswer{}, ctx.Err()
	}
}

// keeper is a host in a bubble, whose calls come as far as the question.
type keeper struct {
	t    *testing.T
	host *Host
	desk chan question
}

func newKeeper(t *testing.T) *keeper {
	t.Helper()
	folder, err := state.Open(filepath.Join(t.TempDir(), "state"))
	if err != nil {
		t.Fatal(err)
	}
	desk := make(chan question, 8)
	k := &keeper{t, New(Options{Logger: slog.New(slog.DiscardHandler), Folder: folder, Asker: deskAsker{desk: desk}}), desk}
	t.Cleanup(func() { k.host.Stop(context.Background()) })
	return k
}

// asks makes a call of a session, and returns how to give it up and what comes of it; nil is that it may run.
func (k *keeper) asks(session, hash, arguments string) (giveUp context.CancelFunc, done <-chan *Result) {
	k.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan *Result, 1)
	go func() {
		defer cancel()
		c := &call{host: k.host, given: ctx, arguments: []byte(arguments), request: CallRequest{CallID: NewCallID(), SessionID: session, KeepsAsking: true}}
		inner, stop := context.WithCancel(ctx)
		defer stop()
		ended <- c.ask(inner, target{tool: Tool{ID: "t", Hash: hash}}, permission.Subject{}, permission.Verdict{Choices: []string{DecideOnce}})
	}()
	synctest.Wait()
	return cancel, ended
}

func (k *keeper) asked() int { return len(k.desk) }

func (k *keeper) ends(done <-chan *Result, want Status) {
	k.t.Helper()
	synctest.Wait()
	select {
	case r := <-done:
		if got := resultStatus(r); got != want {
			k.t.Errorf("ended %q, want %q", got, want)
		}
	default:
		k.t.Errorf("not ended, want %q", want)
	}
}

func resultStatus(r *Result) Status {
	if r == nil {
		return StatusOK
	}
	return r.Status
}

func inBubble(t *testing.T, do func(k *keeper)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, func(t *testing.T) { do(newKeeper(t)) })
}

func TestU8_AYesHoldsFiveMinutesForTheIdenticalCall(t *testing.T) {
	for name, test := range map[string]struct {
		after         time.Duration
		session, hash string
		arguments     string
		decision      string
		isAskedAgain  bool
	}{
		"the identical call":    {heldTime - time.Second, "s", "h", `{"a":1}`, DecideOnce, false},
		"too late":              {heldTime + time.Second, "s", "h", `{"a":1}`, DecideOnce, true},
		"of another session":    {0, "other", "h", `{"a":1}`, DecideOnce, true},
		"of another definition": {0, "s", "changed", `{"a":1}`, DecideOnce, true},
		"with other bytes":      {0, "s", "h", `{"a":1.0}`, DecideOnce, true},
		"after a no":            {0, "s", "h", `{"a":1}`, DecideDecline, true},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(k *keeper) {
				giveUp, first := k.asks("s", "h", `{"a":1}`)
				asked := <-k.desk
				giveUp()
				k.ends(first, StatusCancelled)
				select {
				case <-asked.withdrawn:
					k.t.Fatal("the question went with its caller")
				default:
				}
				asked.answer <- ApprovalAnswer{Decision: test.decision}
				synctest.Wait()
				time.Sleep(test.after)
				_, second := k.asks(test.session, test.hash, test.arguments)
				if isAsked := k.asked() == 1; isAsked != test.isAskedAgain {
					k.t.Fatalf("asked again: %t", isAsked)
				}
				if test.isAskedAgain {
					return
				}
				k.ends(second, StatusOK)
				k.asks("s", "h", `{"a":1}`) // the yes was to one call
				if k.asked() != 1 {
					k.t.Error("one yes served two calls")
				}
			})
		})
	}
}

func TestU8_ACallTakesUpTheQuestionThatItsLikeLeft(t *testing.T) {
	inBubble(t, func(k *keeper) {
		giveUp, first := k.asks("s", "h", `{}`)
		giveUp()
		k.ends(first, StatusCancelled)
		_, second := k.asks("s", "h", `{}`)
		if k.asked() != 1 {
			k.t.Fatalf("%d questions", k.asked())
		}
		(<-k.desk).answer <- ApprovalAnswer{Decision: DecideOnce}
		k.ends(second, StatusOK)
		// The line is free for the next one.
		_, third := k.asks("s", "h", `{"other":1}`)
		(<-k.desk).answer <- ApprovalAnswer{Decision: DecideDecline}
		k.ends(third, StatusDeclined)
	})
}

// TestS7_TwoIdenticalCallsNeedTwoYeses holds that a question that somebody waits for is nobody else's.
func TestS7_TwoIdenticalCallsNeedTwoYeses(t *testing.T) {
	inBubble(t, func(k *keeper) {
		_, first := k.asks("s", "h", `{}`)
		_, second := k.asks("s", "h", `{}`)
		(<-k.desk).answer <- ApprovalAnswer{Decision: DecideOnce}
		k.ends(first, StatusOK)
		if k.asked() != 1 || len(second) != 0 {
			k.t.Fatalf("%d questions, %d calls ended", k.asked(), len(second))
		}
		(<-k.desk).answer <- ApprovalAnswer{Decision: DecideDecline}
		k.ends(second, StatusDeclined)
	})
}

func TestU8_AQuestionGoesWithItsSession(t *testing.T) {
	inBubble(t, func(k *keeper) {
		giveUp, _ := k.asks("s", "h", `{}`)
		asked := <-k.desk
		k.host.EndSessions(func(session string) bool { return session == "s" }) // before its last call has ended
		giveUp()
		<-asked.withdrawn
		giveUp, _ = k.asks("left", "h", `{}`)
		asked = <-k.desk
		giveUp()
		synctest.Wait()
		k.host.EndSessions(func(session string) bool { return session == "left" })
		<-asked.withdrawn
		synctest.Wait()
		if len(k.host.keptAsks.open)+len(k.host.keptAsks.left) != 0 {
			k.t.Error("something is left of what was asked")
		}
	})
}
