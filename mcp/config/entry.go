package config

import "time"

// The transports an entry can have, whatever spelling the file uses.
const (
	TransportStdio = "stdio"
	TransportHTTP  = "http"
	TransportSSE   = "sse"
)

// Variable is one name with its value, as written in the file.
type Variable struct{ Name, Value string }

// Entry is one connector as a file names it. It is immutable; its strings are
// unexpanded.
type Entry struct {
	Name string
	File File
	// KeySpan is the name with its quotes, Span the value.
	KeySpan, Span Span
	// ID is opaque and depends on the file's path and the name alone.
	ID string
	// Transport is empty when the entry is too broken to tell.
	Transport string
	Command   string
	Args      []string
	// Env and Headers are in the order of the file.
	Env     []Variable
	Cwd     string
	EnvFile string
	URL     string
	Headers []Variable
	// Disabled is what this entry says of itself; see [Effective] for what holds.
	Disabled bool
	// Timeout is the entry's own timeout for one call, zero when not given;
	// Options.CallTimeout goes before it.
	Timeout time.Duration
	Options Options
	// Text is the entry's value as it stands in the file.
	Text string
	// Findings are all findings of this entry.
	Findings []Finding
	// Fault says why the entry cannot run at all; nil means that it can.
	Fault *Finding
	// Narrows is true for an entry of a project file that has neither command
	// nor url and only takes away from the user's connector of that name.
	Narrows bool
	// Pillion is true when the entry would run Pillion itself (A11); Fault is
	// set then too.
	Pillion bool
}

// Hash is over the canonical form of the effective, unexpanded definition.
// Whitespace, comments, key order, an explicit or inferred type, and keys that
// only switch or describe (disabled, enabled, description) do not count;
// everything else does, unknown keys included.
func (e *Entry) Hash() string { panic("unfinished") }

// Reads are the names of the environment variables that the entry's values
// refer to, sorted.
func (e *Entry) Reads() []string { panic("unfinished") }

// Shown is an entry as a question shows it: as written, never expanded.
type Shown struct {
	Command string
	Args    []string
	Cwd     string
	EnvFile string
	Env     []Variable
	URL     string
	Headers []Variable
	Reads   []string
}

// Shown returns the parts of the entry that a person judges.
func (e *Entry) Shown() Shown { panic("unfinished") }

// Field returns the span of the value at a path such as "command", "args[0]",
// "env.TOKEN", "headers.Authorization" or "pillion.start".
func (e *Entry) Field(path string) (Span, bool) { panic("unfinished") }

// UsesWorkspace reports whether any value names the workspace folder.
func (e *Entry) UsesWorkspace() bool { panic("unfinished") }

// UnsetVariables returns an Information for every reference to a variable that
// has neither a value nor a default.
func (e *Entry) UnsetVariables(lookup func(name string) (string, bool)) []Finding {
	panic("unfinished")
}

// ShownName is a name made fit for a listing: control, format and other
// invisible characters, and blanks at the ends, are escaped.
func ShownName(name string) string { panic("unfinished") }
