package host

import (
	"errors"
	"fmt"

	"pillion/mcp/why"
)

// ErrClosed is the answer to what was asked of a host that is closing.
var ErrClosed = errors.New("the session is ending")

var errInternal = errors.New("internal error; Pillion's log says more")

// The reasons that a call may be cancelled for.
var (
	ErrCancelledByCaller = errors.New("cancelled")
	errStopAll           = errors.New("everything was stopped")
)

// InUseError says that a call of this id is open already.
type InUseError struct{ CallID string }

func (e *InUseError) Error() string {
	return fmt.Sprintf("a call with the id %q is open already", e.CallID)
}

// UnknownError says that nothing, or more than one thing, goes by a name.
type UnknownError struct {
	What, Name string
	// Candidates are the ids that the name could mean; empty when there is none.
	Candidates []string
	// Nearest are names that may have been meant, the likeliest first.
	Nearest []string
	// IsOff is set for a tool that is there and switched off.
	IsOff bool
}

func (e *UnknownError) Error() string {
	if len(e.Candidates) > 0 {
		return fmt.Sprintf("%s %q is ambiguous: use one of the ids %q", e.What, e.Name, e.Candidates)
	}
	if e.IsOff {
		return fmt.Sprintf("the %s %q is switched off here; what keeps it away and how to switch it on: %s", e.What, e.Name, commandOn("pillion why", e.Name))
	}
	if len(e.Nearest) > 0 {
		return fmt.Sprintf("there is no %s %q; did you mean %s?", e.What, e.Name, why.Listed(e.Nearest))
	}
	return fmt.Sprintf("there is no %s %q", e.What, e.Name)
}
