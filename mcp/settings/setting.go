package settings

import (
	"slices"
	"strings"
	"unicode"
)

// Name is the key of a setting, the same in every file and on the wire.
type Name string

// Kind is the type of a setting's values.
type Kind int

// The kinds of values.
const (
	Bool      Kind = iota + 1
	Text           // a string
	Word           // one of the words that the setting lists
	Duration       // a string with units, or a number of milliseconds
	Count          // a whole number
	Bytes          // a whole number of bytes
	Names          // a list of strings
	Patterns       // a list of exact names, globs and /regular expressions/
	Path           // an absolute path
	File           // a path that may be relative to the current folder
	Object         // a JSON object: of the members that the setting lists, or kept as it is written
	NameLists      // a JSON object of lists of strings
	Variables      // a JSON object of strings; no setting is one
)

// Owner says what a setting is a property of.
type Owner int

// The owners of settings.
const (
	OfSession Owner = iota + 1 // one editor's session, or one run of a command
	OfPlugin                   // an editor's plugin, which alone reads it
	OfEntry                    // a connector, under the key pillion of its entry
	OfFormat                   // a connector, as every host of MCP reads it: see [EntryKeys]
)

// Channel is a way by which values come in. The order is that of precedence: a
// later one goes before an earlier one.
type Channel int

// The channels.
const (
	Default       Channel = iota // the declaration itself
	UserFile                     // the user's own settings.json
	Environment                  // a PILLION_… variable
	Flag                         // the command line
	Initialize                   // initializationOptions
	Configuration                // the section pillion of workspace/configuration
	UserEntry                    // an entry of the user's own mcp.json
	ProjectEntry                 // an entry of a project's .mcp.json, for that entry alone
	channelCount
)

// Channels returns every channel but the default, the weakest first.
func Channels() []Channel {
	var all []Channel
	for c := UserFile; c < channelCount; c++ {
		all = append(all, c)
	}
	return all
}

// String is how a person is told of the channel.
func (c Channel) String() string {
	switch c {
	case Default:
		return "the default"
	case UserFile:
		return "your settings.json"
	case Environment:
		return "the environment"
	case Flag:
		return "the command line"
	case Initialize:
		return "the editor's initializationOptions"
	case Configuration:
		return "the editor's settings"
	case UserEntry:
		return "your mcp.json"
	case ProjectEntry:
		return "the project's .mcp.json"
	}
	return "an unknown channel"
}

// Direction says which values of a trust setting allow less.
type Direction int

// The directions. Where there is none, any other value counts as allowing more.
const (
	NoDirection Direction = iota
	ToFalse               // false allows less
	ToTrue                // true allows less
	ToFewer               // a list allows less the less it holds
	ToMore                // a list allows less the more it holds
)

// Weight says what of a connector an option of its entry is part of.
type Weight int

// The weights.
const (
	OfProcess    Weight = iota // of the process: with another value it is another definition, and another process
	OfDefinition               // of what the definition lets through and when: it holds for each name of a process by itself
	OfNothing                  // it describes or selects, and another value asks for no new permission
)

// Choice is one word that a setting can be, and what it means.
type Choice struct{ Word, Meaning string }

// Setting is the declaration of one setting.
type Setting struct {
	Name  Name
	Owner Owner
	Kind  Kind
	// Choices are the words of a Word.
	Choices []Choice
	// Members are what an Object may have; none means anything.
	Members []Setting
	// Default is written as in a file: JSON. Empty means that nothing is set.
	Default string
	// Min and Max bound a number, and a duration in nanoseconds; zero means no
	// bound of its own.
	Min, Max int64
	// Line says in a sentence what the setting is for, Paragraph what there is
	// to know about it.
	Line, Paragraph string
	// IsTrust is set where a value can allow more than the user allowed, and
	// Narrows says which values allow less.
	IsTrust bool
	Narrows Direction
	// From are the channels that are listened to. Of a trust setting all but one
	// of them may only narrow; see [Setting.Granter].
	From []Channel
	// Weight is that of an option of an entry.
	Weight Weight
	// IsOfOne is set for an option that is for one connector, and cannot stand
	// among the defaults of a file.
	IsOfOne bool
	// IsAhead is set where a value is accepted and kept, and nothing reads it yet.
	IsAhead bool

	variable, flag string // where they are not the name's own
}

// Has reports whether a channel may set the setting.
func (s Setting) Has(c Channel) bool { return slices.Contains(s.From, c) }

// Granter is the one channel by which a trust setting can be widened.
func (s Setting) Granter() Channel {
	if s.Owner == OfEntry {
		return UserEntry
	}
	return UserFile
}

// Variable is the environment variable of the setting, whether or not the
// environment may set it.
func (s Setting) Variable() string {
	if s.variable != "" {
		return s.variable
	}
	return "PILLION_" + strings.ToUpper(s.separated('_'))
}

// Flag is the flag of the setting without its dashes, whether or not the
// command line may set it.
func (s Setting) Flag() string {
	if s.flag != "" {
		return s.flag
	}
	return strings.ToLower(s.separated('-'))
}

// separated puts a mark before each word of the name but the first.
func (s Setting) separated(mark rune) string {
	var b strings.Builder
	for i, r := range string(s.Name) {
		if i > 0 && unicode.IsUpper(r) {
			b.WriteRune(mark)
		}
		b.WriteRune(r)
	}
	return b.String()
}

// Words are the words of a Word, the default first where it is one of them.
func (s Setting) Words() []string {
	words := make([]string, len(s.Choices))
	for i, choice := range s.Choices {
		words[i] = choice.Word
	}
	return words
}

// DefaultValue is the value of the default; it is not set where there is none.
func (s Setting) DefaultValue() Value {
	if s.Default == "" {
		return Value{}
	}
	v, _ := s.Decode([]byte(s.Default))
	return v
}

// Narrowest is the value of a trust setting that allows least.
func (s Setting) Narrowest() Value {
	switch s.Narrows {
	case ToFalse:
		return Value{kind: Bool}
	case ToTrue:
		return Value{kind: Bool, yes: true}
	case ToFewer:
		return Value{kind: s.Kind, list: []string{}}
	}
	return s.DefaultValue()
}

// widens reports whether a value allows what another did not.
func (s Setting) widens(from, to Value) bool {
	switch s.Narrows {
	case ToFalse:
		return to.yes && !from.yes
	case ToTrue:
		return !to.yes && from.yes
	case ToFewer:
		return !holdsAll(from.list, to.list)
	case ToMore:
		return !holdsAll(to.list, from.list)
	}
	return !from.Equal(to)
}

func holdsAll(list, part []string) bool {
	return !slices.ContainsFunc(part, func(item string) bool { return !slices.Contains(list, item) })
}

// Lookup returns the declaration of a name.
func Lookup(name Name) (Setting, bool) {
	for _, s := range declarations() {
		if s.Name == name {
			return s, true
		}
	}
	return Setting{}, false
}

// Suggest returns the declared name that a misspelt one most likely stands for.
func Suggest(name string) (Name, bool) {
	var known []string
	for _, s := range All() {
		known = append(known, string(s.Name))
	}
	near, ok := Nearest(name, known)
	return Name(near), ok
}

// EntryOptions returns what may stand under the key pillion of an entry.
func EntryOptions() []Setting {
	return slices.DeleteFunc(All(), func(s Setting) bool { return s.Owner != OfEntry })
}

// Places says by what the setting can be set, with the words that are written
// there, one for each channel.
func (s Setting) Places() []string {
	places := make([]string, len(s.From))
	for i, c := range s.From {
		places[i] = c.String() + ": " + s.written(c)
	}
	return places
}

func (s Setting) written(c Channel) string {
	value := "…"
	if s.Default != "" {
		value = s.Default
	}
	switch c {
	case Environment:
		return s.Variable() + "=…"
	case Flag:
		return "--" + s.Flag() + "=…"
	case UserEntry, ProjectEntry:
		return `"pillion": {"` + string(s.Name) + `": ` + value + `} in an entry`
	case Configuration:
		return "pillion." + string(s.Name)
	}
	return `"` + string(s.Name) + `": ` + value
}
