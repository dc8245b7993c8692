// Package admission remembers which programs may join a window.
// It asks nobody and does not know what a window is; what is decided for one window alone is not kept here.
package admission

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"pillion/mcp/state"
)

const (
	fileName = "admissions.json"
	version  = 1

	// maxRecords bounds what is remembered; the oldest ask again.
	maxRecords = 500
)

// Decision is what the user said of a program.
type Decision string

// The decisions that are kept.
const (
	Allow Decision = "allow"
	Never Decision = "never"
)

// Program is who wants to join, as the kernel knows it: a bridge of Pillion's own is the same for every agent, so the program
// that started it is part of who it is. What it calls itself is not: anything may claim any name (S7).
type Program struct {
	Path   string `json:"path"`   // of its executable
	Parent string `json:"parent"` // of the executable that started it
}

// isKnown reports whether the kernel said who it is: nothing is remembered of others.
func (p Program) isKnown() bool { return p.Path != "" && p.Parent != "" }

// ErrUnknown says that the kernel does not say which program it is, so that nothing can be remembered of it.
var ErrUnknown = errors.New("it is not known which program this is")

// Record is one decision as it is kept.
type Record struct {
	Program  Program   `json:"program"`
	Decision Decision  `json:"decision"`
	At       time.Time `json:"at"`
	Seal     string    `json:"seal,omitzero"` // shows that Pillion wrote the record as it stands (S20)
}

type file struct {
	Records []Record `json:"records"`
}

// Validate refuses what Pillion does not write.
func (f *file) Validate() error {
	for i, r := range f.Records {
		if r.Decision != Allow && r.Decision != Never {
			return fmt.Errorf("record %d: unknown decision %q", i, r.Decision)
		}
		if !r.Program.isKnown() {
			return fmt.Errorf("record %d: a program is empty", i)
		}
	}
	return nil
}

// sealable are the yeses: a no counts whoever wrote it, because it takes away alone.
var sealable = state.Sealable[Record]{
	Purpose:  "admission",
	Seal:     func(r Record) string { return r.Seal },
	WithSeal: func(r Record, seal string) Record { r.Seal = seal; return r },
	Gives:    func(r Record) bool { return r.Decision == Allow },
	Rest:     func(Record) (Record, bool) { return Record{}, false },
	Label: func(r Record) string {
		return fmt.Sprintf("let %q, started by %q, join a window", r.Program.Path, r.Program.Parent)
	},
}

// Store is the store of decisions, shared by all windows. Its methods may be called at once.
type Store struct {
	kept   *state.Kept[file]
	sieve  *state.Sieve[Record]
	grants *state.Grants[file, Record]
}

// New returns the store in the folder, whose yeses are sealed with the key; nil is for none. Nothing is read yet.
func New(f *state.Folder, key state.SealKey) *Store {
	empty := func() file { return file{Records: []Record{}} }
	kept, sieve := state.NewKept(state.NewStore(f, fileName, version, empty)), state.NewSieve(key, sealable)
	return &Store{kept: kept, sieve: sieve, grants: &state.Grants[file, Record]{
		Kept: kept, Sieve: sieve, Records: func(f file) []Record { return f.Records }, With: func(records []Record) file { return file{Records: records} },
	}}
}

// Of returns what was decided about a program, in whichever window. What cannot be read, or is not sealed as it stands, says
// nothing: the program is asked about.
func (s *Store) Of(p Program) (Decision, bool) {
	for _, r := range s.sieve.Sift(s.kept.Value().Records).Records {
		if r.Program == p && p.isKnown() {
			return r.Decision, true
		}
	}
	return "", false
}

// Decide records a decision in the place of an earlier one. A *state.UnsavedError says that it holds in this process alone, and
// [ErrUnknown] that it cannot be kept.
func (s *Store) Decide(ctx context.Context, p Program, d Decision) error {
	if !p.isKnown() {
		return ErrUnknown
	}
	r := Record{Program: p, Decision: d, At: time.Now().UTC()}
	if err := (&file{Records: []Record{r}}).Validate(); err != nil {
		return fmt.Errorf("decide on program %q: %w", p.Path, err)
	}
	r = s.sieve.Sealer(d == Allow).Sealed(r)
	return s.change(ctx, p, func(records []Record) []Record {
		records = append(records, r)
		return records[max(0, len(records)-maxRecords):]
	})
}

// Forget takes back what was decided about a program: it is asked about again. A *state.UnsavedError is that of Decide.
func (s *Store) Forget(ctx context.Context, p Program) error {
	return s.change(ctx, p, func(records []Record) []Record { return records })
}

// change replaces the records without the one of the program.
func (s *Store) change(ctx context.Context, p Program, change func([]Record) []Record) error {
	err := s.kept.Change(ctx, func(f file) file {
		others := slices.DeleteFunc(slices.Clone(f.Records), func(old Record) bool { return old.Program == p })
		return file{Records: change(others)}
	})
	if err != nil {
		return fmt.Errorf("decide on program %q: %w", p.Path, err)
	}
	return nil
}

// Reseal seals what counts in this process alone, once there is a key. The error is that of ctx.
func (s *Store) Reseal(ctx context.Context) error { return s.grants.Reseal(ctx) }

// Records are all decisions that count, the oldest first. They must not be modified.
func (s *Store) Records() []Record { return s.sieve.Sift(s.kept.Value().Records).Records }

// Path is the path of the store's file.
func (s *Store) Path() string { return s.kept.Path() }
