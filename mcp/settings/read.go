package settings

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/tidwall/jsonc"
)

// FileName is the name of the user's own file of settings, in the user
// configuration folder.
const FileName = "settings.json"

// The codes of findings.
const (
	CodeSyntax  = "syntax"      // the text is not an object of JSON with comments
	CodeType    = "wrong-type"  // a value of the wrong JSON type
	CodeValue   = "bad-value"   // a value of the right type that cannot be
	CodeUnknown = "unknown-key" // a name that is not declared
	CodeRefused = "refused"     // a value that this channel cannot give
)

// Finding is one thing to say about what came in.
type Finding struct {
	Code string
	// Name is the setting concerned, empty for a text as a whole.
	Name Name
	// Where is that of [Given].
	Where string
	// Start and End are byte offsets where it came from a text.
	Start, End int
	// Message says what is wrong, Fix what to write instead. Neither ends in a
	// full stop, and Fix may be empty.
	Message, Fix string
}

// Text is the message together with the fix, as one sentence.
func (f Finding) Text() string {
	text := f.Message
	if f.Where != "" {
		text = f.Where + ": " + text
	}
	if f.Fix != "" {
		text += ": " + f.Fix
	}
	return text
}

// FromFile reads the text of the user's settings.json. It reports false, with
// one finding, where the text is no object of JSON with comments, holds a key
// twice, or is not UTF-8: what held before goes on holding.
func FromFile(path string, text []byte) (given []Given, findings []Finding, ok bool) {
	r := reader{channel: UserFile, where: path, text: text, isFile: true}
	ok = r.read()
	for _, refusal := range Resolve(r.given...).Refusals() {
		r.findings = append(r.findings, Finding{
			Code: CodeRefused, Name: refusal.Given.Name, Where: refusal.Given.Where, Start: refusal.Given.Start, End: refusal.Given.End,
			Message: string(refusal.Given.Name) + " has no effect here", Fix: "it is for " + declared(refusal.Given.Name).Ways(),
		})
	}
	return r.given, r.findings, ok
}

// FromObject reads an object that an editor sent; nothing and null are an empty
// one. Names that mean nothing to Pillion are passed over: editors send what is
// theirs. What cannot be read about trust counts as the narrowest there is.
func FromObject(channel Channel, text []byte) ([]Given, []Finding) {
	if trimmed := bytes.TrimSpace(text); len(trimmed) == 0 || string(trimmed) == "null" {
		return nil, nil
	}
	r := reader{channel: channel, text: text}
	if !r.read() {
		return Narrowest(channel, ""), r.findings
	}
	return r.given, r.findings
}

// Narrowest gives every trust setting of a session that the channel has its narrowest value: what
// holds when what a channel says cannot be read.
func Narrowest(channel Channel, where string) []Given {
	var given []Given
	for _, s := range All() {
		if s.IsTrust && s.Owner == OfSession && s.Has(channel) {
			given = append(given, Given{Name: s.Name, Channel: channel, Where: where, Value: s.Narrowest()})
		}
	}
	return given
}

// FromEnvironment reads the PILLION_… variables of an environment; one that is
// empty counts as not set.
func FromEnvironment(environ []string) ([]Given, []Finding) {
	var given []Given
	var findings []Finding
	for _, s := range All() {
		word, isSet := variable(environ, s.Variable())
		if !isSet || word == "" {
			continue
		}
		value, faults := s.DecodeWord(word)
		for _, fault := range faults {
			findings = append(findings, s.finding(fault, s.Variable(), ""))
		}
		g := Given{Name: s.Name, Channel: Environment, Where: s.Variable(), Value: value}
		given = append(given, s.sound(g, faults)...)
	}
	return given, findings
}

func variable(environ []string, name string) (value string, isSet bool) {
	for _, pair := range environ {
		if rest, ok := strings.CutPrefix(pair, name); ok && strings.HasPrefix(rest, "=") {
			value, isSet = rest[1:], true // the last one counts, as for os/exec
		}
	}
	return value, isSet
}

// FromFlags reads the flags of settings among arguments, and returns the others
// in their order. What follows "--" is looked at no more. A flag of a setting
// with a value that cannot be is an error, and so is one without its value.
func FromFlags(arguments []string) (given []Given, others []string, err error) {
	for i := 0; i < len(arguments); i++ {
		argument := arguments[i]
		if argument == "--" {
			return given, append(others, arguments[i:]...), nil
		}
		s, word, hasWord := flagOf(argument)
		if s.Name == "" {
			others = append(others, argument)
			continue
		}
		if !hasWord {
			if i++; i == len(arguments) {
				return nil, nil, fmt.Errorf("%s has no value", argument)
			}
			word = arguments[i]
		}
		g, err := s.FromFlag(word)
		if err != nil {
			return nil, nil, err
		}
		given = append(given, g)
	}
	return given, others, nil
}

// flagOf recognises --name, --name=value and, for a Bool, --no-name. The zero
// Setting stands for an argument that is none of these.
func flagOf(argument string) (s Setting, word string, hasWord bool) {
	name, isFlag := strings.CutPrefix(argument, "--")
	if !isFlag {
		return Setting{}, "", false
	}
	name, word, hasWord = strings.Cut(name, "=")
	for _, s := range All() {
		switch {
		case !s.Has(Flag):
		case name == s.Flag() && s.Kind == Bool && !hasWord:
			return s, "true", true
		case name == s.Flag():
			return s, word, hasWord
		case s.Kind == Bool && !hasWord && name == "no-"+s.Flag():
			return s, "false", true
		}
	}
	return Setting{}, "", false
}

// IsFlagBeforeValue reports whether an argument is the flag of a setting whose
// value is the next argument.
func IsFlagBeforeValue(argument string) bool {
	s, _, hasWord := flagOf(argument)
	return s.Name != "" && !hasWord
}

// FromFlag reads the value of the setting's own flag.
func (s Setting) FromFlag(word string) (Given, error) {
	value, faults := s.DecodeWord(word)
	if len(faults) > 0 {
		return Given{}, fmt.Errorf("--%s %s: %s", s.Flag(), faults[0].Message, faults[0].Fix)
	}
	return Given{Name: s.Name, Channel: Flag, Where: "--" + s.Flag(), Value: value}, nil
}

// sound returns what counts of a value: all of it where there are no faults,
// and of a faulty one about trust the narrowest.
func (s Setting) sound(g Given, faults []Fault) []Given {
	switch {
	case len(faults) == 0:
		return []Given{g}
	case s.IsTrust:
		g.Value = s.Narrowest()
		return []Given{g}
	}
	return nil
}

// finding says what is wrong with a value; subject is how the value is called.
func (s Setting) finding(fault Fault, subject, where string) Finding {
	if fault.Item >= 0 {
		subject = fmt.Sprintf("%s[%d]", subject, fault.Item)
	}
	f := Finding{Code: CodeValue, Name: s.Name, Where: where, Message: subject + " " + fault.Message, Fix: fault.Fix}
	if fault.IsType {
		f.Code = CodeType
	}
	if s.IsTrust {
		f.Message += ", and counts as " + s.Narrowest().String()
	} else {
		f.Message += ", and has no effect"
	}
	return f
}

// declared is the setting of a name that is declared.
func declared(name Name) Setting {
	s, _ := Lookup(name)
	return s
}

// reader reads one object.
type reader struct {
	channel Channel
	where   string
	text    []byte
	isFile  bool

	given    []Given
	findings []Finding
}

// read reports false where the text is no object that can be read whole.
func (r *reader) read() bool {
	text := bytes.TrimPrefix(r.text, []byte("\ufeff"))
	shift := len(r.text) - len(text)
	plain := text
	if r.isFile {
		plain = jsonc.ToJSON(text) // of the same length
	}
	if len(bytes.TrimSpace(plain)) == 0 {
		return true
	}
	decoder := jsontext.NewDecoder(bytes.NewReader(plain))
	err := r.object(decoder, shift)
	if err == nil {
		return true
	}
	offset := decoder.InputOffset()
	var syntactic *jsontext.SyntacticError
	if errors.As(err, &syntactic) {
		offset = syntactic.ByteOffset
	}
	at := min(shift+int(offset), len(r.text))
	r.given = nil
	r.findings = []Finding{{Code: CodeSyntax, Where: r.spot(at), Start: at, End: min(at+1, len(r.text)), Message: reason(err)}}
	return false
}

// structureError says what else is wrong with an object that is good JSON.
type structureError string

func (e structureError) Error() string { return string(e) }

// reason is why a text is not read; the library's own messages are for programmers.
func reason(err error) string {
	var structure structureError
	switch {
	case errors.As(err, &structure):
		return string(structure)
	case errors.Is(err, jsontext.ErrDuplicateName):
		return "one name stands here twice"
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return "the text ends too early"
	}
	return "this is not JSON"
}

func (r *reader) object(decoder *jsontext.Decoder, shift int) error {
	if kind := decoder.PeekKind(); kind != '{' {
		raw, err := decoder.ReadValue()
		if err != nil {
			return err
		}
		return structureError("the text holds " + kindName(raw) + " in place of an object")
	}
	_, _ = decoder.ReadToken()
	for decoder.PeekKind() == '"' {
		name, err := decoder.ReadValue()
		if err != nil {
			return err
		}
		end := shift + int(decoder.InputOffset())
		key, span := unquote(name), [2]int{end - len(name), end}
		raw, err := decoder.ReadValue()
		if err != nil {
			return err
		}
		r.member(key, raw, span, shift+int(decoder.InputOffset()))
	}
	if _, err := decoder.ReadToken(); err != nil {
		return err
	}
	if _, err := decoder.ReadToken(); !errors.Is(err, io.EOF) {
		return structureError("something follows the object")
	}
	return nil
}

// member takes one member in; key is where its name stands, end where its value ends.
func (r *reader) member(name string, raw jsontext.Value, key [2]int, end int) {
	s, isKnown := Lookup(Name(name))
	switch {
	case !isKnown:
		r.unknown(name, key)
		return
	case raw.Kind() == 'n' && !r.isFile, s.Owner == OfPlugin && !r.isFile:
		return // editors send null for what is not set, and their plugin's own settings with the others
	}
	value, faults := s.Decode(raw)
	for _, fault := range faults {
		f := s.finding(fault, string(s.Name), r.place(key[0]))
		f.Start, f.End = key[0], end
		r.findings = append(r.findings, f)
	}
	g := Given{Name: s.Name, Channel: r.channel, Where: r.place(key[0]), Value: value, Start: key[0], End: end}
	r.given = append(r.given, s.sound(g, faults)...)
}

func (r *reader) unknown(name string, key [2]int) {
	near, isNear := Suggest(name)
	if name == "$schema" || !isNear && !r.isFile {
		return
	}
	f := Finding{Code: CodeUnknown, Where: r.place(key[0]), Start: key[0], End: key[1],
		Message: shown(name) + " is no setting and has no effect"}
	if isNear {
		f.Fix = "write " + shown(string(near))
	}
	r.findings = append(r.findings, f)
}

// spot is place with the column in bytes, counted from 1, for what no name says.
func (r *reader) spot(offset int) string {
	if r.where == "" {
		return ""
	}
	return fmt.Sprintf("%s:%d", r.place(offset), offset-bytes.LastIndexByte(r.text[:offset], '\n'))
}

// place is a file with its line, counted from 1; empty where there is no file.
func (r *reader) place(offset int) string {
	if r.where == "" {
		return ""
	}
	return fmt.Sprintf("%s:%d", r.where, 1+bytes.Count(r.text[:offset], []byte("\n")))
}
