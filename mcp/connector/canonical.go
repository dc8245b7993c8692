package connector

import (
	"bytes"
	"errors"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// canonical returns valid JSON with its members sorted and without white space, numbers as they are spelt: two that differ in a
// late digit are two. The error is a jsontext.ErrDuplicateName: a name stands twice in an object of it, so that different readers
// read it differently.
func canonical(text jsontext.Value) (jsontext.Value, error) {
	// Texts without escapes are spelt in the one way that there is.
	if bytes.IndexByte(text, '\\') < 0 {
		w := canonicalWriter{walker: walker{text: text}, out: make([]byte, 0, len(text))}
		if w.value() && w.next() == 0 {
			return w.out, nil
		}
	}
	sorted := text.Clone()
	err := sorted.Canonicalize(jsontext.CanonicalizeRawInts(false), jsontext.CanonicalizeRawFloats(false))
	switch {
	case errors.Is(err, jsontext.ErrDuplicateName):
		return nil, err
	case err != nil: // it is valid; should it not be, the bytes as they came tell versions apart too
		return text, nil
	}
	return sorted, nil
}

// canonicalWriter writes the canonical form of a text without escapes. It gives up, with false, where a name stands twice, and
// where the order of the names may be another one than that of their bytes.
type canonicalWriter struct {
	walker
	out     []byte
	members []canonicalMember // of the objects that are being read, the outer ones first
	scratch []byte
}

// canonicalMember is a member, and where it stands in what was written.
type canonicalMember struct {
	name       []byte
	start, end int
}

func (w *canonicalWriter) value() bool {
	switch w.next() {
	case '{':
		return w.object()
	case '[':
		return w.array()
	}
	value, ok := w.skip()
	w.out = append(w.out, value...)
	return ok
}

func (w *canonicalWriter) array() bool {
	w.at++
	w.out = append(w.out, '[')
	for more := w.next() != ']'; more; {
		if !w.value() {
			return false
		}
		if more = w.accept(','); more {
			w.out = append(w.out, ',')
		}
	}
	w.out = append(w.out, ']')
	return w.accept(']')
}

// object writes the members in the order in which they stand, and then anew where that is not the one of their names.
func (w *canonicalWriter) object() bool {
	w.at++
	w.out = append(w.out, '{')
	outer, isSorted := len(w.members), true
	for more := w.next() != '}'; more; {
		start := len(w.out)
		quoted, ok := w.member()
		if !ok {
			return false
		}
		name := quoted[1 : len(quoted)-1]
		w.out = append(append(w.out, quoted...), ':')
		if !isPlain(name) || !w.value() {
			return false
		}
		isSorted = isSorted && (len(w.members) == outer || bytes.Compare(w.members[len(w.members)-1].name, name) < 0)
		w.members = append(w.members, canonicalMember{name, start, len(w.out)})
		if more = w.accept(','); more {
			w.out = append(w.out, ',')
		}
	}
	members := w.members[outer:]
	w.members = w.members[:outer]
	if !isSorted && !w.sort(members) {
		return false
	}
	w.out = append(w.out, '}')
	return w.accept('}')
}

// isPlain reports whether a name is of ASCII: of others the order is that of UTF-16.
func isPlain(name []byte) bool {
	for _, b := range name {
		if b >= 0x80 {
			return false
		}
	}
	return true
}

// sort writes the members again that were written last.
func (w *canonicalWriter) sort(members []canonicalMember) bool {
	begin := members[0].start
	w.scratch = append(w.scratch[:0], w.out[begin:]...)
	w.out = w.out[:begin]
	slices.SortFunc(members, func(a, b canonicalMember) int { return bytes.Compare(a.name, b.name) })
	for i, one := range members {
		if i > 0 {
			if bytes.Equal(members[i-1].name, one.name) {
				return false
			}
			w.out = append(w.out, ',')
		}
		w.out = append(w.out, w.scratch[one.start-begin:one.end-begin]...)
	}
	return true
}
