package config

import (
	"bytes"
	"fmt"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/tailscale/hujson"
)

// byteOrderMark may stand before everything else.
const byteOrderMark = "\ufeff"

// syntaxFault is the first place where a text stops being JSON with comments.
type syntaxFault struct {
	code         string
	span         Span
	message, fix string
	edit         *Edit
	related      []Span
	isUnclosed   bool
}

func (f *syntaxFault) finding() Finding {
	return Finding{Code: f.code, Severity: Error, Span: f.span, Message: f.message, Fix: f.fix, Edit: f.edit, Related: f.related}
}

// tree is a parsed text. Offsets in root are offsets into the text as given.
type tree struct {
	root hujson.Value
	// comment and trailingComma are the first of their kind, or nil.
	comment, trailingComma *Span
}

// parseTree parses a text. The scanner goes first because hujson names a fault
// by text alone and recurses without a limit.
func parseTree(text []byte) (*tree, *syntaxFault) {
	if len(text) > MaxFileBytes {
		return nil, &syntaxFault{code: CodeTooLarge, span: Span{0, 0},
			message: fmt.Sprintf("the file has %d bytes, more than %d", len(text), MaxFileBytes)}
	}
	if fault := checkEncoding(text); fault != nil {
		return nil, fault
	}
	s := scanner{text: maskMark(text)}
	if fault := s.scan(); fault != nil {
		return nil, fault
	}
	// The line end lets a last line be a comment, which hujson wants closed.
	root, err := hujson.Parse(append(s.text, '\n'))
	if err != nil {
		return nil, &syntaxFault{code: CodeSyntax, span: Span{0, len(text)}, message: err.Error()}
	}
	return &tree{root: root, comment: s.comment, trailingComma: s.trailingComma}, nil
}

// maskMark returns a copy in which a byte-order mark is blank, so that offsets
// stay those of the text.
func maskMark(text []byte) []byte {
	masked := make([]byte, len(text), len(text)+1)
	copy(masked, text)
	if bytes.HasPrefix(masked, []byte(byteOrderMark)) {
		copy(masked, "   ")
	}
	return masked
}

func checkEncoding(text []byte) *syntaxFault {
	if bytes.HasPrefix(text, []byte("\xff\xfe")) || bytes.HasPrefix(text, []byte("\xfe\xff")) {
		return &syntaxFault{code: CodeEncoding, span: Span{0, 2},
			message: "the file is UTF-16", fix: "save it as UTF-8"}
	}
	if utf8.Valid(text) {
		return nil
	}
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && n == 1 {
			return &syntaxFault{code: CodeEncoding, span: Span{i, i + 1},
				message: fmt.Sprintf("byte 0x%02x is not UTF-8", text[i]), fix: "save the file as UTF-8"}
		}
		i += n
	}
	return nil
}

// scanner checks the grammar in one pass without recursion.
type scanner struct {
	text                   []byte
	pos                    int
	open                   []int // offsets of the brackets not closed yet
	lastEnd                int   // end of the last value
	comment, trailingComma *Span
	isCollecting           bool // every comment, and not the first alone
	comments               []Span
}

// What the grammar allows next.
type expectation int

const (
	wantValue   expectation = iota // a value
	wantElement                    // a value or ]
	wantKey                        // a key or }
	wantColon                      // the : after a key
	wantEnd                        // a comma, a closing bracket, or the end of the text
)

func (s *scanner) scan() *syntaxFault {
	want := wantValue
	lastComma := -1
	for {
		if fault := s.skipBlank(); fault != nil {
			return fault
		}
		if s.pos == len(s.text) {
			return s.atEnd(want)
		}
		c := s.text[s.pos]
		switch {
		case want == wantEnd && c == ',' && len(s.open) > 0:
			lastComma = s.pos
			s.pos++
			want = s.inside()
		case (c == '}' || c == ']') && s.mayClose(want, c):
			if want != wantEnd && lastComma > s.open[len(s.open)-1] && s.trailingComma == nil {
				s.trailingComma = &Span{lastComma, lastComma + 1}
			}
			s.open = s.open[:len(s.open)-1]
			s.pos++
			s.lastEnd = s.pos
			want = wantEnd
		case want == wantColon && c == ':':
			s.pos++
			want = wantValue
		case want == wantKey && c == '"':
			if fault := s.str(); fault != nil {
				return fault
			}
			want = wantColon
		case want == wantValue || want == wantElement:
			next, fault := s.value(c)
			if fault != nil {
				return fault
			}
			want = next
		default:
			return s.unexpected(want, c)
		}
	}
}

// inside is what may follow an opening bracket or a comma.
func (s *scanner) inside() expectation {
	if s.text[s.open[len(s.open)-1]] == '{' {
		return wantKey
	}
	return wantElement
}

func (s *scanner) mayClose(want expectation, c byte) bool {
	if len(s.open) == 0 {
		return false
	}
	if s.text[s.open[len(s.open)-1]] == '{' {
		return c == '}' && (want == wantKey || want == wantEnd)
	}
	return c == ']' && (want == wantElement || want == wantEnd)
}

func (s *scanner) value(c byte) (expectation, *syntaxFault) {
	switch {
	case c == '{' || c == '[':
		if len(s.open) == MaxDepth {
			return 0, &syntaxFault{code: CodeTooLarge, span: Span{s.pos, s.pos + 1},
				message: fmt.Sprintf("nested deeper than %d levels", MaxDepth)}
		}
		s.open = append(s.open, s.pos)
		s.pos++
		return s.inside(), nil
	case c == '"':
		fault := s.str()
		s.lastEnd = s.pos
		return wantEnd, fault
	case isWord(c):
		start := s.pos
		for s.pos < len(s.text) && isWord(s.text[s.pos]) {
			s.pos++
		}
		s.lastEnd = s.pos
		return wantEnd, checkWord(Span{start, s.pos}, string(s.text[start:s.pos]))
	}
	return 0, s.unexpected(wantValue, c)
}

func isWord(c byte) bool {
	return c == '-' || c == '+' || c == '.' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// checkWord says what is wrong with a word in the place of a value, or returns
// nil.
func checkWord(at Span, word string) *syntaxFault {
	if jsontext.Value(word).IsValid() {
		return nil
	}
	f := &syntaxFault{code: CodeSyntax, span: at, message: quoted(word) + " is not a JSON value"}
	switch word {
	case "True", "False", "TRUE", "FALSE", "None", "nil", "NULL", "Null", "undefined":
		right := map[byte]string{'T': "true", 'F': "false"}[word[0]]
		if right == "" {
			right = "null"
		}
		f.fix, f.edit = "write "+right, &Edit{at, right}
	default:
		if c := word[0]; c >= 'A' {
			f.fix, f.edit = "put it in double quotes", &Edit{at, `"` + word + `"`}
		} else {
			f.fix = "write a plain decimal number or a string in double quotes"
		}
	}
	return f
}

// skipBlank moves over whitespace and comments.
func (s *scanner) skipBlank() *syntaxFault {
	for s.pos < len(s.text) {
		rest := s.text[s.pos:]
		switch {
		case rest[0] == ' ' || rest[0] == '\t' || rest[0] == '\r' || rest[0] == '\n':
			s.pos++
		case bytes.HasPrefix(rest, []byte("//")):
			n := bytes.IndexByte(rest, '\n')
			if n < 0 {
				n = len(rest)
			}
			// Some readers end a line here, others do not: what follows would be
			// text for one and a comment for the other.
			for _, separator := range []string{"\u2028", "\u2029"} {
				if i := bytes.Index(rest[:n], []byte(separator)); i >= 0 {
					return &syntaxFault{code: CodeSyntax, span: Span{s.pos + i, s.pos + i + len(separator)},
						message: "a Unicode line separator in a comment", fix: "remove it"}
				}
			}
			s.skipComment(n)
		case bytes.HasPrefix(rest, []byte("/*")):
			n := bytes.Index(rest[2:], []byte("*/"))
			if n < 0 {
				return &syntaxFault{code: CodeSyntax, span: Span{s.pos, s.pos + 2},
					message: "this comment is never closed", fix: "end it with */"}
			}
			s.skipComment(n + 4)
		default:
			return nil
		}
	}
	return nil
}

func (s *scanner) skipComment(n int) {
	if s.isCollecting {
		s.comments = append(s.comments, Span{s.pos, s.pos + n})
	}
	if s.comment == nil {
		s.comment = &Span{s.pos, s.pos + n}
	}
	s.pos += n
}

// str moves over a string.
func (s *scanner) str() *syntaxFault {
	start := s.pos
	for i := start + 1; i < len(s.text); {
		switch c := s.text[i]; {
		case c == '"':
			s.pos = i + 1
			return nil
		case c == '\n' || c == '\r':
			return &syntaxFault{code: CodeSyntax, span: Span{start, i},
				message: "this string is not closed on its line", fix: `end it with ", and write \n for a line break`}
		case c < ' ':
			return &syntaxFault{code: CodeSyntax, span: Span{i, i + 1},
				message: "a control character in a string", fix: fmt.Sprintf(`write \u%04x`, c), edit: &Edit{Span{i, i + 1}, fmt.Sprintf(`\u%04x`, c)}}
		case c == '\\':
			n := escapeLength(s.text[i:])
			if n == 0 {
				end := min(i+2, len(s.text))
				return &syntaxFault{code: CodeSyntax, span: Span{i, end},
					message: "this escape cannot be read", fix: `write \\ for a backslash`}
			}
			i += n
		default:
			i++
		}
	}
	return &syntaxFault{code: CodeSyntax, span: Span{start, len(s.text)},
		message: "this string is never closed", fix: `end it with "`}
}

// escapeLength is the length of the escape sequence at the start of text, a
// surrogate pair taken as one, or 0 when it is not a whole one. Half a pair is
// refused because decoders map different halves to one and the same character.
func escapeLength(text []byte) int {
	if len(text) < 2 {
		return 0
	}
	if bytes.IndexByte([]byte(`"\/bfnrt`), text[1]) >= 0 {
		return 2
	}
	unit, ok := hexUnit(text)
	switch {
	case !ok || 0xdc00 <= unit && unit <= 0xdfff:
		return 0
	case 0xd800 <= unit && unit <= 0xdbff:
		low, ok := hexUnit(text[6:])
		if !ok || low < 0xdc00 || low > 0xdfff {
			return 0
		}
		return 12
	}
	return 6
}

// hexUnit reads \uXXXX at the start of text.
func hexUnit(text []byte) (unit rune, ok bool) {
	if len(text) < 6 || text[0] != '\\' || text[1] != 'u' {
		return 0, false
	}
	for _, c := range text[2:6] {
		switch {
		case '0' <= c && c <= '9':
			unit = unit<<4 | rune(c-'0')
		case 'a' <= c|0x20 && c|0x20 <= 'f':
			unit = unit<<4 | rune(c|0x20-'a'+10)
		default:
			return 0, false
		}
	}
	return unit, true
}

// atEnd judges the end of the text.
func (s *scanner) atEnd(want expectation) *syntaxFault {
	if len(s.open) > 0 {
		at := s.open[len(s.open)-1]
		bracket, closing := s.text[at], "}"
		if bracket == '[' {
			closing = "]"
		}
		return &syntaxFault{code: CodeSyntax, span: Span{at, at + 1},
			message: fmt.Sprintf("this %c is never closed", bracket), fix: "add the missing " + closing}
	}
	if want == wantEnd {
		return nil
	}
	empty := `{"mcpServers": {}}`
	f := &syntaxFault{code: CodeEmpty, span: Span{0, 0}, message: "the file is empty", fix: "write " + empty, edit: &Edit{Span{s.pos, s.pos}, empty}}
	if s.comment != nil { // it may go on to the end of its line
		f.edit.Text = "\n" + empty
	}
	return f
}

func (s *scanner) unexpected(want expectation, c byte) *syntaxFault {
	r, n := utf8.DecodeRune(s.text[s.pos:])
	f := &syntaxFault{code: CodeSyntax, span: Span{s.pos, s.pos + n}}
	shown := quoted(string(r))
	switch {
	case c == '\'':
		f.message, f.fix = "strings stand in double quotes", `write " instead of '`
	case want == wantEnd && len(s.open) == 0:
		f.message, f.fix = "text after the end of the object", "remove it, or remove the bracket that closes the object too early"
	case want == wantEnd && (c == '"' || c == '{' || c == '[' || isWord(c)):
		f.message, f.fix = "a comma is missing before "+shown, "add a comma"
		f.edit = &Edit{Span{s.lastEnd, s.lastEnd}, ","}
	case want == wantColon:
		f.message, f.fix = "a colon is missing before "+shown, "write a colon between a key and its value"
	case want == wantKey && (isWord(c) || c == '_' || c == '$'):
		f.message, f.fix = "keys stand in double quotes", `write "key": value`
	case c == ',' && want != wantEnd:
		f.message, f.fix = "a comma where a value or key should stand", "remove it"
		f.edit = &Edit{Span{s.pos, s.pos + 1}, ""}
	case c == '}' || c == ']':
		f.message, f.fix = fmt.Sprintf("%c where %s should stand", c, want.describe(s)), "close the brackets in the order they were opened"
	default:
		f.message = fmt.Sprintf("%s where %s should stand", shown, want.describe(s))
	}
	return f
}

func (want expectation) describe(s *scanner) string {
	switch want {
	case wantKey:
		return "a key or }"
	case wantColon:
		return "a colon"
	case wantEnd:
		if s.text[s.open[len(s.open)-1]] == '{' {
			return "a comma or }"
		}
		return "a comma or ]"
	case wantElement:
		return "a value or ]"
	}
	return "a value"
}
