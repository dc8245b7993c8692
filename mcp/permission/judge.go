package permission

// Paused is why nothing runs in the mode paused.
const Paused = "Pillion is paused: nothing runs until you resume it."

// Judge judges one call. It is pure; storeHealthy says whether the consent and permission stores are what the user left
// (S20). The order is that of the rules: a refusal beats everything, then the mode, then what must ask whatever is
// allowed, then what is allowed.
func Judge(rules []Rule, mode Mode, s Subject, storeHealthy bool) Verdict {
	if v, decided := refusal(rules, mode, &s); decided {
		return v
	}
	if reason, rule := mustAsk(rules, &s, storeHealthy); reason != "" {
		return Verdict{Decision: Ask, Rule: rule, Reason: reason, Choices: []string{ChoiceDecline, ChoiceOnce}, Scopes: []string{}}
	}
	rule, worst, suspending := allowance(rules, &s)
	if s.Ruling.Decision != "" && (worst != covered || s.Ruling.IsOnce || s.Ruling.Decision == Deny) {
		return s.Ruling.verdict()
	}
	if worst == covered {
		by := ByRule
		if rule.Scope == ScopeSession {
			by = BySession
		}
		return Verdict{Decision: Auto, By: by, Rule: rule.ID, Reason: rule.allows()}
	}
	if worst < upgraded && s.Trusted && readsQuietly(s) {
		return Verdict{Decision: Auto, By: ByReadOnly, Reason: "It only reads, on a connector that you added or trust."}
	}
	v := Verdict{Decision: Ask, Rule: suspending, Reason: askReason(s, worst)}
	v.Choices, v.Scopes = choices(s)
	return v
}

// verdict is the ruling as a judgement.
func (r Ruling) verdict() Verdict {
	switch r.Decision {
	case Auto:
		return Verdict{Decision: Auto, By: BySession, Reason: r.Reason}
	case Ask:
		v := Verdict{Decision: Ask, Reason: r.Reason, Choices: []string{ChoiceDecline, ChoiceOnce}, Scopes: []string{}}
		if !r.IsOnce {
			v.Choices, v.Scopes = append(v.Choices, ChoiceSession), []string{ScopeSession}
		}
		return v
	}
	return Verdict{Decision: Deny, By: ByMode, Reason: r.Reason}
}

// AllowsAll is the rule by which whatever may be asked of the subject's connector is allowed that is no call of a tool: one that
// allows all tools of the connector as it is defined and of the version that it is of. What is asked so asks like calls (S15), and so
// what lets all calls run lets it, too; a rule for some tools says nothing of it. It is pure; what is refused, and what must ask
// whatever is allowed, is none of it.
func AllowsAll(rules []Rule, mode Mode, s Subject, storeHealthy bool) (id string, isAllowed bool) {
	if _, isRefused := refusal(rules, mode, &s); isRefused {
		return "", false
	}
	if reason, _ := mustAsk(rules, &s, storeHealthy); reason != "" {
		return "", false
	}
	for i := range rules {
		r := &rules[i]
		isOfAll := r.Decision == RuleAllow && r.Tool == "" && !r.ReadOnlyTools && len(r.Where) == 0
		if isOfAll && r.reaches(&s) && r.DefinitionHash != "" && r.DefinitionHash == s.DefinitionHash && (r.ServerVersion == "" || r.ServerVersion == s.ServerVersion) {
			return r.ID, true
		}
	}
	return "", false
}

// allowance looks for the rule that allows the call, the session's own before all others. Where there is none it says how near
// the nearest came, and which one was suspended.
func allowance(rules []Rule, s *Subject) (found *Rule, worst coverage, suspending string) {
	for i := range rules {
		r := &rules[i]
		if r.Decision != RuleAllow || !r.reaches(s) {
			continue
		}
		switch c := r.covers(s); c {
		case covered:
			if r.Scope == ScopeSession {
				return r, covered, ""
			}
			if found == nil {
				found = r
			}
		case suspended, upgraded:
			if suspending == "" || c > worst {
				suspending = r.ID
			}
			worst = max(worst, c)
		default:
			worst = max(worst, c)
		}
	}
	if found != nil {
		return found, covered, ""
	}
	return nil, worst, suspending
}

// refusal judges what no answer could allow.
func refusal(rules []Rule, mode Mode, s *Subject) (Verdict, bool) {
	for i := range rules {
		r := &rules[i]
		if r.Decision == RuleDeny && r.concerns(s) {
			reason := "You blocked this tool."
			if r.Tool == "" {
				reason = "You blocked this connector."
			}
			return Verdict{Decision: Deny, By: ByRule, Rule: r.ID, Reason: reason}, true
		}
	}
	reason := ""
	switch mode {
	case ModeAsk, "":
	case ModePlan:
		if !s.ReadOnly {
			reason = "In plan mode only tools that only read may run, and this one does not say that it does."
		}
	case ModePaused:
		reason = Paused
	default:
		reason = "The mode is not one that this Pillion knows, so nothing runs."
	}
	return Verdict{Decision: Deny, By: ByMode, Reason: reason}, reason != ""
}

// mustAsk says why a call has to ask whatever was allowed, and by which rule.
func mustAsk(rules []Rule, s *Subject, storeHealthy bool) (reason, rule string) {
	for i := range rules {
		r := &rules[i]
		if r.Decision == RuleAsk && r.concerns(s) {
			return "You chose to be asked every time.", r.ID
		}
	}
	switch {
	case s.AlwaysAsk:
		return "This tool asks every time.", ""
	case !storeHealthy:
		return "What you allowed before can't be relied on, so every call asks until you have looked at the problem.", ""
	case s.NamesOwnFolder:
		return "It names one of Pillion's own folders, so it asks every time.", ""
	}
	return "", ""
}

// concerns reports whether a restricting rule is about the subject: by identity alone, so that neither a changed tool
// nor a changed definition gets around it.
func (r *Rule) concerns(s *Subject) bool {
	return r.reaches(s) && (r.Tool == "" || r.Tool == s.Tool)
}

// reaches reports whether the rule is about the subject's connector, there and now.
func (r *Rule) reaches(s *Subject) bool {
	if r.Connector != s.Connector || r.Source != s.Source {
		return false
	}
	switch r.Scope {
	case ScopeSession:
		// A refusal of the window's own session reaches those of everybody in it.
		isMeant := r.SessionID == s.SessionID || (r.SessionID == "" && r.Decision != RuleAllow)
		return isMeant && (r.Root == s.Root || s.Source == SourceUser)
	case ScopeProject:
		return r.Root == s.Root
	case ScopeUser:
		return s.Source == SourceUser
	}
	return false
}

// coverage is how an allowing rule stands to a call, the more telling the later.
type coverage int

const (
	apart     coverage = iota // it is about something else
	otherwise                 // it allowed the tool with other arguments (E10)
	unseen                    // it allowed all tools, and this one was not among them
	redefined                 // it allowed the tool of a connector that was defined otherwise
	upgraded                  // it allowed the tool of another version of a program that nothing pins (S9)
	suspended                 // it allowed the tool as it was (B7)
	covered                   // it allows the call
)

func (r *Rule) covers(s *Subject) coverage {
	hash, present := r.ToolHashes[s.Tool]
	switch {
	case r.Tool != "" && r.Tool != s.Tool:
		return apart
	case !present && (r.Tool != "" || r.ReadOnlyTools && !s.ReadOnly):
		return apart
	case r.DefinitionHash == "" || r.DefinitionHash != s.DefinitionHash:
		return redefined
	case !present:
		return unseen
	case hash == "" || hash != s.ToolHash:
		return suspended
	case r.ServerVersion != "" && r.ServerVersion != s.ServerVersion:
		return upgraded
	case r.ReadOnlyTools && !readsQuietly(*s):
		return apart
	case !Hold(r.Where, s.Arguments, s.Disk):
		return otherwise
	}
	return covered
}

func (r *Rule) allows() string {
	switch {
	case len(r.Where) > 0:
		return "You allowed it with arguments such as these."
	case r.ReadOnlyTools:
		return "You allowed the tools of this connector that only read."
	case r.Tool == "":
		return "You allowed the tools of this connector."
	case r.Scope == ScopeSession:
		return "You allowed this tool for the session."
	}
	return "You allowed this tool."
}

// readsQuietly reports whether the tool says that it only reads, and nothing that it is given leaves the machine (S14).
func readsQuietly(s Subject) bool { return s.ReadOnly && !s.OpenWorld && !s.HasRemoteURL }

func askReason(s Subject, c coverage) string {
	switch {
	case c == suspended:
		return "It has changed since you allowed it."
	case c == upgraded:
		return "Its connector is of another version than when you allowed it, and nothing in its definition pins one."
	case c == redefined:
		return "Its connector is defined otherwise than when you allowed it."
	case c == otherwise:
		return "You allowed it with other arguments than these."
	case c == unseen:
		return "It is new since you allowed this connector's tools."
	case s.ReadOnly && s.HasRemoteURL:
		return "It says it only reads, but it is given an address outside this machine, and what it reads could leave by it."
	case s.ReadOnly && s.OpenWorld:
		return "It says it only reads, but it reaches outside this machine, and what it is given could leave."
	case s.ReadOnly:
		return "It says it only reads, but you neither added nor trust this connector, and you have not allowed it yet."
	case s.Destructive:
		return "It can change or delete things, and you have not allowed it yet."
	}
	return "It writes, and you have not allowed it yet."
}

// choices returns what may be answered, and how far it may reach. Without hashes nothing standing could be given.
func choices(s Subject) (choices, scopes []string) {
	choices, scopes = []string{ChoiceDecline, ChoiceOnce}, []string{}
	if s.ToolHash == "" || s.DefinitionHash == "" {
		return choices, scopes
	}
	choices = append(choices, ChoiceSession)
	if readsQuietly(s) {
		choices = append(choices, ChoiceReadOnly)
	}
	choices = append(choices, ChoiceTool, ChoiceConnector)
	scopes = append(scopes, ScopeSession)
	if s.Root != "" {
		scopes = append(scopes, ScopeProject)
	}
	if s.Source == SourceUser {
		scopes = append(scopes, ScopeUser)
	}
	return choices, scopes
}
