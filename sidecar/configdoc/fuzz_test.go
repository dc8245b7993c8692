package configdoc

import (
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"pillion/mcp/config"
	"pillion/mcp/host"
)

// FuzzFeatures holds that every feature answers for every text and every place in it, and that each fix applies and mends: it
// leaves no more faults than there were.
func FuzzFeatures(f *testing.F) {
	archives, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		f.Fatal(err)
	}
	for _, path := range archives {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range archive.Files {
			if file.Name == "text" {
				f.Add(markPattern.ReplaceAllString(string(file.Data), ""), 20, true)
				f.Add(markPattern.ReplaceAllString(string(file.Data), ""), 60, false)
			}
		}
	}
	f.Fuzz(func(t *testing.T, text string, offset int, isUser bool) {
		g := given{Connectors: map[string]givenConnector{"a": {State: host.StateReady, Tools: []host.Tool{{Name: "x"}}}}}
		if isUser {
			g.Source = "user"
		}
		m := &marked{t: t, given: g, facts: g.facts(), text: text}
		m.d = m.document(text)
		if offset = max(0, offset); len(text) > 0 {
			offset %= len(text) + 1
		}
		whole := m.d.rangeOf(config.Span{End: len(text)})
		Diagnostics(m.d, m.facts)
		Actions(m.d, m.facts, whole)
		Lenses(m.d, m.facts)
		Hints(m.d, m.facts, whole)
		Symbols(m.d)
		Folds(m.d)
		Hover(m.d, m.facts, offset, true)
		Complete(m.d, m.facts, offset)
		Definition(m.d, m.facts, offset)
		if e, _ := Renamable(m.d, offset); e != nil {
			_, _ = Rename(m.d, e, "new name")
		}
		for _, action := range Fixes(m.d, m.facts, whole) {
			m.applied(action.Edit)
		}
		formatted := m.applied(&protocol.WorkspaceEdit{Changes: map[uri.URI][]protocol.TextEdit{m.d.URI: Format(m.d)}})
		if again := m.document(formatted); m.d.Draft.Document.Parsed && !again.Draft.Document.Parsed {
			t.Fatalf("formatting breaks the text: %q", formatted)
		}
	})
}
