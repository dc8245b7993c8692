package result

import (
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// cut returns the beginning of a text, at a line's end where one is near, and how many characters are left out.
func cut(whole string, maxRunes int) (shown string, left int) {
	if len(whole) <= maxRunes {
		return whole, 0
	}
	total := utf8.RuneCountInString(whole)
	if total <= maxRunes {
		return whole, 0
	}
	at, runes := 0, 0
	for at = range whole {
		if runes == maxRunes {
			break
		}
		runes++
	}
	if line := strings.LastIndexByte(whole[:at], '\n'); line > at*3/4 {
		at = line
	}
	shown = whole[:at]
	return shown, total - utf8.RuneCountInString(shown)
}

// maxPreviewString is how long a text in structured data may be in its preview; the data itself stays whole.
const maxPreviewString = 2000

// preview shows structured data as indented JSON, with the long texts in it cut (C46).
func preview(raw jsontext.Value) string {
	short := elide(raw)
	if short.Indent(jsontext.WithIndent("  "), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) != nil {
		return string(raw)
	}
	return string(short)
}

// elide replaces the long texts in a value; digits and order stay.
func elide(raw jsontext.Value) jsontext.Value {
	if len(raw) <= maxPreviewString {
		return raw.Clone()
	}
	var b strings.Builder
	decoder := jsontext.NewDecoder(strings.NewReader(string(raw)), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	encoder := jsontext.NewEncoder(&b, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	for {
		token, err := decoder.ReadToken()
		if err != nil {
			break
		}
		if token.Kind() == '"' {
			if value := token.String(); len(value) > maxPreviewString {
				token = jsontext.String(shortened(value))
			}
		}
		if encoder.WriteToken(token) != nil {
			return raw.Clone()
		}
	}
	return jsontext.Value(strings.TrimSpace(b.String()))
}

func shortened(value string) string {
	if isBase64(value) {
		return "[" + plural(len(value)) + " of base64 are left out]"
	}
	shown, left := cut(value, maxPreviewString/2)
	return shown + "… [" + plural(left) + " are left out]"
}

func isBase64(value string) bool {
	for i := range min(len(value), 512) {
		c := value[i]
		if !(c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '+' || c == '/' || c == '-' || c == '_' || c == '=') {
			return false
		}
	}
	return true
}
