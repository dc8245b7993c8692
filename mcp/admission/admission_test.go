package admission

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pillion/mcp/state"
)

type fixedKey string

func (k fixedKey) Key(bool) ([]byte, error) { return []byte(k), nil }

func folder(t *testing.T) *state.Folder {
	t.Helper()
	f, err := state.Open(filepath.Join(t.TempDir(), "state"))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

var agent = Program{Path: "/usr/bin/pillion", Parent: "/usr/bin/agent"}

func TestS7_ADecisionIsOfOneProgramAsTheKernelKnowsIt(t *testing.T) {
	t.Parallel()
	f := folder(t)
	if err := New(f, fixedKey("k")).Decide(t.Context(), agent, Allow); err != nil {
		t.Fatal(err)
	}
	other := New(f, fixedKey("k")) // another window
	for name, test := range map[string]struct {
		program Program
		want    Decision
	}{
		"the same":               {agent, Allow},
		"of another parent":      {Program{agent.Path, "/tmp/agent"}, ""},
		"another of that parent": {Program{"/tmp/pillion", agent.Parent}, ""},
		"unknown":                {Program{}, ""},
	} {
		if got, _ := other.Of(test.program); got != test.want {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
	if err := other.Decide(t.Context(), agent, Never); err != nil {
		t.Fatal(err)
	}
	if got, _ := other.Of(agent); got != Never || len(other.Records()) != 1 {
		t.Errorf("changed: %q, %v", got, other.Records())
	}
	if err := other.Forget(t.Context(), agent); err != nil {
		t.Fatal(err)
	}
	if got, isKnown := New(f, fixedKey("k")).Of(agent); isKnown {
		t.Errorf("forgotten: %q", got)
	}
}

func TestNothingIsKeptOfAProgramThatIsNotKnown(t *testing.T) {
	t.Parallel()
	s := New(folder(t), nil)
	for _, p := range []Program{{}, {Path: "/a"}, {Parent: "/a"}} {
		if err := s.Decide(t.Context(), p, Allow); !errors.Is(err, ErrUnknown) {
			t.Errorf("%+v: %v", p, err)
		}
		if _, isKnown := s.Of(p); isKnown {
			t.Errorf("%+v is known", p)
		}
	}
}

func TestS20_AYesThatPillionDidNotWriteDoesNotCount(t *testing.T) {
	t.Parallel()
	f := folder(t)
	s := New(f, fixedKey("k"))
	if err := s.Decide(t.Context(), agent, Allow); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(s.Path())
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		text string
		want Decision
	}{
		"as it was written":          {string(text), Allow},
		"for another program":        {strings.Replace(string(text), agent.Parent, "/tmp/evil", 1), ""},
		"a no that somebody wrote":   {strings.Replace(string(text), `"allow"`, `"never"`, 1), Never},
		"broken":                     {"{", ""},
		"with a decision unheard of": {strings.Replace(string(text), `"allow"`, `"always"`, 1), ""},
	} {
		if err := os.WriteFile(s.Path(), []byte(test.text), 0o600); err != nil {
			t.Fatal(err)
		}
		of := agent
		if strings.Contains(test.text, "evil") {
			of.Parent = "/tmp/evil"
		}
		if got, _ := New(f, fixedKey("k")).Of(of); got != test.want {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}

func TestOldDecisionsAskAgain(t *testing.T) {
	t.Parallel()
	records := make([]Record, maxRecords)
	for i := range records {
		records[i] = Record{Program: Program{Path: "/bin/a", Parent: strings.Repeat("x", i+1)}, Decision: Never}
	}
	s := New(folder(t), nil)
	err := s.kept.Change(t.Context(), func(file) file { return file{records} })
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Decide(t.Context(), agent, Allow); err != nil {
		t.Fatal(err)
	}
	if _, isKnown := s.Of(records[0].Program); isKnown || len(s.Records()) != maxRecords {
		t.Errorf("%d records, the oldest among them: %t", len(s.Records()), isKnown)
	}
	if got, _ := s.Of(agent); got != Allow {
		t.Errorf("the newest: %q", got)
	}
}
