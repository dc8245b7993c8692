package catalog

import (
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// List is what one definition of a connector has listed. Everything in it but ListedAt is the claim of a stranger.
type List struct {
	Head
	Tools []Tool // in the connector's order
	// Others is what else was listed, as one JSON value of whoever keeps the list.
	Others []byte
}

// Head is what is known of a list without reading it.
type Head struct {
	// Server is what the connector says of itself, as one JSON value of whoever keeps the list.
	Server jsontext.Value `json:"server,omitzero"`
	// Count, Resources and Prompts are how many there are; Tokens is what the tools cost together.
	Count     int `json:"tools"`
	Resources int `json:"resources,omitzero"`
	Prompts   int `json:"prompts,omitzero"`
	Tokens    int `json:"tokens"`
	// ListedAt is when the connector last listed exactly this; it is not in the file but the file's own time.
	ListedAt time.Time `json:"-"`
}

// Tool is one tool as a connector lists it.
type Tool struct {
	Name        string
	Title       string
	Description string
	// The schemas and annotations are the bytes as received; OutputSchema and Annotations are nil when absent, and all are in what
	// [Store.Summaries] returns.
	InputSchema  jsontext.Value
	OutputSchema jsontext.Value
	Annotations  jsontext.Value
	// The hints are nil when absent.
	ReadOnly    *bool
	Destructive *bool
	Idempotent  *bool
	OpenWorld   *bool
	// TaskSupport is execution.taskSupport: "", "forbidden", "optional", "required".
	TaskSupport string
	Passed
	// Tokens is about what its definition costs a model that is given it.
	Tokens int
	// Hash is over name, description, schemas and annotations; key order and white space play no part. It is of the tool as it was
	// listed, before secrets were taken out of it.
	Hash string
}

// Passed is what a connector says of an entry for whoever shows it. It is passed on, and nothing is decided by it; a value is nil when
// absent, and no larger than the connector's reader lets through.
type Passed struct {
	Icons jsontext.Value `json:",omitzero"` // an array
	Meta  jsontext.Value `json:",omitzero"` // an object
}

// A file is a line of JSON, the head, and after it three sections whose lengths it says: the names and words of the tools, their
// schemas, and the others. In a section a text is its length and its bytes, so that reading thousands takes no parser, and schemas
// stay as they were listed, digit by digit.
type fileHead struct {
	Version int    `json:"version"`
	Key     string `json:"key"`
	Head    Head   `json:"list"`
	Words   int    `json:"words"`  // bytes of the first section
	Bodies  int    `json:"bodies"` // and of the second
	Others  int    `json:"others"` // and of the third
}

// fileVersion is what is written here. What a newer one holds is not known, and it stays as it is; an older one is as good as none.
const fileVersion = 2

const (
	// maxListBytes bounds a file: a larger list is listed anew in each session.
	maxListBytes = 32 << 20
	// maxHeadBytes bounds the first line.
	maxHeadBytes = 64 << 10
	// maxTools is more than any list has that a connector is believed.
	maxTools = 10_000
)

var (
	errTooLarge = fmt.Errorf("the list is larger than %d bytes", maxListBytes)
	errBroken   = errors.New("it is not what was written")
	errOlder    = errors.New("an older Pillion wrote it")
)

// encode is the list as a file.
func encode(key string, list *List) ([]byte, error) {
	var words, bodies []byte
	tokens := 0
	for i := range list.Tools {
		t := &list.Tools[i]
		words = appendTexts(words, t.Name, t.Title, t.Description, t.Hash, t.TaskSupport)
		words = append(words, hints(t))
		words = binary.AppendUvarint(words, uint64(max(0, t.Tokens)))
		bodies = appendTexts(bodies, string(t.InputSchema), string(t.OutputSchema), string(t.Annotations), string(t.Icons), string(t.Meta))
		tokens += t.Tokens
	}
	head := fileHead{Version: fileVersion, Key: key, Head: list.Head, Words: len(words), Bodies: len(bodies), Others: len(list.Others)}
	head.Head.Count, head.Head.Tokens = len(list.Tools), tokens
	line, err := json.Marshal(head, json.Deterministic(true))
	switch {
	case err != nil:
		return nil, err
	case len(line) >= maxHeadBytes, len(list.Tools) > maxTools, len(line)+len(words)+len(bodies)+len(list.Others) >= maxListBytes:
		return nil, errTooLarge
	}
	line = append(line, '\n')
	return append(append(append(line, words...), bodies...), list.Others...), nil
}

func appendTexts(to []byte, texts ...string) []byte {
	for _, text := range texts {
		to = binary.AppendUvarint(to, uint64(len(text)))
		to = append(to, text...)
	}
	return to
}

// hints are the four hints in a byte, two bits each: absent, false, true.
func hints(t *Tool) byte {
	var all byte
	for i, hint := range []*bool{t.ReadOnly, t.Destructive, t.Idempotent, t.OpenWorld} {
		switch {
		case hint == nil:
		case *hint:
			all |= 2 << (2 * i)
		default:
			all |= 1 << (2 * i)
		}
	}
	return all
}

// setHints is given what absent, false and true are written as.
func (t *Tool) setHints(all byte, values *[3]*bool) bool {
	for i, hint := range [...]**bool{&t.ReadOnly, &t.Destructive, &t.Idempotent, &t.OpenWorld} {
		value := int(all >> (2 * i) & 3)
		if value == len(values) {
			return false
		}
		*hint = values[value]
	}
	return true
}

// newerError says that a newer Pillion wrote the file.
type newerError struct{ version int }

func (e newerError) Error() string {
	return fmt.Sprintf("a newer Pillion wrote it (version %d, this one knows %d)", e.version, fileVersion)
}

// decodeHead reads the first line of a file, which holds at least that, and returns how long it is.
func decodeHead(file []byte, key string) (head fileHead, length int, err error) {
	for length < len(file) && file[length] != '\n' {
		length++
	}
	if length == len(file) || length >= maxHeadBytes {
		return head, 0, errBroken
	}
	line := file[:length]
	if err := json.Unmarshal(line, &head, json.RejectUnknownMembers(true)); err != nil {
		return head, 0, faultOf(line)
	}
	switch {
	case head.Version > fileVersion:
		return head, 0, newerError{head.Version}
	case head.Version < 1, head.Key != key:
		return head, 0, errBroken
	case head.Version < fileVersion:
		return head, 0, errOlder
	}
	h := head.Head
	if min(head.Words, head.Bodies, head.Others, h.Count, h.Resources, h.Prompts, h.Tokens) < 0 || h.Count > maxTools {
		return head, 0, errBroken
	}
	return head, length + 1, nil
}

// faultOf is what is wrong with a head that is not as one of this version is.
func faultOf(line []byte) error {
	var only struct {
		Version int `json:"version"`
	}
	switch err := json.Unmarshal(line, &only); {
	case err == nil && only.Version > fileVersion:
		return newerError{only.Version}
	case err == nil && only.Version >= 1 && only.Version < fileVersion:
		return errOlder
	}
	return errBroken
}

// decode reads a file, its schemas and what is after them too where it is wanted whole.
func decode(file []byte, key string, isWhole bool) (*List, error) {
	head, at, err := decodeHead(file, key)
	if err != nil {
		return nil, err
	}
	rest := file[at:]
	if head.Words > len(rest) || isWhole && (head.Bodies > len(rest) || head.Others > len(rest) || head.Words+head.Bodies+head.Others != len(rest)) {
		return nil, errBroken
	}
	list := &List{Head: head.Head, Tools: make([]Tool, 0, min(head.Head.Count, head.Words))}
	words := texts{rest: string(rest[:head.Words])} // one copy for all of them
	hints := [...]*bool{nil, new(false), new(true)}
	for range head.Head.Count {
		list.Tools = append(list.Tools, Tool{})
		t := &list.Tools[len(list.Tools)-1]
		t.Name, t.Title, t.Description, t.Hash, t.TaskSupport = words.next(), words.next(), words.next(), words.next(), words.next()
		all := words.byte()
		t.Tokens = words.number()
		if words.isBroken || !t.setHints(all, &hints) || t.Name == "" {
			return nil, errBroken
		}
	}
	if words.rest != "" {
		return nil, errBroken
	}
	if !isWhole {
		return list, nil
	}
	bodies := texts{rest: string(rest[head.Words : head.Words+head.Bodies])}
	for i := range list.Tools {
		t := &list.Tools[i]
		for _, body := range []*jsontext.Value{&t.InputSchema, &t.OutputSchema, &t.Annotations, &t.Icons, &t.Meta} {
			if text := bodies.next(); text != "" {
				*body = jsontext.Value(text)
			}
		}
		if bodies.isBroken || !isObject(t.InputSchema, false) || !isObject(t.OutputSchema, true) || !isObject(t.Annotations, true) || !t.isSound() {
			return nil, errBroken
		}
	}
	list.Others = rest[head.Words+head.Bodies:]
	if bodies.rest != "" || len(list.Others) > 0 && !jsontext.Value(list.Others).IsValid() {
		return nil, errBroken
	}
	return list, nil
}

// isObject reports whether a body is a JSON value of a kind that a schema may be; a name that stands twice is nobody's.
func isObject(body jsontext.Value, mayBeAbsent bool) bool {
	if len(body) == 0 {
		return mayBeAbsent
	}
	kind := body.Kind()
	return (kind == '{' || mayBeAbsent && (kind == 't' || kind == 'f')) && body.IsValid(jsontext.AllowInvalidUTF8(true))
}

// isSound reports whether what is passed on is of the kinds that it is of.
func (p Passed) isSound() bool {
	return (len(p.Icons) == 0 || p.Icons.Kind() == '[' && p.Icons.IsValid()) && (len(p.Meta) == 0 || p.Meta.Kind() == '{' && p.Meta.IsValid())
}

// texts reads a section.
type texts struct {
	rest     string
	isBroken bool
}

func (t *texts) next() string {
	length := t.number()
	if t.isBroken || length > len(t.rest) {
		t.isBroken = true
		return ""
	}
	text := t.rest[:length]
	t.rest = t.rest[length:]
	return text
}

func (t *texts) byte() byte {
	if t.rest == "" {
		t.isBroken = true
		return 0
	}
	b := t.rest[0]
	t.rest = t.rest[1:]
	return b
}

// number reads one that is a length or a count, and so no larger than a file may be.
func (t *texts) number() int {
	value, shift := 0, 0
	for i := range min(len(t.rest), 5) {
		b := t.rest[i]
		value |= int(b&0x7f) << shift
		shift += 7
		if b < 0x80 {
			t.rest = t.rest[i+1:]
			t.isBroken = t.isBroken || value > maxListBytes
			return value
		}
	}
	t.isBroken = true
	return 0
}
