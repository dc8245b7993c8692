package sidecar

import (
	"context"
	"errors"
	"sync"

	"pillion/editors"
	"pillion/mcp/admission"
	"pillion/mcp/host"
	"pillion/mcp/process"
	"pillion/mcp/state"
	"pillion/rpc"
	"pillion/rpc/message"
)

const (
	// maxJoinAsks bounds how many programs are asked about at once, and maxJoinDeclines how often one is (S19).
	maxJoinAsks     = 5
	maxJoinDeclines = 3
)

// joins are the programs that want to join the window, and what was said of them here.
type joins struct {
	mu       sync.Mutex
	open     map[admission.Program]*joinAsk
	allowed  map[admission.Program]bool // into this window alone
	declines map[admission.Program]int
}

// joinAsk is one open question, for as many connections of the program as wait for its answer.
type joinAsk struct {
	ask      message.Ask
	waiting  int
	answered chan struct{}
	decision message.JoinDecision // once answered is closed
}

// programAt is the program of a process, with the one that started it, as the kernel knows them now.
func programAt(pid int) admission.Program {
	return admission.Program{Path: process.ExecutablePath(pid), Parent: process.ExecutablePath(process.Parent(pid))}
}

// isNamed reports whether two processes of the program can be told to be of one: what the kernel does not name is asked about
// each time.
func isNamed(p admission.Program) bool { return p.Path != "" && p.Parent != "" }

// mayJoin asks a person whether a program may join, unless that was said before, and waits for the answer. The error is one to
// answer with; ctx ends when the program hangs up.
func (s *Session) mayJoin(ctx context.Context, p admission.Program, caller host.Caller) error {
	c, err := s.host(ctx)
	if err != nil {
		return err
	}
	switch decision, _ := c.Admissions.Of(p); decision {
	case admission.Allow:
		return nil
	case admission.Never:
		return rpc.Errorf(rpc.CodeRequestFailed, "the user does not let this program join; the decision is kept in %s", c.Admissions.Path())
	}
	waiting, err := s.askToJoin(p, caller)
	if waiting == nil || err != nil {
		return err
	}
	select {
	case <-waiting.answered:
	case <-ctx.Done():
		s.leaveJoin(p, waiting)
		return ctx.Err()
	}
	if waiting.decision != message.JoinAllow && waiting.decision != message.JoinSession {
		return rpc.Errorf(rpc.CodeRequestFailed, "the user does not let this program join the window")
	}
	return nil
}

// askToJoin puts the question, or joins those that wait for the answer to it. Nil is for a program that may join this window.
func (s *Session) askToJoin(p admission.Program, caller host.Caller) (*joinAsk, error) {
	j := &s.joins
	j.mu.Lock()
	defer j.mu.Unlock()
	if open := j.open[p]; open != nil && isNamed(p) {
		open.waiting++
		return open, nil
	}
	switch {
	case j.allowed[p]:
		return nil, nil
	case j.declines[p] >= maxJoinDeclines:
		return nil, rpc.Errorf(rpc.CodeRequestFailed, "the user has declined %d times to let this program join the window", maxJoinDeclines)
	case len(j.open) >= maxJoinAsks || j.open[p] != nil:
		return nil, rpc.Errorf(rpc.CodeRequestFailed, "too many programs ask to join the window already")
	}
	waiting := &joinAsk{waiting: 1, answered: make(chan struct{})}
	ask, err := s.questions.Open(editors.Question{
		Body:  message.JoinBody{Program: p.Path, PID: caller.PID, Parent: p.Parent, ClaimedName: caller.Name},
		Asker: wireAsker(caller),
		Accept: func(answer message.Answer, by string) error {
			return s.decideJoin(p, waiting, answer.(message.JoinAnswer).Decision, caller, by)
		},
	})
	if err != nil {
		return nil, err
	}
	waiting.ask = ask
	if j.open == nil {
		j.open, j.allowed, j.declines = map[admission.Program]*joinAsk{}, map[admission.Program]bool{}, map[admission.Program]int{}
	}
	j.open[p] = waiting
	s.askPlainly(ask, caller)
	return waiting, nil
}

// decideJoin acts on an answer: what is to stand is kept before anybody hears of it.
func (s *Session) decideJoin(p admission.Program, waiting *joinAsk, decision message.JoinDecision, caller host.Caller, by string) error {
	if err := s.keepJoin(p, decision); err != nil {
		return err
	}
	s.core.RecordJoin(caller, string(decision), by)
	j := &s.joins
	j.mu.Lock()
	defer j.mu.Unlock()
	switch {
	case decision == message.JoinDecline:
		j.declines[p]++
	case decision == message.JoinSession && isNamed(p):
		j.allowed[p] = true
	}
	if j.open[p] == waiting {
		delete(j.open, p)
	}
	waiting.decision = decision
	close(waiting.answered)
	return nil
}

func (s *Session) keepJoin(p admission.Program, decision message.JoinDecision) error {
	var kept admission.Decision
	switch decision {
	case message.JoinAllow:
		kept = admission.Allow
	case message.JoinNever:
		kept = admission.Never
	default:
		return nil
	}
	ctx, cancel := context.WithTimeout(s.lifetime, editorAnswerTime)
	defer cancel()
	err := s.core.Admissions.Decide(ctx, p, kept)
	if state.IsUnsaved(err) || errors.Is(err, admission.ErrUnknown) {
		s.editor.showMessage(s, messageWarning, "Pillion: "+editors.Visible(err.Error()))
		return nil
	}
	return err
}

// leaveJoin is for a connection that does not wait any more; the last one takes the question with it.
func (s *Session) leaveJoin(p admission.Program, waiting *joinAsk) {
	j := &s.joins
	j.mu.Lock()
	waiting.waiting--
	isLast := waiting.waiting == 0 && j.open[p] == waiting
	if isLast {
		delete(j.open, p)
	}
	j.mu.Unlock()
	if isLast {
		s.questions.Withdraw(waiting.ask.AskID)
	}
}
