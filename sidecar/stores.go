package sidecar

import (
	"context"
	"maps"
	"slices"
	"sync"

	"pillion/editors"
	"pillion/mcp/host"
	"pillion/mcp/state"
	"pillion/rpc/message"
)

// storeAsks are the questions about stores of decisions that cannot be read, or not believed, by the problem's identity. A problem is asked about once; one
// that was put off is asked about again when the user wants to see what is open.
type storeAsks struct {
	mu    sync.Mutex
	asked map[string]message.AskID
}

// askAboutStores asks whether to go on without the decisions that cannot be read; until then everything asks (S20).
// It is called whenever a store may have changed: one may break while the window is open, and another window may mend it.
func (s *Session) askAboutStores() {
	problems := s.core.StoreProblems()
	a := &s.storeAsks
	a.mu.Lock()
	defer a.mu.Unlock()
	for problem, id := range maps.Clone(a.asked) {
		if !slices.ContainsFunc(problems, func(p host.StoreProblem) bool { return p.Identity() == problem }) {
			s.questions.Withdraw(id)
			delete(a.asked, problem)
		}
	}
	for _, problem := range problems {
		if _, isAsked := a.asked[problem.Identity()]; isAsked {
			continue
		}
		ask, err := s.questions.Open(s.storeQuestion(problem))
		if err != nil {
			s.log.Error("question not put", "error", err)
			continue
		}
		if a.asked == nil {
			a.asked = map[string]message.AskID{}
		}
		a.asked[problem.Identity()] = ask.AskID
		if !s.editor.answers(message.AskStore) && s.notifier.isOpen() {
			s.editor.showMessage(s, messageWarning, editors.Prompt(ask))
		}
	}
}

func labelsOf(doubts []state.Doubt) []string {
	var labels []string
	for _, doubt := range doubts {
		labels = append(labels, doubt.Label)
	}
	return labels
}

func (s *Session) storeQuestion(problem host.StoreProblem) editors.Question {
	return editors.Question{
		Body:  message.StoreBody{File: problem.File, SetAside: problem.SetAside, Reason: problem.Reason, Unsealed: labelsOf(problem.Doubts)},
		Asker: message.Asker{Kind: message.AskerEditor},
		Accept: func(answer message.Answer, _ string) error {
			if answer.(message.StoreAnswer).Decision != message.StoreConfirm {
				return nil
			}
			ctx, cancel := context.WithTimeout(s.lifetime, editorAnswerTime)
			defer cancel()
			return s.core.ConfirmStore(ctx, problem)
		},
	}
}

// forgetPutOff lets the problems that were put off be asked about again: the user wants to see what is open.
func (s *Session) forgetPutOff() {
	a := &s.storeAsks
	a.mu.Lock()
	defer a.mu.Unlock()
	for problem, id := range maps.Clone(a.asked) {
		if _, isOpen := s.questions.Ask(id); !isOpen {
			delete(a.asked, problem)
		}
	}
}
