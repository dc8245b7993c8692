// Package permission judges which calls may run: standing rules, modes, and what may be answered to a question.
// It asks nobody and calls nothing.
package permission

import "time"

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
	ScopeUser    = "user" // for connectors of the user's own file alone
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

// What decided a call without a question.
const (
	ByReadOnly = "readOnly"
	ByRule     = "rule"
	BySession  = "session"
	ByMode     = "mode"
)

// SourceUser is the source of connectors from the user's own file.
const SourceUser = "user"

// Mode is the window's mode.
type Mode string

// The modes.
const (
	ModeAsk    Mode = "ask"
	ModePlan   Mode = "plan"   // tools that only read
	ModePaused Mode = "paused" // nothing
)

// widths order the modes by how much may run.
func (m Mode) width() int {
	switch m {
	case ModePaused:
		return 0
	case ModePlan:
		return 1
	}
	return 2
}

// WidensTo reports whether more may run in the other mode.
func (m Mode) WidensTo(other Mode) bool { return other.width() > m.width() }

// Decision is what becomes of a call.
type Decision string

// The decisions, as on the wire.
const (
	Auto Decision = "auto"
	Ask  Decision = "ask"
	Deny Decision = "deny"
)

// Subject is one call as it is judged, from the live definition (S9). Aliases, served names and meta tools are resolved
// to the connector and the raw tool name before (S8).
type Subject struct {
	Source         string // of the connector: user, project, import, builtin
	Root           string // the project's folder; for other sources the workspace folder the call is made in, if any
	Connector      string // name in its file
	DefinitionHash string
	Tool           string // raw name
	ToolHash       string // of name, description, schema and annotations
	ReadOnly       bool   // readOnlyHint is true
	Destructive    bool   // destructiveHint is true or absent
	OpenWorld      bool   // openWorldHint is explicitly true; absent is false here (S14)
	Trusted        bool   // the user's own connector, or trustReadOnly
	HasRemoteURL   bool   // HasRemoteURL(arguments)
	NamesOwnFolder bool   // Pillion's own Folders.AreNamedIn(arguments): no standing yes (S20)
	SessionID      string
	AlwaysAsk      bool   // no standing yes ever
	Ruling         Ruling // of a connector of Pillion's own
	ServerVersion  string // what the connector calls its version, where its runner is free to bring another one
	// Arguments of the call, as CheckArguments returns them, and Disk, for what conditions demand of them. Of a tool that is
	// judged without a call both are nil, and then no condition holds.
	Arguments []byte
	Disk      Disk
}

// Ruling is what Pillion itself says of a call to a connector of its own, for which nobody is asked what is asked of others. The
// zero value says nothing.
type Ruling struct {
	Decision Decision // Auto runs unless something forbids it or must ask; Ask asks, at most for the session; Deny refuses
	Reason   string   // one sentence for the person
	// IsOnce keeps a yes from standing for more than the one call.
	IsOnce bool
}

// Rule is a standing permission or refusal (S8). An allowing rule covers the tools whose hashes it holds, and those only
// as long as the hashes are theirs: the one Tool, or all that were present, or of those the ones that said they only read.
// Asking and denying rules cover the tool, or all tools, whatever the hashes and the definition.
type Rule struct {
	ID             string            `json:"id"`
	Connector      string            `json:"connector"`
	Source         string            `json:"source"`
	Root           string            `json:"root,omitzero"` // "" where Scope is user
	DefinitionHash string            `json:"definitionHash,omitzero"`
	Tool           string            `json:"tool,omitzero"` // raw name, never a pattern; "" means all tools
	ToolHashes     map[string]string `json:"toolHashes,omitzero"`
	// ToolTexts are the definitions behind the hashes, as far as they are short enough to keep: what changed is shown by them
	// when a changed tool asks again (B7).
	ToolTexts     map[string]string `json:"toolTexts,omitzero"`
	Decision      string            `json:"decision"`
	Scope         string            `json:"scope"`
	SessionID     string            `json:"sessionId,omitzero"`
	ReadOnlyTools bool              `json:"readOnlyTools,omitzero"` // given for tools that only read: S14 applies
	Where         []Condition       `json:"where,omitzero"`         // what the arguments must be, all of it; of allowing rules alone
	At            time.Time         `json:"at"`
	Label         string            `json:"label,omitzero"` // for display
	By            string            `json:"by,omitzero"`    // whose word it is, for display
	// ServerVersion is what the connector called its version when the rule was given, where its runner is free to bring another
	// one: empty elsewhere, and where it was not kept (S9).
	ServerVersion string `json:"serverVersion,omitzero"`
	Seal          string `json:"seal,omitzero"` // shows that Pillion wrote the rule as it stands (S20)
}

// Verdict is the judgement of one call.
type Verdict struct {
	Decision Decision
	By       string   // what decided, where Decision is Auto or Deny
	Rule     string   // id of the rule that decided or was suspended, if any
	Reason   string   // one sentence for the person
	Choices  []string // what may be answered, safest first, where Decision is Ask
	Scopes   []string // how far the standing ones of them may reach
}
