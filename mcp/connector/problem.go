package connector

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"time"
)

// The kinds of [Problem], as the editor protocol names them.
const (
	ProblemProgram  = "program"  // could not be started
	ProblemExited   = "exited"   // started and ended
	ProblemTimeout  = "timeout"  // gave no answer in time
	ProblemProtocol = "protocol" // does not speak MCP, or not a revision that is understood
	ProblemConfig   = "config"   // the definition cannot work: no such folder
	ProblemInternal = "internal" // Pillion's own fault
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
	case s.hasEnded():
		return s.obituary()
	case errors.As(err, &silent):
		problem = c.silence(s, silent.after)
	case errors.As(err, &refused):
		problem = c.newProblem(ProblemProtocol, "it refused the handshake: "+visible(refused.Error(), maxReasonBytes),
			"Check that the program is an MCP server over stdio and that its arguments are right.", c.logStep(), c.terminalStep())
	case errors.Is(err, errStopped):
		return err
	default:
		problem = c.newProblem(ProblemProtocol, visible(err.Error(), maxReasonBytes), c.logStep())
	}
	problem.LastStderr = s.journal.last()
	return problem
}

// silence is about a program that runs and has not answered.
func (c *Connector) silence(s *session, after time.Duration) *Problem {
	within := fmt.Sprintf("within %s", after.Round(time.Millisecond))
	if printed := s.filter.noise.first(); printed != "" && s.filter.messages.Load() == 0 {
		return c.newProblem(ProblemProtocol, fmt.Sprintf(`speaks no MCP: it printed "%s" and no answer %s`, printed, within),
			"Check that the program is an MCP server over stdio; many need an argument such as \"mcp\", \"serve\" or \"--stdio\".", c.terminalStep())
	}
	reason := "no answer " + within
	if lines := s.journal.last(); len(lines) > 0 {
		reason += "; it said last: " + visible(lines[len(lines)-1], maxReasonBytes)
	}
	return c.newProblem(ProblemTimeout, reason, c.logStep(),
		"If it only needs longer, raise \"startTimeout\" under \"pillion\" in the entry.", c.terminalStep())
}

// obituary says how the program ended, from its exit and the last line that it wrote.
func (s *session) obituary() *Problem {
	c := s.connector
	if !wait(s.process.Exited(), c.tuning.settle) {
		p := c.newProblem(ProblemProtocol, "closed its stdout but is still running", c.logStep(), c.terminalStep())
		p.LastStderr = s.journal.last()
		return p
	}
	wait(s.quiet, c.tuning.settle)
	if s.isWedged.Load() {
		p := c.newProblem(ProblemTimeout, fmt.Sprintf("did not read its stdin for %s and was ended", c.tuning.stall), c.logStep())
		p.LastStderr = s.journal.last()
		return p
	}
	code, signal := s.process.ExitCode()
	reason := "server " + exitPhrase(code, signal)
	lines := s.journal.last()
	if len(lines) > 0 {
		reason += ": " + visible(lines[len(lines)-1], maxReasonBytes)
	} else if printed := s.filter.noise.first(); printed != "" && s.filter.messages.Load() == 0 {
		reason += fmt.Sprintf(`; it printed "%s"`, printed)
	}
	p := c.newProblem(ProblemExited, reason, c.logStep(), c.terminalStep())
	p.ExitCode, p.LastStderr = code, lines
	return p
}

// exitPhrase says how a program ended.
func exitPhrase(code int, signal string) string {
	if signal != "" {
		return "was ended by " + signal
	}
	return fmt.Sprintf("exited (%d)", code)
}

func (c *Connector) logStep() string {
	if c.options.LogFile == "" {
		return "Read the last lines that it wrote to stderr."
	}
	return fmt.Sprintf("Read the end of its log, %s.", c.options.LogFile)
}

func (c *Connector) terminalStep() string {
	command := append([]string{c.definition.Program}, c.definition.Args...)
	return fmt.Sprintf("Run its command in a terminal and see what it says: %s", visible(strings.Join(command, " "), maxReasonBytes))
}
