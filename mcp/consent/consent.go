// Package consent remembers which connector definitions may run where.
// It asks nobody, starts nothing, and does not know what a definition means.
package consent

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"
	"unicode/utf8"

	"pillion/mcp/state"
)

const (
	fileName = "consents.json"
	version  = 2 // 2: seals

	// maxPerConnector bounds the definitions remembered of one connector; the oldest ask again.
	maxPerConnector = 50
	// maxTextBytes bounds the text of a definition that is kept to show what changed.
	maxTextBytes = 256 << 10
)

// Decision is what the user said about a definition.
type Decision string

// The decisions, as on the wire.
const (
	Allow       Decision = "allow"
	AllowFollow Decision = "allowFollow" // and changes to the workspace files it names (S2)
	Later       Decision = "later"       // not now: quiet until the definition changes or the user acts
	Never       Decision = "never"       // never here, whatever the definition
)

func (d Decision) allows() bool { return d == Allow || d == AllowFollow }

// Key says which connector of which folder is meant.
type Key struct {
	Root      string // path of the workspace folder
	RootID    string // RootID(Root)
	Connector string // name in the file
}

// Record is one decision as it is kept.
type Record struct {
	Root           string    `json:"root"`
	RootID         string    `json:"rootId"`
	Connector      string    `json:"connector"`
	Hash           string    `json:"hash"`
	Decision       Decision  `json:"decision"`
	At             time.Time `json:"at"`
	DefinitionText string    `json:"definitionText"`
	Code           covered   `json:"code,omitzero"`    // what a yes covers beside the definition
	Secrets        []Secret  `json:"secrets,omitzero"` // what was confirmed with a yes (S11)
	Seal           string    `json:"seal,omitzero"`    // shows that Pillion wrote the record as it stands (S20)
}

func (r Record) key() Key { return Key{r.Root, r.RootID, r.Connector} }

// at reports whether the record is about that connector of the folder at root, whichever folder that was then.
func (r Record) at(root, connector string) bool { return r.Root == root && r.Connector == connector }

// Secret is one that a definition hands on: a variable of the user's, and the program or host that is given it, as the file
// writes it (S11).
type Secret struct {
	Source      string `json:"source"` // of the file that says so
	Name        string `json:"name"`
	Destination string `json:"destination"`
}

// file is what the store holds.
type file struct {
	Records []Record `json:"records"`
}

// Validate refuses what Pillion does not write: an unclear record makes the store broken, and then every call asks (S20).
func (f *file) Validate() error {
	for i, r := range f.Records {
		if !slices.Contains([]Decision{Allow, AllowFollow, Later, Never}, r.Decision) {
			return fmt.Errorf("record %d: unknown decision %q", i, r.Decision)
		}
		if r.Root == "" || r.Connector == "" || r.Decision != Never && (r.RootID == "" || r.Hash == "") {
			return fmt.Errorf("record %d: a member is empty", i)
		}
	}
	return nil
}

// Store is the store of decisions, shared by all windows. Its methods may be called at once.
type Store struct {
	*grants
	kept  *state.Kept[file]
	sieve *state.Sieve[Record]
}

// New returns the store in the folder, whose grants are sealed with the key; nil is for none. Nothing is read yet.
func New(f *state.Folder, key state.SealKey) *Store {
	empty := func() file { return file{Records: []Record{}} }
	kept, sieve := state.NewKept(state.NewStore(f, fileName, version, empty)), state.NewSieve(key, sealable)
	return &Store{kept: kept, sieve: sieve, grants: &grants{
		Kept: kept, Sieve: sieve, Records: func(f file) []Record { return f.Records }, With: func(records []Record) file { return file{Records: records} },
	}}
}

// Decisions are what was decided, as it was read at one moment. A value: it does not change, and asking it reads no file.
type Decisions struct {
	records []Record // shared with the store
	health  error
}

// Decisions reads what was decided, in whichever window.
func (s *Store) Decisions() Decisions {
	f, health := s.kept.Snapshot()
	return Decisions{records: s.sieve.Sift(f.Records).Records, health: health}
}

// Of returns what was decided for exactly this definition in exactly this folder. Never counts whatever the definition, also
// for a folder made anew at the same path. Nothing of a store that is not healthy is held back: see Health.
func (d Decisions) Of(k Key, hash string) (Decision, bool) {
	var found Decision
	for _, r := range d.records {
		if r.Decision == Never && r.at(k.Root, k.Connector) {
			return Never, true
		}
		if r.key() == k && r.Hash == hash && k.RootID != "" {
			found = r.Decision
		}
	}
	return found, found != ""
}

// Uncovered lists what of the code no yes to this definition covers (S2); nothing where there is no yes, or where it follows
// changes.
func (d Decisions) Uncovered(k Key, hash string, now Code) []Difference {
	r, isAllowed := d.allowed(k, hash)
	if !isAllowed {
		return nil
	}
	return r.Code.differences(now, r.Decision == AllowFollow)
}

// AwaitsStart reports whether there is a yes, given when nobody knew yet what the definition comes to when it is started.
func (d Decisions) AwaitsStart(k Key, hash string) bool {
	r, isAllowed := d.allowed(k, hash)
	return isAllowed && r.Code.Program == ""
}

// Follows reports whether a yes follows changes to the files of the definition.
func (d Decisions) Follows(k Key, hash string) bool {
	r, isAllowed := d.allowed(k, hash)
	return isAllowed && r.Decision == AllowFollow
}

func (d Decisions) allowed(k Key, hash string) (Record, bool) {
	for _, r := range d.records {
		if r.key() == k && r.Hash == hash && r.Decision.allows() {
			return r, true
		}
	}
	return Record{}, false
}

// Known reports whether some definition of the connector was allowed here, so that another one is a change.
func (d Decisions) Known(k Key) bool {
	_, known := d.lastAllowed(k)
	return known
}

// PreviousText returns the text of the definition that was allowed last.
func (d Decisions) PreviousText(k Key) (string, bool) {
	r, known := d.lastAllowed(k)
	return r.DefinitionText, known
}

// IsConfirmed reports whether a person said of exactly this secret that it may go where it goes, in exactly this folder, with
// whichever yes that stands.
func (d Decisions) IsConfirmed(k Key, secret Secret) bool {
	return k.RootID != "" && slices.ContainsFunc(d.records, func(r Record) bool {
		return r.Decision.allows() && r.Root == k.Root && r.RootID == k.RootID && slices.Contains(r.Secrets, secret)
	})
}

// Health is what [Store.Health] was then.
func (d Decisions) Health() error { return d.health }

func (d Decisions) lastAllowed(k Key) (last Record, found bool) {
	for _, r := range d.records {
		if r.key() == k && r.Decision.allows() && (!found || !r.At.Before(last.At)) {
			last, found = r, true
		}
	}
	return last, found
}

// Decide records a decision, and for a yes the code that it covers and the secrets that it confirms; earlier ones about other
// definitions stay, so that old
// text is recognised again (C71), but for those that Never takes back. A *state.UnsavedError says that it holds in this process alone.
func (s *Store) Decide(ctx context.Context, k Key, hash, definitionText string, code Code, d Decision, secrets ...Secret) error {
	r := Record{
		Root: k.Root, RootID: k.RootID, Connector: k.Connector, Hash: hash, Decision: d, At: time.Now().UTC(), DefinitionText: cutText(definitionText), Secrets: secrets,
	}
	if err := (&file{Records: []Record{r}}).Validate(); err != nil {
		return fmt.Errorf("decide on connector %q in %s: %w", k.Connector, k.Root, err)
	}
	sealer := s.sieve.Sealer(d.allows())
	return s.change(ctx, "decide on", k.Root, k.Connector, func(f file) file {
		return file{Records: with(f.Records, r, code, sealer)}
	})
}

// CoverStart widens a yes to what the definition came to at its first start: until then nobody could know it. A yes that
// covers a start already stays as it is.
func (s *Store) CoverStart(ctx context.Context, k Key, hash string, code Code) error {
	return s.cover(ctx, k, hash, func(c covered) covered {
		if c.Program != "" {
			return c
		}
		return c.withStart(code)
	})
}

// CoverFile widens a yes to a file as it is now, because the user saved it in this editor (U11). A file that the yes does not
// cover yet, and one of a definition without a yes, stays as it is.
func (s *Store) CoverFile(ctx context.Context, k Key, hash, path, sum string) error {
	return s.cover(ctx, k, hash, func(c covered) covered { return c.withFile(path, sum) })
}

func (s *Store) cover(ctx context.Context, k Key, hash string, widen func(covered) covered) error {
	sealer := s.sieve.Sealer(false)
	return s.change(ctx, "cover the code of", k.Root, k.Connector, func(f file) file {
		records := slices.Clone(f.Records)
		for i, r := range records {
			if r.key() == k && r.Hash == hash && r.Decision.allows() && sealer.Holds(r) {
				r.Code = widen(r.Code)
				records[i] = sealer.Sealed(r)
			}
		}
		return file{Records: records}
	})
}

// with returns records with one more, newest last. What an earlier yes to the same definition covers stays covered. To put a
// question off takes back no refusal, which another window may have been told meanwhile.
func with(records []Record, r Record, code Code, sealer state.Sealer[Record]) []Record {
	isRefused := func(old Record) bool { return old.Decision == Never && old.at(r.Root, r.Connector) }
	if r.Decision == Later && slices.ContainsFunc(records, isRefused) {
		return records
	}
	kept := make([]Record, 0, len(records)+1)
	same := 0
	for _, old := range slices.Backward(records) {
		switch {
		case !old.at(r.Root, r.Connector):
		case r.Decision == Never, r.Decision.allows() && old.Decision == Never:
			continue
		case old.key() == r.key() && old.Hash == r.Hash:
			if sealer.Holds(old) {
				r.Code, r.Secrets = old.Code, append(slices.Clone(old.Secrets), r.Secrets...)
			}
			continue
		default:
			if same++; same >= maxPerConnector {
				continue
			}
		}
		kept = append(kept, old)
	}
	slices.Reverse(kept)
	if !r.Decision.allows() {
		r.Secrets = nil
	} else {
		r.Code = r.Code.and(code)
	}
	return append(kept, sealer.Sealed(r))
}

// Revoke forgets every decision about the connector in that root. A *state.UnsavedError is that of Decide.
func (s *Store) Revoke(ctx context.Context, root, connector string) error {
	return s.change(ctx, "revoke", root, connector, func(f file) file {
		return file{Records: slices.DeleteFunc(slices.Clone(f.Records), func(r Record) bool { return r.at(root, connector) })}
	})
}

// Rename lets what was decided about a definition in a root count under another name of its connector, and no more under the one
// before. A refusal of that name stays. A *state.UnsavedError is that of Decide.
func (s *Store) Rename(ctx context.Context, root, from, to, hash string) error {
	sealer := s.sieve.Sealer(false)
	return s.change(ctx, "rename", root, from, func(f file) file {
		isRefused := slices.ContainsFunc(f.Records, func(r Record) bool { return r.at(root, to) && r.Decision == Never })
		records := slices.Clone(f.Records)
		for i, r := range records {
			isMoved := r.at(root, from) && (r.Hash == hash || r.Decision == Never) && !isRefused
			if isMoved && (!r.Decision.allows() || sealer.Holds(r)) { // what nothing shows to be Pillion's own stays where it is (S20)
				r.Connector = to
				records[i] = sealer.Sealed(r)
			}
		}
		return file{Records: records}
	})
}

func (s *Store) change(ctx context.Context, what, root, connector string, change func(file) file) error {
	if err := s.kept.Change(ctx, change); err != nil {
		return fmt.Errorf("%s connector %q in %s: %w", what, connector, root, err)
	}
	return nil
}

// Records returns every decision, newest first.
func (s *Store) Records() []Record {
	records := slices.Clone(s.kept.Value().Records)
	slices.SortStableFunc(records, func(a, b Record) int {
		return cmp.Or(b.At.Compare(a.At), cmp.Compare(a.Root, b.Root), cmp.Compare(a.Connector, b.Connector))
	})
	return records
}

// Path is the path of the store's file.
func (s *Store) Path() string { return s.kept.Path() }

// Health is nil, or why every call must ask until Confirm (S20): a *state.NewerError, a *state.BrokenError, or that the
// file can't be read.
func (s *Store) Health() error { return s.kept.Health() }

// Confirm records that the user knows what Health says and wants to go on.
func (s *Store) Confirm(ctx context.Context) error {
	if err := s.kept.Confirm(ctx); err != nil {
		return fmt.Errorf("confirm the consents: %w", err)
	}
	return nil
}

func cutText(text string) string {
	if len(text) <= maxTextBytes {
		return text
	}
	end := maxTextBytes
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end]
}
