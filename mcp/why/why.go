// Package why says why a connector or a tool is not there, in sentences that a user can act on (D4, U26).
//
// It judges nothing and looks at nothing: facts go in, and every reason that they make comes out, in the order in which one
// meets them.
package why

import (
	"fmt"
	"strings"

	"pillion/mcp/config"
)

// Kind is the kind of a reason, in the words of the editor protocol.
type Kind string

// The kinds of reasons.
const (
	Permission  Kind = "permission"
	Disabled    Kind = "disabled"
	Filtered    Kind = "filtered"
	Profile     Kind = "profile"
	Shadowed    Kind = "shadowed"
	Collision   Kind = "collision"
	Quarantined Kind = "quarantined"
	NeverListed Kind = "neverListed"
	Problem     Kind = "problem"
	Denied      Kind = "denied"
	Mode        Kind = "mode"
)

// Reason is one thing that keeps a connector or a tool away.
type Reason struct {
	Kind Kind
	// Text is one sentence that says what to do. Names in it are quoted as Go quotes them; what else is foreign in it is not
	// made visible.
	Text string
	At   Place
}

// Place is where a configuration file says so; empty where none does.
type Place struct {
	File string
	Span config.Span // empty: the file as a whole
}

// State is how far a connector has come, of those that may run.
type State int

// The states.
const (
	NotStarted State = iota // and nothing is known of it
	Starting
	Failed
	Known // its tools are known, whether it runs or not
)

// Connector is what is known of a connector.
type Connector struct {
	Name string
	// At is its entry.
	At Place
	// IsOwn is set for one of the user's own file.
	IsOwn bool
	// IsSelf is set for an entry that would start Pillion itself.
	IsSelf bool
	// UsedInstead is the file of the connector of that name that counts; empty where this one does.
	UsedInstead string
	// OffInFile is where its own entry has it off, OffByProject where a project's file has.
	OffInFile, OffByProject *Place
	IsOffByUser             bool
	OffByProfile            *Profiles
	// Fault says what is wrong with the entry; empty for nothing.
	Fault, FaultFix string
	FaultAt         Place
	// IsFaultPassing is set where it may go without another definition, so that a yes to this one is still needed then.
	IsFaultPassing bool

	// IsBlocked is set where the user said never, IsWaiting where a yes to the definition is missing, IsChanged then where an
	// earlier one had it, and IsUntrusted where it waits for the editor to trust the workspace, allowed or not.
	IsBlocked, IsWaiting, IsChanged, IsUntrusted bool
	// StoreFault says why no decision counts; empty where they do.
	StoreFault string

	State State
	// Problem says why it does not run, and Step what helps, where State is Failed.
	Problem, Step string
	// ApproveCommand, EnableCommand and RevokeCommand are lines for a shell.
	ApproveCommand, EnableCommand, RevokeCommand string
}

// Profiles say why a connector is not among those that are chosen.
type Profiles struct {
	Chosen string   // empty where none is
	Of     []string // those that it belongs to
}

// Reasons are why the connector offers nothing; none where it does. The first is the one that decides: no yes is missing of
// what could not run with one.
func (c Connector) Reasons() []Reason {
	reasons := c.switchedOff()
	switch {
	case c.IsSelf:
		return reasons
	case c.Fault != "":
		reasons = append(reasons, Reason{Problem, c.sentence("cannot run as it is written: "+c.Fault, c.FaultFix), c.FaultAt})
		if !c.IsFaultPassing {
			return reasons
		}
	}
	reasons = append(reasons, c.permission()...)
	if len(reasons) > 0 {
		return reasons // whether it would run is not known: it may not
	}
	return c.life()
}

// switchedOff are the reasons of the files and the personal layer.
func (c Connector) switchedOff() (reasons []Reason) {
	if c.IsSelf {
		reasons = append(reasons, Reason{Disabled, fmt.Sprintf("The entry %q is Pillion itself, for other agents; it is not started here, and nothing has to be done.", c.Name), c.At})
	}
	if c.UsedInstead != "" {
		reasons = append(reasons, Reason{Shadowed, c.sentence("is not used because "+shown(c.UsedInstead)+" has one of that name", "rename one of the two to use both"), c.At})
	}
	if c.OffInFile != nil {
		reasons = append(reasons, Reason{Disabled, c.sentence("is switched off in its file", c.enable()), *c.OffInFile})
	}
	if c.OffByProject != nil {
		reasons = append(reasons, Reason{Disabled, c.sentence("is switched off here by the project's file "+shown(c.OffByProject.File), c.enable()), *c.OffByProject})
	}
	if c.IsOffByUser {
		reasons = append(reasons, Reason{Kind: Disabled, Text: c.sentence("was switched off by you, outside every file", c.enable())})
	}
	if c.OffByProfile != nil {
		reasons = append(reasons, Reason{Profile, c.profile(*c.OffByProfile), c.At})
	}
	return reasons
}

func (c Connector) enable() string { return "switch it on with " + command(c.EnableCommand) }

func (c Connector) profile(p Profiles) string {
	of := make([]string, len(p.Of))
	for i, name := range p.Of {
		of[i] = fmt.Sprintf("%q", name)
	}
	listed := strings.Join(of, ", ")
	switch {
	case p.Chosen != "":
		return c.sentence(fmt.Sprintf("is not in the profile %q that is chosen here", p.Chosen), "choose one that it is in ("+listed+"), or none")
	case listed == "":
		return c.sentence("is on only where a profile says so, and it is in none", "name a profile under \"pillion\" in its entry")
	}
	return c.sentence("is on only in a profile, and none is chosen here", "choose one that it is in ("+listed+")")
}

// permission are the reasons that a person's yes takes away.
func (c Connector) permission() (reasons []Reason) {
	if c.StoreFault != "" && c.IsWaiting {
		reasons = append(reasons, Reason{Kind: Permission, Text: c.sentence("waits because no earlier decision counts ("+c.StoreFault+")", "see `pillion pending`")})
	}
	if c.IsUntrusted {
		reasons = append(reasons, Reason{Kind: Permission, Text: c.sentence("waits because the editor does not trust this workspace", "trust the workspace in the editor")})
	}
	switch {
	case c.IsBlocked:
		reasons = append(reasons, Reason{Permission, c.sentence("is blocked by you in this folder", "take that back with "+command(c.RevokeCommand)), c.At})
	case c.IsWaiting && c.IsChanged:
		reasons = append(reasons, Reason{Permission, c.sentence("needs permission again because its definition, or the code that it runs, changed since you allowed it", "review it with "+command(c.ApproveCommand)), c.At})
	case c.IsWaiting:
		reasons = append(reasons, Reason{Permission, c.sentence("needs permission", "review it with "+command(c.ApproveCommand)), c.At})
	}
	return reasons
}

// life are the reasons of a connector that may run.
func (c Connector) life() []Reason {
	switch c.State {
	case Failed:
		return []Reason{{Problem, c.sentence("does not run: "+c.Problem, c.Step), c.At}}
	case Starting:
		return []Reason{{NeverListed, c.sentence("is still starting", "wait until it has listed its tools"), c.At}}
	case NotStarted:
		return []Reason{{NeverListed, c.sentence("is not running, and its tools are not known here", "start it once, in the editor or with `pillion refresh`"), c.At}}
	}
	return nil
}

// sentence says something of the connector and what to do about it, if there is anything.
func (c Connector) sentence(what, todo string) string {
	text := fmt.Sprintf("The connector %q %s", c.Name, strings.TrimRight(what, ". "))
	if todo = strings.TrimRight(todo, ". "); todo != "" {
		text += "; " + within(todo)
	}
	return text + "."
}

// within is a sentence as it stands within another: without the capital that it begins with, unless the word has more of them.
func within(sentence string) string {
	word, _, _ := strings.Cut(sentence, " ")
	if len(word) > 1 && word[0] >= 'A' && word[0] <= 'Z' && strings.ToLower(word[1:]) == word[1:] {
		return strings.ToLower(word[:1]) + sentence[1:]
	}
	return sentence
}

func shown(file string) string { return fmt.Sprintf("%q", file) }

// command sets a line for a shell apart from the sentence around it.
func command(line string) string { return "`" + line + "`" }
