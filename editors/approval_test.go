package editors

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"pillion/rpc/message"
)

// awaited is what came of waiting for an approval.
type awaited struct {
	answer message.ApprovalAnswer
	by     string
	err    error
}

// await puts a question and returns it once it is open, and where what comes of it will be.
func await(ctx context.Context, q *Questions, check func(message.Answer, string) error) (message.Ask, <-chan awaited) {
	opened, done := make(chan message.Ask, 1), make(chan awaited, 1)
	go func() {
		answer, by, err := q.AwaitApproval(ctx, Question{Body: approval(), Accept: check}, func(ask message.Ask) { opened <- ask })
		done <- awaited{answer, by, err}
	}()
	return <-opened, done
}

func TestE3_AnApprovalIsReturnedToWhoWaits(t *testing.T) {
	t.Parallel()
	q := NewQuestions(nil)
	ask, done := await(t.Context(), q, func(message.Answer, string) error { return nil })
	if result := q.Answer(ask.AskID, []byte(`{"decision":"once"}`), "me"); !result.Accepted {
		t.Fatalf("the answer: %+v", result)
	}
	if got := <-done; got.err != nil || got.answer.Decision != message.ApproveOnce || got.by != "me" {
		t.Errorf("got %+v", got)
	}
}

func TestE3_AnAnswerThatIsRefusedLeavesTheQuestionOpen(t *testing.T) {
	t.Parallel()
	q := NewQuestions(nil)
	refuse := errors.New("not like this")
	ask, done := await(t.Context(), q, func(answer message.Answer, _ string) error {
		if answer.(message.ApprovalAnswer).Decision == message.ApproveTool {
			return refuse
		}
		return nil
	})
	if result := q.Answer(ask.AskID, []byte(`{"decision":"tool"}`), "me"); result.Accepted || result.Reason != refuse.Error() {
		t.Errorf("the refused answer: %+v", result)
	}
	if result := q.Answer(ask.AskID, []byte(`{"decision":"decline"}`), "you"); !result.Accepted {
		t.Errorf("the next answer: %+v", result)
	}
	if got := <-done; got.err != nil || got.answer.Decision != message.ApproveDecline || got.by != "you" {
		t.Errorf("got %+v", got)
	}
}

func TestE3_TheQuestionGoesWithItsCall(t *testing.T) {
	t.Parallel()
	q := NewQuestions(nil)
	ctx, cancel := context.WithCancel(t.Context())
	ask, done := await(ctx, q, nil)
	cancel()
	if got := <-done; !errors.Is(got.err, context.Canceled) {
		t.Errorf("got %+v", got)
	}
	if result := q.Answer(ask.AskID, []byte(`{"decision":"once"}`), "me"); result.Accepted || result.Reason != errWithdrawn.Error() {
		t.Errorf("the late answer: %+v", result)
	}
}

// The call ends while somebody's answer is acted on: either both have it that it counts, or neither.
func TestE3_AnAnswerAndAnEndAtOnceAgree(t *testing.T) {
	t.Parallel()
	counted := map[bool]int{}
	for range 200 {
		synctest.Test(t, func(t *testing.T) {
			q := NewQuestions(nil)
			ctx, cancel := context.WithCancel(t.Context())
			ask, done := await(ctx, q, func(message.Answer, string) error {
				go cancel()
				return nil
			})
			result := q.Answer(ask.AskID, []byte(`{"decision":"once"}`), "me")
			got := <-done
			if result.Accepted != (got.err == nil) {
				t.Errorf("the answer is told %+v, the call %v", result, got.err)
			}
			if _, isOpen := q.Ask(ask.AskID); isOpen {
				t.Error("the question stays open")
			}
			counted[result.Accepted]++
		})
	}
	t.Logf("%d counted, %d came too late", counted[true], counted[false])
}

// An answer that is acted on when its call ends, and then is refused, does not leave the question behind.
func TestE3_AQuestionIsWithdrawnWhileItIsAnswered(t *testing.T) {
	t.Parallel()
	q := NewQuestions(nil)
	ctx, cancel := context.WithCancel(t.Context())
	acting, act := make(chan struct{}), make(chan struct{})
	ask, done := await(ctx, q, func(message.Answer, string) error {
		close(acting)
		<-act
		return nil
	})
	told := make(chan message.AskAnswerResult, 1)
	go func() { told <- q.Answer(ask.AskID, []byte(`{"decision":"once"}`), "me") }()
	<-acting
	cancel()
	if got := <-done; !errors.Is(got.err, context.Canceled) {
		t.Errorf("got %+v", got)
	}
	close(act)
	if result := <-told; result.Accepted {
		t.Errorf("the answer: %+v", result)
	}
	if _, isOpen := q.Ask(ask.AskID); isOpen {
		t.Error("the question stays open")
	}
}
