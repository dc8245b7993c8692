package settings

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/tidwall/jsonc"
)

// Value is a value of a setting. The zero value stands for nothing set.
type Value struct {
	kind   Kind
	yes    bool
	text   string
	number int64 // a duration's nanoseconds
	list   []string
	lists  map[string][]string

	members map[Name]Value // of an Object whose members are declared
}

// IsSet reports whether there is a value.
func (v Value) IsSet() bool { return v.kind != 0 }

// Bool is the value of a Bool; false where nothing is set.
func (v Value) Bool() bool { return v.yes }

// Text is the value of a Text, Word, Path or File, and an Object as it is written.
func (v Value) Text() string { return v.text }

// Duration is the value of a Duration.
func (v Value) Duration() time.Duration { return time.Duration(v.number) }

// Count is the value of a Count or of Bytes.
func (v Value) Count() int { return int(v.number) }

// List is the value of Names or Patterns; nil where nothing is set.
func (v Value) List() []string { return slices.Clone(v.list) }

// Lists is the value of NameLists; nil where nothing is set.
func (v Value) Lists() map[string][]string { return maps.Clone(v.lists) }

// Member is a member of an Object whose members are declared; not set where it
// does not have it.
func (v Value) Member(name Name) Value { return v.members[name] }

// Equal reports whether two values are the same.
func (v Value) Equal(other Value) bool {
	return v.kind == other.kind && v.yes == other.yes && v.text == other.text && v.number == other.number &&
		slices.Equal(v.list, other.list) && maps.EqualFunc(v.lists, other.lists, slices.Equal)
}

// String is the value as a file writes it, in JSON; "unset" for none.
func (v Value) String() string {
	if !v.IsSet() {
		return "unset"
	}
	return string(v.JSON())
}

// JSON is the value as a file writes it; null for none.
func (v Value) JSON() jsontext.Value {
	switch v.kind {
	case Bool:
		return jsontext.Value(strconv.FormatBool(v.yes))
	case Text, Word, Path, File:
		return quote(v.text)
	case Duration:
		return quote(shortDuration(time.Duration(v.number)))
	case Count, Bytes:
		return jsontext.Value(strconv.FormatInt(v.number, 10))
	case Names, Patterns:
		items := make([]string, len(v.list))
		for i, item := range v.list {
			items[i] = string(quote(item))
		}
		return jsontext.Value("[" + strings.Join(items, ",") + "]")
	case Object, Variables, NameLists:
		return jsontext.Value(v.text)
	}
	return jsontext.Value("null")
}

func quote(text string) jsontext.Value {
	quoted, _ := jsontext.AppendQuote(nil, []byte(text)) // what is not UTF-8 is replaced
	return quoted
}

// shortDuration writes 5m for 5m0s.
func shortDuration(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

// Fault says what is wrong with a value. Message goes on from the setting's
// name: "is a number". Neither text ends in a full stop.
type Fault struct {
	IsType       bool // the JSON type is wrong, rather than the value
	Item         int  // the index in a list, -1 for the value as a whole
	Message, Fix string
}

func wrongType(raw jsontext.Value, fix string) []Fault {
	return []Fault{{IsType: true, Item: -1, Message: "is " + kindName(raw), Fix: fix}}
}

func badValue(message, fix string) []Fault {
	return []Fault{{Item: -1, Message: message, Fix: fix}}
}

// MaxDuration bounds what a duration can be: beyond it is a mistake.
const MaxDuration = 365 * 24 * time.Hour

// Decode reads a value as a file writes it, with or without comments. A value
// with faults is not set, except that a list keeps its good items.
func (s Setting) Decode(text []byte) (Value, []Fault) {
	raw := jsontext.Value(jsonc.ToJSON(text))
	if !raw.IsValid() {
		return Value{}, []Fault{{IsType: true, Item: -1, Message: "is not JSON", Fix: "correct it"}}
	}
	raw = jsontext.Value(strings.TrimSpace(string(raw)))
	switch s.Kind {
	case Bool:
		if kind := raw.Kind(); kind != 't' && kind != 'f' {
			return Value{}, wrongType(raw, "write true or false")
		}
		return Value{kind: Bool, yes: raw.Kind() == 't'}, nil
	case Text, Word, Path, File:
		if raw.Kind() != '"' && s.Kind == Word {
			return Value{}, badValue("is none of the words it can be", s.fixWord())
		} else if raw.Kind() != '"' {
			return Value{}, wrongType(raw, "write a string")
		}
		return s.decodeText(unquote(raw))
	case Duration:
		return s.decodeDuration(raw)
	case Count, Bytes:
		return s.decodeCount(string(raw))
	case Names, Patterns:
		return s.decodeList(raw)
	case NameLists:
		return s.decodeLists(raw)
	case Object, Variables:
		if raw.Kind() != '{' {
			return Value{}, wrongType(raw, "write an object")
		}
		if len(s.Members) > 0 {
			return s.decodeMembers(raw)
		}
		_ = raw.Compact() // it is valid
		return Value{kind: s.Kind, text: string(raw)}, nil
	}
	return Value{}, badValue("is of no kind", "")
}

// DecodeWord reads a value as a variable or a flag gives it.
func (s Setting) DecodeWord(word string) (Value, []Fault) {
	switch s.Kind {
	case Bool, Object, NameLists:
		return s.Decode([]byte(word))
	case Duration:
		if strings.Trim(word, "0123456789.") == "" {
			return s.Decode([]byte(word))
		}
		return s.Decode(quote(word))
	case Count, Bytes:
		return s.decodeCount(word)
	case Names, Patterns:
		items := []string{}
		if word != "" {
			items = strings.Split(word, ",")
		}
		return s.decodeItems(items)
	}
	return s.decodeText(word)
}

func (s Setting) decodeText(text string) (Value, []Fault) {
	switch {
	case s.Kind == Word && !slices.Contains(s.Words(), text):
		return Value{}, badValue("is none of the words it can be", s.fixWord())
	case s.Kind == Path && !filepath.IsAbs(text):
		return Value{}, badValue("is not an absolute path", "write the whole path")
	}
	return Value{kind: s.Kind, text: text}, nil
}

func (s Setting) fixWord() string { return `write "` + strings.Join(s.Words(), `" or "`) + `"` }

func (s Setting) decodeDuration(raw jsontext.Value) (Value, []Fault) {
	const example = `write a duration such as "30s" or "5m", or milliseconds`
	var d time.Duration
	var err error
	switch raw.Kind() {
	case '"':
		d, err = time.ParseDuration(unquote(raw))
	case '0':
		var milliseconds float64
		milliseconds, err = strconv.ParseFloat(string(raw), 64)
		if err == nil && milliseconds <= float64(MaxDuration/time.Millisecond) {
			d = time.Duration(milliseconds * float64(time.Millisecond))
		} else {
			d = MaxDuration + 1
		}
	default:
		return Value{}, wrongType(raw, example)
	}
	switch {
	case err != nil || d < 0 || d > MaxDuration:
		return Value{}, badValue("is not a duration that can be", example)
	case d == 0 && s.Min > 0:
		return Value{}, badValue("is zero", `write a duration such as "30s"`)
	}
	return Value{kind: Duration, number: int64(d)}, nil
}

func (s Setting) decodeCount(word string) (Value, []Fault) {
	n, err := strconv.ParseInt(word, 10, 64)
	most := s.Max
	if most == 0 {
		most = 1 << 40
	}
	if err != nil || n < s.Min || n > most {
		fix := "write a whole number"
		if s.Max > 0 {
			fix = fmt.Sprintf("write a whole number from %d to %d", s.Min, s.Max)
		}
		return Value{}, badValue("cannot be that", fix)
	}
	return Value{kind: s.Kind, number: n}, nil
}

func (s Setting) decodeList(raw jsontext.Value) (Value, []Fault) {
	if raw.Kind() != '[' {
		return Value{}, wrongType(raw, "write an array of strings")
	}
	var items []string
	var faults []Fault
	var places []int // of the items in the array
	decoder := jsontext.NewDecoder(strings.NewReader(string(raw)))
	_, _ = decoder.ReadToken()
	for i := 0; decoder.PeekKind() != ']'; i++ {
		item, err := decoder.ReadValue()
		if err != nil {
			break // it is valid
		}
		if item.Kind() != '"' {
			faults = append(faults, Fault{IsType: true, Item: i, Message: "is " + kindName(item), Fix: "write a string"})
			continue
		}
		items, places = append(items, unquote(item)), append(places, i)
	}
	value, more := s.decodeItems(items)
	for _, fault := range more {
		fault.Item = places[fault.Item]
		faults = append(faults, fault)
	}
	return value, faults
}

// decodeLists keeps the members that are lists of strings.
func (s Setting) decodeLists(raw jsontext.Value) (Value, []Fault) {
	if raw.Kind() != '{' {
		return Value{}, wrongType(raw, "write an object of lists of strings")
	}
	lists := map[string][]string{}
	var faults []Fault
	decoder := jsontext.NewDecoder(strings.NewReader(string(raw)))
	_, _ = decoder.ReadToken()
	for decoder.PeekKind() != '}' {
		key, _ := decoder.ReadToken()
		name := key.String()
		value, err := decoder.ReadValue()
		if err != nil {
			break // it is valid
		}
		items, wrong := Setting{Kind: Names}.decodeList(value)
		for _, fault := range wrong {
			fault.Item, fault.Message = -1, "of "+shown(name)+" "+fault.Message
			faults = append(faults, fault)
		}
		if items.IsSet() {
			lists[name] = items.List()
		}
	}
	_ = raw.Compact() // it is valid
	return Value{kind: NameLists, text: string(raw), lists: lists}, faults
}

// decodeMembers keeps the members that are declared and good.
func (s Setting) decodeMembers(raw jsontext.Value) (Value, []Fault) {
	members := map[Name]Value{}
	var faults []Fault
	decoder := jsontext.NewDecoder(strings.NewReader(string(raw)))
	_, _ = decoder.ReadToken()
	for decoder.PeekKind() != '}' {
		key, _ := decoder.ReadToken()
		name := Name(key.String())
		value, err := decoder.ReadValue()
		if err != nil {
			break // it is valid
		}
		at := slices.IndexFunc(s.Members, func(m Setting) bool { return m.Name == name })
		if at < 0 {
			faults = append(faults, Fault{Item: -1, Message: "has " + shown(string(name)) + ", which it knows nothing of", Fix: "write " + s.memberNames()})
			continue
		}
		member, wrong := s.Members[at].Decode(value)
		for _, fault := range wrong {
			fault.Item, fault.Message = -1, "of "+shown(string(name))+" "+fault.Message
			faults = append(faults, fault)
		}
		if member.IsSet() {
			members[name] = member
		}
	}
	_ = raw.Compact() // it is valid
	return Value{kind: Object, text: string(raw), members: members}, faults
}

func (s Setting) memberNames() string {
	names := make([]string, len(s.Members))
	for i, member := range s.Members {
		names[i] = string(member.Name)
	}
	return strings.Join(names, ", ")
}

func (s Setting) decodeItems(items []string) (Value, []Fault) {
	check := checkName
	if s.Kind == Patterns {
		check = CheckPattern
	}
	var faults []Fault
	good := make([]string, 0, len(items))
	for i, item := range items {
		if wrong := check(item); wrong != "" {
			faults = append(faults, Fault{Item: i, Message: "is " + shown(item) + ", which " + wrong, Fix: "correct or remove it"})
			continue
		}
		good = append(good, item)
	}
	return Value{kind: s.Kind, list: good}, faults
}

// checkName says what is wrong with an item of Names, or returns "".
func checkName(name string) string {
	if name == "" || strings.ContainsAny(name, "=\x00") {
		return "is not a name that can be"
	}
	return ""
}

// shown quotes foreign text for a message, its beginning where it is long.
func shown(text string) string {
	const most = 60
	if runes := []rune(text); len(runes) > most {
		text = string(runes[:most]) + "…"
	}
	return strconv.Quote(text)
}

func unquote(raw jsontext.Value) string {
	text, _ := jsontext.AppendUnquote(nil, raw) // it is valid
	return string(text)
}

// kindName is how a message calls a JSON value.
func kindName(raw jsontext.Value) string {
	switch raw.Kind() {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		return "a string"
	case '0':
		return "a number"
	case 'n':
		return "null"
	}
	return "true or false"
}
