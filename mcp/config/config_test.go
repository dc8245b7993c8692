package config

import (
	"slices"
	"strings"
	"testing"
)

// parseUser and parseProject read a text as one of the two kinds of file.
func parseUser(t *testing.T, text string) *Document {
	t.Helper()
	return checked(t, Parse(File{Path: "/home/u/.config/pillion/mcp.json", Source: SourceUser}, []byte(text)))
}

func parseProject(t *testing.T, root, text string) *Document {
	t.Helper()
	return checked(t, Parse(File{Path: root + "/" + ProjectFileName, Source: SourceProject, Root: root}, []byte(text)))
}

// entryOf parses one entry of a user's file.
func entryOf(t *testing.T, definition string) *Entry {
	t.Helper()
	d := parseUser(t, `{"mcpServers":{"a":`+definition+`}}`)
	if !d.Parsed || len(d.Entries) != 1 {
		t.Fatalf("parsed %v with %d entries: %v", d.Parsed, len(d.Entries), d.Findings)
	}
	return d.Entries[0]
}

func projectEntryOf(t *testing.T, definition string) *Entry {
	t.Helper()
	d := parseProject(t, "/ws", `{"mcpServers":{"a":`+definition+`}}`)
	if !d.Parsed || len(d.Entries) != 1 {
		t.Fatalf("parsed %v with %d entries: %v", d.Parsed, len(d.Entries), d.Findings)
	}
	return d.Entries[0]
}

// finding returns the one finding of a code.
func finding(t *testing.T, list []Finding, code string) Finding {
	t.Helper()
	i := slices.IndexFunc(list, func(f Finding) bool { return f.Code == code })
	if i < 0 {
		t.Fatalf("no finding %q among %q", code, codes(list))
	}
	return list[i]
}

func codes(list []Finding) []string {
	found := make([]string, len(list))
	for i, f := range list {
		found[i] = f.Code
	}
	return found
}

func without(t *testing.T, list []Finding, code string) {
	t.Helper()
	for _, f := range list {
		if f.Code == code {
			t.Errorf("unwanted finding %q: %s", code, f.Text())
		}
	}
}

// textAt is what a finding points at.
func textAt(d *Document, s Span) string { return string(d.Text[s.Start:s.End]) }

// fault checks that an entry cannot run, and why.
func fault(t *testing.T, e *Entry, code string) {
	t.Helper()
	if e.Fault == nil {
		t.Fatalf("%s: runs, want fault %q", e.Text, code)
	}
	if e.Fault.Code != code {
		t.Errorf("%s: fault %q (%s), want %q", e.Text, e.Fault.Code, e.Fault.Text(), code)
	}
}

func sound(t *testing.T, e *Entry) {
	t.Helper()
	if e.Fault != nil {
		t.Errorf("%s: does not run: %s", e.Text, e.Fault.Text())
	}
}

// checked holds for every document whatever the text.
func checked(t testing.TB, d *Document) *Document {
	t.Helper()
	if !d.Parsed && (len(d.Findings) != 1 || len(d.Entries) != 0) {
		t.Errorf("not parsed, yet %d findings and %d entries", len(d.Findings), len(d.Entries))
	}
	return checkedDraft(t, d)
}

// checkedDraft holds for what is read of a draft as well.
func checkedDraft(t testing.TB, d *Document) *Document {
	t.Helper()
	inside := func(what string, s Span) {
		if s.Start < 0 || s.Start > s.End || s.End > len(d.Text) {
			t.Errorf("%s has span %v in %d bytes", what, s, len(d.Text))
		}
	}
	all := slices.Clone(d.Findings)
	names := map[string]bool{}
	for _, e := range d.Entries {
		checkEntry(t, d, e)
		inside("entry "+e.Name, e.Span)
		inside("key "+e.Name, e.KeySpan)
		if names[e.Name] {
			t.Errorf("two entries are named %q", e.Name)
		}
		names[e.Name] = true
		all = append(all, e.Findings...)
	}
	for _, f := range all {
		inside("finding "+f.Code, f.Span)
		for _, r := range f.Related {
			inside("related to "+f.Code, r)
		}
		if f.Edit != nil {
			inside("edit for "+f.Code, f.Edit.Span)
		}
		if f.Code == "" || f.Message == "" || f.Severity < Error || f.Severity > Hint || strings.HasSuffix(f.Text(), ".") {
			t.Errorf("finding is malformed: %+v", f)
		}
	}
	if len(d.Findings) > MaxFindings || len(d.Entries) > MaxEntries {
		t.Errorf("%d findings and %d entries are beyond the bounds", len(d.Findings), len(d.Entries))
	}
	return d
}

func checkEntry(t testing.TB, d *Document, e *Entry) {
	t.Helper()
	if e.Text != string(d.Text[e.Span.Start:e.Span.End]) {
		t.Errorf("the text of %q is not what stands there", e.Name)
	}
	if len(e.ID) != 32 || e.ID != EntryID(d.File.Path, e.Name) {
		t.Errorf("ID %q", e.ID)
	}
	for _, f := range e.Findings {
		if f.Severity == Error && e.Fault == nil {
			t.Errorf("entry %q runs in spite of %s", e.Name, f.Text())
		}
		if f.Entry != e.Name {
			t.Errorf("a finding of %q names %q", e.Name, f.Entry)
		}
	}
	if e.Fault != nil {
		return
	}
	switch e.Transport {
	case TransportStdio:
		if e.Command == "" || e.URL != "" {
			t.Errorf("entry %q runs with command %q and url %q", e.Name, e.Command, e.URL)
		}
	case TransportHTTP, TransportSSE:
		if e.URL == "" || e.Command != "" {
			t.Errorf("entry %q runs with command %q and url %q", e.Name, e.Command, e.URL)
		}
	default:
		t.Errorf("entry %q runs with transport %q", e.Name, e.Transport)
	}
}
