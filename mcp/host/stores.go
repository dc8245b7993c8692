package host

import (
	"context"
	"errors"

	"pillion/mcp/state"
)

// decisionStore is one of the stores of what people decided.
type decisionStore interface {
	Path() string
	Health() error
	Confirm(context.Context) error
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

// StoreProblem is a store of decisions that cannot be read as it is.
type StoreProblem struct{ File, SetAside, Reason string }

// StoreProblems say why every call asks, by store (S20).
func (h *Host) StoreProblems() []StoreProblem {
	var problems []StoreProblem
	for _, store := range h.stores() {
		err := store.Health()
		if err == nil {
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

// ConfirmStore takes the store that a problem is about as it is now for good; only a person says so.
func (h *Host) ConfirmStore(ctx context.Context, problem StoreProblem) error {
	for _, store := range h.stores() {
		if store.Path() != problem.File {
			continue
		}
		if err := store.Confirm(ctx); err != nil {
			return err
		}
	}
	h.recordRule("", "", "confirmed", problem.File)
	h.restand(nobody)
	return nil
}
