// Package permission judges which calls may run: standing rules, modes, and what may be answered to a question.
// It asks nobody and calls nothing.
package permission

import (
	"context"
	"time"

	"pillion/mcp/state"
)

// What a rule says.
const (
	RuleAllow = "allow"
	RuleAsk   = "ask"
	RuleDeny  = "deny"
)

// How far a rule or an answer reaches.
const (
	ScopeSession = "session"
	ScopeProject = "project"
	ScopeUser    = "user"
)

// What may be answered to an approval, safest first.
const (
	ChoiceDecline   = "decline"
	ChoiceOnce      = "once"
	ChoiceSession   = "session"
	ChoiceReadOnly  = "readOnly"
	ChoiceTool      = "tool"
	ChoiceConnector = "connector"
)

// How a call came to run without a question.
const (
	ByReadOnly = "readOnly"
	ByRule     = "rule"
	BySession  = "session"
	ByMode     = "mode"
)

// Mode is the window's mode.
type Mode string

// The modes.
const (
	ModeAsk    Mode = "ask"
	ModePlan   Mode = "plan"
	ModePaused Mode = "paused"
)

// Decision is what becomes of a call.
type Decision string

// The decisions, as on the wire.
const (
	Auto Decision = "auto"
	Ask  Decision = "ask"
	Deny Decision = "deny"
)

// Subject is one call as it is judged, from the live definition (S9).
type Subject struct {
	Source         string // of the connector: user, project, import, builtin
	Root           string // folder of the project's file; for other sources the folder the call is made in, if any
	Connector      string // name
	DefinitionHash string
	Tool           string // raw name
	ToolHash       string
	ReadOnly       bool // readOnlyHint is true
	Destructive    bool // destructiveHint is true or absent
	OpenWorld      bool // openWorldHint is explicitly true (absent is false here: S14)
	Trusted        bool // user's own connector, or trustReadOnly
	HasRemoteURL   bool // HasRemoteURL(arguments)
	NamesOwnFolder bool // NamesFolder(arguments, Pillion's folders): no standing yes (S20)
	SessionID      string
	AlwaysAsk      bool
}

// Rule is a standing permission or refusal (S8).
type Rule struct {
	ID             string            `json:"id"`
	Connector      string            `json:"connector"`
	Source         string            `json:"source"`
	Root           string            `json:"root,omitzero"`
	DefinitionHash string            `json:"definitionHash,omitzero"`
	Tool           string            `json:"tool,omitzero"` // "" means all tools present when the rule was given
	ToolHashes     map[string]string `json:"toolHashes,omitzero"`
	Decision       string            `json:"decision"`
	Scope          string            `json:"scope"`
	SessionID      string            `json:"sessionId,omitzero"`
	ReadOnlyTools  bool              `json:"readOnlyTools,omitzero"`
	At             time.Time         `json:"at"`
	Label          string            `json:"label,omitzero"`
}

// Verdict is the judgement of one call.
type Verdict struct {
	Decision Decision
	By       string // how it came to Auto or Deny
	Rule     string // id of the rule that decided
	Reason   string // a sentence for the person
	Choices  []string
	Scopes   []string
}

// Judge judges one call. It is pure.
func Judge(rules []Rule, mode Mode, s Subject, storeHealthy bool) Verdict { panic("not yet") }

// HasRemoteURL reports whether an argument holds a URL that leads off this machine (S14).
func HasRemoteURL(arguments []byte) bool { panic("not yet") }

// NamesFolder reports whether an argument names a path in one of the folders.
func NamesFolder(arguments []byte, folders ...string) bool { panic("not yet") }

// CheckArguments returns the bytes that are shown and sent for raw, or what is wrong with them (S10).
func CheckArguments(raw []byte) ([]byte, error) { panic("not yet") }

// Store is the store of rules. Its methods may be called at once.
type Store struct{}

// New returns the store in the folder; nothing is read yet.
func New(f *state.Folder) *Store { panic("not yet") }

// Rules returns every rule, those of sessions included, newest first. The slice must not be modified.
func (s *Store) Rules() []Rule { panic("not yet") }

// Add records a rule and returns it with id and time. Session rules live in memory alone.
func (s *Store) Add(ctx context.Context, r Rule) (Rule, error) { panic("not yet") }

// Remove forgets the rule with that id.
func (s *Store) Remove(ctx context.Context, id string) error { panic("not yet") }

// EndSession forgets the rules of a session.
func (s *Store) EndSession(sessionID string) { panic("not yet") }

// Health is nil, or why every call must ask until Confirm (S20).
func (s *Store) Health() error { panic("not yet") }

// Confirm records that the user knows what Health says and wants to go on.
func (s *Store) Confirm(ctx context.Context) error { panic("not yet") }
