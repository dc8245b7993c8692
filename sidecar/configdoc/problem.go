package configdoc

import (
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"go.lsp.dev/protocol"

	"pillion/editors"
	"pillion/mcp/config"
	"pillion/mcp/host"
)

// problem is one thing to say about one place, with what it came from.
type problem struct {
	config.Finding
	// related are places that belong to it, in other files too.
	related []protocol.DiagnosticRelatedInformation
}

// problems are everything to say about the document. Faults of the text are errors and warnings, everything else informs, and
// of disabled entries nothing is said (U23).
func problems(d *Document, f Facts) []problem {
	var list []problem
	add := func(findings ...config.Finding) {
		for _, one := range findings {
			list = append(list, problem{Finding: one, related: d.related(one)})
		}
	}
	add(d.Draft.Document.Findings...)
	add(d.Draft.Advice()...)
	looked := looks{has: map[string]bool{}}
	for _, e := range d.Draft.Document.Entries {
		if e.Disabled || e.Pillion || len(list) > config.MaxFindings {
			continue
		}
		if d.Draft.Document.Parsed { // else more of it is being written
			add(missing(e, f, &looked)...)
		}
		list = append(list, state(e, f)...)
	}
	return list
}

// related are the other places of a finding, each with what it is.
func (d *Document) related(f config.Finding) []protocol.DiagnosticRelatedInformation {
	var list []protocol.DiagnosticRelatedInformation
	for _, span := range f.Related {
		list = append(list, protocol.DiagnosticRelatedInformation{
			Location: protocol.Location{URI: d.URI, Range: d.rangeOf(span)}, Message: relatedText(f.Code),
		})
	}
	return list
}

func relatedText(code string) string {
	switch code {
	case config.CodeSyntax:
		return "what ends it instead"
	case config.CodeAliasCycle:
		return "the next of the circle"
	case config.CodeConflict:
		return "what it does not go with"
	}
	return "it stands here as well"
}

// looks remembers what was looked for, since many entries name the same.
type looks struct{ has map[string]bool }

func (l *looks) at(key string, look func() bool) bool {
	has, isKnown := l.has[key]
	if !isKnown {
		has = look()
		l.has[key] = has
	}
	return has
}

// missing says what an entry refers to and is not there: variables, its program, its script.
func missing(e *config.Entry, f Facts, looked *looks) []config.Finding {
	var list []config.Finding
	if f.IsSet != nil && len(e.Reads()) > 0 {
		list = append(list, e.UnsetVariables(func(name string) (string, bool) { return "", f.IsSet(e, name) })...)
	}
	if e.Transport != config.TransportStdio || e.AliasOf != "" || f.runs(e) {
		return list
	}
	inform := func(code, at, message, fix string) {
		if span, ok := e.Field(at); ok {
			list = append(list, config.Finding{Code: code, Severity: config.Information, Span: span, Entry: e.Name, Message: message, Fix: fix})
		}
	}
	if name := e.Command; f.HasProgram != nil && isBare(name) && !looked.at("program "+name, func() bool { return f.HasProgram(name) }) {
		inform("program-not-found", "command", "the program "+editors.Quoted(name)+" is not on the PATH",
			"install it, write its full path, or start the editor where it is found")
	}
	for at, name := range scripts(e) {
		if f.HasFile != nil && !looked.at("file "+name, func() bool { return f.HasFile(name) }) {
			inform("script-not-found", at, "there is no file "+editors.Quoted(name)+" in this folder", "correct the path, or create the file")
		}
	}
	return list
}

// runs reports whether the connector has shown that its program can be found.
func (f Facts) runs(e *config.Entry) bool {
	c, isKnown := f.connector(e)
	return isKnown && (c.State == host.StateReady || c.State == host.StateStarting || c.State == host.StateIdle && c.Generation > 0)
}

func isBare(command string) bool {
	return command != "" && !strings.ContainsAny(command, "/\\$ \t")
}

// scripts are the files of its folder that a project's entry names, by the path of the value that does, as they lie below the
// folder. Only what is clean by its letters counts (S24).
func scripts(e *config.Entry) map[string]string {
	if e.File.Source != config.SourceProject || e.Cwd != "" && e.Cwd != "." && e.Cwd != "${workspaceFolder}" {
		return nil
	}
	found := map[string]string{}
	add := func(at, value string, isProgram bool) {
		inside, isBelow := strings.CutPrefix(value, "${workspaceFolder}/")
		name := filepath.FromSlash(inside)
		isNamed := isBelow || strings.HasPrefix(value, "./") || isProgram && strings.Contains(value, "/") || isScript(value)
		if isNamed && !strings.ContainsAny(inside, "$~:\\*? \t\x00") && !strings.HasPrefix(inside, "-") && filepath.IsLocal(name) {
			found[at] = name
		}
	}
	add("command", e.Command, true)
	if _, isPackage := e.Package(); isPackage {
		return found
	}
	for i, arg := range e.Args {
		add(fmt.Sprintf("args[%d]", i), arg, false)
	}
	return found
}

func isScript(value string) bool {
	switch path.Ext(value) {
	case ".js", ".mjs", ".cjs", ".ts", ".mts", ".py", ".rb", ".sh", ".php", ".pl", ".lua", ".jar":
		return true
	}
	return false
}
