package host

import (
	"context"
	"errors"
	"strings"

	"pillion/mcp/state"
)

// decisionStore is one of the stores of what people decided.
type decisionStore interface {
	Path() string
	Health() error
	Confirm(context.Context) error
	Doubts() ([]state.Doubt, error)
	Accept(ctx context.Context, digests []string) error
	Reseal(context.Context) error
}

func (h *Host) stores() []decisionStore {
	return []decisionStore{h.consents, h.permissions, h.personal}
}

// StoreFiles are the files of what people decided, which other windows write, too; they need not exist.
func (h *Host) StoreFiles() []string {
	var files []string
	for _, store := range h.stores() {
		files = append(files, store.Path())
	}
	return files
}

// StoreProblem is a store of decisions that cannot be read as it is; or, with Doubts, some that do not count, because nothing
// shows that Pillion wrote them.
type StoreProblem struct {
	File, SetAside, Reason string
	Doubts                 []state.Doubt
}

// Identity tells one problem from all others.
func (p StoreProblem) Identity() string {
	parts := []string{p.File, p.SetAside, p.Reason}
	for _, doubt := range p.Doubts {
		parts = append(parts, doubt.Digest)
	}
	return strings.Join(parts, "\x00")
}

// StoreProblems say why every call asks, by store, or what does not count (S20).
func (h *Host) StoreProblems() []StoreProblem {
	var problems []StoreProblem
	for _, store := range h.stores() {
		err := store.Health()
		if err == nil {
			if doubts, fault := store.Doubts(); fault != nil {
				problems = append(problems, StoreProblem{File: store.Path(), Reason: fault.Error(), Doubts: doubts})
			}
			continue
		}
		problem := StoreProblem{File: store.Path(), Reason: err.Error()}
		var broken *state.BrokenError
		if errors.As(err, &broken) {
			problem.File, problem.SetAside = broken.Path, broken.SetAside
		}
		problems = append(problems, problem)
	}
	return problems
}

// ConfirmStore takes the store that a problem is about as it is now for good, and of what is in doubt exactly what was shown;
// only a person says so.
func (h *Host) ConfirmStore(ctx context.Context, problem StoreProblem) error {
	for _, store := range h.stores() {
		if store.Path() != problem.File {
			continue
		}
		err := error(nil)
		if len(problem.Doubts) > 0 {
			err = store.Accept(ctx, digestsOf(problem.Doubts))
		} else {
			err = store.Confirm(ctx)
		}
		if err != nil {
			return err
		}
	}
	h.recordRule("", "", "confirmed", problem.File)
	h.restand(nobody)
	return nil
}

func digestsOf(doubts []state.Doubt) []string {
	digests := make([]string, len(doubts))
	for i, doubt := range doubts {
		digests[i] = doubt.Digest
	}
	return digests
}

// SealKeyCame has what was decided judged again: the key of the seals can be had by now.
func (h *Host) SealKeyCame() {
	if h.isClosing() {
		return
	}
	for _, store := range h.stores() {
		if err := store.Reseal(h.lifetime); err != nil {
			h.log.Warn("decisions not sealed", "file", store.Path(), "error", err)
		}
	}
	h.restand(nobody)
	h.notify(Event{Files: true})
}
