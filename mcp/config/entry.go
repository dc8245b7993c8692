package config

import (
	"crypto/sha256"
	"encoding/hex"
	"iter"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"pillion/mcp/settings"
)

// The transports an entry can have, whatever spelling the file uses.
const (
	TransportStdio = "stdio"
	TransportHTTP  = "http"
	TransportSSE   = "sse"
)

// Variable is one name with its value, as written in the file.
type Variable struct{ Name, Value string }

// Entry is one connector as a file names it. It is immutable; its strings are
// unexpanded. One that was not parsed from a file, such as a built-in
// connector's, has zero spans.
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
	// Inputs are what the values refer to as ${input:…}, by id.
	Inputs []Input
	// Text is the entry's value as it stands in the file.
	Text string
	// Findings are all findings of this entry.
	Findings []Finding
	// Fault says why the entry cannot run at all; nil means that it can.
	Fault *Finding
	// Narrows is true for an entry of a project file that has neither command
	// nor url and only takes away from the user's connector of that name.
	Narrows bool
	// Vouches is true for an entry of the user's file that has neither command nor
	// url and says that a project's connector of that name is believed.
	Vouches bool
	// Pillion is true when the entry would run Pillion itself (A11); Fault is
	// set then too.
	Pillion bool

	// AliasOf is the ID of the entry of the same file that this one is a second
	// name of; empty for every other. What runs is then that entry's, and so are
	// the options that this one does not set.
	AliasOf string

	// alias is the name under "aliasOf", aliasAt where it stands, aliased the
	// entry it was found to be.
	alias   string
	aliasAt Span
	aliased *Entry
	// isShared is set for an alias whose process is the other entry's.
	isShared bool
	// off is true when the entry says, clearly or not, that it is off.
	off    bool
	fields []field
	// given are the options that the entry has, as they were read.
	given map[settings.Name]settings.Value
	// extra are the keys that mean nothing to Pillion yet; they count in the
	// hash, because a later version may give them a meaning.
	extra map[string]jsontext.Value
}

// field is where a value stands in the text.
type field struct {
	path    string
	span    Span
	literal bool // a string, so that offsets inside it can be mapped
}

// EntryID is the ID of the entry of a name in a file. One file under two
// spellings of its path has two.
func EntryID(path, name string) string {
	sum := sha256.Sum256([]byte(filepath.Clean(path) + "\x00" + name))
	return hex.EncodeToString(sum[:16])
}

// Identity is the name by which the entry is judged: its own, or that of the
// entry it is an alias of, so that what is refused to one is refused to the
// other (S8).
func (e *Entry) Identity() string {
	if e.aliased != nil {
		return e.aliased.Name
	}
	return e.Name
}

// Reads are the names of the environment variables that the entry's values
// refer to, sorted.
func (e *Entry) Reads() []string {
	var names []string
	for _, value := range e.values() {
		t, _ := parseTemplate(value)
		t.each(func(r *reference) {
			if r.kind == refVariable && !e.provides(r.name) {
				names = append(names, r.name)
			}
		})
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Origin is the source that a listing shows: that of the file, or SourceImport
// for an entry of the user's own file that was imported. It only describes;
// what an entry may do follows from File.
func (e *Entry) Origin() Source {
	if e.File.Source == SourceUser && e.Options.ImportedFrom != "" {
		return SourceImport
	}
	return e.File.Source
}

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
func (e *Entry) Shown() Shown {
	return Shown{
		Command: e.Command, Args: slices.Clone(e.Args), Cwd: e.Cwd, EnvFile: e.EnvFile, Env: slices.Clone(e.Env),
		URL: e.URL, Headers: slices.Clone(e.Headers), Reads: e.Reads(),
	}
}

// Field returns the span of the value at a path such as "command", "args[0]",
// "env.TOKEN", "headers.Authorization" or "pillion.start".
func (e *Entry) Field(path string) (Span, bool) {
	f := e.field(path)
	return f.span, f.path != ""
}

func (e *Entry) field(path string) field {
	for _, f := range e.fields {
		if f.path == path {
			return f
		}
	}
	return field{}
}

// values visits every string that is expanded for the entry's transport, by its
// path.
func (e *Entry) values() iter.Seq2[string, string] {
	return func(yield func(path, value string) bool) {
		for _, v := range e.valueList() {
			if v.Value != "" && !yield(v.Name, v.Value) {
				return
			}
		}
	}
}

func (e *Entry) valueList() []Variable {
	var list []Variable
	if e.Transport == TransportStdio || e.Transport == "" {
		list = append(list, Variable{"command", e.Command})
		for i, arg := range e.Args {
			list = append(list, Variable{argPath(i), arg})
		}
		for _, v := range e.Env {
			list = append(list, Variable{"env." + v.Name, v.Value})
		}
		list = append(list, Variable{"cwd", e.Cwd}, Variable{"envFile", e.EnvFile})
	}
	if e.Transport != TransportStdio {
		list = append(list, Variable{"url", e.URL})
		for _, v := range e.Headers {
			list = append(list, Variable{"headers." + v.Name, v.Value})
		}
	}
	return list
}

func argPath(i int) string { return "args[" + strconv.Itoa(i) + "]" }

// provides reports whether a variable has a value that does not come from the
// environment: the folder of a project's file, under the name that other hosts
// give it.
func (e *Entry) provides(variable string) bool {
	return variable == ProjectDirVariable && e.File.Root != ""
}

// ProjectDirVariable is the project folder's name among the variables: Claude Code sets it, and configurations rely on it.
const ProjectDirVariable = "CLAUDE_PROJECT_DIR"

// UsesWorkspace reports whether the entry depends on the workspace folder: a
// value names it, or a path of an entry that is not a project's is relative
// (S1).
func (e *Entry) UsesWorkspace() bool {
	for _, value := range e.values() {
		t, _ := parseTemplate(value)
		found := false
		t.each(func(r *reference) {
			found = found || r.kind == refWorkspaceFolder || r.kind == refWorkspaceFolderBasename ||
				r.kind == refVariable && r.name == ProjectDirVariable
		})
		if found {
			return true
		}
	}
	if e.Transport != TransportStdio {
		return false
	}
	return isRelativeProgram(e.Command) || isRelative(e.Cwd) || isRelative(e.EnvFile)
}

// UnsetVariables returns an Information for every reference to a variable that
// has neither a value nor a default.
func (e *Entry) UnsetVariables(lookup func(name string) (string, bool)) []Finding {
	var findings []Finding
	for path, value := range e.values() {
		t, _ := parseTemplate(value)
		t.expand(func(r *reference) (string, bool) {
			if r.kind != refVariable || e.provides(r.name) {
				return "", true
			}
			return lookup(r.name)
		}, func(r *reference) {
			findings = append(findings, e.unset(path, r))
		})
	}
	return findings
}

// unset is the finding for a variable without a value.
func (e *Entry) unset(path string, r *reference) Finding {
	return Finding{
		Code: CodeUnset, Severity: Information, Entry: e.Name, Span: e.spanInside(path, r.start, r.end),
		Message: "variable " + r.name + " is not set (" + ShownName(path) + ")",
		Fix:     "set it where the editor is started, or write ${" + r.name + ":-default}",
	}
}

// spanInside is the span of a part of a string value.
func (e *Entry) spanInside(path string, start, end int) Span {
	f := e.field(path)
	if f.path == "" {
		return e.KeySpan
	}
	// The value of an alias may stand in the entry that it is an alias of.
	isElsewhere := f.span.Start < e.Span.Start || f.span.End > e.Span.End
	if !f.literal || e.Text == "" || isElsewhere {
		return f.span
	}
	// Text is what the value's span covers, so offsets are moved by its start.
	at := Span{f.span.Start - e.Span.Start, f.span.End - e.Span.Start}
	text := []byte(e.Text)
	return Span{e.Span.Start + rawOffset(text, at, start), e.Span.Start + rawOffset(text, at, end)}
}
