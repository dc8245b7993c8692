package sidecar

import (
	"context"
	"errors"
	"slices"
	"sync"

	"pillion/editors"
	"pillion/mcp/host"
	"pillion/mcp/permission"
	"pillion/mcp/state"
	"pillion/rpc"
	"pillion/rpc/message"
)

// maxWidenAsks bounds how many changes that give more are asked about at once (S19).
const maxWidenAsks = 20

// widenAsks are the open questions about changes that give more.
type widenAsks struct {
	mu   sync.Mutex
	open []widenAsk
}

type widenAsk struct {
	ask   message.Ask
	shown host.Widening
}

// AskWidening implements host.Asker.
func (a asker) AskWidening(shown host.Widening, caller host.Caller) (string, error) {
	ask, err := a.session.raiseWidening(shown, caller)
	if err != nil {
		return "", err
	}
	a.session.askPlainly(ask, caller)
	return string(ask.AskID), nil
}

// raiseWidening puts the question about a change; one that is open about the very same serves.
func (s *Session) raiseWidening(shown host.Widening, caller host.Caller) (message.Ask, error) {
	s.widenings.mu.Lock()
	defer s.widenings.mu.Unlock()
	s.widenings.open = slices.DeleteFunc(s.widenings.open, func(w widenAsk) bool {
		_, isOpen := s.questions.Ask(w.ask.AskID)
		return !isOpen
	})
	for _, open := range s.widenings.open {
		if open.shown.Hash == shown.Hash {
			return open.ask, nil
		}
	}
	if len(s.widenings.open) >= maxWidenAsks {
		return message.Ask{}, rpc.Errorf(rpc.CodeRequestFailed, "too many changes are asked about already; answer those first: pillion.server.review")
	}
	ask, err := s.questions.Open(WideningQuestion(shown, caller, func(answer message.WidenAnswer, by string) error {
		ctx, cancel := context.WithTimeout(s.lifetime, editorAnswerTime)
		defer cancel()
		err := s.core.Widen(ctx, shown, answer.Decision == message.WidenMake, by)
		if state.IsUnsaved(err) {
			s.editor.showMessage(s, messageWarning, "Pillion: "+err.Error())
			return nil
		}
		return err
	}))
	if err != nil {
		return message.Ask{}, err
	}
	s.widenings.open = append(s.widenings.open, widenAsk{ask, shown})
	s.core.RecordProposed(shown, string(ask.AskID), caller)
	return ask, nil
}

// WideningQuestion is the question about a change that gives more; accept acts on the answer, as [editors.Question] says.
func WideningQuestion(shown host.Widening, caller host.Caller, accept func(message.WidenAnswer, string) error) editors.Question {
	return editors.Question{
		Body: widenBody(shown), Asker: wireAsker(caller),
		Accept: func(answer message.Answer, by string) error { return accept(answer.(message.WidenAnswer), by) },
	}
}

func widenBody(w host.Widening) message.WidenBody {
	body := message.WidenBody{
		Change: message.WidenChange(w.Change), Connector: message.ConnectorID(w.Connector), Name: w.Name, Tool: w.Tool,
		Scope: message.PermissionScope(w.Scope), Where: ConditionMessages(w.Where), Now: slices.Clone(w.Now), Then: w.Then, Hash: w.Hash,
		URI: fileURI(w.File), Root: fileURI(w.Root), DefinitionText: w.DefinitionText, Reads: w.Reads,
	}
	if body.Now == nil {
		body.Now = []string{}
	}
	for _, tool := range w.Tools {
		body.Tools = append(body.Tools, ToolMessage(tool, message.ToolFull))
	}
	return body
}

// Wanted is a change as the host knows it; session is what the caller's own session is called there. An error is a sentence for
// -32602.
func Wanted(change message.WantedChange, session string) (host.Wanted, error) {
	w := host.Wanted{
		RemoveRule: string(change.RemoveRule), Connector: string(change.Connector), Tool: string(change.Tool),
		Mode: permission.Mode(change.Mode), IsEverywhere: change.ToolScope == message.ToolScopeUser,
	}
	if change.Rule != nil {
		rule, err := newRule(*change.Rule, session)
		w.Rule = &rule
		return w, err
	}
	return w, nil
}

func newRule(params message.PermissionSetParams, session string) (host.NewRule, error) {
	tool, _, err := params.ToolRef()
	if err != nil {
		return host.NewRule{}, err
	}
	if len(params.Where) > 0 && (params.Decision != message.PermissionAllow || tool == "") {
		return host.NewRule{}, errors.New("only a standing yes to one tool has conditions on the arguments")
	}
	return host.NewRule{
		Connector: string(params.Connector), Tool: string(tool), Decision: string(params.Decision), Scope: string(params.Scope),
		SessionID: session, Where: conditions(params.Where),
	}, nil
}

// propose opens the question about a change that gives more, and returns its id; empty where it gives nothing more.
func (s *Session) propose(ctx context.Context, wanted host.Wanted) (message.AskID, error) {
	caller := callerOf(ctx)
	if refusal := caller.refusal(); refusal != "" || caller.caller.Kind == string(message.AskerAgent) {
		return "", rpc.Errorf(rpc.CodeRequestFailed, "what gives more is for a person to ask for")
	}
	id, err := s.core.Propose(wanted, caller.caller)
	if err != nil {
		return "", s.wished(err)
	}
	if ask, isOpen := s.questions.Ask(message.AskID(id)); isOpen {
		caller.saw([]message.Ask{ask})
	}
	return message.AskID(id), nil
}

// dropStaleWidenings withdraws the questions about changes that would no longer be what was shown.
func (s *Session) dropStaleWidenings() {
	if s.core == nil {
		return
	}
	s.widenings.mu.Lock()
	open := slices.Clone(s.widenings.open)
	s.widenings.mu.Unlock()
	for _, w := range open {
		if !s.core.Stands(w.shown) {
			s.questions.Withdraw(w.ask.AskID)
		}
	}
}
