package config

// Scope is what an entry is expanded in.
type Scope struct {
	// Root is the workspace folder: that of the file for a project's entry.
	// Empty when no folder is open.
	Root string
	// Dir is where an entry that is not a project's starts, and what its
	// relative cwd and envFile resolve against (S1: Pillion's own empty folder).
	// A project's entry ignores it.
	Dir string
	// Home is the user's home folder.
	Home string
	// Lookup reads one environment variable.
	Lookup func(name string) (string, bool)
	// IsSecret reports whether a value is a secret by its key or its shape; nil
	// says that only header values are.
	IsSecret func(key, value string) bool
}

// Expanded is an entry with every reference replaced: what is started.
type Expanded struct {
	// Command has Root before it when it is relative with a slash; a bare name
	// stays bare.
	Command string
	Args    []string
	// Env holds the envFile's variables with env's over them.
	Env map[string]string
	// Cwd is absolute, or empty for a remote entry.
	Cwd     string
	URL     string
	Headers map[string]string
	// Secrets are values to keep out of logs, results and questions (E7).
	Secrets []string
	// Warnings do not keep the entry from starting.
	Warnings []Finding
}

// Expand replaces the references in command, args, env, cwd and envFile, or
// url and headers, and reads the envFile; call it only for an entry that may
// run. Any finding returned is a reason not to start: the Expanded is unusable
// then. A value is never expanded twice, and an unset variable is named with
// its field instead of becoming an empty string.
func (e *Entry) Expand(s Scope) (Expanded, []Finding) { panic("unfinished") }
