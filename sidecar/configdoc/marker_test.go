package configdoc

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"pillion/mcp/config"
	"pillion/mcp/host"
)

// The marker tests are archives in testdata: facts, a text with marks such as ‹hover:a›, and what is to be said about it. With
// -update what is said becomes what is wanted; read the difference before you keep it.
var update = flag.Bool("update", false, "write what is said into the archives")

// given are the facts of an archive.
type given struct {
	Source     string                    `json:"source"` // project without one
	Set        []string                  `json:"set"`
	Programs   []string                  `json:"programs"` // all are there without a list
	Files      []string                  `json:"files"`
	Variables  []string                  `json:"variables"`
	Names      []string                  `json:"names"`
	Versions   map[string]string         `json:"versions"`
	Connectors map[string]givenConnector `json:"connectors"`
	Foreign    *struct{ Program, Key string }
	UTF8       bool `json:"utf8"`
	Plain      bool `json:"plain"` // hovers
}

type givenConnector struct {
	State      host.State    `json:"state"`
	Permission string        `json:"permission"`
	Problem    *host.Problem `json:"problem"`
	Server     host.Server   `json:"server"`
	Tools      []host.Tool   `json:"tools"`
	Tokens     int           `json:"tokens"`
	Changed    []string      `json:"changed"`
	Shadowed   bool          `json:"shadowed"`
	Edited     bool          `json:"edited"`
	Broken     bool          `json:"broken"`
}

const workspace = "/ws"

func (g given) file() config.File {
	if g.Source == "user" {
		return config.File{Path: "/home/u/mcp.json", Source: config.SourceUser}
	}
	return config.File{Path: workspace + "/.mcp.json", Source: config.SourceProject, Root: workspace}
}

func (g given) facts() Facts {
	f := Facts{Connectors: map[string]Connector{}, Names: g.Names}
	f.IsSet = func(_ *config.Entry, name string) bool { return slices.Contains(g.Set, name) }
	f.HasProgram = func(name string) bool { return g.Programs == nil || slices.Contains(g.Programs, name) }
	f.HasFile = func(name string) bool { return slices.Contains(g.Files, name) }
	f.Variables = func() []string { return g.Variables }
	f.Version = func(_ *config.Entry, p config.Package) string { return g.Versions[p.Name] }
	f.Tools = func(id string) []host.Tool { return g.Connectors[id].Tools }
	for name, c := range g.Connectors {
		known := Connector{IsCurrent: !c.Edited, ChangedTools: c.Changed, Connector: host.Connector{IsBroken: c.Broken,
			ID: name, Name: name, State: c.State, Permission: host.Missing(c.Permission), Problem: c.Problem, Server: c.Server,
			Tools: len(c.Tools), Tokens: c.Tokens, Source: g.file().Source,
		}}
		if c.Shadowed {
			known.ShadowedBy = "other"
			known.Shadow = &protocol.Location{URI: "file:///home/u/mcp.json"}
		}
		f.Connectors[name] = known
	}
	return f
}

func TestMarkers(t *testing.T) {
	archives, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatalf("%v, %d archives", err, len(archives))
	}
	for _, path := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			files := map[string]string{}
			for _, file := range archive.Files {
				files[file.Name] = string(file.Data)
			}
			var g given
			if text := files["facts.json"]; text != "" {
				if err := json.Unmarshal([]byte(text), &g); err != nil {
					t.Fatal(err)
				}
			}
			m := newMarked(t, g, files["text"])
			got := m.said()
			if !*update {
				if got != files["want"] {
					t.Errorf("%s is said otherwise; with -update it is written\n%s", path, difference(files["want"], got))
				}
				return
			}
			archive.Files = slices.DeleteFunc(archive.Files, func(f txtar.File) bool { return f.Name == "want" })
			archive.Files = append(archive.Files, txtar.File{Name: "want", Data: []byte(got)})
			if err := os.WriteFile(path, txtar.Format(archive), 0o644); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// difference shows the lines that are in one text alone.
func difference(want, got string) string {
	var b strings.Builder
	wanted, said := strings.Split(want, "\n"), strings.Split(got, "\n")
	for _, line := range wanted {
		if !slices.Contains(said, line) {
			fmt.Fprintln(&b, "-", line)
		}
	}
	for _, line := range said {
		if !slices.Contains(wanted, line) {
			fmt.Fprintln(&b, "+", line)
		}
	}
	return b.String()
}

// marked is a text with what its marks ask for.
type marked struct {
	t     *testing.T
	given given
	text  string
	marks []mark
	d     *Document
	facts Facts
}

type mark struct {
	kind, argument string
	offset         int
}

var markPattern = regexp.MustCompile(`‹(\w+)(?::([^›]*))?›`)

func newMarked(t *testing.T, g given, text string) *marked {
	m := &marked{t: t, given: g, facts: g.facts()}
	// What an archive cannot hold by itself stands as an escape.
	text = strings.NewReplacer("␍", "\r", "␉", "\t", "�BOM", "\ufeff").Replace(text)
	for at := markPattern.FindStringSubmatchIndex(text); at != nil; at = markPattern.FindStringSubmatchIndex(text) {
		one := mark{kind: text[at[2]:at[3]], offset: at[0]}
		if at[4] >= 0 {
			one.argument = text[at[4]:at[5]]
		}
		m.marks = append(m.marks, one)
		text = text[:at[0]] + text[at[1]:]
	}
	m.text = text
	m.d = m.document(text)
	return m
}

func (m *marked) document(text string) *Document {
	return New("file:///ws/.mcp.json", config.ParseDraft(m.given.file(), []byte(text)), Units{IsUTF16: !m.given.UTF8})
}

func (m *marked) said() string {
	var b strings.Builder
	if f := m.given.Foreign; f != nil {
		foreign := &Foreign{Document: m.d, Program: f.Program, Key: f.Key, Into: ".mcp.json"}
		m.diagnostics(&b, ForeignDiagnostics(foreign))
		for _, action := range Conversions(foreign, m.d.rangeOf(config.Span{End: len(m.text)})) {
			fmt.Fprintf(&b, "action %s: %s %s\n", *action.Kind, action.Title, action.Command.Arguments)
		}
		return b.String()
	}
	m.diagnostics(&b, Diagnostics(m.d, m.facts))
	m.fixes(&b)
	m.actions(&b)
	for _, one := range m.marks {
		m.mark(&b, one)
	}
	return b.String()
}

func (m *marked) diagnostics(b *strings.Builder, all []protocol.Diagnostic) {
	for _, one := range all {
		fmt.Fprintf(b, "diagnostic %s %s %s: %s\n", at(one.Range), severity(one.Severity), one.Code, one.Message)
		for _, related := range one.RelatedInformation {
			fmt.Fprintf(b, "\trelated %s %s: %s\n", filepath.Base(string(related.Location.URI)), at(related.Location.Range), related.Message)
		}
	}
}

func severity(s protocol.DiagnosticSeverity) string {
	return []string{"?", "error", "warning", "information", "hint"}[s]
}

func at(r protocol.Range) string {
	if r.Start.Line == r.End.Line {
		return fmt.Sprintf("%d:%d-%d", r.Start.Line, r.Start.Character, r.End.Character)
	}
	return fmt.Sprintf("%d:%d-%d:%d", r.Start.Line, r.Start.Character, r.End.Line, r.End.Character)
}

// fixes shows what each fix does to the lines, and holds that it removes its diagnostic and breaks nothing.
func (m *marked) fixes(b *strings.Builder) {
	for _, action := range Fixes(m.d, m.facts, m.d.rangeOf(config.Span{End: len(m.text)})) {
		fixed := m.applied(action.Edit)
		preferred := ""
		if action.IsPreferred != nil && *action.IsPreferred {
			preferred = " (preferred)"
		}
		fmt.Fprintf(b, "fix%s of %s at %s: %s\n", preferred, action.Diagnostics[0].Code, at(action.Diagnostics[0].Range), action.Title)
		for _, line := range changedLines(m.text, fixed) {
			fmt.Fprintf(b, "\t%s\n", line)
		}
		m.removes(action, fixed)
	}
}

func (m *marked) removes(action protocol.CodeAction, fixed string) {
	count := func(d *Document) (same, faults int) {
		for _, one := range Diagnostics(d, m.facts) {
			if one.Code == action.Diagnostics[0].Code {
				same++
			}
			if one.Severity == protocol.DiagnosticSeverityError {
				faults++
			}
		}
		return same, faults
	}
	before, faultsBefore := count(m.d)
	after, faults := count(m.document(fixed))
	if after >= before {
		m.t.Errorf("%s: leaves its diagnostic", action.Title)
	}
	if faults > faultsBefore {
		m.t.Errorf("%s: makes new faults", action.Title)
	}
}

// applied applies an edit, whose parts must not touch each other.
func (m *marked) applied(edit *protocol.WorkspaceEdit) string {
	edits := slices.Clone(edit.Changes[m.d.URI])
	sort.SliceStable(edits, func(i, j int) bool { return m.d.Offset(edits[i].Range.Start) < m.d.Offset(edits[j].Range.Start) })
	var out strings.Builder
	last := 0
	for _, e := range edits {
		span := m.d.spanOf(e.Range)
		if span.Start < last {
			m.t.Errorf("edits overlap at %d", span.Start)
			continue
		}
		out.WriteString(m.text[last:span.Start] + e.NewText)
		last = span.End
	}
	return out.String() + m.text[last:]
}

// changedLines are the lines that two texts do not share at their beginning and end.
func changedLines(before, after string) []string {
	a, b := strings.Split(before, "\n"), strings.Split(after, "\n")
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	var lines []string
	for _, line := range a {
		lines = append(lines, "- "+strings.ReplaceAll(line, "\r", "␍"))
	}
	for _, line := range b {
		lines = append(lines, "+ "+strings.ReplaceAll(line, "\r", "␍"))
	}
	return lines
}

// actions shows the actions, and holds that every lens is one of them (U17) and that none is a fix or preferred (S18).
func (m *marked) actions(b *strings.Builder) {
	all := Actions(m.d, m.facts, m.d.rangeOf(config.Span{End: len(m.text)}))
	for _, action := range all {
		fmt.Fprintf(b, "action %s: %s\n", *action.Kind, action.Title)
		if *action.Kind != TrustKind || action.IsPreferred != nil || action.Edit != nil {
			m.t.Errorf("%s: kind %s, preferred %v", action.Title, *action.Kind, action.IsPreferred)
		}
	}
	for _, lens := range Lenses(m.d, m.facts) {
		fmt.Fprintf(b, "lens %s: %s\n", at(lens.Range), lens.Command.Title)
		if !slices.ContainsFunc(all, func(a protocol.CodeAction) bool {
			return a.Command.Command == lens.Command.Command && fmt.Sprint(a.Command.Arguments) == fmt.Sprint(lens.Command.Arguments)
		}) {
			m.t.Errorf("the lens %s is no action", lens.Command.Title)
		}
	}
	for _, hint := range Hints(m.d, m.facts, m.d.rangeOf(config.Span{End: len(m.text)})) {
		fmt.Fprintf(b, "inlay %d:%d: %s\n", hint.Position.Line, hint.Position.Character, hint.Label)
	}
}

func (m *marked) mark(b *strings.Builder, one mark) {
	position := m.d.rangeOf(config.Span{Start: one.offset, End: one.offset}).Start
	where := fmt.Sprintf("%d:%d", position.Line, position.Character)
	switch one.kind {
	case "hover":
		m.hover(b, one, where)
	case "complete":
		m.complete(b, one, where)
	case "define":
		for _, location := range Definition(m.d, m.facts, one.offset) {
			fmt.Fprintf(b, "definition %s: %s %s\n", where, strings.TrimPrefix(string(location.URI), "file://"), at(location.Range))
		}
	case "rename":
		m.rename(b, one, where)
	case "symbols":
		for _, symbol := range Symbols(m.d) {
			fmt.Fprintf(b, "symbol %s %s\n", at(symbol.Range), symbol.Name)
		}
		for _, fold := range Folds(m.d) {
			fmt.Fprintf(b, "fold %d-%d\n", fold.StartLine, fold.EndLine)
		}
	case "format":
		edit := protocol.WorkspaceEdit{Changes: map[uri.URI][]protocol.TextEdit{m.d.URI: Format(m.d)}}
		fmt.Fprintf(b, "formatted\n%s", strings.ReplaceAll(m.applied(&edit), "\r", "␍"))
	default:
		m.t.Errorf("mark %q is none", one.kind)
	}
}

func (m *marked) hover(b *strings.Builder, one mark, where string) {
	h := Hover(m.d, m.facts, one.offset, !m.given.Plain)
	if h == nil {
		fmt.Fprintf(b, "hover %s: nothing\n", where)
		return
	}
	content := h.Contents.(*protocol.MarkupContent)
	fmt.Fprintf(b, "hover %s over %s, %s\n", where, at(*h.Range), content.Kind)
	for line := range strings.SplitSeq(content.Value, "\n") {
		fmt.Fprintf(b, "\t%s\n", line)
	}
}

// complete lists what is proposed, and what the text is once the proposal of the mark is taken.
func (m *marked) complete(b *strings.Builder, one mark, where string) {
	items := Complete(m.d, m.facts, one.offset)
	labels := make([]string, len(items))
	for i, item := range items {
		labels[i] = item.Label
	}
	fmt.Fprintf(b, "complete %s: %s\n", where, strings.Join(labels, " "))
	if one.argument == "" {
		return
	}
	i := slices.IndexFunc(items, func(item protocol.CompletionItem) bool { return item.Label == one.argument })
	if i < 0 {
		m.t.Errorf("%q is not proposed at %s", one.argument, where)
		return
	}
	edits := append([]protocol.TextEdit{*items[i].TextEdit.(*protocol.TextEdit)}, items[i].AdditionalTextEdits...)
	after := m.applied(&protocol.WorkspaceEdit{Changes: map[uri.URI][]protocol.TextEdit{m.d.URI: edits}})
	for _, line := range changedLines(m.text, after) {
		fmt.Fprintf(b, "\t%s\n", line)
	}
}

func (m *marked) rename(b *strings.Builder, one mark, where string) {
	e, r := Renamable(m.d, one.offset)
	if e == nil {
		fmt.Fprintf(b, "rename %s: nothing\n", where)
		return
	}
	fmt.Fprintf(b, "rename %s: %s at %s\n", where, e.Name, at(r))
	edit, err := Rename(m.d, e, one.argument)
	if err != nil {
		fmt.Fprintf(b, "\t%s\n", err)
		return
	}
	for _, line := range changedLines(m.text, m.applied(edit)) {
		fmt.Fprintf(b, "\t%s\n", line)
	}
}
