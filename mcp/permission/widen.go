package permission

import "slices"

// Widens reports whether storing a draft beside the rules that stand could allow what they do not: it allows itself, or takes
// the place of a refusal. What gives more is shown to a person first (S6).
func Widens(rules []Rule, draft Rule) bool {
	switch draft.Decision {
	case RuleDeny:
		return false
	case RuleAllow:
		return true
	}
	for _, r := range rules {
		if r.Decision == RuleDeny && r.Connector == draft.Connector {
			return true
		}
	}
	return false
}

// Replaced are the rules of a list whose place a draft takes once it is stored, in their order.
func Replaced(rules []Rule, draft Rule) []Rule {
	kept := with(rules, complete(draft))
	return slices.DeleteFunc(slices.Clone(rules), func(r Rule) bool {
		return slices.ContainsFunc(kept, func(k Rule) bool { return k.ID == r.ID })
	})
}

// Limits reports whether the rule only takes away, so that to take it back gives more.
func (r Rule) Limits() bool { return r.Decision != RuleAllow }
