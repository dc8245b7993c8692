package sidecar

import (
	"context"
	"slices"

	"pillion/editors"
	"pillion/mcp/host"
	"pillion/rpc"
	"pillion/rpc/message"
)

func (s *Session) asks(ctx context.Context, _ message.Empty) (message.AsksResult, error) {
	asks, revision := s.questions.Asks()
	callerOf(ctx).saw(asks)
	return message.AsksResult{Rev: revision, Asks: asks}, nil
}

// askAnswer takes an answer to a question that was shown on this connection (S6).
func (s *Session) askAnswer(ctx context.Context, params message.AskAnswerParams) (message.AskAnswerResult, error) {
	caller := callerOf(ctx)
	if refusal := caller.mayAnswer(params.AskID); refusal != "" {
		return message.AskAnswerResult{Reason: refusal}, nil
	}
	return s.questions.Answer(params.AskID, params.Answer, caller.caller.String()), nil
}

// askShow raises the question of what waits, or of a change, at the wish of a person.
func (s *Session) askShow(ctx context.Context, params message.AskShowParams) (message.AskShowResult, error) {
	if err := params.Check(); err != nil {
		return message.AskShowResult{}, rpc.Errorf(rpc.CodeInvalidParams, "%s", err)
	}
	c, err := s.host(ctx)
	if err != nil {
		return message.AskShowResult{}, err
	}
	if params.Change != nil {
		return s.askAboutChange(ctx, *params.Change)
	}
	var ask message.Ask
	var isRaised bool
	if params.Connector != "" {
		found, err := c.Connector(string(params.Connector))
		if err != nil {
			return message.AskShowResult{}, misuse(err)
		}
		waiting, isWaiting := c.WaitingOn(found.ID)
		if isWaiting {
			ask, isRaised = s.raiseConsent([]host.Permission{waiting}, callerOf(ctx).caller)
		}
	} else {
		ask, isRaised = s.raiseAll(c.Waiting(true), callerOf(ctx).caller)
	}
	if !isRaised {
		return message.AskShowResult{}, nil
	}
	callerOf(ctx).saw([]message.Ask{ask})
	return message.AskShowResult{AskID: &ask.AskID}, nil
}

// raiseAll raises every question that somebody wants to see who wants to see what is open: consent, and the stores of
// decisions that were put off. It returns the first of them.
func (s *Session) raiseAll(waiting []host.Permission, caller host.Caller) (message.Ask, bool) {
	s.forgetPutOff()
	s.askAboutStores()
	if ask, isRaised := s.raiseConsent(waiting, caller); isRaised {
		return ask, true
	}
	asks, _ := s.questions.Asks()
	i := slices.IndexFunc(asks, func(a message.Ask) bool { return a.Kind == message.AskStore })
	if i < 0 {
		return message.Ask{}, false
	}
	return asks[i], true
}

// askAboutChange raises the question about a change that is wanted.
func (s *Session) askAboutChange(ctx context.Context, change message.WantedChange) (message.AskShowResult, error) {
	wanted, err := Wanted(change, callerOf(ctx).session(""))
	if err != nil {
		return message.AskShowResult{}, rpc.Errorf(rpc.CodeInvalidParams, "%s", err)
	}
	id, err := s.propose(ctx, wanted)
	if err != nil || id == "" {
		return message.AskShowResult{}, err
	}
	return message.AskShowResult{AskID: &id}, nil
}

// asksChanged tells everybody who shows questions; the questions call it in order.
func (s *Session) asksChanged(change editors.Change) {
	s.asksHappened(change)
	params := message.AsksChangedParams{Rev: change.Rev, Opened: change.Opened, Closed: change.Closed}
	if params.Opened == nil {
		params.Opened = []message.Ask{}
	}
	if params.Closed == nil {
		params.Closed = []message.ClosedAsk{}
	}
	s.clients.each(func(c *client) {
		c.saw(change.Opened)
		if err := rpc.Notify(c.conn, message.AsksChanged, params); err != nil {
			s.log.Debug("question not told", "error", err)
		}
	})
	for _, closed := range change.Closed {
		s.shown.forget(closed.AskID)
	}
}
