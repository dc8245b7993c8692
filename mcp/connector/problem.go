package connector

// The kinds of [Problem], as the editor protocol names them.
const (
	ProblemProgram  = "program"  // could not be started
	ProblemExited   = "exited"   // started and ended
	ProblemTimeout  = "timeout"  // gave no answer in time
	ProblemProtocol = "protocol" // does not speak MCP, or not a revision that is understood
	ProblemConfig   = "config"   // the definition cannot work: no such folder
	ProblemInternal = "internal" // Pillion's own fault
)

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
