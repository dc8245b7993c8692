package host

import (
	"slices"

	"pillion/mcp/consent"
	"pillion/mcp/personal"
)

// restand looks anew at the connectors that are concerned, reads what was decided, and judges everybody by it.
func (h *Host) restand(concerned func(*slot) bool) {
	h.lookAgain(concerned)
	h.updateDecisions()
	h.notify(h.rejudge())
}

func nobody(*slot) bool { return false }

// updateDecisions reads what was decided and what is wanted, here and in other windows, for whatever is judged from now on.
func (h *Host) updateDecisions() {
	h.deciding.Lock() // what is read last is what counts
	defer h.deciding.Unlock()
	var folders []personal.Folder
	h.locked(func() { folders = h.folders })
	decisions, layer := h.consents.Decisions(), h.personal.Layer(folders)
	h.locked(func() { h.decisions, h.layer = decisions, layer })
}

func (h *Host) rejudge() Event {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.judgeAll()
}

// judgeAll judges every slot anew and returns what is to be told; h.mu is held.
func (h *Host) judgeAll() Event {
	h.judgeEach()
	return h.tellAll()
}

// judgeEach is called with h.mu held, as tellAll is after it.
func (h *Host) judgeEach() {
	for _, s := range h.slots {
		if s.main == nil {
			h.judge(s)
		}
	}
}

func (h *Host) tellAll() (event Event) {
	for id, s := range h.slots {
		if s.main != nil {
			continue
		}
		if s.isHidden {
			s.nudge(h.wanted(s))
			continue
		}
		if s.isRemoved {
			event.Removed = append(event.Removed, id)
		} else {
			event.Connectors = append(event.Connectors, id)
		}
		if s.isListed() && s.standing.mayRun() {
			event.Tools = append(event.Tools, h.toolsChanged(s)...)
		}
		s.nudge(h.wanted(s))
	}
	h.toolIndex = nil
	return event
}

// judge works out how the slot stands; h.mu is held.
// Nothing is run, resolved, expanded or read here: whether a variable is set is all that is looked at (B6).
func (h *Host) judge(s *slot) {
	defer h.follow(s)
	s.mine = h.layer.Apply(s.facts)
	if s.hash != s.mine.Hash { // another definition, whose code was not looked at
		s.hash, s.code, s.swapped = s.mine.Hash, nil, nil
	}
	s.fault = h.faultOf(h.subjectAt(s))
	s.standing = standing{
		isShadowed:  s.effective.ShadowedBy != "",
		isDisabled:  s.mine.IsOff() || s.isRemoved,
		isSelf:      s.entry.Pillion,
		hasFault:    s.fault != nil,
		isUntrusted: h.isUntrusted,
		needsYes:    s.ground.root != "",
	}
	if !s.standing.needsYes || h.decisions.Health() != nil { // an unreadable store allows nothing (S20)
		return
	}
	switch decision, _ := h.decisions.Of(s.consentKey(), s.hash); decision {
	case consent.Never:
		s.standing.isDenied = true
	case consent.Allow, consent.AllowFollow:
		s.standing.isAllowed = len(h.uncovered(s)) == 0
	}
	if s.code != nil && slices.Contains(h.options.AllowedOnce, onceHash(s.hash, s.code.Files)) {
		s.standing.isAllowed, s.standing.isDenied = true, false
	}
}

// faultOf says why the entry cannot run as it stands, or nil.
func (h *Host) faultOf(at subject) *Problem {
	entry := at.entry
	if entry.Fault != nil {
		return configProblem(entry, entry.Fault.Message, entry.Fault.Fix)
	}
	if refused := h.policies.refusal(entry, writtenConnector(entry)); refused != nil {
		return refused
	}
	if unset := entry.UnsetVariables(h.lookup(at)); len(unset) > 0 {
		return configProblem(entry, unset[0].Message, unset[0].Fix)
	}
	return nil
}
