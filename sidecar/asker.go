package sidecar

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"pillion/editors"
	"pillion/mcp/consent"
	"pillion/mcp/host"
	"pillion/mcp/permission"
	"pillion/mcp/state"
	"pillion/rpc/message"
)

// asker puts the host's questions to people: as state that any window or terminal may answer, and to an editor without a
// question view of its own by plain LSP.
type asker struct{ session *Session }

// Approve implements host.Asker.
func (a asker) Approve(ctx context.Context, approval host.Approval) (host.ApprovalAnswer, error) {
	return Approve(ctx, a.session.questions, approval, func(ask message.Ask) { a.session.askPlainly(ask, approval.Caller) })
}

// AskPermission implements host.Asker.
func (a asker) AskPermission(waiting []host.Permission, caller host.Caller) {
	if ask, isRaised := a.session.raiseConsent(waiting, caller); isRaised {
		a.session.askPlainly(ask, caller)
	}
}

// Approve puts a host's question whether a call may run among the questions and waits for the answer; see
// [editors.Questions.AwaitApproval].
func Approve(ctx context.Context, questions *editors.Questions, approval host.Approval, opened func(message.Ask)) (host.ApprovalAnswer, error) {
	answer, by, err := questions.AwaitApproval(ctx, editors.Question{
		Body: approvalBody(approval), CallID: message.CallID(approval.CallID), SessionID: message.SessionID(approval.SessionID),
		Asker: wireAsker(approval.Caller), Accept: func(answer message.Answer, _ string) error {
			return checkApproval(answer.(message.ApprovalAnswer), approval)
		},
	}, opened)
	if err != nil {
		return host.ApprovalAnswer{}, err
	}
	return host.ApprovalAnswer{
		Decision: string(answer.Decision), Scope: string(answer.Scope), Text: answer.Text, Arguments: []byte(answer.ArgumentsText),
		Where: conditions(answer.Where), By: by,
	}, nil
}

// checkApproval refuses arguments that cannot be sent, for whoever edited them to put right (S10), and conditions that are none
// or do not hold of the call.
func checkApproval(answer message.ApprovalAnswer, approval host.Approval) error {
	if answer.ArgumentsText != "" {
		if _, err := permission.CheckArguments([]byte(answer.ArgumentsText)); err != nil {
			return fmt.Errorf("the edited arguments cannot be sent: %w", err)
		}
	}
	return host.CheckWhere(conditions(answer.Where), approval.Arguments)
}

func conditions(wire []message.Condition) []permission.Condition {
	var all []permission.Condition
	for _, c := range wire {
		all = append(all, permission.Condition{Path: c.Path, Equals: c.Equals, Glob: c.Glob, Under: c.Under})
	}
	return all
}

// ConditionMessages are conditions as they go over the wire.
func ConditionMessages(all []permission.Condition) []message.Condition {
	var wire []message.Condition
	for _, c := range all {
		wire = append(wire, message.Condition{Path: c.Path, Equals: c.Equals, Glob: c.Glob, Under: c.Under})
	}
	return wire
}

func approvalBody(a host.Approval) message.ApprovalBody {
	body := message.ApprovalBody{
		Tool: ToolMessage(a.Tool, message.ToolFull), Method: a.Method, ArgumentsText: string(a.Arguments), Reason: a.Reason,
		Choices: make([]message.ApprovalChoice, len(a.Choices)), Scopes: make([]message.PermissionScope, len(a.Scopes)),
	}
	for _, change := range a.Changed {
		body.Tool.Changed = append(body.Tool.Changed, message.Change{Path: change.Path, Before: change.Before, After: change.After})
	}
	for i, choice := range a.Choices {
		body.Choices[i] = message.ApprovalChoice(choice)
	}
	for i, scope := range a.Scopes {
		body.Scopes[i] = message.PermissionScope(scope)
	}
	return body
}

func wireAsker(c host.Caller) message.Asker {
	return message.Asker{Kind: message.AskerKind(c.Kind), Name: c.Name, Program: c.Program, PID: c.PID}
}

// consentAsks are the open questions about definitions that wait.
type consentAsks struct {
	mu   sync.Mutex
	open []consentAsk
}

type consentAsk struct {
	ask     message.Ask
	waiting []host.Permission
}

// covers reports whether the question asks about everything that waits, as it stands. What is asked for alone is asked about
// alone: a yes to one must not be one to all.
func (c consentAsk) covers(waiting []host.Permission) bool {
	if len(waiting) == 1 && len(c.waiting) != 1 {
		return false
	}
	return !slices.ContainsFunc(waiting, func(p host.Permission) bool { return !isAmong(p, c.waiting) })
}

func isAmong(p host.Permission, all []host.Permission) bool {
	return slices.ContainsFunc(all, func(other host.Permission) bool {
		return other.Connector.ID == p.Connector.ID && other.Hash == p.Hash && other.Root == p.Root
	})
}

// raiseConsent puts one question about everything that waits; one that is open already serves.
func (s *Session) raiseConsent(waiting []host.Permission, caller host.Caller) (message.Ask, bool) {
	if len(waiting) == 0 {
		return message.Ask{}, false
	}
	s.consents.mu.Lock()
	defer s.consents.mu.Unlock()
	s.consents.open = slices.DeleteFunc(s.consents.open, func(c consentAsk) bool {
		_, isOpen := s.questions.Ask(c.ask.AskID)
		return !isOpen
	})
	for _, open := range s.consents.open {
		if open.covers(waiting) {
			return open.ask, true
		}
	}
	ask, err := s.questions.Open(editors.Question{
		Body: ConsentMessage(waiting), Asker: wireAsker(caller),
		Accept: func(answer message.Answer, by string) error {
			return s.decide(waiting, answer.(message.ConsentAnswer), by)
		},
	})
	if err != nil {
		s.log.Error("question not put", "error", err)
		return message.Ask{}, false
	}
	s.consents.open = append(s.consents.open, consentAsk{ask, waiting})
	s.core.RecordAsked(waiting, string(ask.AskID), caller)
	return ask, true
}

// decide records what was decided about the definitions that were shown; those that are not named stay waiting.
func (s *Session) decide(waiting []host.Permission, answer message.ConsentAnswer, by string) error {
	for _, p := range waiting {
		decision, isDecided := answer.Decisions[message.ConnectorID(p.Connector.ID)]
		if !isDecided {
			continue
		}
		ctx, cancel := context.WithTimeout(s.lifetime, editorAnswerTime)
		err := s.core.Decide(ctx, p, consent.Decision(decision), by)
		cancel()
		if state.IsUnsaved(err) {
			s.editor.showMessage(s, messageWarning, "Pillion: "+err.Error())
		} else if err != nil {
			return err
		}
	}
	return nil
}

// dropStaleConsents withdraws the questions about what does not stand any more as it was shown (C71).
func (s *Session) dropStaleConsents() {
	if s.core == nil {
		return
	}
	for _, open := range s.consents.all() {
		if slices.ContainsFunc(open.waiting, func(p host.Permission) bool { return !s.stands(p) }) {
			s.questions.Withdraw(open.ask.AskID)
		}
	}
}

func (c *consentAsks) all() []consentAsk {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.open)
}

// stands reports whether a definition still waits as it was shown, or still is blocked: what is blocked is asked about when a
// person wants to see it again.
func (s *Session) stands(shown host.Permission) bool {
	now, isOpen := s.core.WaitingOn(shown.Connector.ID)
	return isOpen && now.Hash == shown.Hash && now.Root == shown.Root && now.Connector.State == shown.Connector.State
}

// withdrawConsents withdraws the questions about what waits; they come up again when it is needed or wished for.
func (s *Session) withdrawConsents() {
	for _, c := range s.consents.all() {
		s.questions.Withdraw(c.ask.AskID)
	}
}
