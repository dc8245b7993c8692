package redact

import (
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// maxNesting is how deep JSON in strings of JSON is followed.
const maxNesting = 4

// hasRareEscape reports whether text may hold a secret escaped in a way that no form foresees: a character that need not be,
// or, where a secret has characters that must be, JSON in a string of JSON.
func (s *Set) hasRareEscape(text string) bool {
	for {
		i := strings.IndexByte(text, '\\')
		if i < 0 {
			return false
		}
		rest := strings.TrimLeft(text[i:], `\`)
		isNested := len(text)-i-len(rest) > 1
		if isNested && s.escapes || rest != "" && (rest[0] == 'u' || rest[0] == '/') {
			return true
		}
		text = rest
	}
}

// begins reports whether text begins with one of openings after white space.
func begins(text, openings string) bool {
	text = strings.TrimLeft(text, " \t\r\n")
	return text != "" && strings.IndexByte(openings, text[0]) >= 0
}

// json redacts a JSON text value by value, so that it stays JSON whatever the secrets look like: one may be a number,
// hold quotes, or end in a backslash. Everything else is kept byte for byte.
// spans are the secrets in the text as it is spelt.
func (s *Set) json(in string, spans []span, nesting int) (out string, hit bool) {
	var b strings.Builder
	names := map[string]int{}
	done := 0
	for i := 0; i < len(in); {
		end := tokenEnd(in, i)
		if end == i { // structure and white space
			i++
			continue
		}
		token, changed := s.token(in[i:end], i, spans, nesting)
		if changed {
			if hit = true; isName(in[end:]) {
				token = unique(token, names)
			}
			b.WriteString(in[done:i])
			b.WriteString(token)
			done = end
		}
		i = end
	}
	if !hit {
		return in, false
	}
	b.WriteString(in[done:])
	return b.String(), true
}

func isJSON(text string) bool {
	return jsontext.Value(text).IsValid(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
}

// tokenEnd returns where the string, number or literal that begins at i ends, or i for anything else.
func tokenEnd(in string, i int) int {
	start := i
	if in[i] != '"' {
		for i < len(in) && strings.IndexByte(" \t\r\n{}[],:\"", in[i]) < 0 {
			i++
		}
		return i
	}
	for i = start + 1; i < len(in) && in[i] != '"'; i++ {
		if in[i] == '\\' {
			i++
		}
	}
	return min(i+1, len(in))
}

// token redacts one string, number or literal that stands at offset.
func (s *Set) token(token string, offset int, spans []span, nesting int) (string, bool) {
	const whole = `"` + Marker + `"`
	first, _ := slices.BinarySearchFunc(spans, offset, func(sp span, offset int) int { return sp.end - offset - 1 })
	for ; first < len(spans) && spans[first].start < offset+len(token); first++ {
		if spans[first].start < offset || spans[first].end > offset+len(token) || token[0] != '"' {
			return whole, true // part of a secret that is JSON itself, or a number
		}
	}
	if token[0] != '"' {
		return token, false
	}
	if strings.IndexByte(token, '\\') < 0 {
		text, hit := s.text(token[1:len(token)-1], nesting-1, "{[")
		if !hit {
			return token, false
		}
		return quote(text), true
	}
	text, err := jsontext.AppendUnquote(nil, token)
	if err != nil && text == nil {
		return token, false
	}
	plain, hit := s.text(string(text), nesting-1, "{[")
	if !hit {
		return token, false
	}
	return quote(plain), true
}

func quote(text string) string {
	quoted, err := jsontext.AppendQuote(nil, strings.ToValidUTF8(text, "\uFFFD"))
	if err != nil {
		return `"` + Marker + `"`
	}
	return string(quoted)
}

// isName reports whether what stood before rest was the name of a member.
func isName(rest string) bool {
	return strings.HasPrefix(strings.TrimLeft(rest, " \t\r\n"), ":")
}

// unique keeps two redacted names from becoming one.
func unique(name string, seen map[string]int) string {
	seen[name]++
	if n := seen[name]; n > 1 {
		return name[:len(name)-1] + " " + strconv.Itoa(n) + `"`
	}
	return name
}
