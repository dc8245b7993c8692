package permission

import (
	"fmt"
	"strings"

	"pillion/mcp/state"
)

// grants let a person confirm what nothing shows to be Pillion's own.
type grants = state.Grants[file, Rule]

// sealable are the rules that allow: one that asks or refuses counts whoever wrote it, because it takes away alone.
var sealable = state.Sealable[Rule]{
	Purpose:  "permission",
	Seal:     func(r Rule) string { return r.Seal },
	WithSeal: func(r Rule, seal string) Rule { r.Seal = seal; return r },
	Gives:    func(r Rule) bool { return r.Decision == RuleAllow },
	Rest:     func(Rule) (Rule, bool) { return Rule{}, false },
	Label:    label,
}

// label says what a rule allows, of what it is judged by alone: whoever wrote it wrote its words, too.
func label(r Rule) string {
	what := fmt.Sprintf("tool %q of connector %q", r.Tool, r.Connector)
	switch {
	case r.Tool == "" && r.ReadOnlyTools:
		what = fmt.Sprintf("the tools of connector %q that only read", r.Connector)
	case r.Tool == "":
		what = fmt.Sprintf("all tools of connector %q", r.Connector)
	}
	where := "everywhere"
	if r.Scope == ScopeProject {
		where = fmt.Sprintf("in %q", r.Root)
	}
	words := []string{"allow " + what + " " + where}
	for _, c := range r.Where {
		words = append(words, fmt.Sprintf("where %q is %q%q%q", c.Path, c.Equals, c.Glob, c.Under))
	}
	return strings.Join(words, ", ")
}
