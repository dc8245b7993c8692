package result

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/bits"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// The scanner walks JSON where it lies. Results are checked, taken apart and passed on byte for byte, and most of a result
// is one long string: looking at eight bytes at a time costs a small part of what decoding costs.

// maxDepth bounds the nesting that is followed.
const maxDepth = 10_000

var (
	errSyntax = errors.New("it is no valid JSON")
	errDepth  = errors.New("it is nested too deeply")
)

func skipSpace(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\t' || b[i] == '\r') {
		i++
	}
	return i
}

const (
	lows  = 0x0101010101010101
	highs = 0x8080808080808080
)

// special marks the bytes of eight that end the plain part of a string: quote, backslash, control characters. The lowest
// mark is exact; above it a borrow may mark more.
func special(x uint64) uint64 {
	quote, backslash := x^lows*'"', x^lows*'\\'
	return ((quote-lows)&^quote | (backslash-lows)&^backslash | (x-lows*0x20)&^x) & highs
}

// skipString returns the end of the string that begins at b[i], and whether it is spelt without escapes.
func skipString(b []byte, i int) (end int, plain bool, err error) {
	plain = true
	for i++; ; {
		for i+8 <= len(b) {
			if marks := special(binary.LittleEndian.Uint64(b[i:])); marks != 0 {
				i += bits.TrailingZeros64(marks) / 8
				break
			}
			i += 8
		}
		for i < len(b) && b[i] != '"' && b[i] != '\\' && b[i] >= 0x20 {
			i++
		}
		if i >= len(b) {
			return i, false, errSyntax
		}
		switch b[i] {
		case '"':
			return i + 1, plain, nil
		case '\\':
			n := escapeLength(b[i:])
			if n == 0 {
				return i, false, errSyntax
			}
			plain, i = false, i+n
		default:
			return i, false, errSyntax
		}
	}
}

// escapeLength returns the length of the escape that b begins with, or 0.
func escapeLength(b []byte) int {
	if len(b) < 2 {
		return 0
	}
	switch b[1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2
	case 'u':
		if len(b) < 6 {
			return 0
		}
		for _, c := range b[2:6] {
			if !('0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f') {
				return 0
			}
		}
		return 6
	}
	return 0
}

// skipValue returns the end of the value that begins at b[i].
func skipValue(b []byte, i, depth int) (int, error) {
	if i >= len(b) {
		return i, errSyntax
	}
	switch c := b[i]; {
	case c == '"':
		end, _, err := skipString(b, i)
		return end, err
	case c == '{':
		return eachMember(b, i, depth, func(_ []byte, start int) (int, error) { return skipValue(b, start, depth+1) })
	case c == '[':
		return eachElement(b, i, depth, func(start int) (int, error) { return skipValue(b, start, depth+1) })
	case c == '-' || '0' <= c && c <= '9':
		return skipNumber(b, i)
	}
	for _, literal := range []string{"true", "false", "null"} {
		if len(b)-i >= len(literal) && string(b[i:i+len(literal)]) == literal {
			return i + len(literal), nil
		}
	}
	return i, errSyntax
}

func skipNumber(b []byte, i int) (int, error) {
	digits := func() bool {
		start := i
		for i < len(b) && '0' <= b[i] && b[i] <= '9' {
			i++
		}
		return i > start
	}
	if b[i] == '-' {
		i++
	}
	if i < len(b) && b[i] == '0' {
		i++
	} else if !digits() {
		return i, errSyntax
	}
	if i < len(b) && b[i] == '.' {
		if i++; !digits() {
			return i, errSyntax
		}
	}
	if i < len(b) && b[i]|0x20 == 'e' {
		if i++; i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		if !digits() {
			return i, errSyntax
		}
	}
	return i, nil
}

// eachMember calls yield with the name of every member of the object that begins at b[i] and where its value starts, and
// returns the end of the object. Names are unquoted. yield returns the end of the value, which it has checked.
func eachMember(b []byte, i, depth int, yield func(name []byte, start int) (end int, err error)) (int, error) {
	return each(b, i, depth, '}', func(i int) (int, error) {
		if i >= len(b) || b[i] != '"' {
			return i, errSyntax
		}
		end, plain, err := skipString(b, i)
		if err != nil {
			return end, err
		}
		name := b[i+1 : end-1]
		if !plain {
			name, _ = jsontext.AppendUnquote(nil, b[i:end])
		}
		if i = skipSpace(b, end); i >= len(b) || b[i] != ':' {
			return i, errSyntax
		}
		return yield(name, skipSpace(b, i+1))
	})
}

// eachElement calls yield with the start of every element of the array that begins at b[i], and returns the end of the
// array. yield is that of eachMember.
func eachElement(b []byte, i, depth int, yield func(start int) (end int, err error)) (int, error) {
	return each(b, i, depth, ']', yield)
}

// each walks the items, between commas, of what begins at b[i] and ends with closing.
func each(b []byte, i, depth int, closing byte, item func(i int) (end int, err error)) (int, error) {
	if depth >= maxDepth {
		return i, errDepth
	}
	i = skipSpace(b, i+1)
	if i < len(b) && b[i] == closing {
		return i + 1, nil
	}
	for {
		end, err := item(i)
		if err != nil {
			return end, err
		}
		i = skipSpace(b, end)
		switch {
		case i < len(b) && b[i] == closing:
			return i + 1, nil
		case i < len(b) && b[i] == ',':
			i = skipSpace(b, i+1)
		default:
			return i, errSyntax
		}
	}
}

// value is a JSON value as it is spelt; the zero value is none.
type value struct {
	raw   []byte
	start int  // where it lies
	plain bool // a string without escapes
}

// readValue reads the value that begins at b[i].
func readValue(b []byte, i int) (v value, end int, err error) {
	if i < len(b) && b[i] == '"' {
		end, v.plain, err = skipString(b, i)
	} else {
		end, err = skipValue(b, i, 0)
	}
	if err == nil {
		v.raw, v.start = b[i:end], i
	}
	return v, end, err
}

// isNull reports whether the value says nothing.
func (v value) isNull() bool { return len(v.raw) == 0 || v.raw[0] == 'n' }

// text returns what a string says. Lone surrogates become U+FFFD.
func (v value) text() (text string, isString bool) {
	if len(v.raw) == 0 || v.raw[0] != '"' {
		return "", false
	}
	if v.plain {
		return string(v.raw[1 : len(v.raw)-1]), true
	}
	return unescape(v.raw), true
}

// unescape returns what a JSON string says that is known to be one. Most have short escapes alone: line ends and quotes.
func unescape(raw []byte) string {
	rest := raw[1 : len(raw)-1]
	var b strings.Builder
	b.Grow(len(rest))
	for {
		i := bytes.IndexByte(rest, '\\')
		if i < 0 {
			b.Write(rest)
			return b.String()
		}
		b.Write(rest[:i])
		if rest[i+1] == 'u' {
			out, _ := jsontext.AppendUnquote(nil, append([]byte{'"'}, raw[len(raw)-1-len(rest)+i:]...))
			b.Write(out)
			return b.String()
		}
		b.WriteByte(shortEscapes[rest[i+1]])
		rest = rest[i+2:]
	}
}

var shortEscapes = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// unquote returns what a JSON string says.
func unquote(raw []byte) (text string, isString bool) {
	v, _, err := readValue(raw, 0)
	if err != nil {
		return "", false
	}
	return v.text()
}
