package permission

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"pillion/mcp/state"
)

const (
	fileName = "permissions.json"
	version  = 3 // 2: conditions, and whose word a rule is; 3: seals, and versions of servers

	// maxPerTarget bounds the rules kept about one tool or connector in one scope: each change of a tool that is allowed
	// again adds one, so that going back to old text goes back to the old permission.
	maxPerTarget = 20
)

// file is what the store holds, newest first.
type file struct {
	Rules []Rule `json:"rules"`
}

// Validate refuses what Pillion does not write: an unclear rule makes the store broken, and then every call asks (S20).
func (f *file) Validate() error {
	for i, r := range f.Rules {
		if err := r.Check(); err != nil {
			return fmt.Errorf("rule %d: %w", i, err)
		}
		if r.ID == "" || r.Scope == ScopeSession {
			return fmt.Errorf("rule %d: it is not one that is kept", i)
		}
	}
	return nil
}

// Check says what is wrong with a rule that is to be added, or returns nil.
func (r Rule) Check() error {
	switch {
	case r.Connector == "" || r.Source == "":
		return errors.New("it names no connector")
	case r.Scope != ScopeSession && r.Scope != ScopeProject && r.Scope != ScopeUser:
		return fmt.Errorf("unknown scope %q", r.Scope)
	case r.Scope == ScopeUser && r.Source != SourceUser:
		return errors.New("only a connector of the user's own file is allowed everywhere")
	case r.Scope == ScopeProject && r.Root == "":
		return errors.New("it names no project; a connector of the user's own file belongs to none")
	case r.Decision != RuleAllow && len(r.Where) > 0:
		return errors.New("only what is allowed has conditions")
	case r.Decision == RuleAsk || r.Decision == RuleDeny:
		return nil
	case r.Decision != RuleAllow:
		return fmt.Errorf("unknown decision %q", r.Decision)
	case r.DefinitionHash == "" || len(r.ToolHashes) == 0 || r.Tool != "" && r.ToolHashes[r.Tool] == "":
		return errors.New("it does not say which tools of which definition it allows")
	case r.Tool == "" && len(r.Where) > 0:
		return errors.New("only one tool is allowed on conditions")
	}
	return validateConditions(r.Where)
}

// Store is the store of rules, shared by all windows but for the rules of sessions. Its methods may be called at once.
type Store struct {
	*grants
	kept  *state.Kept[file]
	sieve *state.Sieve[Rule]

	mu       sync.Mutex
	sessions []Rule // newest first
	index    index
}

// index holds the rules by connector, and by tool as they are asked for: a call is judged by those of its own, not by all of a
// thousand. It is of the lists that it was made of, which are replaced and never changed.
type index struct {
	sessions, kept ruleList
	about          map[string][]Rule
	concerning     map[toolKey][]Rule
}

type toolKey struct{ connector, tool string }

// maxIndexedTools bounds the index, for the names of tools are a connector's to choose.
const maxIndexedTools = 10_000

// ruleList is which list of rules it is.
type ruleList struct {
	first *Rule
	count int
}

func listOf(rules []Rule) ruleList {
	if len(rules) == 0 {
		return ruleList{}
	}
	return ruleList{&rules[0], len(rules)}
}

// New returns the store in the folder, whose grants are sealed with the key; nil is for none. Nothing is read yet.
func New(f *state.Folder, key state.SealKey) *Store {
	empty := func() file { return file{Rules: []Rule{}} }
	kept, sieve := state.NewKept(state.NewStore(f, fileName, version, empty)), state.NewSieve(key, sealable)
	return &Store{kept: kept, sieve: sieve, grants: &grants{
		Kept: kept, Sieve: sieve, Records: func(f file) []Rule { return f.Rules }, With: func(rules []Rule) file { return file{Rules: rules} },
	}}
}

// Rules returns every rule that counts, those of sessions first, newest first. The slice must not be modified.
func (s *Store) Rules() []Rule { return s.withSessions(s.sieve.Sift(s.kept.Value().Rules).Records) }

// AllRules returns those of Rules and those that do not count, because nothing shows that Pillion wrote them: see Doubts.
func (s *Store) AllRules() []Rule { return s.withSessions(s.kept.Value().Rules) }

func (s *Store) withSessions(kept []Rule) []Rule {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.sessions) == 0 {
		return slices.Clip(kept)
	}
	return slices.Concat(s.sessions, kept)
}

// ByConnector sorts rules by the names of the connectors that they are about; their order stays.
func ByConnector(rules []Rule) map[string][]Rule {
	about := map[string][]Rule{}
	for _, r := range rules {
		about[r.Connector] = append(about[r.Connector], r)
	}
	return about
}

// RulesConcerning returns the rules about that tool of connectors of that name, and about all their tools, in the order of
// Rules; no other can concern a call. The slice must not be modified. health is what [Store.Health] is at that moment.
func (s *Store) RulesConcerning(connector, tool string) (rules []Rule, health error) {
	f, health := s.kept.Snapshot()
	return s.concerning(s.sieve.Sift(f.Rules).Records, connector, tool), health
}

func (s *Store) concerning(kept []Rule, connector, tool string) []Rule {
	s.mu.Lock()
	defer s.mu.Unlock()
	i, key := s.indexOf(kept), toolKey{connector, tool}
	rules, isKnown := i.concerning[key]
	if !isKnown {
		for _, r := range i.about[connector] {
			if r.Tool == "" || r.Tool == tool {
				rules = append(rules, r)
			}
		}
		if len(i.concerning) >= maxIndexedTools {
			clear(i.concerning)
		}
		i.concerning[key] = rules
	}
	return rules
}

// indexOf is the index of these rules and the sessions' own; s.mu is held.
func (s *Store) indexOf(kept []Rule) *index {
	i := &s.index
	if i.about == nil || i.sessions != listOf(s.sessions) || i.kept != listOf(kept) {
		*i = index{listOf(s.sessions), listOf(kept), ByConnector(slices.Concat(s.sessions, kept)), map[toolKey][]Rule{}}
	}
	return i
}

// Add records a rule and returns it with its id and time. It takes the place of one that says otherwise about the same
// tool or connector in the same scope. Rules of sessions live in memory alone. With a *state.UnsavedError the rule is
// returned too and holds in this process alone.
func (s *Store) Add(ctx context.Context, r Rule) (Rule, error) {
	if err := r.Check(); err != nil {
		return Rule{}, fmt.Errorf("add permission for connector %q: %w", r.Connector, err)
	}
	r = complete(r)
	if r.Scope == ScopeSession {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.sessions = with(s.sessions, r)
		return r, nil
	}
	r = s.sieve.Sealer(r.Decision == RuleAllow).Sealed(r)
	err := s.kept.Change(ctx, func(f file) file { return file{Rules: with(f.Rules, r)} })
	if err == nil {
		return r, nil
	}
	err = fmt.Errorf("add permission for connector %q: %w", r.Connector, err)
	if state.IsUnsaved(err) {
		return r, err
	}
	return Rule{}, err
}

// Rename lets the rules about a definition of a connector count under another name; label says what a rule is called then. Those
// that only take away move whatever the definition. A *state.UnsavedError is that of Add.
func (s *Store) Rename(ctx context.Context, of Rule, to string, label func(Rule) string) error {
	sealer := s.sieve.Sealer(false)
	move := func(rules []Rule) []Rule {
		moved := slices.Clone(rules)
		for i, r := range moved {
			isOf := r.Connector == of.Connector && r.Source == of.Source && (r.Scope == ScopeUser || r.Root == of.Root)
			isMoved := isOf && (r.Limits() || r.DefinitionHash == of.DefinitionHash)
			if isMoved && (r.Decision != RuleAllow || r.Scope == ScopeSession || sealer.Holds(r)) { // else it is not Pillion's own (S20)
				r.Connector = to
				r.Label = label(r)
				if moved[i] = r; r.Scope != ScopeSession {
					moved[i] = sealer.Sealed(r)
				}
			}
		}
		return moved
	}
	s.mu.Lock()
	s.sessions = move(s.sessions)
	s.mu.Unlock()
	if err := s.kept.Change(ctx, func(f file) file { return file{Rules: move(f.Rules)} }); err != nil {
		return fmt.Errorf("rename connector %q in the permissions: %w", of.Connector, err)
	}
	return nil
}

// complete gives a new rule its id and time, and takes away what its kind has no use for.
func complete(r Rule) Rule {
	var id [8]byte
	_, _ = rand.Read(id[:]) // never fails
	r.ID, r.At, r.Seal = hex.EncodeToString(id[:]), time.Now().UTC(), ""
	if r.Scope == ScopeUser {
		r.Root = ""
	}
	if r.Scope != ScopeSession {
		r.SessionID = ""
	}
	switch {
	case r.Decision != RuleAllow:
		r.DefinitionHash, r.ToolHashes, r.ToolTexts, r.ReadOnlyTools, r.Where, r.ServerVersion = "", nil, nil, false, nil, ""
	case r.Tool != "":
		r.ToolHashes = map[string]string{r.Tool: r.ToolHashes[r.Tool]}
	default:
		r.ToolHashes = maps.Clone(r.ToolHashes)
	}
	r.ToolTexts = shortTexts(r.ToolTexts, r.ToolHashes)
	return r
}

const (
	// maxTextBytes bounds the definition of one tool that a rule keeps, maxTextsBytes those of all its tools.
	maxTextBytes  = 32 << 10
	maxTextsBytes = 256 << 10
)

// shortTexts are the texts of tools that the rule covers, as many as there is room for.
func shortTexts(texts, hashes map[string]string) map[string]string {
	kept := map[string]string{}
	total := 0
	for _, tool := range slices.Sorted(maps.Keys(hashes)) {
		text := texts[tool]
		if text == "" || len(text) > maxTextBytes || total+len(text) > maxTextsBytes {
			continue
		}
		kept[tool] = text
		total += len(text)
	}
	if len(kept) == 0 {
		return nil
	}
	return kept
}

// with returns rules with one more.
func with(rules []Rule, r Rule) []Rule {
	kept := append(make([]Rule, 0, len(rules)+1), r)
	same := 0
	for _, old := range rules {
		if old.target() == r.target() {
			same++
			if old.Decision != r.Decision || same >= maxPerTarget ||
				old.DefinitionHash == r.DefinitionHash && old.ServerVersion == r.ServerVersion && maps.Equal(old.ToolHashes, r.ToolHashes) && (len(r.Where) == 0 || isSame(old.Where, r.Where)) {
				continue
			}
		}
		kept = append(kept, old)
	}
	return kept
}

func isSame(a, b []Condition) bool {
	return slices.EqualFunc(a, b, func(a, b Condition) bool {
		return a.Path == b.Path && string(a.Equals) == string(b.Equals) && a.Glob == b.Glob && a.Under == b.Under && a.Real == b.Real
	})
}

// target is what a rule is about.
type target struct {
	source, root, connector, tool, scope, session string
	readOnlyTools                                 bool
}

func (r Rule) target() target {
	return target{r.Source, r.Root, r.Connector, r.Tool, r.Scope, r.SessionID, r.ReadOnlyTools}
}

// Remove forgets the rule with that id. A *state.UnsavedError says that it is forgotten in this process alone.
func (s *Store) Remove(ctx context.Context, id string) error {
	if !slices.ContainsFunc(s.AllRules(), func(r Rule) bool { return r.ID == id }) {
		return nil // as good as removed
	}
	without := func(rules []Rule) []Rule {
		return slices.DeleteFunc(slices.Clone(rules), func(r Rule) bool { return r.ID == id })
	}
	s.mu.Lock()
	before := len(s.sessions)
	s.sessions = without(s.sessions)
	inSession := len(s.sessions) < before
	s.mu.Unlock()
	if inSession {
		return nil
	}
	if err := s.kept.Change(ctx, func(f file) file { return file{Rules: without(f.Rules)} }); err != nil {
		return fmt.Errorf("remove permission %q: %w", id, err)
	}
	return nil
}

// EndSessions forgets the rules of the sessions that are over.
func (s *Store) EndSessions(isOver func(sessionID string) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sessions = slices.DeleteFunc(slices.Clone(s.sessions), func(r Rule) bool { return isOver(r.SessionID) })
}

// Path is the path of the store's file.
func (s *Store) Path() string { return s.kept.Path() }

// Health is nil, or why every call must ask until Confirm (S20): a *state.NewerError, a *state.BrokenError, or that the
// file can't be read.
func (s *Store) Health() error { return s.kept.Health() }

// Confirm records that the user knows what Health says and wants to go on.
func (s *Store) Confirm(ctx context.Context) error {
	if err := s.kept.Confirm(ctx); err != nil {
		return fmt.Errorf("confirm the permissions: %w", err)
	}
	return nil
}
