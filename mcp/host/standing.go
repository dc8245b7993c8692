package host

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"

	"pillion/mcp/config"
	"pillion/mcp/consent"
	"pillion/mcp/state"
)

// judge works out how the slot stands; h.mu is held.
// Nothing is run, resolved or expanded here: whether a variable is set is all that is looked at (B6).
func (h *Host) judge(s *slot, consentHealth error) {
	entry := s.entry
	s.fault = h.faultOf(entry)
	s.standing = standing{
		isShadowed:  s.effective.ShadowedBy != "",
		isDisabled:  s.effective.Disabled || s.isRemoved,
		isSelf:      entry.Pillion,
		hasFault:    s.fault != nil,
		isUntrusted: h.isUntrusted,
	}
	root := h.consentRoot(entry)
	s.rootID, s.place = "", ""
	if entry.UsesWorkspace() {
		s.place = h.projectFolder(entry)
	}
	if root == "" {
		return
	}
	s.standing.needsYes = true
	s.rootID = consent.RootID(root)
	if consentHealth != nil {
		return // an unreadable store allows nothing (S20)
	}
	decision, isKnown := h.consents.Decisions().Of(consentKey(root, entry), s.hash)
	switch {
	case isKnown && decision == consent.Never:
		s.standing.isDenied = true
	case isKnown && (decision == consent.Allow || decision == consent.AllowFollow):
		s.standing.isAllowed = true
	}
	if slices.Contains(h.options.AllowedOnce, s.hash) {
		s.standing.isAllowed, s.standing.isDenied = true, false
	}
}

// faultOf says why the entry cannot run as it stands, or nil.
func (h *Host) faultOf(entry *config.Entry) *Problem {
	if entry.Fault != nil {
		return configProblem(entry, entry.Fault.Message, entry.Fault.Fix)
	}
	if entry.Transport != config.TransportStdio {
		return configProblem(entry, "remote connectors are not supported yet", "Use a connector that runs as a program, or wait for a version that supports remote ones.")
	}
	if unset := entry.UnsetVariables(h.lookupEnv(entry)); len(unset) > 0 {
		return configProblem(entry, unset[0].Message, unset[0].Fix)
	}
	return nil
}

func consentKey(root string, entry *config.Entry) consent.Key {
	return consent.Key{Root: root, RootID: consent.RootID(root), Connector: entry.Name}
}

// Permission describes one connector whose definition wants a person's yes.
type Permission struct {
	Root      string
	Connector Connector
	Entry     *config.Entry
	Hash      string
	// IsChange is set when another definition of this name was allowed here, PreviousText then being it.
	IsChange     bool
	PreviousText string
	// Warnings are the findings on the entry that a person should read before allowing it.
	Warnings []string
	// IsSet tells for each variable that the definition reads whether it is set; never its value.
	IsSet map[string]bool
}

// Waiting returns what needs permission, in the order of the files.
// With all, those whose question was put off are among them: the user asked to see them.
func (h *Host) Waiting(all bool) []Permission {
	h.mu.Lock()
	defer h.mu.Unlock()
	var waiting []Permission
	for _, id := range h.order {
		s := h.slots[id]
		if s == nil || s.isRemoved || !s.standing.isWaiting() {
			continue
		}
		if p := h.permissionOf(s); all || !h.isPutOff(s, p) {
			waiting = append(waiting, p)
		}
	}
	return waiting
}

// WaitingOn returns the permission that one connector wants, if it waits for one.
func (h *Host) WaitingOn(id string) (Permission, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := h.slots[id]
	if s == nil || s.isRemoved || !(s.standing.isWaiting() || s.standing.isDenied) {
		return Permission{}, false
	}
	return h.permissionOf(s), true
}

func (h *Host) isPutOff(s *slot, p Permission) bool {
	decision, isKnown := h.consents.Decisions().Of(consentKey(p.Root, s.entry), s.hash)
	return isKnown && decision == consent.Later
}

func (h *Host) permissionOf(s *slot) Permission {
	root := h.consentRoot(s.entry)
	p := Permission{Root: root, Connector: h.view(s), Entry: s.entry, Hash: s.hash, IsSet: map[string]bool{}}
	key := consentKey(root, s.entry)
	p.PreviousText, p.IsChange = h.consents.Decisions().PreviousText(key)
	lookup := h.lookupEnv(s.entry)
	for _, name := range s.entry.Reads() {
		_, p.IsSet[name] = lookup(name)
	}
	for _, document := range h.documents {
		if document.File.Path != s.entry.File.Path {
			continue
		}
		for _, finding := range document.Findings {
			if finding.Entry == s.entry.Name && finding.Severity <= config.Warning {
				p.Warnings = append(p.Warnings, finding.Message)
			}
		}
	}
	return p
}

// RecordAsked puts a question about what waits into the audit log; caller is who wants it answered.
func (h *Host) RecordAsked(waiting []Permission, askID string, caller Caller) {
	for _, p := range waiting {
		h.record(consentAskRecord(p, askID, caller))
	}
}

// Decide records what a person decided about exactly the definition that was shown, and acts on it.
// A definition that is no longer the one in the file is recorded all the same: it is not what will start.
// by says who answered, for the audit log. An error that [consent.IsUnsaved] knows says that the decision holds for this session alone.
func (h *Host) Decide(ctx context.Context, p Permission, decision consent.Decision, by string) error {
	if p.Root == "" {
		return fmt.Errorf("decide on connector %q: it needs no permission", p.Entry.Name)
	}
	err := h.consents.Decide(ctx, consentKey(p.Root, p.Entry), p.Hash, p.Entry.Text, decision)
	if err != nil && !consent.IsUnsaved(err) {
		return fmt.Errorf("record the decision on connector %q: %w", p.Entry.Name, err)
	}
	h.record(consentRecord(p, decision, by))
	h.restand()
	return err
}

// Revoke takes back what was decided about a connector of a folder; a running one stops.
func (h *Host) Revoke(ctx context.Context, root, connector string) error {
	if err := h.consents.Revoke(ctx, root, connector); err != nil {
		return err
	}
	h.record(revokeRecord(root, connector))
	h.restand()
	return nil
}

// Consents lists what was decided, here and in other folders.
func (h *Host) Consents() []consent.Record { return h.consents.Records() }

// ConfirmStore takes the store that a problem is about as it is now for good; only a person says so.
func (h *Host) ConfirmStore(ctx context.Context, problem StoreProblem) error {
	confirm := h.consents.Confirm
	if problem.File == h.options.Folder.Path(permissionsFile) {
		confirm = h.permissions.Confirm
	}
	if err := confirm(ctx); err != nil {
		return err
	}
	h.recordRule("", "", "confirmed", problem.File)
	h.restand()
	return nil
}

// The stores of decisions in the state folder.
const (
	consentsFile    = "consents.json"
	permissionsFile = "permissions.json"
)

func (h *Host) lookupEnv(entry *config.Entry) func(string) (string, bool) {
	return h.variablesIn(h.projectFolder(entry))
}

// variablesIn looks variables up for an entry of a project folder.
func (h *Host) variablesIn(project string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		if name == "CLAUDE_PROJECT_DIR" {
			return project, true
		}
		return lookupIn(h.options.Environ, name)
	}
}

func lookupIn(environ []string, name string) (string, bool) {
	for i := len(environ) - 1; i >= 0; i-- {
		key, value, found := strings.Cut(environ[i], "=")
		if found && (key == name || (runtime.GOOS == "windows" && strings.EqualFold(key, name))) {
			return value, true
		}
	}
	return "", false
}

// projectFolder is the folder that ${workspaceFolder} stands for in an entry.
func (h *Host) projectFolder(entry *config.Entry) string {
	if entry.File.Root != "" {
		return entry.File.Root
	}
	if len(h.roots) > 0 {
		return h.roots[0]
	}
	return ""
}

func (h *Host) removeResults() {
	if h.options.Results != "" {
		_ = os.RemoveAll(h.options.Results)
	}
}

// StoreProblem is a store of decisions that cannot be read as it is.
type StoreProblem struct{ File, SetAside, Reason string }

// StoreProblems say why every call asks, by store (S20).
func (h *Host) StoreProblems() []StoreProblem {
	var problems []StoreProblem
	for _, store := range []struct {
		path string
		err  error
	}{{h.options.Folder.Path(consentsFile), h.consents.Health()}, {h.options.Folder.Path(permissionsFile), h.permissions.Health()}} {
		if store.err == nil {
			continue
		}
		problem := StoreProblem{File: store.path, Reason: store.err.Error()}
		var broken *state.BrokenError
		if errors.As(store.err, &broken) {
			problem.File, problem.SetAside = broken.Path, broken.SetAside
		}
		problems = append(problems, problem)
	}
	return problems
}

// ConsentRootOf is the folder that a connector's permission is bound to; false for one that needs none.
func (h *Host) ConsentRootOf(id string) (string, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := h.slots[id]
	if s == nil {
		return "", false
	}
	root := h.consentRoot(s.entry)
	return root, root != ""
}

// ConnectorIn is the id of the connector of a name in a folder, empty for one that is not there now.
func (h *Host) ConnectorIn(root, name string) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, id := range h.order {
		if s := h.slots[id]; s != nil && !s.isRemoved && s.entry.Name == name && (s.entry.File.Root == root || h.consentRoot(s.entry) == root) {
			return id
		}
	}
	return ""
}

// LogFile is where a connector's stderr is kept; it need not exist.
func (h *Host) LogFile(id string) string {
	return h.scratch(logFolderInState, id+".log")
}

// OwnerOf is the connector that a tool would belong to, by the tool's name.
func (h *Host) OwnerOf(tool string) (Connector, error) {
	id, err := h.connectorOfTool(tool)
	if err != nil {
		return Connector{}, err
	}
	return h.Connector(id)
}
