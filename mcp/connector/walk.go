package connector

import (
	"bytes"
	"errors"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// walker goes through JSON that is known to be valid, as a part of a message that was decoded is. It looks at no more than where
// things begin and end: a list of thousands is gone through several times. It gives up, with false, on what it does not expect.
type walker struct {
	text []byte
	at   int
}

// next is the next byte that is no white space; 0 at the end.
func (w *walker) next() byte {
	for ; w.at < len(w.text); w.at++ {
		if b := w.text[w.at]; b > ' ' {
			return b
		}
	}
	return 0
}

// accept goes past the next byte if it is the one.
func (w *walker) accept(b byte) bool {
	if w.next() != b {
		return false
	}
	w.at++
	return true
}

// skipString goes past a string.
func (w *walker) skipString() bool {
	if !w.accept('"') {
		return false
	}
	for end := -1; w.at <= len(w.text); {
		if end < w.at { // a string full of escapes must not be searched for its end from each of them
			next := bytes.IndexByte(w.text[w.at:], '"')
			if next < 0 {
				return false
			}
			end = w.at + next
		}
		escaped := bytes.IndexByte(w.text[w.at:end], '\\')
		if escaped < 0 {
			w.at = end + 1
			return true
		}
		w.at += escaped + 2
	}
	return false
}

// skip goes past a value and returns it.
func (w *walker) skip() (value jsontext.Value, ok bool) {
	first := w.next()
	from := w.at
	switch first {
	case '"':
		ok = w.skipString()
	case '{', '[':
		ok = w.skipNested()
	default:
		ok = w.skipSimple()
	}
	return w.text[from:w.at:w.at], ok
}

// skipNested goes past an object or an array.
func (w *walker) skipNested() bool {
	for depth := 0; w.at < len(w.text); {
		switch w.text[w.at] {
		case '"':
			if !w.skipString() {
				return false
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		}
		if w.at++; depth == 0 {
			return true
		}
	}
	return false
}

// skipSimple goes past a number or a literal.
func (w *walker) skipSimple() bool {
	from := w.at
	for w.at < len(w.text) && w.text[w.at] > ' ' && w.text[w.at] != ',' && w.text[w.at] != '}' && w.text[w.at] != ']' {
		w.at++
	}
	return w.at > from
}

// member goes past the name of a member, and its colon.
func (w *walker) member() (name jsontext.Value, ok bool) {
	w.next()
	from := w.at
	ok = w.skipString()
	return w.text[from:w.at:w.at], ok && w.accept(':')
}

// walkMembers visits the members of the object that is the whole of a valid text, by their quoted names, until an error; false
// says that it cannot be gone through.
func walkMembers(text jsontext.Value, visit func(quoted, value jsontext.Value) error) (ok bool, err error) {
	w := walker{text: text}
	if !w.accept('{') {
		return false, nil
	}
	for more := w.next() != '}'; more; more = w.accept(',') {
		name, ok := w.member()
		if !ok {
			return false, nil
		}
		value, ok := w.skip()
		if !ok {
			return false, nil
		}
		if err := visit(name, value); err != nil {
			return true, err
		}
	}
	return w.accept('}') && w.next() == 0, nil
}

// walkObject is [object] for a text that is known to be valid.
func walkObject(text jsontext.Value, visit func(name string, value jsontext.Value) error) error {
	var room [16]string
	names := room[:0]
	ok, err := walkMembers(text, func(quoted, value jsontext.Value) error {
		name := nameOf(quoted)
		if len(names) == cap(room[:]) || slices.Contains(names, name) {
			return errManyNames
		}
		names = append(names, name)
		return visit(name, value)
	})
	if !ok || errors.Is(err, errManyNames) {
		return object(text, func(name string, value jsontext.Value) error {
			if slices.Contains(names, name) { // it was visited
				return nil
			}
			return visit(name, value)
		})
	}
	return err
}

// errManyNames ends a walk that goes on with a decoder.
var errManyNames = errors.New("more names than a short list is good for, or one of them twice")

// nameOf is the name of a member.
func nameOf(quoted jsontext.Value) string {
	name, _ := text(quoted)
	return name
}

// walkElements returns the values of the array that is the whole of a valid text, at most so many; false says that it cannot be
// gone through, or has more.
func walkElements(text jsontext.Value, maxCount int) (values []jsontext.Value, ok bool) {
	w := walker{text: text}
	if !w.accept('[') {
		return nil, false
	}
	for more := w.next() != ']'; more; more = w.accept(',') {
		value, ok := w.skip()
		if !ok || len(values) == maxCount {
			return nil, false
		}
		values = append(values, value)
	}
	return values, w.accept(']') && w.next() == 0
}
