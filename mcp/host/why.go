package host

import (
	"errors"
	"slices"

	"pillion/mcp/config"
	"pillion/mcp/connector"
	"pillion/mcp/permission"
	"pillion/mcp/personal"
	"pillion/mcp/why"
)

// WhyConnector says why a connector offers nothing, by its id or its name; nothing where it does (D4).
// The error is an [*UnknownError] without candidates.
func (h *Host) WhyConnector(idOrName string) ([]why.Reason, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	s, err := h.findSlot(idOrName)
	if err == nil {
		return h.factsAbout(s).Reasons(), nil
	}
	var unknown *UnknownError
	if !errors.As(err, &unknown) || len(unknown.Candidates) == 0 {
		return nil, err
	}
	candidates := make([]why.Candidate, len(unknown.Candidates))
	for i, id := range unknown.Candidates {
		candidates[i] = why.Candidate{ID: id, UseInstead: id, At: placeOf(h.slots[id].entry)}
	}
	return why.Ambiguous("connector", idOrName, candidates), nil
}

// WhyTool says why a tool is not offered, or is refused, by its id, label or served name; nothing where it is there.
// The error is an [*UnknownError] without candidates.
func (h *Host) WhyTool(name string) ([]why.Reason, error) {
	rules := h.Rules()
	h.mu.Lock()
	defer h.mu.Unlock()
	known, err := h.findKnown(name)
	var unknown *UnknownError
	switch {
	case err == nil:
		return h.factsAboutTool(h.slots[known.connector], known.name, rules).Reasons(), nil
	case errors.As(err, &unknown) && len(unknown.Candidates) > 0:
		return why.Ambiguous("tool", name, h.candidates(unknown.Candidates)), nil
	}
	return nil, err
}

// candidates are what tools' ids stand for; h.mu is held.
func (h *Host) candidates(ids []string) []why.Candidate {
	var candidates []why.Candidate
	for _, s := range h.present() {
		for _, tool := range s.listedNames() {
			if id := ToolID(s.id, tool); slices.Contains(ids, id) {
				candidates = append(candidates, why.Candidate{ID: id, UseInstead: id, At: placeOf(s.entry)})
			}
		}
	}
	return candidates
}

// Absences say why connectors offer nothing, all of them or one by its id, in the order of the files.
func (h *Host) Absences(id string) []why.Reason {
	h.mu.Lock()
	defer h.mu.Unlock()
	var reasons []why.Reason
	for _, s := range h.present() {
		if id == "" || s.id == id {
			reasons = append(reasons, h.factsAbout(s).Reasons()...)
		}
	}
	return reasons
}

// factsAbout is what is known of a connector; h.mu is held.
func (h *Host) factsAbout(s *slot) why.Connector {
	entry := s.entry
	facts := why.Connector{
		Name: entry.Name, At: placeOf(entry), IsOwn: entry.File.Source == config.SourceUser, IsSelf: s.standing.isSelf,
		IsOffByUser:    slices.Contains(s.mine.OffBy, personal.ByUser),
		IsBlocked:      s.standing.isDenied,
		IsWaiting:      s.standing.needsYes && !s.standing.isAllowed && !s.standing.isDenied,
		IsUntrusted:    s.standing.needsYes && s.standing.isUntrusted,
		IsChanged:      h.decisions.Known(s.consentKey()),
		ApproveCommand: ApproveCommand(entry.Name), EnableCommand: EnableCommand(entry.Name), RevokeCommand: RevokeCommand(entry.Name),
	}
	if by := h.slots[s.effective.ShadowedBy]; by != nil {
		facts.UsedInstead = by.entry.File.Path
	}
	h.addSwitches(s, &facts)
	h.addFault(s, &facts)
	if health := h.decisions.Health(); health != nil {
		facts.StoreFault = health.Error()
	}
	switch {
	case s.life.activity == activityFailed:
		facts.State = why.Failed
		if s.problem != nil {
			facts.Problem = s.problem.Reason
			facts.Step = firstStep(s.problem)
		}
	case s.isListed():
		facts.State = why.Known
	case s.life.activity == activityStarting:
		facts.State = why.Starting
	}
	return facts
}

// addSwitches adds who has the connector off, and where; h.mu is held.
func (h *Host) addSwitches(s *slot, facts *why.Connector) {
	for _, by := range s.mine.OffBy {
		switch by {
		case personal.ByFile:
			at := placeOf(s.entry)
			for _, key := range []string{"disabled", "enabled"} {
				if span, isThere := s.entry.Field(key); isThere {
					at.Span = span
				}
			}
			facts.OffInFile = &at
		case personal.ByProject:
			facts.OffByProject = h.projectFile(func(d *config.Document) bool { return d.DisabledNames[s.entry.Name] })
		case personal.ByProfile:
			facts.OffByProfile = &why.Profiles{Chosen: s.mine.Profile, Of: s.facts.Profiles}
		}
	}
}

// addFault adds why the entry cannot run as it stands; h.mu is held.
func (h *Host) addFault(s *slot, facts *why.Connector) {
	switch fault := s.entry.Fault; {
	case fault != nil:
		facts.Fault, facts.FaultFix, facts.FaultAt = fault.Message, fault.Fix, why.Place{File: s.entry.File.Path, Span: fault.Span}
	case s.fault != nil:
		facts.Fault, facts.FaultFix, facts.FaultAt = s.fault.Reason, firstStep(s.fault), placeOf(s.entry)
		facts.IsFaultPassing = len(s.entry.UnsetVariables(h.lookup(h.subjectAt(s)))) > 0
	}
}

func firstStep(p *Problem) string {
	if len(p.Steps) == 0 {
		return ""
	}
	return p.Steps[0]
}

// projectFile is the first of the projects' files that says something; h.mu is held.
func (h *Host) projectFile(says func(*config.Document) bool) *why.Place {
	for _, root := range h.roots {
		for path, document := range h.documents {
			if document.File.Root == root && says(document) {
				return &why.Place{File: path}
			}
		}
	}
	return &why.Place{}
}

// factsAboutTool is what is known of a tool by its raw name; h.mu is held.
func (h *Host) factsAboutTool(s *slot, name string, rules []permission.Rule) why.Tool {
	facts := why.Tool{
		Name: name, Label: Label(s.entry.Name, name), Connector: h.factsAbout(s),
		IsOffByUser: !s.mine.Offers(name), OnCommand: toolsOnCommand(Label(s.entry.Name, name)),
	}
	tool := connector.Tool{Name: name}
	if s.catalogue != nil {
		for _, listed := range s.catalogue.Tools {
			if listed.Name == name {
				tool, facts.IsListed = listed, true
			}
		}
		for _, bad := range s.catalogue.Quarantined {
			if bad.Name == name && !facts.IsListed {
				facts.Malformed, _ = h.secrets.Text(bad.Reason)
			}
		}
	}
	if !facts.IsListed && facts.Malformed == "" {
		facts.Nearest = why.Near(name, s.listedNames())
	}
	h.addFilters(s, name, &facts)
	subject := h.subjectOf(s, newTool(s, tool, ""))
	if verdict := permission.Judge(rules, permission.ModeAsk, subject, true); verdict.Decision == permission.Deny {
		facts.Refusal = verdict.Reason
	}
	if verdict := permission.Judge(nil, h.mode, subject, true); verdict.Decision == permission.Deny && facts.IsListed {
		facts.Mode = verdict.Reason
	}
	return facts
}

// addFilters adds which lists leave the tool out; h.mu is held.
func (h *Host) addFilters(s *slot, name string, facts *why.Tool) {
	matches := func(pattern string) bool { return config.MatchesTool(pattern, name) }
	field := func(key string) *why.Place {
		at := placeOf(s.entry)
		if span, isThere := s.entry.Field("pillion." + key); isThere {
			at.Span = span
		}
		return &at
	}
	options := s.entry.Options
	if options.Tools != nil && !slices.ContainsFunc(options.Tools, matches) {
		facts.NotAmong = field("tools")
	}
	isOwn := slices.ContainsFunc(options.ExcludeTools, matches)
	switch {
	case isOwn:
		facts.Excluded = field("excludeTools")
	case slices.ContainsFunc(s.effective.ExcludeTools, matches):
		facts.ExcludedByProject = h.projectFile(func(d *config.Document) bool { return slices.ContainsFunc(d.ExcludedTools[s.entry.Name], matches) })
	}
}

func placeOf(entry *config.Entry) why.Place {
	return why.Place{File: entry.File.Path, Span: entry.KeySpan}
}
