package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/tailscale/hujson"

	"pillion/mcp/settings"
)

// maxEntryFindings bounds what one entry has to say, maxItems each object and
// list of it.
const (
	maxEntryFindings = 100
	maxItems         = 1_000
)

// entryReader reads one entry. What it does not like becomes a finding of that
// entry and touches no other.
type entryReader struct {
	entry *Entry
	text  []byte
	// has holds the first member of each key.
	has map[string]member
	// typed is the member that names the transport, if one does; Transport is
	// still empty when what it names is refused.
	typed *member
	// limit is how many findings the entry keeps.
	limit int
	// headers are the spans of the header names seen, in lower case.
	headers map[string]Span
}

// readEntry reads the value under a connector's name.
func readEntry(f File, text []byte, name member, limit int) *Entry {
	at := name.span()
	e := &Entry{Name: name.key, File: f, KeySpan: name.keySpan, Span: at,
		ID: EntryID(f.Path, name.key), Text: string(text[at.Start:at.End])}
	r := &entryReader{entry: e, text: text, limit: limit, has: map[string]member{}, headers: map[string]Span{}}
	if finding := checkName(e.Name); finding != nil {
		finding.Span = e.KeySpan
		r.add(*finding)
	}
	if !isObject(name.value) {
		r.refuse(CodeType, at, "the entry is "+kindName(name.value), `write an object such as {"command": "npx", "args": ["…"]}`)
		return e
	}
	for _, d := range duplicates(name.value) {
		r.add(duplicateFinding(d))
	}
	list := r.members(name)
	for _, m := range list {
		if _, ok := r.has[m.key]; !ok {
			r.has[m.key] = m
		}
	}
	for _, m := range list {
		r.key(m)
	}
	r.check()
	return e
}

// members lists an object's members unless there are beyond all reason many.
func (r *entryReader) members(m member) []member {
	list := members(m.value)
	if r.tooMany(m, len(list)) {
		return nil
	}
	return list
}

func (r *entryReader) tooMany(m member, n int) bool {
	if n > maxItems {
		r.refuse(CodeTooLarge, m.keySpan, fmt.Sprintf("%s holds %d items", quoted(m.key), n), fmt.Sprintf("use at most %d", maxItems))
	}
	return n > maxItems
}

func duplicateFinding(d duplicate) Finding {
	return Finding{Code: CodeDuplicateKey, Severity: Error, Span: d.second, Related: []Span{d.first},
		Message: "the key " + quoted(d.key) + " stands here twice", Fix: "keep one of the two"}
}

// add notes a finding; an error is also the entry's fault unless it has one.
func (r *entryReader) add(f Finding) {
	e := r.entry
	f.Entry = e.Name
	if f.Severity == Error && e.Fault == nil {
		fault := f
		e.Fault = &fault
	}
	if len(e.Findings) < r.limit {
		e.Findings = append(e.Findings, f)
	}
}

func (r *entryReader) refuse(code string, at Span, message, fix string) {
	r.add(Finding{Code: code, Severity: Error, Span: at, Message: message, Fix: fix})
}

func (r *entryReader) warn(code string, at Span, message, fix string) {
	r.add(Finding{Code: code, Severity: Warning, Span: at, Message: message, Fix: fix})
}

func (r *entryReader) hint(code string, at Span, message, fix string) {
	r.add(Finding{Code: code, Severity: Hint, Span: at, Message: message, Fix: fix})
}

// The keys of an entry.
func entryKeys() []string {
	var keys []string
	for _, key := range settings.EntryKeys() {
		keys = append(keys, string(key.Name))
	}
	return keys
}

// misnamedKeys are what other programs call a key.
func misnamedKeys() map[string]string {
	return map[string]string{
		"cmd": "command", "arguments": "args", "environment": "env", "environmentVariables": "env",
		"workingDirectory": "cwd", "workdir": "cwd", "serverUrl": "url", "httpUrl": "url", "uri": "url", "endpoint": "url",
		"httpHeaders": "headers", "http_headers": "headers", "disable": "disabled", "enable": "enabled",
	}
}

func (r *entryReader) key(m member) {
	e := r.entry
	if m.key != "args" && m.key != "env" && m.key != "headers" && m.key != "pillion" {
		e.fields = append(e.fields, field{path: m.key, span: m.span(), literal: m.value.Value.Kind() == '"'})
	}
	switch m.key {
	case "command":
		r.command(m)
	case "args":
		e.Args = r.texts(m)
	case "env":
		e.Env = r.variables(m)
	case "headers":
		e.Headers = r.variables(m)
	case "cwd":
		e.Cwd = r.str(m, `write a folder in double quotes`)
	case "envFile":
		e.EnvFile = r.str(m, `write a file name in double quotes`)
	case "url":
		e.URL = r.str(m, `write a URL in double quotes`)
	case "type", "transport", "transportType":
		r.transport(m)
	case "disabled", "enabled":
		r.disabled(m)
	case "timeout":
		r.timeout(m)
	case "description":
		r.description(m)
	case "pillion":
		r.options(m)
	default:
		r.unknown(m)
	}
}

func (r *entryReader) description(m member) {
	if m.value.Value.Kind() != '"' {
		r.warn(CodeType, m.span(), "description is "+kindName(m.value), "write a string")
		return
	}
	if r.entry.Options.Description == "" {
		r.entry.Options.Description = decodeString(m.value.Value)
	}
}

// unknown says what an unknown key could have been.
func (r *entryReader) unknown(m member) {
	switch m.key {
	case "alwaysAllow", "autoApprove":
		r.hint(CodeIgnoredKey, m.keySpan, quoted(m.key)+" is never honoured", "Pillion asks, and remembers your answers itself")
		return
	case "auth", "oauth", "headersHelper":
		r.keep(m)
		r.hint(CodeUnsupported, m.keySpan, quoted(m.key)+" is not supported yet", "write what is needed into headers or env")
		return
	}
	r.keep(m)
	right, near := nearest(m.key, entryKeys(), misnamedKeys())
	if !near {
		r.hint(CodeUnknownKey, m.keySpan, "the key "+quoted(m.key)+" is not known and has no effect", "")
		return
	}
	f := Finding{Code: CodeUnknownKey, Severity: Warning, Span: m.keySpan, Message: "the key " + quoted(m.key) + " is not known",
		Fix: "write " + quoted(right), Edit: &Edit{m.keySpan, `"` + right + `"`}}
	if _, ok := r.has[right]; ok {
		f.Fix, f.Edit = "remove it: "+quoted(right)+" is there already", nil
	}
	if takesAway(right, m.value) {
		// Without the misspelt key the connector would be on, or do more.
		f.Severity = Error
	}
	r.add(f)
}

// takesAway reports whether a key of this value makes an entry do less.
func takesAway(key string, value *hujson.Value) bool {
	literal, _ := value.Value.(hujson.Literal)
	switch key {
	case "disabled":
		return string(literal) != "false"
	case "enabled":
		return string(literal) != "true"
	}
	return key == "tools" || key == "excludeTools"
}

// keep remembers a key that only the hash looks at.
func (r *entryReader) keep(m member) {
	if r.entry.extra == nil {
		r.entry.extra = map[string]jsontext.Value{}
	}
	r.entry.extra[m.key] = canonicalValue(r.text[m.value.StartOffset:m.value.EndOffset])
}

// str reads a string value.
func (r *entryReader) str(m member, fix string) string {
	if m.value.Value.Kind() != '"' {
		r.refuse(CodeType, m.span(), m.key+" is "+kindName(m.value), fix)
		return ""
	}
	value := decodeString(m.value.Value)
	r.inspect(m.key, m.span(), value)
	return value
}

func (r *entryReader) command(m member) {
	fix := `write the program's name in double quotes`
	if list, ok := m.value.Value.(*hujson.Array); ok && len(list.Elements) > 0 {
		fix = `write the first element as "command" and the rest as "args"`
	}
	r.entry.Command = r.str(m, fix)
	if m.value.Value.Kind() != '"' {
		return
	}
	words := strings.Fields(r.entry.Command)
	switch {
	case len(words) == 0:
		r.refuse(CodeValue, m.span(), "command is empty", "write the program's name")
	case len(words) > 1 && !strings.ContainsAny(words[0], `/\`) && !r.hasAny("args"):
		r.warn(CodeShellLine, m.span(), "command is run as one program's name, not by a shell",
			fmt.Sprintf(`write "command": %q, "args": [%q, …]`, words[0], words[1]))
	}
}

// texts reads an array of strings. Numbers and booleans count as what is
// written: README files have them.
func (r *entryReader) texts(m member) []string {
	list, ok := m.value.Value.(*hujson.Array)
	if !ok {
		r.refuse(CodeType, m.span(), m.key+" is "+kindName(m.value), `write an array of strings, one for each argument: ["-y", "package"]`)
		return nil
	}
	if r.tooMany(m, len(list.Elements)) {
		return nil
	}
	values := make([]string, 0, len(list.Elements))
	for i := range list.Elements {
		values = append(values, r.scalar(argPath(i), &list.Elements[i]))
	}
	return values
}

// variables reads an object of strings.
func (r *entryReader) variables(m member) []Variable {
	if !isObject(m.value) {
		r.refuse(CodeType, m.span(), m.key+" is "+kindName(m.value), `write an object of strings: {"NAME": "value"}`)
		return nil
	}
	found := r.members(m)
	list := make([]Variable, 0, len(found))
	for _, v := range found {
		if m.key == "env" {
			r.variableName(v)
		} else {
			r.headerName(v)
		}
		list = append(list, Variable{v.key, r.scalar(m.key+"."+v.key, v.value)})
	}
	return list
}

// scalar reads a string, or a number or boolean in its place.
func (r *entryReader) scalar(path string, v *hujson.Value) string {
	at := spanOf(v)
	r.entry.fields = append(r.entry.fields, field{path: path, span: at, literal: v.Value.Kind() == '"'})
	switch v.Value.Kind() {
	case '"':
		value := decodeString(v.Value)
		r.inspect(path, at, value)
		return value
	case '0', 't', 'f':
		value := string(v.Value.(hujson.Literal))
		r.add(Finding{Code: CodeSpelling, Severity: Hint, Span: at, Message: ShownName(path) + " is " + kindName(v),
			Fix: `write it in double quotes: other hosts refuse it`, Edit: &Edit{at, `"` + value + `"`}})
		return value
	}
	r.refuse(CodeType, at, ShownName(path)+" is "+kindName(v), "write a string")
	return ""
}

// inspect judges a string by what it holds: references, and what no program
// can be given.
func (r *entryReader) inspect(path string, at Span, value string) {
	if strings.ContainsRune(value, 0) {
		r.refuse(CodeValue, at, ShownName(path)+" holds a zero character", "remove it")
		return
	}
	inside := func(start, end int) Span {
		return Span{rawOffset(r.text, at, start), rawOffset(r.text, at, end)}
	}
	t, faults := parseTemplate(value)
	for _, f := range faults {
		r.refuse(CodeReference, inside(f.start, f.end), f.message+" ("+ShownName(path)+")", f.fix)
	}
	t.each(func(ref *reference) { r.reference(path, inside(ref.start, ref.end), ref) })
	if strings.HasPrefix(value, "~/") && !strings.HasPrefix(path, "headers.") && path != "url" {
		r.add(Finding{Code: CodeSpelling, Severity: Hint, Span: at, Message: "~ is not expanded (" + ShownName(path) + ")",
			Fix: "write ${userHome}", Edit: &Edit{inside(0, 1), "${userHome}"}})
	}
}

func (r *entryReader) reference(path string, at Span, ref *reference) {
	shown := " (" + ShownName(path) + ")"
	switch {
	case ref.kind == refInput:
		if source := r.entry.File.Source; source == SourceProject || source == SourceImport {
			r.refuse(CodeInput, at, "${input:"+ShownName(ref.name)+"} works in your own mcp.json alone"+shown, "write ${NAME} and set the variable")
		}
	case ref.prefixed && r.shared():
		f := Finding{Code: CodeOtherHosts, Severity: Hint, Span: at,
			Message: "Claude Code and VS Code do not expand ${env:…} in .mcp.json" + shown, Fix: "write ${" + ref.name + "}"}
		if !ref.hasDefault && !strings.ContainsAny(ref.name, "().") {
			f.Edit = &Edit{at, "${" + ref.name + "}"}
		}
		r.add(f)
	}
}

// shared reports whether other hosts read the file as well (U22).
func (r *entryReader) shared() bool { return isShared(r.entry.File) }

// hasAny reports whether the entry has one of the keys.
func (r *entryReader) hasAny(keys ...string) bool {
	return slices.ContainsFunc(keys, func(k string) bool { _, ok := r.has[k]; return ok })
}
