package editors

import (
	"context"
	"errors"

	"pillion/rpc/message"
)

// errWithdrawn refuses an answer to a question that nobody waits for any more.
var errWithdrawn = errors.New("the question was withdrawn: what it was about has changed, has gone or was decided elsewhere")

// AwaitApproval puts the question whether a call may run and waits for the answer to it; by says who gave it.
// The question's own Accept, which may be nil, can refuse an answer. opened, which may be nil, is told the question as it is
// shown; it must not answer it.
//
// When ctx ends the question is withdrawn. Whoever answers and whoever waits never disagree: an answer that was accepted is
// returned, whether or not ctx ended meanwhile, and one that comes too late is refused.
func (q *Questions) AwaitApproval(ctx context.Context, question Question, opened func(message.Ask)) (answer message.ApprovalAnswer, by string, err error) {
	return awaitAnswer[message.ApprovalAnswer](ctx, q, question, opened)
}

// AwaitInput is AwaitApproval for the question for a value.
func (q *Questions) AwaitInput(ctx context.Context, question Question, opened func(message.Ask)) (answer message.InputAnswer, by string, err error) {
	return awaitAnswer[message.InputAnswer](ctx, q, question, opened)
}

// AwaitElicitation is AwaitApproval for a connector's own question. At ctx's deadline the question expires.
func (q *Questions) AwaitElicitation(ctx context.Context, question Question, opened func(message.Ask)) (answer message.ElicitationAnswer, by string, err error) {
	return awaitAnswer[message.ElicitationAnswer](ctx, q, question, opened)
}

// AwaitSampling is AwaitElicitation for the answer of a model.
func (q *Questions) AwaitSampling(ctx context.Context, question Question, opened func(message.Ask)) (answer message.SamplingAnswer, by string, err error) {
	return awaitAnswer[message.SamplingAnswer](ctx, q, question, opened)
}

func awaitAnswer[A message.Answer](ctx context.Context, q *Questions, question Question, opened func(message.Ask)) (answer A, by string, err error) {
	type given struct {
		answer A
		by     string
	}
	answers := make(chan given) // without a buffer: what is sent is received
	check := question.Accept
	question.Accept = func(answer message.Answer, by string) error {
		if check != nil {
			if err := check(answer, by); err != nil {
				return err
			}
		}
		select {
		case answers <- given{answer.(A), by}:
			return nil
		case <-ctx.Done():
			return errWithdrawn
		}
	}
	ask, err := q.Open(question)
	if err != nil {
		return answer, "", err
	}
	if opened != nil {
		opened(ask)
	}
	select {
	case g := <-answers:
		return g.answer, g.by, nil
	case <-ctx.Done():
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			q.Expire(ask.AskID)
		} else {
			q.Withdraw(ask.AskID)
		}
		return answer, "", ctx.Err()
	}
}
