package connector

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
)

// The kinds of [Problem], as the editor protocol names them.
const (
	ProblemProgram     = "program"     // could not be started
	ProblemExited      = "exited"      // started and ended
	ProblemUnreachable = "unreachable" // no connection, or one that is not to be trusted
	ProblemLogin       = "login"       // wants a sign-in, or refuses the credential
	ProblemTimeout     = "timeout"     // gave no answer in time
	ProblemProtocol    = "protocol"    // does not speak MCP, or not a revision that is understood
	ProblemConfig      = "config"      // the definition cannot work: no such folder
	ProblemInternal    = "internal"    // Pillion's own fault
)

const maxReasonBytes = 500

// Problem says why a connector is not running and what to do about it. It is an error.
type Problem struct {
	Kind string
	// Reason is one sentence from the connector's own failure, redacted, control characters made visible.
	Reason string
	// Steps lead back, in order.
	Steps []string
	// LastStderr are the last lines that the server wrote to stderr, oldest first, bounded, redacted.
	LastStderr []string
	// ExitCode is what the program ended with; -1 unless it ended by itself.
	ExitCode int
}

func (p *Problem) Error() string { return p.Reason }

// newProblem builds a Problem whose steps end with the one that is always the last.
func (c *Connector) newProblem(kind, reason string, steps ...string) *Problem {
	p := &Problem{Kind: kind, Reason: c.redacted(reason), ExitCode: -1}
	for _, step := range append(steps, fmt.Sprintf("Then start the connector %q again.", c.definition.Name)) {
		p.Steps = append(p.Steps, c.redacted(step))
	}
	return p
}

func (c *Connector) internalProblem(err error) *Problem {
	return c.newProblem(ProblemInternal, "internal error: "+visible(err.Error(), maxReasonBytes), "This is a fault of Pillion. Please report it with the log.")
}

func (c *Connector) folderProblem() *Problem {
	return c.newProblem(ProblemConfig, fmt.Sprintf("the folder %q that it should run in does not exist", c.definition.Dir),
		`Create the folder, or correct "cwd" in the entry.`)
}

// programProblem is about a program that could not be started at all.
func (c *Connector) programProblem(err error) *Problem {
	program := c.definition.Program
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return c.newProblem(ProblemProgram, fmt.Sprintf("program %q not found, or the interpreter that it names", program),
			fmt.Sprintf("Install %s, or correct \"command\" in the entry.", filepath.Base(program)))
	case errors.Is(err, fs.ErrPermission):
		return c.newProblem(ProblemProgram, fmt.Sprintf("program %q may not be executed", program),
			"Make the file executable for your user, or correct \"command\" in the entry.")
	}
	return c.newProblem(ProblemProgram, visible(err.Error(), maxReasonBytes), fmt.Sprintf("Check that %q runs in a terminal.", program))
}

// diagnose turns the error of a start into the Problem that is behind it.
func (c *Connector) diagnose(s *session, err error) error {
	var problem *Problem
	var silent *silentError
	var refused *refusedError
	switch {
	case errors.As(err, &problem):
		return problem
	case s.link.hasEnded():
		return s.link.obituary()
	case errors.As(err, &silent):
		problem = s.link.unanswered(silent)
	case errors.As(err, &refused):
		problem = s.link.refused(refused)
	case errors.Is(err, errStopped):
		return err
	default:
		problem = c.newProblem(ProblemProtocol, visible(err.Error(), maxReasonBytes), c.logStep())
	}
	problem.LastStderr = s.journal.last()
	return problem
}
