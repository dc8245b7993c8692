package host

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"pillion/mcp/connector"
	"pillion/mcp/permission"
	"pillion/mcp/state"
)

// isHealthy reports whether the stores of decisions are what the user left (S20).
func (h *Host) isHealthy() bool {
	return h.permissions.Health() == nil && h.consents.Health() == nil && h.personal.Health() == nil
}

// Rules lists the standing permissions and refusals, those of this session too, and those that do not count, because nothing
// shows that Pillion wrote them: [Host.IsSuspended] says so of them.
func (h *Host) Rules() []permission.Rule { return h.permissions.AllRules() }

// RemoveRule takes one back. An error that [state.IsUnsaved] knows says that it is taken back in this session alone.
func (h *Host) RemoveRule(ctx context.Context, id string) error {
	err := h.permissions.Remove(ctx, id)
	if err == nil || state.IsUnsaved(err) {
		h.recordRule("", "", "removed", id)
	}
	return err
}

// NewRule says what a person wants to stand for a tool, or with an empty Tool for all tools that a connector lists now.
type NewRule struct {
	Connector, Tool string // an id or a unique name each; Tool may be empty
	Decision, Scope string
	SessionID       string
	// Where are conditions on the arguments, of an allowance of one tool alone (E10).
	Where []permission.Condition
	// By says whose word it is.
	By string
}

// DraftRule is the standing permission or refusal of what is listed now (S8), to be shown and stored. An [*UnknownError] says
// that there is no such connector or tool, a [*permission.ConditionError] what is wrong with a condition.
func (h *Host) DraftRule(r NewRule) (permission.Rule, error) {
	where, err := permission.CheckConditions(r.Where, disk{})
	if err != nil {
		return permission.Rule{}, err
	}
	r.Where = where
	return h.newRule(r)
}

// StoreRule stores a draft as it is, and returns it with its id and time. With an error that [state.IsUnsaved] knows it is
// returned too, and stands in this session alone.
func (h *Host) StoreRule(ctx context.Context, draft permission.Rule) (permission.Rule, error) {
	added, err := h.permissions.Add(ctx, draft)
	if err == nil || state.IsUnsaved(err) {
		h.recordRule(added.Connector, added.Tool, added.Decision, added.Label+" ("+added.Scope+")")
	}
	return added, err
}

func (h *Host) newRule(r NewRule) (permission.Rule, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	s, err := h.findSlot(r.Connector)
	if err != nil {
		return permission.Rule{}, err
	}
	rule := ruleFor(s, r.Scope, r.SessionID)
	rule.Decision, rule.Where, rule.By = r.Decision, r.Where, r.By
	if r.Tool != "" {
		if rule.Tool, err = h.toolMeant(s, r.Tool); err != nil {
			return permission.Rule{}, err
		}
	}
	offered := h.offered(s)
	if s.isRecalled { // only what is listed live is allowed
		offered, rule.ServerVersion = nil, ""
	}
	for _, tool := range offered {
		if r.Tool == "" || tool.Name == rule.Tool {
			cover(&rule, h.textOf(tool), tool)
		}
	}
	if r.Tool != "" && len(rule.ToolHashes) == 0 {
		if r.Decision != permission.RuleDeny {
			return permission.Rule{}, &UnknownError{What: "tool", Name: r.Tool}
		}
		// A tool may be refused before it is listed, by its own name or its label.
		if rule.Tool == "" {
			rule.Tool = r.Tool
			if raw, _ := s.toolLabelled(r.Tool); raw != "" {
				rule.Tool = raw
			}
		}
	}
	rule.Label = labelOf(rule)
	return rule, nil
}

// ruleFor is a rule on a connector as it is defined now; Host.mu is held.
func ruleFor(s *slot, scope, sessionID string) permission.Rule {
	rule := permission.Rule{
		Connector: s.entry.Identity(), Source: string(s.entry.File.Source), Root: s.entry.File.Root, DefinitionHash: s.hash,
		ServerVersion: s.freeVersion(), Decision: permission.RuleAllow, Scope: scope, ToolHashes: map[string]string{}, ToolTexts: map[string]string{},
	}
	if scope == permission.ScopeSession {
		rule.SessionID = sessionID
	}
	return rule
}

// allow stores the standing yes that an answer gives.
func (h *Host) allow(ctx context.Context, at target, subject permission.Subject, answer ApprovalAnswer) (permission.Rule, error) {
	where, err := permission.CheckConditions(answer.Where, disk{})
	if err != nil {
		return permission.Rule{}, err
	}
	answer.Where = where
	return h.StoreRule(ctx, h.ruleOf(at, subject, answer))
}

func (h *Host) ruleOf(at target, subject permission.Subject, answer ApprovalAnswer) permission.Rule {
	scope := answer.Scope
	if answer.Decision == DecideSession || scope == "" {
		scope = permission.ScopeSession
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	rule := ruleFor(at.slot, scope, subject.SessionID)
	rule.By, rule.Where = answer.By, answer.Where
	rule.DefinitionHash, rule.ServerVersion = subject.DefinitionHash, subject.ServerVersion // what was shown, not what may have replaced it
	switch answer.Decision {
	case DecideReadOnly, DecideConnector:
		rule.ReadOnlyTools = answer.Decision == DecideReadOnly
		for _, tool := range at.present {
			if !rule.ReadOnlyTools || (tool.ReadOnly != nil && *tool.ReadOnly) {
				cover(&rule, h.textOf(tool), tool)
			}
		}
	default:
		rule.Tool = at.tool.Name
		rule.ToolHashes[at.tool.Name] = at.tool.Hash
		rule.ToolTexts[at.tool.Name] = toolText(at.tool)
	}
	rule.Label = labelOf(rule)
	return rule
}

// cover lets a rule cover a tool as it is listed.
func cover(rule *permission.Rule, text string, tool connector.Tool) {
	rule.ToolHashes[tool.Name], rule.ToolTexts[tool.Name] = tool.Hash, text
}

// textOf is the text of a tool as people are shown it; h.mu is held.
func (h *Host) textOf(tool connector.Tool) string {
	return toolText(Tool{
		Name: tool.Name, Description: tool.Description, InputSchema: tool.InputSchema, OutputSchema: tool.OutputSchema, Annotations: tool.Annotations,
	}.redacted(h.secrets))
}

// toolText is what the hash of a tool is over, as JSON.
func toolText(tool Tool) string {
	definition := struct {
		Name         string         `json:"name"`
		Description  string         `json:"description,omitzero"`
		InputSchema  jsontext.Value `json:"inputSchema,omitzero"`
		OutputSchema jsontext.Value `json:"outputSchema,omitzero"`
		Annotations  jsontext.Value `json:"annotations,omitzero"`
	}{tool.Name, tool.Description, tool.InputSchema, tool.OutputSchema, tool.Annotations}
	text, err := json.Marshal(definition, json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return "" // nothing is shown of what cannot be read
	}
	return string(text)
}

// changesSince lists what differs between a tool and what a suspended rule was given for (B7, S9).
func (h *Host) changesSince(ruleID string, subject permission.Subject, tool Tool) (changes []Change) {
	rules, _ := h.permissions.RulesConcerning(subject.Connector, tool.Name)
	for _, rule := range rules {
		if rule.ID != ruleID || rule.Decision != permission.RuleAllow {
			continue
		}
		if rule.ServerVersion != "" && rule.ServerVersion != subject.ServerVersion {
			changes = append(changes, Change{Path: "/connector/version", Before: versionText(rule.ServerVersion), After: versionText(subject.ServerVersion)})
		}
		if before, isKept := rule.ToolTexts[tool.Name]; isKept && rule.ToolHashes[tool.Name] != tool.Hash {
			changes = append(changes, Changes(before, toolText(tool))...)
		}
	}
	return changes
}

// versionText is what a connector calls its version as JSON text, empty where there is none.
func versionText(text string) string {
	if text == "" {
		return ""
	}
	value, _ := jsontext.AppendQuote(nil, text)
	return string(value)
}

// labelOf is the line that people read for a rule.
func labelOf(r permission.Rule) string {
	what := Label(r.Connector, r.Tool)
	switch {
	case r.Tool == "" && r.ReadOnlyTools:
		what = "read-only tools of " + strconv.Quote(r.Connector)
	case r.Tool == "":
		what = "all tools of " + strconv.Quote(r.Connector)
	}
	verb := map[string]string{permission.RuleAllow: "allow", permission.RuleDeny: "refuse", permission.RuleAsk: "always ask for"}[r.Decision]
	return verb + " " + what + whereWords(r.Where)
}

// whereWords say what the arguments must be.
func whereWords(where []permission.Condition) string {
	var words []string
	for _, c := range where {
		switch {
		case c.Glob != "":
			words = append(words, c.Path+" matches "+strconv.Quote(c.Glob))
		case c.Under != "":
			words = append(words, c.Path+" lies under "+strconv.Quote(c.Under))
		default:
			words = append(words, c.Path+" is "+string(c.Equals))
		}
	}
	if len(words) == 0 {
		return ""
	}
	return " where " + strings.Join(words, " and ")
}

// CheckWhere says what is wrong with the conditions of an answer, or returns nil: each must be one, and all must hold of the
// call that is answered, or it is not the one that was meant.
func CheckWhere(where []permission.Condition, arguments []byte) error {
	checked, err := permission.CheckConditions(where, disk{})
	if err == nil && !permission.Hold(checked, arguments, disk{}) {
		err = errors.New("the conditions do not hold of this call")
	}
	return err
}

// IsSuspended reports whether a rule allows nothing at present: it does not count, or its connector or every tool of it is
// another than it was given for. Of a connector that is not here it is not known.
func (h *Host) IsSuspended(r permission.Rule) bool {
	if r.Decision != permission.RuleAllow {
		return false
	}
	if !slices.ContainsFunc(h.permissions.Rules(), func(counts permission.Rule) bool { return counts.ID == r.ID }) {
		return true
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	isHere := false // of one in another folder nothing is known
	for _, s := range h.present() {
		if h.mayAllow(s, r) {
			return false
		}
		isHere = isHere || s.entry.Identity() == r.Connector && string(s.entry.File.Source) == r.Source && (r.Root == "" || s.entry.File.Root == r.Root)
	}
	return isHere
}

// ChangedTools are the tools of each connector, by its id, that are others by now than a standing yes was given to, sorted: what
// was said of them is suspended (B7).
func (h *Host) ChangedTools() map[string][]string {
	rules := h.permissions.Rules()
	h.mu.Lock()
	defer h.mu.Unlock()
	changed := map[string][]string{}
	for _, s := range h.present() {
		if !s.isListed() {
			continue
		}
		for _, tool := range h.offered(s) {
			isChanged := func(r permission.Rule) bool {
				was, isCovered := r.ToolHashes[tool.Name]
				return r.Decision == permission.RuleAllow && isCovered && was != tool.Hash && r.Connector == s.entry.Identity() &&
					r.Source == string(s.entry.File.Source) && (r.Scope != permission.ScopeProject || r.Root == s.entry.File.Root)
			}
			if slices.ContainsFunc(rules, isChanged) {
				changed[s.id] = append(changed[s.id], tool.Name)
			}
		}
		slices.Sort(changed[s.id])
	}
	return changed
}

// mayAllow reports whether a rule allows a tool of the connector as it is, as far as that is known; h.mu is held.
func (h *Host) mayAllow(s *slot, r permission.Rule) bool {
	isOf := s.entry.Identity() == r.Connector && string(s.entry.File.Source) == r.Source && s.hash == r.DefinitionHash
	if s.isListed() && r.ServerVersion != "" && r.ServerVersion != s.freeVersion() {
		return false
	}
	if !isOf || r.Scope == permission.ScopeProject && s.entry.File.Root != r.Root {
		return false
	}
	return !s.isListed() || slices.ContainsFunc(h.offered(s), func(tool connector.Tool) bool { return r.ToolHashes[tool.Name] == tool.Hash })
}
