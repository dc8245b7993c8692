package host

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"pillion/mcp/catalog"
	"pillion/mcp/config"
	"pillion/mcp/personal"
	"pillion/mcp/settings"
)

// Connector is a connector as it stands; a value, not a handle.
type Connector struct {
	ID, Name string
	Root     string // the workspace folder of a project's connector, else empty
	State    State
	Source   config.Source
	File     string
	KeySpan  config.Span
	Hash     string
	FileHash string // of the definition as its file has it, without what the user wants of it
	// Transport is stdio, http or sse; empty when the entry is too broken to tell.
	Transport                         string
	Tools, Resources, Prompts, Tokens int
	Generation                        int
	Server                            Server
	Processes                         []Process
	ShadowedBy                        string
	Problem                           *Problem
	// Phase says what a starting connector is about, where there is more to say than that it starts.
	Phase string
	// Warnings are oddities that did not keep it from running, such as skipped output.
	Warnings []string
	// IsBroken is set where the text of the entry is so wrong that it cannot run.
	IsBroken bool
	// IsStale is set where what it lists is known from an earlier session; ListedAt is when it was listed, zero where it was not.
	IsStale  bool
	ListedAt time.Time
	// IsSelf is set for an entry that would start Pillion itself.
	IsSelf bool
	// OffBy are those who keep it off (A12), IsPinned and Profile what the user chose for it.
	OffBy    []personal.By
	IsPinned bool
	Profile  string
	// AliasOf is the id of the connector that this is a second name of; empty for every other.
	AliasOf string
	// Profiles are those of its file that it belongs to.
	Profiles []string
	// Permission says what is missing, where anything is.
	Permission Missing
}

// Missing is what a connector that waits has to have before it runs; empty for nothing.
type Missing string

const (
	MissingYes   Missing = "new"     // a yes to it as it is
	MissingAgain Missing = "changed" // a yes to what it was changed to
	MissingTrust Missing = "trust"   // the editor's trust in the workspace alone
)

// missing is what a connector that waits has to have; h.mu is held.
func (h *Host) missing(s *slot) Missing {
	switch {
	case s.standing.isAllowed && s.standing.isUntrusted:
		return MissingTrust
	case h.decisions.Known(s.consentKey()):
		return MissingAgain
	}
	return MissingYes
}

// Process is one process of a connector.
type Process struct {
	PID       int
	StartedAt time.Time
	SessionID string // whose alone it is; empty for the window's
}

// Tool is one tool of one connector as it is listed now.
type Tool struct {
	ID, Label, ServedName string
	Connector             string // its id
	ConnectorName, Name   string
	Title, Summary        string
	Description           string
	InputSchema           []byte // as received, without secrets
	OutputSchema          []byte
	Annotations           []byte
	catalog.Passed
	ReadOnly, IsDestructive bool // as claimed; absent destructiveHint means destructive
	OpenWorld               *bool
	Hash                    string
	Tokens                  int
	// takes and returns are the schemas with all that is in them: what is checked is checked against those.
	takes, returns []byte
	// Tags are those that the file gives it, sorted.
	Tags []string
	// Permission is what a call without particular arguments would meet: auto, ask or deny.
	Permission string
	// State is empty for a tool that is offered, else [ToolOff] or [ToolQuarantined].
	State string
}

// maxSummaryRunes bounds the one line shown for a tool.
const maxSummaryRunes = 140

// Connectors returns every connector: those that are pinned first, and otherwise in the order of the files.
func (h *Host) Connectors() []Connector {
	h.mu.Lock()
	defer h.mu.Unlock()
	present := h.present()
	all := make([]Connector, len(present))
	for i, s := range present {
		all[i] = h.view(s)
	}
	slices.SortStableFunc(all, func(a, b Connector) int { return order(b.IsPinned) - order(a.IsPinned) })
	return all
}

func order(isFirst bool) int {
	if isFirst {
		return 1
	}
	return 0
}

// Connector returns the connector of an id, or of a name that only one has.
func (h *Host) Connector(idOrName string) (Connector, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	s, err := h.findSlot(idOrName)
	if err != nil {
		return Connector{}, err
	}
	return h.view(s), nil
}

// view is called with h.mu held.
func (h *Host) view(s *slot) Connector {
	view := Connector{
		ID: s.lead().id, Name: s.entry.Name, Root: s.entry.File.Root, State: h.state(s), Source: s.entry.Origin(),
		File: s.entry.File.Path, KeySpan: s.entry.KeySpan, Hash: s.hash, FileHash: s.facts.Hash, Transport: s.entry.Transport,
		Generation: s.generation, Server: s.server, ShadowedBy: s.effective.ShadowedBy,
		Warnings: slices.Clone(s.warnings), IsBroken: s.entry.Fault != nil, IsSelf: s.standing.isSelf, AliasOf: s.entry.AliasOf, Profiles: slices.Clone(s.effective.Profiles),
		OffBy: slices.Clone(s.mine.OffBy), IsPinned: s.mine.IsPinned, Profile: s.mine.Profile,
	}
	if s.lead().builtin != nil {
		view.Transport = transportBuiltin
	}
	switch {
	case view.State == StateFailed && s.fault != nil:
		view.Problem = s.fault
	case view.State == StateFailed, view.State == StateLogin:
		view.Problem = s.problem
	case view.State == StateStarting:
		view.Phase, view.Problem = h.phase(s), s.problem // why it has to come back
	case view.State == StateWaiting:
		view.Permission = h.missing(s)
	}
	if s.process != nil && s.life.activity == activityReady {
		status := s.process.Status()
		view.Warnings = slices.Clone(status.Warnings)
	}
	view.Processes = s.processes()
	if s.isScopeLost {
		view.Warnings = append(view.Warnings, "some callers do not say which session started theirs; each of those has a process to itself")
	}
	if s.isListed() && s.standing.mayRun() {
		view.IsStale, view.ListedAt = s.isRecalled, s.listedAt
		view.Resources, view.Prompts = len(s.catalogue.Resources), len(s.catalogue.Prompts)
		if s.isRecalled { // perhaps not the lists themselves
			view.Resources, view.Prompts = s.kept.Resources, s.kept.Prompts
		}
		if s.isRecalled && len(s.catalogue.Tools) < s.kept.Count { // nor the tools
			view.Tools, view.Tokens = s.kept.Count, s.kept.Tokens
		}
		for _, tool := range h.offered(s) {
			view.Tools++
			view.Tokens += tool.Tokens
		}
		for _, bad := range s.catalogue.Quarantined {
			name, _ := h.secrets.Text(bad.Name)
			reason, _ := h.secrets.Text(bad.Reason)
			view.Warnings = append(view.Warnings, fmt.Sprintf("tool %q is left out: %s", name, reason))
		}
	}
	for _, uri := range slices.Sorted(maps.Keys(s.lostSubscriptions)) {
		view.Warnings = append(view.Warnings, fmt.Sprintf("the resource %q is not followed any more: %s", uri, s.lostSubscriptions[uri]))
	}
	view.Warnings = append(view.Warnings, h.inputs.warningsOf(s.id)...)
	return view
}

// summaryOf is the first sentence of a description, on one line. Of a long one no more is looked at than is kept.
func summaryOf(description string) string {
	text := make([]byte, 0, min(len(description), maxSummaryRunes))
	runes := 0
	for word := range strings.FieldsSeq(description) {
		if bytes.HasSuffix(text, []byte(".")) {
			break
		}
		if len(text) > 0 {
			text = append(text, ' ')
			runes++
		}
		text = append(text, word...)
		if runes += utf8.RuneCountInString(word); runes > maxSummaryRunes {
			return string([]rune(string(text))[:maxSummaryRunes-1]) + "…"
		}
	}
	return string(text)
}

// passedOn are a server's instructions as far as its entry passes them on; a limit of 0 stands for the usual one, a negative
// one for nothing.
func passedOn(instructions string, limit int) string {
	const cut = "…"
	if limit = cmp.Or(limit, settings.DefaultMaxInstructionBytes); limit < 0 {
		return ""
	}
	if len(instructions) <= limit {
		return instructions
	}
	return strings.ToValidUTF8(instructions[:max(0, limit-len(cut))], "") + cut
}
