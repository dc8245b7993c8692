package connector

import "bytes"

// maxScannedBytes bounds what is kept of a name or value at the top of a message.
const maxScannedBytes = 64

// scanner finds the id of a message without holding it or judging the rest: for messages too long to keep or too broken to
// decode. It sees them in pieces.
type scanner struct {
	depth     int
	maxDepth  int
	inString  bool
	isEscaped bool
	isBad     bool // not an object, or more brackets closed than opened
	isClosed  bool // the outermost object has ended

	isValue bool   // after a colon at the top
	text    []byte // of the name or the simple value at the top that is being read
	name    string

	id       string // JSON text, empty when there was none that is simple
	hasReply bool   // a member "result" or "error"
	version  string
}

func (s *scanner) scan(part []byte) {
	for i := 0; i < len(part); i++ {
		switch {
		case s.inString && s.depth != 1 && !s.isEscaped:
			// Nothing of it is kept, so its end is all that matters: most of a long message is such text.
			next := textLength(part[i:])
			if i += next; i < len(part) {
				s.string(part[i])
			}
		case s.inString:
			s.string(part[i])
		case s.isClosed || s.isBad:
			return
		default:
			s.structure(part[i])
		}
	}
}

// textLength is how much of a text stands before its first quote or backslash.
func textLength(text []byte) int {
	for from := 0; from < len(text); from += textWindow {
		window := text[from:min(from+textWindow, len(text))]
		end := len(window)
		if quote := bytes.IndexByte(window, '"'); quote >= 0 {
			end = quote
		}
		if escape := bytes.IndexByte(window[:end], '\\'); escape >= 0 {
			end = escape
		}
		if end < len(window) {
			return from + end
		}
	}
	return len(text)
}

// textWindow is how much is searched at once: each byte is looked for alone, and a far one must not be found again and again.
const textWindow = 512

func (s *scanner) string(b byte) {
	s.keep(b)
	switch {
	case s.isEscaped:
		s.isEscaped = false
	case b == '\\':
		s.isEscaped = true
	case b == '"':
		s.inString = false
	}
}

func (s *scanner) structure(b byte) {
	switch b {
	case '"':
		s.inString = true
		s.keep(b)
	case '{', '[':
		s.isBad = s.depth == 0 && b == '['
		s.depth++
		s.maxDepth = max(s.maxDepth, s.depth)
	case '}', ']':
		if s.depth == 1 {
			s.member()
			s.isClosed = true
		}
		s.depth--
		s.isBad = s.depth < 0
	case ':':
		if s.depth == 1 && !s.isValue {
			s.isValue, s.name, s.text = true, string(s.text), s.text[:0]
			s.hasReply = s.hasReply || s.name == `"result"` || s.name == `"error"`
		}
	case ',':
		if s.depth == 1 {
			s.member()
		}
	case ' ', '\t', '\r':
	default:
		s.isBad = s.depth == 0
		s.keep(b)
	}
}

// keep adds a byte to the name or value at the top.
func (s *scanner) keep(b byte) {
	if s.depth == 1 && len(s.text) < maxScannedBytes {
		s.text = append(s.text, b)
	}
}

// member ends a member at the top.
func (s *scanner) member() {
	switch s.name {
	case `"id"`:
		s.id = string(s.text)
	case `"jsonrpc"`:
		s.version = string(s.text)
	}
	s.isValue, s.name, s.text = false, "", s.text[:0]
}

// isReply reports whether what was scanned is a reply, as far as its outermost members show.
func (s *scanner) isReply() bool {
	return !s.isBad && s.hasReply && s.version == `"2.0"` && s.id != ""
}
