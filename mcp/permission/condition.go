package permission

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/go-json-experiment/json/jsontext"
)

// Condition is a demand on one value of a call's arguments (E10). It names exactly one of Equals, Glob and Under.
type Condition struct {
	Path string `json:"path"` // JSON pointer (RFC 6901) of the value
	// Equals is the JSON text of a string, number, boolean or null. A string is compared by its characters, a number by its
	// digits as they are spelt: 1.0 is not 1.
	Equals jsontext.Value `json:"equals,omitzero"`
	// Glob is matched by a string as a whole: * within a name, ** across names, ? and […] one character, {a,b} either.
	Glob string `json:"glob,omitzero"`
	// Under is a folder, absolute and clean, that a string names or names a path below.
	Under string `json:"under,omitzero"`
	// Real is where the folder Under led to, links followed, when the condition was made. One that leads elsewhere is no
	// longer the folder that was meant.
	Real string `json:"real,omitzero"`
}

// Disk is what a judgement may ask of the file system: where the paths of a call lead.
type Disk interface {
	// Real is an absolute path with every link of it followed; false where that can't be told, such as of one that is not there.
	Real(path string) (real string, isKnown bool)
	// IsLink reports whether what stands at an absolute path is a link, or can't be told not to be one. Nothing at all is none.
	IsLink(path string) bool
}

// The bounds of the conditions of one rule.
const (
	maxConditions     = 16
	maxConditionBytes = 4096
	maxPathBytes      = 4096
)

// ConditionError says what is wrong with a condition.
type ConditionError struct {
	Path   string // its JSON pointer
	Reason error
}

func (e *ConditionError) Error() string { return fmt.Sprintf("condition on %q: %v", e.Path, e.Reason) }

// Unwrap returns the reason.
func (e *ConditionError) Unwrap() error { return e.Reason }

// CheckConditions returns the conditions as they are kept, their folders clean; a *ConditionError says what is wrong with
// one. disk tells where the folders lead now.
func CheckConditions(conditions []Condition, disk Disk) ([]Condition, error) {
	if len(conditions) == 0 {
		return nil, nil
	}
	checked := make([]Condition, len(conditions))
	for i, c := range conditions {
		c.Real = ""
		if c.Under != "" {
			c.Under = filepath.Clean(c.Under)
		}
		if err := c.validate(); err != nil {
			return nil, err
		}
		if c.Under != "" {
			real, isKnown := disk.Real(c.Under)
			if !isKnown {
				return nil, &ConditionError{c.Path, fmt.Errorf("there is no folder %q", c.Under)}
			}
			c.Real = real
		}
		checked[i] = c
	}
	return checked, validateConditions(checked)
}

func validateConditions(conditions []Condition) error {
	if conditions != nil && len(conditions) == 0 {
		return errors.New("an empty list of conditions is none")
	}
	if len(conditions) > maxConditions {
		return fmt.Errorf("%d conditions are more than %d", len(conditions), maxConditions)
	}
	for _, c := range conditions {
		if err := c.validate(); err != nil {
			return err
		}
		if (c.Under == "") != (c.Real == "") {
			return &ConditionError{c.Path, errors.New("it does not say which folder is meant")}
		}
	}
	return nil
}

// validate checks what stands in a condition; where its folder leads is not looked at.
func (c Condition) validate() error {
	demands := 0
	for _, isThere := range []bool{len(c.Equals) > 0, c.Glob != "", c.Under != ""} {
		if isThere {
			demands++
		}
	}
	var reason error
	switch {
	case demands != 1:
		reason = errors.New("it must name exactly one of equals, glob and under")
	case len(c.Path)+len(c.Equals)+len(c.Glob)+len(c.Under) > maxConditionBytes:
		reason = fmt.Errorf("it is longer than %d bytes", maxConditionBytes)
	case !isPointer(c.Path):
		reason = errors.New(`its path is no JSON pointer to a value within the arguments, such as "/path"`)
	case len(c.Equals) > 0 && !isScalar(c.Equals):
		reason = errors.New("equals is not a string, a number, true, false or null")
	case c.Glob != "" && !doublestar.ValidatePattern(c.Glob):
		reason = errors.New("glob is no pattern")
	case c.Under != "" && (!filepath.IsAbs(c.Under) || filepath.Clean(c.Under) != c.Under):
		reason = errors.New("under is not the absolute path of a folder")
	default:
		return nil
	}
	return &ConditionError{c.Path, reason}
}

// isPointer reports whether text is a JSON pointer to something within an object: the whole is no value of its own here.
func isPointer(text string) bool {
	if !strings.HasPrefix(text, "/") {
		return false
	}
	for rest := text; ; {
		at := strings.IndexByte(rest, '~')
		if at < 0 {
			return true
		}
		if at+1 >= len(rest) || rest[at+1] != '0' && rest[at+1] != '1' {
			return false
		}
		rest = rest[at+2:]
	}
}

func isScalar(v jsontext.Value) bool {
	return v.Kind() != '{' && v.Kind() != '[' && v.IsValid(jsontext.AllowInvalidUTF8(false))
}

// Hold reports whether every condition clearly holds of the arguments; what is not sure is a no. disk may be nil: then no
// path lies anywhere.
func Hold(conditions []Condition, arguments []byte, disk Disk) bool {
	for i := range conditions {
		if !conditions[i].holds(arguments, disk) {
			return false
		}
	}
	return true
}

func (c *Condition) holds(arguments []byte, disk Disk) bool {
	value := valueAt(arguments, c.Path)
	if len(value) == 0 {
		return false
	}
	if len(c.Equals) > 0 {
		return equal(value, c.Equals)
	}
	if value.Kind() != '"' {
		return false
	}
	text, err := jsontext.AppendUnquote(nil, value)
	if err != nil || len(text) > maxPathBytes || bytes.IndexByte(text, 0) >= 0 {
		return false
	}
	if c.Glob != "" {
		return matches(c.Glob, string(text))
	}
	return c.lies(string(text), disk)
}

// valueAt returns the text of the value that a JSON pointer names, and nothing where there is none or where the arguments
// are not one object without duplicate keys.
func valueAt(arguments []byte, pointer string) jsontext.Value {
	d := jsontext.NewDecoder(bytes.NewBuffer(arguments), jsontext.AllowDuplicateNames(false), jsontext.AllowInvalidUTF8(false))
	var found jsontext.Value
	kind, err := descend(d, pointer, &found)
	if err != nil || kind != '{' {
		return nil
	}
	if _, err := d.ReadToken(); !errors.Is(err, io.EOF) {
		return nil
	}
	return found
}

// descend reads one whole value and keeps what the pointer names in it.
func descend(d *jsontext.Decoder, pointer string, found *jsontext.Value) (jsontext.Kind, error) {
	kind := d.PeekKind()
	if pointer == "" {
		value, err := d.ReadValue()
		*found = bytes.Clone(value)
		return kind, err
	}
	if kind != '{' && kind != '[' {
		return kind, d.SkipValue()
	}
	token, rest, _ := strings.Cut(pointer[1:], "/")
	if len(token)+1 < len(pointer) {
		rest = "/" + rest
	}
	token = strings.NewReplacer("~1", "/", "~0", "~").Replace(token)
	if _, err := d.ReadToken(); err != nil {
		return kind, err
	}
	for index := 0; d.PeekKind() != '}' && d.PeekKind() != ']'; index++ {
		name := strconv.Itoa(index)
		if kind == '{' {
			key, err := d.ReadToken()
			if err != nil {
				return kind, err
			}
			name = key.String()
		}
		next := func() error { return d.SkipValue() }
		if name == token {
			next = func() error { _, err := descend(d, rest, found); return err }
		}
		if err := next(); err != nil {
			return kind, err
		}
	}
	_, err := d.ReadToken()
	return kind, err
}

// equal compares two scalars: strings by what they spell, all else by its text.
func equal(value, wanted jsontext.Value) bool {
	if value.Kind() != wanted.Kind() {
		return false
	}
	if value.Kind() != '"' {
		return bytes.Equal(value, wanted)
	}
	a, errA := jsontext.AppendUnquote(nil, value)
	b, errB := jsontext.AppendUnquote(nil, wanted)
	return errA == nil && errB == nil && bytes.Equal(a, b)
}

// matches reports whether a text matches a glob. One that goes up again is another path than it looks.
func matches(glob, text string) bool {
	if strings.Contains("/"+strings.ReplaceAll(text, `\`, "/")+"/", "/../") {
		return false
	}
	isMatch, err := doublestar.Match(glob, text)
	return err == nil && isMatch
}

// lies reports whether a path clearly lies in the folder, or is it: it is absolute, because what it is relative to is the
// connector's to say; it is spelt as the folder is, also where the file system knows no case; and on the way to it below the
// folder nothing is a link.
func (c *Condition) lies(text string, disk Disk) bool {
	clean := filepath.Clean(text)
	if disk == nil || !filepath.IsAbs(text) || clean != text && clean+string(filepath.Separator) != text {
		return false
	}
	if clean != c.Under && !strings.HasPrefix(clean, withSeparator(c.Under)) {
		return false
	}
	if real, isKnown := disk.Real(c.Under); !isKnown || real != c.Real {
		return false
	}
	for at := clean; at != c.Under; at = filepath.Dir(at) {
		if disk.IsLink(at) {
			return false
		}
	}
	return true
}

func withSeparator(folder string) string {
	return strings.TrimSuffix(folder, string(filepath.Separator)) + string(filepath.Separator)
}
