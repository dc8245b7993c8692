package config

import (
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Scope is what an entry is expanded in.
type Scope struct {
	// Root is the workspace folder: that of the file for a project's entry,
	// which has it from its file when this is empty. Empty when no folder is
	// open.
	Root string
	// Dir is where an entry that is not a project's starts when it names no cwd
	// (S1: Pillion's own empty folder); when empty, Cwd stays empty. A
	// project's entry starts in Root.
	Dir string
	// Home is the user's home folder.
	Home string
	// Lookup reads one environment variable; nil is an empty environment.
	Lookup func(name string) (string, bool)
	// Input is the value that was given for an input; nil knows none.
	Input func(id string) (string, bool)
	// IsSecret reports whether a value is a secret by its key or its shape; nil
	// says that only header values are.
	IsSecret func(key, value string) bool
}

// Expanded is an entry with every reference replaced: what is started.
type Expanded struct {
	// Command is absolute when the entry's has a slash; a bare name stays bare.
	Command string
	Args    []string
	// Env holds the envFile's variables with env's over them.
	Env map[string]string
	// Cwd is absolute, or empty for a remote entry.
	Cwd     string
	URL     string
	Headers map[string]string
	// Secrets are values to keep out of logs, results and questions (E7),
	// longest first.
	Secrets []string
	// Warnings do not keep the entry from starting.
	Warnings []Finding
}

// Expand replaces the references in command, args, env, cwd and envFile, or
// url and headers, and reads the envFile; call it only for an entry that may
// run (S24). Any finding returned is a reason not to start: the Expanded is
// unusable then. A value is never expanded twice, and an unset variable is
// named with its field instead of becoming an empty string.
func (e *Entry) Expand(s Scope) (Expanded, []Finding) {
	if e.Fault != nil {
		return Expanded{}, []Finding{*e.Fault}
	}
	if s.Root == "" {
		s.Root = e.File.Root
	}
	x := expansion{entry: e, scope: s, secrets: map[string]bool{}}
	if e.Transport == TransportStdio {
		x.program()
	} else {
		x.remote()
	}
	if len(x.findings) > 0 {
		return Expanded{}, x.findings
	}
	x.out.Secrets = slices.SortedFunc(maps.Keys(x.secrets), func(a, b string) int {
		if len(a) != len(b) {
			return len(b) - len(a)
		}
		return strings.Compare(a, b)
	})
	return x.out, nil
}

type expansion struct {
	entry    *Entry
	scope    Scope
	out      Expanded
	secrets  map[string]bool
	findings []Finding
}

func (x *expansion) program() {
	e := x.entry
	x.out.Cwd = x.directory()
	x.out.Command = x.programPath(x.value("command", e.Command))
	x.out.Args = make([]string, len(e.Args))
	for i, arg := range e.Args {
		x.out.Args[i] = x.value(argPath(i), arg)
	}
	x.argumentSecrets()
	x.out.Env = x.envFile()
	for _, v := range e.Env {
		value := x.value("env."+v.Name, v.Value)
		x.out.Env[v.Name] = value
		x.secret(v.Name, value)
	}
}

// argumentSecrets looks for secrets given as arguments: by the flag before
// them, by the name before =, or by shape.
func (x *expansion) argumentSecrets() {
	flag := ""
	for _, arg := range x.out.Args {
		name, value, assigned := strings.Cut(arg, "=")
		switch {
		case assigned:
			x.secret(strings.TrimLeft(name, "-"), value)
		case flag != "":
			x.secret(flag, arg)
		}
		x.secret("", arg)
		flag = ""
		if !assigned && strings.HasPrefix(arg, "-") {
			flag = strings.TrimLeft(arg, "-")
		}
	}
}

func (x *expansion) remote() {
	e := x.entry
	x.out.URL = x.value("url", e.URL)
	x.address()
	x.out.Headers = map[string]string{}
	for _, v := range e.Headers {
		path := "headers." + v.Name
		value := x.value(path, v.Value)
		if hasLineBreak(value) {
			x.refuse(CodeHeader, path, "the value of the header "+v.Name+" holds a line break ("+path+")", "remove it where the value is set")
		}
		x.out.Headers[v.Name] = value
		x.headerSecret(v, value)
	}
}

// address judges the expanded URL and finds the secrets in it.
func (x *expansion) address() {
	if len(x.findings) > 0 {
		return
	}
	if f := judgeURL(x.out.URL); f != nil {
		x.refuse(f.Code, "url", f.Message, f.Fix)
		if f.Severity != Error {
			last := x.findings[len(x.findings)-1]
			last.Severity = f.Severity
			x.findings, x.out.Warnings = x.findings[:len(x.findings)-1], append(x.out.Warnings, last)
		}
	}
	u, err := url.Parse(x.out.URL)
	if err != nil {
		return
	}
	if password, ok := u.User.Password(); ok {
		x.keep(password)
	}
	for name, values := range u.Query() {
		for _, value := range values {
			x.secret(name, value)
		}
	}
}

// headerSecret keeps a header's value, and what follows the scheme of a
// credential, unless the header says nothing secret by its nature.
func (x *expansion) headerSecret(v Variable, value string) {
	switch lower := strings.ToLower(v.Name); {
	case strings.Contains(v.Value, "${"):
	case lower == "accept" || strings.HasPrefix(lower, "accept-") || lower == "content-type" || lower == "user-agent" || lower == "cache-control":
		return
	}
	x.keep(value)
	if _, credential, ok := strings.Cut(value, " "); ok {
		x.keep(strings.TrimSpace(credential))
	}
}

// value expands one string of the entry.
func (x *expansion) value(path, text string) string {
	t, faults := parseTemplate(text)
	for _, f := range faults {
		x.refuse(CodeReference, path, f.message+" ("+ShownName(path)+")", f.fix)
	}
	return t.expand(
		func(r *reference) (string, bool) { return x.resolve(path, r) },
		func(r *reference) { x.missing(path, r) })
}

func (x *expansion) resolve(path string, r *reference) (string, bool) {
	s := x.scope
	switch r.kind {
	case refWorkspaceFolder:
		return s.Root, s.Root != ""
	case refWorkspaceFolderBasename:
		return filepath.Base(s.Root), s.Root != ""
	case refUserHome:
		return s.Home, s.Home != ""
	case refPathSeparator:
		return string(filepath.Separator), true
	case refInput:
		return x.input(r.name)
	}
	if r.name == ProjectDirVariable && s.Root != "" {
		return s.Root, true
	}
	if s.Lookup == nil {
		return "", false
	}
	value, ok := s.Lookup(r.name)
	if ok {
		x.secret(r.name, value)
	}
	return value, ok
}

// input is the value of an input. That of a password is a secret whatever it
// looks like (E7).
func (x *expansion) input(id string) (string, bool) {
	if x.scope.Input == nil {
		return "", false
	}
	value, ok := x.scope.Input(id)
	if !ok {
		return "", false
	}
	if slices.ContainsFunc(x.entry.Inputs, func(i Input) bool { return i.ID == id && i.IsSecret }) {
		x.keep(value)
	} else {
		x.secret(id, value)
	}
	return value, true
}

func (x *expansion) missing(path string, r *reference) {
	shown := " (" + ShownName(path) + ")"
	switch r.kind {
	case refWorkspaceFolder, refWorkspaceFolderBasename:
		x.refuse(CodeNoFolder, path, "no folder is open for ${"+r.name+"}"+shown, "open a folder, or write a path")
	case refUserHome:
		x.refuse(CodeReference, path, "the home folder is not known"+shown, "write a path")
	case refInput:
		x.refuse(CodeInput, path, "there is no value for ${input:"+ShownName(r.name)+"}"+shown, "start the connector again to be asked for it")
	default:
		x.findings = append(x.findings, x.entry.unset(path, r))
	}
}

func (x *expansion) refuse(code, path, message, fix string) {
	x.findings = append(x.findings, Finding{Code: code, Severity: Error, Span: x.at(path), Entry: x.entry.Name, Message: message, Fix: fix})
}

func (x *expansion) at(path string) Span {
	if span, ok := x.entry.Field(path); ok {
		return span
	}
	return x.entry.KeySpan
}

// secret keeps a value if its key or shape is a secret's.
func (x *expansion) secret(key, value string) {
	if x.scope.IsSecret != nil && x.scope.IsSecret(key, value) {
		x.keep(value)
	}
}

func (x *expansion) keep(value string) {
	if value != "" {
		x.secrets[value] = true
	}
}

// directory is where the program starts.
func (x *expansion) directory() string {
	if x.entry.Cwd == "" {
		if x.entry.File.Source == SourceProject {
			return x.scope.Root
		}
		return x.scope.Dir
	}
	dir := x.rooted("cwd", x.value("cwd", x.entry.Cwd))
	if len(x.findings) > 0 {
		return ""
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		x.refuse(CodeWorkingDirectory, "cwd", "the folder "+quoted(dir)+" is not there (cwd)", "create it, or correct cwd")
	}
	return dir
}

// programPath makes a relative program absolute; a bare name is for PATH.
func (x *expansion) programPath(program string) string {
	if program == "" && len(x.findings) == 0 {
		x.refuse(CodeValue, "command", "command is empty once it is expanded (command)", "set the variables that it reads")
	}
	if !isRelativeProgram(program) {
		return program
	}
	return x.rooted("command", program)
}

// rooted resolves a path against the workspace folder, never against the folder
// that Pillion was started in.
func (x *expansion) rooted(path, name string) string {
	if !isRelative(name) {
		return name
	}
	if x.scope.Root == "" {
		x.refuse(CodeNoFolder, path, "no folder is open for the relative "+path, "write an absolute path")
		return ""
	}
	return filepath.Join(x.scope.Root, name)
}

// envFile reads the variables of the envFile, if the entry has one.
func (x *expansion) envFile() map[string]string {
	variables := map[string]string{}
	if x.entry.EnvFile == "" {
		return variables
	}
	path := x.rooted("envFile", x.value("envFile", x.entry.EnvFile))
	if len(x.findings) > 0 {
		return variables
	}
	root := ""
	if x.entry.File.Source == SourceProject {
		root = x.scope.Root
	}
	text, err := readEnvFile(path, root)
	if err != nil {
		x.refuse(CodeEnvFile, "envFile", err.Error()+" (envFile)", "create the file, or correct envFile")
		return variables
	}
	list, err := parseEnvFile(text)
	if err != nil {
		x.refuse(CodeEnvFile, "envFile", ShownName(path)+": "+err.Error()+" (envFile)", "write NAME=value on each line")
		return variables
	}
	for _, v := range list {
		variables[v.Name] = v.Value
		x.secret(v.Name, v.Value)
		if root != "" && IsLoaderVariable(v.Name) {
			f := loaderWarning(v.Name, x.at("envFile"))
			f.Entry = x.entry.Name
			x.out.Warnings = append(x.out.Warnings, f)
		}
	}
	return variables
}

// isRelative reports whether a path is there and depends on a folder. One that
// begins with a reference is judged when it is expanded.
func isRelative(path string) bool {
	return path != "" && !filepath.IsAbs(path) && !strings.HasPrefix(path, "${")
}

// isRelativeProgram reports whether a program is named by a relative path
// rather than by a bare name.
func isRelativeProgram(program string) bool {
	return isRelative(program) && strings.ContainsAny(program, separators)
}
