package why

import (
	"fmt"
	"strings"
)

// Tool is what is known of a tool of one connector.
type Tool struct {
	Name      string // raw
	Label     string
	Connector Connector
	// IsListed reports whether the connector's last list has it.
	IsListed bool
	// Malformed says what is wrong with its definition, for one that is listed and left out; empty for none.
	Malformed string
	// Nearest are tools of the connector that may have been meant.
	Nearest []string
	// NotAmong is where the entry names the only tools it offers; Excluded where it leaves this one out, and ExcludedByProject
	// where a project's file does.
	NotAmong, Excluded, ExcludedByProject *Place
	IsOffByUser                           bool
	// Refusal and Mode say why a call is refused, by a rule and by the window's mode; empty where it is not.
	Refusal, Mode string
	// OnCommand is a line for a shell.
	OnCommand string
}

// Reasons are why the tool is not there, or may not be called; none where nothing is in its way but a question.
func (t Tool) Reasons() []Reason {
	reasons := t.Connector.Reasons()
	isUnknown := t.Connector.State != Known
	switch {
	case t.Malformed != "":
		reasons = append(reasons, Reason{Kind: Quarantined, Text: t.sentence("is left out because its definition is malformed ("+strings.TrimRight(t.Malformed, ". ")+")", "its connector has to mend it"), At: t.Connector.At})
	case !t.IsListed && !isUnknown:
		reasons = append(reasons, Reason{Kind: NeverListed, Text: t.unlisted(), At: t.Connector.At})
	}
	return append(append(reasons, t.filtered()...), t.refused()...)
}

func (t Tool) unlisted() string {
	text := fmt.Sprintf("The connector %q lists no tool %q", t.Connector.Name, t.Name)
	if len(t.Nearest) > 0 {
		text += "; did you mean " + Listed(t.Nearest) + "?"
		return text
	}
	return text + "; look at what it does list."
}

// filtered are the reasons of the lists in the files and of the personal layer.
func (t Tool) filtered() (reasons []Reason) {
	if t.NotAmong != nil {
		reasons = append(reasons, Reason{Filtered, t.sentence("is not among the \"tools\" that the entry offers", "add its name there"), *t.NotAmong})
	}
	if t.Excluded != nil {
		reasons = append(reasons, Reason{Filtered, t.sentence("is left out by \"excludeTools\" of the entry", "take it out of that list"), *t.Excluded})
	}
	if t.ExcludedByProject != nil {
		reasons = append(reasons, Reason{Filtered, t.sentence("is left out here by \"excludeTools\" of the project's file "+shown(t.ExcludedByProject.File), "take it out of that list"), *t.ExcludedByProject})
	}
	if t.IsOffByUser {
		reasons = append(reasons, Reason{Kind: Disabled, Text: t.sentence("was switched off by you, outside every file", "switch it on with "+command(t.OnCommand))})
	}
	return reasons
}

func (t Tool) refused() (reasons []Reason) {
	if t.Refusal != "" {
		reasons = append(reasons, Reason{Kind: Denied, Text: t.sentence("may not be called because a standing rule of yours refuses it ("+strings.TrimRight(t.Refusal, ". ")+")", "remove the rule: `pillion permissions` lists it")})
	}
	if t.Mode != "" {
		reasons = append(reasons, Reason{Kind: Mode, Text: t.sentence("may not be called in the window's mode ("+strings.TrimRight(t.Mode, ". ")+")", "change the mode back to \"ask\"")})
	}
	return reasons
}

func (t Tool) sentence(what, todo string) string {
	return fmt.Sprintf("The tool %q %s; %s.", t.Label, what, todo)
}

// Candidate is one of several that a name could mean.
type Candidate struct {
	ID string
	// UseInstead is a name that only this one has.
	UseInstead string
	At         Place
}

// Ambiguous are the reasons for a name of a connector or a tool that several have, or would have. what is the word for it.
func Ambiguous(what, name string, candidates []Candidate) []Reason {
	reasons := make([]Reason, len(candidates))
	for i, c := range candidates {
		reasons[i] = Reason{Collision, fmt.Sprintf("The name %q could mean %d %ss; use %q for the one of %s.", name, len(candidates), what, c.UseInstead, shown(c.At.File)), c.At}
	}
	return reasons
}
