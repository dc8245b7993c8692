package config

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/tailscale/hujson"
)

// Source says whose file an entry stands in.
type Source string

// Only entries of the user's own file and the built-in ones may run without
// consent; an imported file that lives in a repository is a project file.
const (
	SourceUser    Source = "user"
	SourceProject Source = "project"
	SourceImport  Source = "import"
	SourceBuiltin Source = "builtin"
)

// ProjectFileName is the name of the project file at a workspace folder's root.
const ProjectFileName = ".mcp.json"

// The bounds of a file; what lies beyond is a finding, never a crash.
const (
	MaxFileBytes = 4 << 20
	MaxEntries   = 10_000
	MaxDepth     = 64
	MaxFindings  = 1_000
	MaxNameRunes = 128
)

// File is where a text comes from. Root is the workspace folder of a project
// file and empty for every other source.
type File struct {
	Path   string
	Source Source
	Root   string
}

// Document is one file as it was understood. It is immutable.
type Document struct {
	File File
	Text []byte
	// Parsed is false when the text is not JSON with comments, or beyond a
	// bound: there are no entries then, exactly one finding says where and why,
	// and the host keeps the last good state.
	Parsed bool
	// Refused is set by who could not read the file for a *RefusedError: its last
	// good state does not count either.
	Refused bool
	// Entries are in the order of the file, invalid ones (Entry.Fault) among
	// them; names are unique.
	Entries []*Entry
	// Findings are in the order of the text. Those of disabled entries are left
	// out (U23); Entry.Findings has them.
	Findings []Finding
	// DisabledNames and ExcludedTools are what the file takes away by name,
	// whether or not the entry that says so could run by itself. A project file
	// narrows the user's connectors by them (S4).
	DisabledNames map[string]bool
	ExcludedTools map[string][]string

	// Profiles are those that the file describes or its entries name exactly, by
	// their names.
	Profiles []Profile

	byName map[string]*Entry
	// section is the text under "pillion" beside mcpServers.
	section string
	// inputs are those of a user's file, by id; nil for one with a fault.
	inputs map[string]*Input
	// defaults are the options under "pillion", "defaults".
	defaults []optionDefault
	// belongs are the profiles of each entry.
	belongs map[*Entry][]string
	// budget is how many more findings are kept while reading; every entry
	// keeps its fault whatever the budget.
	budget int
}

// Parse reads a file's text. It never panics, whatever the text, and keeps no
// reference to anything but text itself, which must not change afterwards.
func Parse(f File, text []byte) *Document {
	t, fault := parseTree(text)
	return read(f, text, t, fault)
}

// read makes a document of a parsed text, or of what kept it from being parsed.
func read(f File, text []byte, t *tree, fault *syntaxFault) *Document {
	d := &Document{File: f, Text: text, DisabledNames: map[string]bool{}, ExcludedTools: map[string][]string{},
		byName: map[string]*Entry{}, budget: 10 * MaxFindings}
	if fault != nil {
		d.Findings = []Finding{fault.finding()}
		return d
	}
	d.Parsed = true
	d.otherHosts(t)
	d.readRoot(&t.root)
	d.bindInputs()
	d.finish()
	return d
}

// Entry returns the entry of a name, or nil.
func (d *Document) Entry(name string) *Entry { return d.byName[name] }

// SaysTheSame reports whether two texts of a file surely say the same of an
// entry, by their letters alone; false decides nothing.
func (d *Document) SaysTheSame(other *Document, name string) bool {
	a, b := d.byName[name], other.byName[name]
	return d.Parsed && other.Parsed && a != nil && b != nil && a.Text == b.Text && a.alias == "" && d.section == other.section &&
		d.File == other.File
}

// EntryAt returns the entry whose key or value holds a byte offset, or nil.
func (d *Document) EntryAt(offset int) *Entry {
	for _, e := range d.Entries {
		if e.KeySpan.Start <= offset && offset <= e.Span.End {
			return e
		}
	}
	return nil
}

// UnsetVariables returns an Information for every reference to a variable that
// has neither a value nor a default, in entries that are not disabled.
func (d *Document) UnsetVariables(lookup func(name string) (string, bool)) []Finding {
	var findings []Finding
	for _, e := range d.Entries {
		if !e.Disabled && len(findings) < MaxFindings {
			findings = append(findings, e.UnsetVariables(lookup)...)
		}
	}
	return findings
}

func (d *Document) add(severity Severity, code string, at Span, message, fix string) {
	d.note(Finding{Code: code, Severity: severity, Span: at, Message: message, Fix: fix})
}

func (d *Document) note(f Finding) {
	if d.budget > 0 {
		d.budget--
		d.Findings = append(d.Findings, f)
	}
}

// isShared reports whether other hosts read a file as well (U22).
func isShared(f File) bool {
	return f.Source == SourceProject && filepath.Base(f.Path) == ProjectFileName
}

// otherHosts points at what strict readers of a shared file will refuse.
func (d *Document) otherHosts(t *tree) {
	if !isShared(d.File) {
		return
	}
	if t.comment != nil {
		d.add(Hint, CodeOtherHosts, *t.comment, "Claude Code reads .mcp.json as strict JSON and refuses the file for a comment", "remove it")
	}
	if t.trailingComma != nil {
		d.note(Finding{Code: CodeOtherHosts, Severity: Hint, Span: *t.trailingComma,
			Message: "Claude Code reads .mcp.json as strict JSON and refuses the file for a trailing comma",
			Fix:     "remove it", Edit: &Edit{*t.trailingComma, ""}})
	}
}

// serversKey is the one key of the format.
const serversKey = "mcpServers"

// readRoot reads the file's outermost object.
func (d *Document) readRoot(root *hujson.Value) {
	if !isObject(root) {
		d.add(Error, CodeRoot, spanOf(root), "the file holds "+kindName(root), `write {"mcpServers": {…}}`)
		return
	}
	list := members(root)
	first := map[string]Span{}
	servers := 0
	for _, m := range list {
		if at, ok := first[m.key]; ok && d.budget > 0 {
			d.note(duplicateFinding(duplicate{m.key, at, m.keySpan}))
		} else if !ok {
			first[m.key] = m.keySpan
		}
		if m.key == serversKey {
			servers++
			d.readServers(m)
		}
		if m.key == inputsKey && first[inputsKey] == m.keySpan {
			d.readInputs(m)
		}
	}
	if servers > 1 {
		// Readers differ in which of the two they take.
		for _, e := range d.Entries {
			e.Fault = &Finding{Code: CodeDuplicateKey, Severity: Error, Span: first[serversKey], Entry: e.Name,
				Message: "the key " + quoted(serversKey) + " stands twice in the file", Fix: "keep one of the two"}
		}
	}
	for _, m := range list {
		if m.key == "pillion" {
			d.section += string(d.Text[m.value.StartOffset:m.value.EndOffset])
			d.readSection(m)
		}
	}
	d.judgeKeys(root, list, servers > 0)
}

// readServers reads the object under mcpServers.
func (d *Document) readServers(m member) {
	if !isObject(m.value) {
		d.add(Error, CodeServers, m.span(), "mcpServers is "+kindName(m.value), `write an object: {"name": {"command": "…"}}`)
		return
	}
	for i, name := range members(m.value) {
		if i == MaxEntries || len(d.Entries) == MaxEntries {
			d.add(Error, CodeTooLarge, name.keySpan, fmt.Sprintf("the file names more than %d connectors", MaxEntries), "this one and all that follow are ignored")
			return
		}
		if e := d.byName[name.key]; e != nil {
			d.duplicateName(e, name)
			continue
		}
		e := d.readEntry(name)
		d.byName[e.Name] = e
		d.Entries = append(d.Entries, e)
	}
}

func (d *Document) readEntry(name member) *Entry {
	e := readEntry(d.File, d.Text, name, min(d.budget, maxEntryFindings))
	d.budget -= len(e.Findings)
	return e
}

// duplicateName refuses a connector that stands twice: hosts differ in which
// one they take, so neither runs.
func (d *Document) duplicateName(e *Entry, second member) {
	f := Finding{Code: CodeDuplicateName, Severity: Error, Entry: e.Name, Span: second.keySpan, Related: []Span{e.KeySpan},
		Message: "the connector " + quoted(e.Name) + " stands here twice", Fix: "rename or remove one of the two"}
	d.note(f)
	if e.Fault == nil || e.Fault.Code != CodeDuplicateName {
		here := f
		here.Span, here.Related = e.KeySpan, []Span{second.keySpan}
		d.note(here)
		e.Fault = &here
	}
	// What either of the two takes away counts.
	again := d.readEntry(second)
	e.off = e.off || again.off
	e.Options.ExcludeTools = append(e.Options.ExcludeTools, again.Options.ExcludeTools...)
}

// judgeKeys says what is wrong with the keys of the root.
func (d *Document) judgeKeys(root *hujson.Value, list []member, served bool) {
	list = list[:min(len(list), maxItems)]
	if !served && !d.foreignKey(list) {
		d.add(Hint, CodeServers, Span{root.StartOffset, root.StartOffset + 1}, "the file names no connectors", `write "mcpServers": {…}`)
	}
	for _, m := range list {
		switch m.key {
		case serversKey, inputsKey, "$schema", "pillion":
		default:
			if served {
				d.unknownRootKey(m)
			}
		}
	}
}

// foreignKey names the key of another host or a misspelling that stands in the
// place of mcpServers, so that a file is never silently empty.
func (d *Document) foreignKey(list []member) bool {
	hosts := map[string]string{"servers": "VS Code's mcp.json", "context_servers": "Zed's settings", "mcp": "VS Code's or opencode's settings", "mcp_servers": "Codex's configuration"}
	for _, m := range list {
		f := Finding{Code: CodeRootKey, Severity: Error, Span: m.keySpan, Message: "expected mcpServers, found " + ShownName(m.key),
			Fix: `write "mcpServers"`, Edit: &Edit{m.keySpan, `"mcpServers"`}}
		_, near := nearest(m.key, []string{serversKey}, nil)
		switch {
		case hosts[m.key] != "":
			f.Message += ", the key of " + hosts[m.key]
		case near:
		case looksLikeEntry(m.value):
			f.Message = "the connector " + quoted(m.key) + " stands outside mcpServers"
			f.Fix, f.Edit = `write {"mcpServers": {…}} around it`, nil
		default:
			continue
		}
		d.note(f)
		return true
	}
	return false
}

func looksLikeEntry(v *hujson.Value) bool {
	return slices.ContainsFunc(members(v), func(m member) bool { return m.key == "command" || m.key == "url" })
}

func (d *Document) unknownRootKey(m member) {
	switch {
	case m.key == "servers" || looksLikeEntry(m.value):
		d.add(Warning, CodeRootKey, m.keySpan, "what stands under "+quoted(m.key)+" is not read", `move it into "mcpServers"`)
	default:
		d.add(Hint, CodeUnknownKey, m.keySpan, "the key "+quoted(m.key)+" is not known and has no effect", "")
	}
}

// finish gathers what the entries have to say and take away.
func (d *Document) finish() {
	for _, e := range d.Entries {
		if e.off {
			d.DisabledNames[e.Name] = true
		}
		if len(e.Options.ExcludeTools) > 0 {
			d.ExcludedTools[e.Name] = e.Options.ExcludeTools
		}
	}
	// What the file says of all its entries is no part of what it takes from the
	// user's, and so comes after (S4).
	for _, e := range d.Entries {
		d.applyDefaults(e)
	}
	d.resolveAliases()
	d.settleProfiles()
	for _, e := range d.Entries {
		if !e.Disabled {
			d.Findings = append(d.Findings, e.Findings...)
		}
	}
	slices.SortStableFunc(d.Findings, func(a, b Finding) int { return cmp.Compare(a.Span.Start, b.Span.Start) })
	if over := len(d.Findings) - MaxFindings; over > 0 {
		last := d.Findings[MaxFindings-1].Span
		d.Findings = d.Findings[:MaxFindings-1]
		d.Findings = append(d.Findings, Finding{Code: CodeTooLarge, Severity: Information, Span: last,
			Message: fmt.Sprintf("%d or more further findings are not shown", over+1)})
	}
}
