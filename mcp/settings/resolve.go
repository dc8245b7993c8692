package settings

import (
	"cmp"
	"fmt"
	"slices"
)

// Given is one value as it came in.
type Given struct {
	Name    Name
	Channel Channel
	// Where is the place, such as a file with its line, a variable or a flag.
	Where string
	Value Value
	// Start and End are the byte offsets of the key and its value in a text.
	Start, End int
}

// String names the place for a person.
func (g Given) String() string {
	if g.Where == "" {
		return g.Channel.String()
	}
	return g.Channel.String() + " (" + g.Where + ")"
}

// Refusal is a value that changed nothing.
type Refusal struct {
	Given Given
	// Standing is what holds in its place.
	Standing Given
	// IsTrust is set where the value would have allowed more, and not set where
	// the channel is none for the setting.
	IsTrust bool
}

// String is a sentence for the user, without its full stop.
func (r Refusal) String() string {
	s, _ := Lookup(r.Given.Name)
	if r.IsTrust {
		return fmt.Sprintf("%s cannot set %s to %s: only %s can allow more. It stays %s",
			r.Given, s.Name, r.Given.Value, s.Granter(), r.Standing.Value)
	}
	return fmt.Sprintf("%s cannot set %s: that is for %s", r.Given, s.Name, s.Ways())
}

// Ways names the channels that may set the setting, as a part of a sentence.
func (s Setting) Ways() string {
	text := ""
	for i, c := range s.From {
		switch {
		case i > 0 && i == len(s.From)-1:
			text += " or "
		case i > 0:
			text += ", "
		}
		text += c.String()
	}
	return text
}

// Held is a setting with the value that holds.
type Held struct {
	Setting Setting
	// Given is what holds, and where it came from.
	Given Given
	// Overrode are the values that would hold without it, the strongest first;
	// the default is the last of them.
	Overrode []Given
}

// Resolved is what holds. The zero value is of no use; see [Resolve].
type Resolved struct {
	held     []Held
	refusals []Refusal
}

// Resolve puts together what came in, in whatever order: the later channel goes
// before the earlier one, and of one channel what was given last.
//
// A value about trust counts in full where its granter gave it; every other
// channel, in the order of precedence, can only narrow what holds by then (S3).
// What would widen it, and what a channel gave that is none for the setting,
// changes nothing and is a refusal.
func Resolve(given ...Given) Resolved {
	byPrecedence := slices.Clone(given)
	slices.SortStableFunc(byPrecedence, func(a, b Given) int { return cmp.Compare(a.Channel, b.Channel) })
	var r Resolved
	for _, s := range All() {
		held := Held{Setting: s, Given: Given{Name: s.Name, Value: s.DefaultValue()}}
		// What the granter says is the ground that the others narrow.
		for _, ofGranter := range []bool{true, false} {
			for _, g := range byPrecedence {
				if g.Name == s.Name && s.IsTrust && (g.Channel == s.Granter()) == ofGranter || g.Name == s.Name && !s.IsTrust && !ofGranter {
					r.take(&held, g)
				}
			}
		}
		r.held = append(r.held, held)
	}
	return r
}

// take lets one value count, or refuses it.
func (r *Resolved) take(held *Held, g Given) {
	s := held.Setting
	isLimited := s.IsTrust && g.Channel != s.Granter()
	if isLimited && held.Given.Value.Equal(g.Value) {
		return // it stays known as what first said so
	}
	widens := isLimited && s.widens(held.Given.Value, g.Value)
	if widens || !s.Has(g.Channel) {
		r.refusals = append(r.refusals, Refusal{Given: g, Standing: held.Given, IsTrust: widens})
		return
	}
	held.Overrode = slices.Insert(held.Overrode, 0, held.Given)
	held.Given = g
}

// All returns every setting with what holds of it.
func (r Resolved) All() []Held { return slices.Clone(r.held) }

// Refusals are the values that changed nothing.
func (r Resolved) Refusals() []Refusal { return slices.Clone(r.refusals) }

// Of returns a setting with what holds of it; the zero Held for a name that is
// not declared.
func (r Resolved) Of(name Name) Held {
	for _, held := range r.held {
		if held.Setting.Name == name {
			return held
		}
	}
	return Held{}
}

// Value returns what holds of a setting.
func (r Resolved) Value(name Name) Value { return r.Of(name).Given.Value }

// Bool returns what holds of a Bool.
func (r Resolved) Bool(name Name) bool { return r.Value(name).Bool() }

// Word returns what holds of a Word.
func (r Resolved) Word(name Name) string { return r.Value(name).Text() }
