package host

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json"

	"pillion/mcp/audit"
	"pillion/mcp/permission"
	"pillion/mcp/personal"
	"pillion/mcp/state"
)

// The changes that may give more, in the words of the editor protocol.
const (
	WidenRule       = "rule"
	WidenRuleRemove = "ruleRemove"
	WidenConnector  = "connector"
	WidenTool       = "tool"
	WidenMode       = "mode"
)

// Wanted is one change that somebody wants. Exactly one of its members is set.
type Wanted struct {
	Rule       *NewRule
	RemoveRule string // id of a rule
	Connector  string // id or unique name of one that is to be on
	Tool       string // one that is to be on
	Mode       permission.Mode
	// IsEverywhere says that the tool is to be on in all workspaces.
	IsEverywhere bool
}

// Widening is a change that gives more than stands, as a person is shown it before it is made (S6).
type Widening struct {
	Change string // WidenRule and the others
	// Connector is an id, Name the name in the file; both are empty for a mode.
	Connector, Name, File string
	Tool                  string // raw name, empty for no single one
	Scope, Root           string
	Where                 []permission.Condition
	Now                   []string // what holds now, a phrase each
	Then                  string   // what will hold
	DefinitionText        string   // the entry that is switched on, as its file has it
	Reads                 []string // variables that the entry refers to
	Tools                 []Tool   // what a standing yes will cover
	// Hash is over all of the above and what is not shown of it, such as the hashes of the tools.
	Hash string

	wanted Wanted
	draft  permission.Rule // what a yes to a rule stores
	// bound is what the hash is over besides what is shown.
	bound []string
}

// errNotAsShown refuses an answer to what has changed since.
var errNotAsShown = errors.New("what would change is no longer what was shown; nothing was changed")

// Widening is what a person has to see before a change is made; false for one that gives nothing more. An [*UnknownError] says
// that what is to be changed is not here.
func (h *Host) Widening(w Wanted) (Widening, bool, error) {
	var shown Widening
	var widens bool
	var err error
	switch {
	case w.Rule != nil:
		shown, widens, err = h.ruleWidening(*w.Rule)
	case w.RemoveRule != "":
		shown, widens, err = h.removalWidening(w.RemoveRule)
	case w.Connector != "":
		shown, widens, err = h.connectorWidening(w.Connector)
	case w.Tool != "":
		shown, widens, err = h.toolWidening(w.Tool, w.IsEverywhere)
	case w.Mode != "":
		shown, widens = h.modeWidening(w.Mode)
	}
	if err != nil || !widens {
		return Widening{}, false, err
	}
	shown.wanted = w
	shown.Hash, err = shown.sum()
	return shown, err == nil, err
}

// sum is the hash of all that a widening is.
func (w Widening) sum() (string, error) {
	tools := make([]string, len(w.Tools))
	for i, tool := range w.Tools {
		tools[i] = tool.Hash
	}
	parts := struct {
		Shown        []any
		Now, Bound   []string
		Reads, Tools []string
		Where        []permission.Condition
	}{
		[]any{w.Change, w.Connector, w.Name, w.File, w.Tool, w.Scope, w.Root, w.Then, w.DefinitionText},
		w.Now, w.bound, w.Reads, tools, w.Where,
	}
	text, err := json.Marshal(parts, json.Deterministic(true))
	if err != nil {
		return "", fmt.Errorf("hash a change: %w", err)
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), nil
}

func (h *Host) ruleWidening(r NewRule) (Widening, bool, error) {
	draft, err := h.DraftRule(r)
	if err != nil {
		return Widening{}, false, err
	}
	rules := h.Rules()
	if !permission.Widens(rules, draft) {
		return Widening{}, false, nil
	}
	if draft.Decision == permission.RuleAllow && len(draft.ToolHashes) == 0 {
		return Widening{}, false, &UnlistedError{Connector: draft.Connector}
	}
	if err := draft.Check(); err != nil {
		return Widening{}, false, err
	}
	w := h.widenedRule(WidenRule, draft)
	h.locked(func() {
		if s, err := h.findSlot(r.Connector); err == nil { // by the name that was said, which may be an alias
			w.Connector, w.Name, w.File = s.id, s.entry.Name, s.entry.File.Path
		}
	})
	w.draft, w.Then, w.bound = draft, draft.Label, []string{draft.DefinitionHash, draft.Decision, draft.SessionID}
	for _, rule := range rules {
		isAbout := rule.Connector == draft.Connector && rule.Source == draft.Source
		if isAbout && (rule.Tool == "" || draft.Tool == "" || rule.Tool == draft.Tool) {
			w.Now = append(w.Now, ruleWords(rule))
		}
	}
	if draft.Decision != permission.RuleAllow {
		return w, true, nil
	}
	for _, tool := range h.Tools() {
		if tool.Connector == w.Connector && draft.ToolHashes[tool.Name] == tool.Hash {
			w.Tools = append(w.Tools, tool)
		}
	}
	return w, true, nil
}

// UnlistedError says that a connector does not run, so that what it could be allowed is not known.
type UnlistedError struct{ Connector string }

func (e *UnlistedError) Error() string {
	return fmt.Sprintf("the connector %q does not run, so its tools are not known, and only what is known is allowed", e.Connector)
}

// ruleWords are a rule with where it counts, as what holds now.
func ruleWords(r permission.Rule) string {
	where := map[string]string{permission.ScopeSession: "until the session ends", permission.ScopeProject: "in " + r.Root, permission.ScopeUser: "in every folder"}
	return r.Label + " (" + where[r.Scope] + ")"
}

func (h *Host) widenedRule(change string, r permission.Rule) Widening {
	w := Widening{Change: change, Name: r.Connector, Tool: r.Tool, Scope: r.Scope, Root: r.Root, Where: r.Where}
	if r.Scope == permission.ScopeUser {
		w.Root = ""
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, s := range h.present() {
		if s.entry.Identity() == r.Connector && string(s.entry.File.Source) == r.Source && (r.Root == "" || s.entry.File.Root == r.Root || s.entry.File.Root == "") {
			w.Connector, w.File = s.id, s.entry.File.Path
			break
		}
	}
	return w
}

func (h *Host) removalWidening(id string) (Widening, bool, error) {
	rules := h.Rules()
	at := slices.IndexFunc(rules, func(r permission.Rule) bool { return r.ID == id })
	if at < 0 || !rules[at].Limits() {
		return Widening{}, false, nil
	}
	w := h.widenedRule(WidenRuleRemove, rules[at])
	w.Now, w.Then, w.bound = []string{ruleWords(rules[at])}, "that no longer stands", []string{id}
	return w, true, nil
}

func (h *Host) connectorWidening(idOrName string) (Widening, bool, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	s, err := h.findSlot(idOrName)
	if err != nil || !s.mine.IsOff() {
		return Widening{}, false, err
	}
	w := Widening{
		Change: WidenConnector, Connector: s.id, Name: s.entry.Name, File: s.entry.File.Path,
		Then: "it is on for you", DefinitionText: s.entry.Text, Reads: s.entry.Reads(), bound: []string{s.facts.Hash},
	}
	w.Scope, w.Root = scopeOfWish(h.wishFolders(s.facts.Root))
	for _, by := range s.mine.OffBy {
		w.Now = append(w.Now, map[personal.By]string{
			personal.ByFile: "it is off in its file", personal.ByProject: "it is off by the project's file",
			personal.ByUser: "it is off by you", personal.ByProfile: "it is not in the profile that is chosen",
		}[by])
	}
	return w, true, nil
}

// scopeOfWish is where a wish counts that counts in these folders: everywhere where no folder is open.
func scopeOfWish(in []personal.Folder) (scope, root string) {
	switch {
	case len(in) == 1 && in[0].Path == "":
		return permission.ScopeUser, ""
	case len(in) == 1:
		return permission.ScopeProject, in[0].Path
	}
	return permission.ScopeProject, ""
}

func (h *Host) toolWidening(name string, isEverywhere bool) (Widening, bool, error) {
	known, err := h.knownTool(name)
	if err != nil {
		return Widening{}, false, err
	}
	tool, err := h.toolOf(known)
	if err != nil {
		return Widening{}, false, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	s, err := h.findSlot(known.connector)
	if err != nil || s.mine.Offers(known.name) {
		return Widening{}, false, err
	}
	if isEverywhere && s.facts.Root != "" {
		return Widening{}, false, &ScopeError{Connector: s.facts.Name}
	}
	w := Widening{
		Change: WidenTool, Connector: s.id, Name: s.entry.Name, File: s.entry.File.Path, Tool: known.name,
		Now: []string{"you switched it off"}, Then: "it is listed, to your editor and to agents; its calls ask as the rules say", bound: []string{tool.Hash},
	}
	w.Scope, w.Root = scopeOfWish(h.wishFolders(s.facts.Root))
	if isEverywhere {
		w.Scope, w.Root = permission.ScopeUser, ""
	}
	return w, true, nil
}

func (h *Host) modeWidening(mode permission.Mode) (Widening, bool) {
	now := h.Mode()
	return Widening{Change: WidenMode, Now: []string{modeWords(now)}, Then: modeWords(mode), bound: []string{string(now), string(mode)}}, now.WidensTo(mode)
}

func modeWords(mode permission.Mode) string {
	switch mode {
	case permission.ModePaused:
		return "Pillion is paused: nothing runs"
	case permission.ModePlan:
		return "plan mode: only tools that only read may run"
	}
	return "calls run as the rules say, and ask where none does"
}

// Propose opens the question about a change that gives more, and returns its id; empty for a change that gives nothing more and
// may simply be made. [ErrNobody] says that nobody can be asked.
func (h *Host) Propose(w Wanted, caller Caller) (askID string, err error) {
	shown, widens, err := h.Widening(w)
	switch {
	case err != nil || !widens:
		return "", err
	case h.options.Asker == nil:
		return "", ErrNobody
	}
	return h.options.Asker.AskWidening(shown, caller)
}

// Stands reports whether a change would be today what was shown.
func (h *Host) Stands(shown Widening) bool {
	now, widens, err := h.Widening(shown.wanted)
	return err == nil && widens && now.Hash == shown.Hash
}

// RecordProposed puts a question about a change into the audit log; caller is who wants it made.
func (h *Host) RecordProposed(w Widening, askID string, caller Caller) {
	h.record(audit.Record{Kind: audit.KindAsk, AskID: askID, Asker: caller.String(), Connector: w.Name, Tool: w.Tool, Message: w.Then + " " + w.Hash})
}

// Widen makes a change that a person was shown whole and said yes to, or with a no records that. What is no longer as it was
// shown is not made. by says who answered. An error that [state.IsUnsaved] knows says that it holds for this session alone.
func (h *Host) Widen(ctx context.Context, shown Widening, isYes bool, by string) error {
	answer := audit.Record{Kind: audit.KindAnswer, Asker: by, Connector: shown.Name, Tool: shown.Tool, Status: "keep", Message: shown.Then + " " + shown.Hash}
	if !isYes {
		h.record(answer)
		return nil
	}
	if !h.Stands(shown) {
		return errNotAsShown
	}
	answer.Status = "make"
	h.record(answer)
	err := h.widen(ctx, shown, by)
	if err != nil && !state.IsUnsaved(err) {
		return fmt.Errorf("make the change: %w", err)
	}
	return err
}

func (h *Host) widen(ctx context.Context, shown Widening, by string) (err error) {
	w := shown.wanted
	switch {
	case w.Rule != nil:
		rule := shown.draft
		rule.By = by
		_, err = h.StoreRule(ctx, rule)
	case w.RemoveRule != "":
		err = h.RemoveRule(ctx, w.RemoveRule)
	case w.Connector != "":
		isOn := true
		_, err = h.SetConnector(ctx, shown.Connector, ConnectorWish{Enabled: &isOn, ShownHash: shown.bound[0]})
	case w.Tool != "":
		_, err = h.SetTool(ctx, w.Tool, true, w.IsEverywhere)
	case w.Mode != "":
		h.SetMode(w.Mode)
	}
	return err
}
