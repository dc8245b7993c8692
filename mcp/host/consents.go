package host

import (
	"context"
	"fmt"
	"slices"
	"time"

	"pillion/mcp/config"
	"pillion/mcp/consent"
	"pillion/mcp/personal"
	"pillion/mcp/redact"
	"pillion/mcp/state"
)

// Permission describes one connector whose definition wants a person's yes.
type Permission struct {
	Root      string
	Connector Connector
	Entry     *config.Entry
	Hash      string
	// IsChange is set when another definition of this name was allowed here, PreviousText then being it.
	IsChange     bool
	PreviousText string
	// Code is the code of the workspace that a yes will cover, as it was shown; Differences is what of it the last yes to this
	// very definition does not cover.
	Code        consent.Code
	Differences []consent.Difference
	// Steers holds those files of the code that the definition does not name, and that runners read.
	Steers map[string]bool
	// Warnings are the findings on the entry that a person should read before allowing it.
	Warnings []string
	// IsSet tells for each variable that the definition reads whether it is set; never its value.
	IsSet map[string]bool
	// Secrets are those that a yes hands over to where they have not gone before (S11).
	Secrets []consent.Secret
	// From are the references of those that the user has come from others (A12).
	From map[string]string
}

// Waiting returns what needs permission, in the order of the files.
// With all, those whose question was put off are among them: the user asked to see them.
func (h *Host) Waiting(all bool) []Permission {
	h.updateDecisions()
	h.lookAtCode(mayWait)
	h.mu.Lock()
	defer h.mu.Unlock()
	var waiting []Permission
	for _, s := range h.present() {
		if s.standing.isWaiting() && (all || !h.isPutOff(s)) {
			waiting = append(waiting, h.permissionOf(s))
		}
	}
	return waiting
}

// WaitingOn returns the permission that one connector wants, if it waits for one.
func (h *Host) WaitingOn(id string) (Permission, bool) {
	h.updateDecisions()
	h.lookAtCode(func(s *slot) bool { return s.id == id && (mayWait(s) || s.standing.isDenied) })
	h.mu.Lock()
	defer h.mu.Unlock()
	s := h.slotOf(id)
	if s == nil || !s.standing.isWaiting() && !s.standing.isDenied {
		return Permission{}, false
	}
	return h.permissionOf(s), true
}

// mayWait reports whether a connector waits, or would once its code was looked at; h.mu is held.
func mayWait(s *slot) bool {
	return s.standing.isWaiting() || s.standing.needsYes && s.standing.mayRun() && s.process == nil
}

// lookTime bounds how long a question waits for the look at the files that belong to it.
const lookTime = 5 * time.Second

// lookAtCode looks at the code of what a person is about to be asked about; where it has become what was allowed before, nobody
// needs to be asked.
func (h *Host) lookAtCode(concerned func(*slot) bool) {
	ctx, cancel := context.WithTimeout(h.lifetime, lookTime)
	defer cancel()
	for s, at := range h.subjects(concerned) {
		found, err := h.codeOf(ctx, at, h.groundNow(s))
		if err != nil {
			h.log.Warn("the files of a definition are not shown, and no yes covers them", "connector", s.id, "error", err)
			continue
		}
		h.settleOnCode(s, at, found)
	}
}

// isPutOff is called with h.mu held.
func (h *Host) isPutOff(s *slot) bool {
	decision, _ := h.decisions.Of(s.consentKey(), s.hash)
	return decision == consent.Later
}

// permissionOf is called with h.mu held.
func (h *Host) permissionOf(s *slot) Permission {
	p := Permission{Root: s.ground.root, Connector: h.view(s), Entry: s.entry, Hash: s.hash, IsSet: map[string]bool{}}
	p.PreviousText, p.IsChange = h.decisions.PreviousText(s.consentKey())
	if s.code != nil {
		p.Code, p.Differences, p.Steers = s.code.Code, h.uncovered(s), s.code.steering()
	}
	p.From = s.mine.Env
	for _, name := range s.entry.SecretReads(redact.NamesSecret) {
		if reference, isGiven := p.From[name]; isGiven { // that one is handed over
			name, _ = personal.Variable(reference)
		}
		secret := consent.Secret{Source: string(s.entry.File.Source), Name: name, Destination: destinationOf(s.entry)}
		if !h.decisions.IsConfirmed(s.consentKey(), secret) && !slices.Contains(p.Secrets, secret) {
			p.Secrets = append(p.Secrets, secret)
		}
	}
	lookup := h.lookup(h.subjectAt(s))
	for _, name := range s.entry.Reads() {
		_, p.IsSet[name] = lookup(name)
	}
	if finding, isUnpinned := s.entry.Unpinned(); isUnpinned { // no fault of the file, but what a yes lets run
		p.Warnings = append(p.Warnings, finding.Message)
	}
	document := h.documents[s.entry.File.Path]
	if document == nil {
		return p
	}
	for _, finding := range document.Findings {
		if finding.Entry == s.entry.Name && finding.Severity <= config.Warning {
			p.Warnings = append(p.Warnings, finding.Message)
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
// A yes confirms every secret that the question listed.
// A definition that is no longer the one in the file is recorded all the same: it is not what will start.
// by says who answered, for the audit log. An error that [state.IsUnsaved] knows says that the decision holds for this session alone.
func (h *Host) Decide(ctx context.Context, p Permission, decision consent.Decision, by string) error {
	if p.Root == "" {
		return fmt.Errorf("decide on connector %q: it needs no permission", p.Entry.Name)
	}
	key := consent.Key{Root: p.Root, RootID: consent.RootID(p.Root), Connector: p.Entry.Name}
	err := h.consents.Decide(ctx, key, p.Hash, p.Entry.Text, p.Code, decision, p.Secrets...)
	if err != nil && !state.IsUnsaved(err) {
		return fmt.Errorf("record the decision on connector %q: %w", p.Entry.Name, err)
	}
	h.record(consentRecord(p, decision, by))
	h.locked(func() {
		for _, s := range h.present() {
			if s.id == p.Connector.ID {
				s.swapped = nil
			}
		}
	})
	h.restand(isNamed(p.Entry.Name))
	return err
}

// Revoke takes back what was decided about a connector of a folder; a running one stops. The error is that of [Host.Decide].
func (h *Host) Revoke(ctx context.Context, root, connector string) error {
	err := h.consents.Revoke(ctx, root, connector)
	if err != nil && !state.IsUnsaved(err) {
		return err
	}
	h.record(revokeRecord(root, connector))
	h.restand(isNamed(connector))
	return err
}

func isNamed(name string) func(*slot) bool {
	return func(s *slot) bool { return s.entry.Name == name }
}

// Consents lists what was decided, here and in other folders.
func (h *Host) Consents() []consent.Record { return h.consents.Records() }

// ConsentRootOf is the folder that a connector's permission is bound to; false for one that needs none.
func (h *Host) ConsentRootOf(id string) (string, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := h.slots[id]
	if s == nil {
		return "", false
	}
	return s.ground.root, s.ground.root != ""
}

// ConnectorIn is the id of the connector of a name in a folder, empty for one that is not there now.
func (h *Host) ConnectorIn(root, name string) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, s := range h.present() {
		if s.entry.Name == name && (s.entry.File.Root == root || s.ground.root == root) {
			return s.id
		}
	}
	return ""
}
