package config

import (
	"cmp"
	"strconv"
	"strings"

	"pillion/mcp/redact"
)

// Advice is what a person who writes the file should know beside its faults, of
// the text alone: secrets that stand in it, and packages whose next version
// would run unseen. Of entries that are disabled nothing is said (U23).
func (d *Draft) Advice() []Finding {
	var list []Finding
	for _, e := range d.Document.Entries {
		if e.Disabled || e.alias != "" || len(list) > MaxFindings {
			continue
		}
		list = append(list, e.secrets()...)
		if f, ok := e.Unpinned(); ok {
			list = append(list, f)
		}
	}
	return list
}

// Unpinned says that a runner is free to bring another version of what the entry names at each start; false where it is not,
// or where the package stands in no argument of its own.
func (e *Entry) Unpinned() (Finding, bool) {
	p, ok := e.Package()
	if !ok || p.IsPinned {
		return Finding{}, false
	}
	at, ok := e.Field(argPath(p.Arg))
	if !ok {
		return Finding{}, false
	}
	return Finding{Code: CodeUnpinned, Severity: Hint, Span: at, Entry: e.Name,
		Message: quoted(p.Name) + " is not pinned: " + p.Runner + " runs whatever version is the newest at a start",
		Fix:     "write " + quoted(p.Name+p.Mark+"<version>")}, true
}

// secrets finds values that look like secrets and stand there as they are (S11).
// No message repeats one.
func (e *Entry) secrets() []Finding {
	var list []Finding
	for path, value := range e.values() {
		if strings.Contains(value, "${") || path == "command" || path == "cwd" || path == "envFile" {
			continue
		}
		start, variable := e.secretIn(path, value)
		if variable == "" {
			continue
		}
		f := Finding{Code: CodeSecret, Severity: Warning, Span: e.spanInside(path, start, len(value)), Entry: e.Name,
			Message: "what looks like a secret stands here as it is (" + ShownName(path) + ")",
			Fix:     "write ${" + variable + "} and keep the value in your environment"}
		if e.File.Source == SourceUser {
			f.Severity = Hint
		}
		if path != "url" {
			f.Edit = &Edit{f.Span, "${" + variable + "}"}
		}
		if at := e.field(path).span; f.Span == at { // without its quotes
			f.Edit = &Edit{at, `"${` + variable + `}"`}
		} else if f.Span.Start < e.Span.Start || f.Span.End > e.Span.End {
			f.Edit = nil
		}
		list = append(list, f)
	}
	return list
}

// secretIn is where the secret of a value begins, and what a variable for it is
// called; no name says that there is none.
func (e *Entry) secretIn(path, value string) (start int, variable string) {
	kind, name, _ := strings.Cut(path, ".")
	if i, isArg := strings.CutPrefix(path, "args["); isArg {
		n, _ := strconv.Atoi(strings.TrimSuffix(i, "]"))
		kind, name = "args", ""
		if option, text, ok := strings.Cut(value, "="); ok {
			name, start, value = option, len(option)+1, text
		} else if n > 0 && strings.HasPrefix(e.Args[n-1], "-") && !strings.HasPrefix(value, "-") {
			name = e.Args[n-1]
		}
	}
	switch {
	case kind == "url":
		if !redact.AddressLooksSecret(value) {
			return 0, ""
		}
		return 0, variableFor(e.Name) + "_URL"
	case !redact.LooksSecret(name, value):
		return 0, ""
	case kind == "headers":
		if scheme, rest, ok := strings.Cut(value, " "); ok && rest != "" && isToken(scheme) {
			start = len(scheme) + 1
		}
		return start, variableFor(e.Name) + "_TOKEN"
	case kind == "env":
		if isVariableName(name) {
			return 0, name
		}
		return 0, variableFor(name)
	}
	return start, cmp.Or(variableFor(strings.Trim(name, "-")), variableFor(e.Name)+"_SECRET")
}

func isVariableName(name string) bool {
	return name != "" && name == strings.Map(func(r rune) rune {
		if r == '_' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' {
			return r
		}
		return -1
	}, name) && !('0' <= name[0] && name[0] <= '9')
}

// variableFor makes a variable's name of another one.
func variableFor(name string) string {
	made := strings.ToUpper(strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' {
			return r
		}
		return '_'
	}, name))
	made = strings.Trim(made, "_")
	if made != "" && '0' <= made[0] && made[0] <= '9' {
		made = "_" + made
	}
	return made
}
