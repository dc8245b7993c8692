package native

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// quote is a text of a page as an escaped string on one line: nothing in it is invisible, and nothing ends it early (S17).
func quote(text string) string { return strconv.QuoteToGraphic(strings.ToValidUTF8(text, "\uFFFD")) }

// printable is a text from a closed set that comes from the browser, without what could not be shown.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsGraphic(r) {
			return -1
		}
		return r
	}, text)
}

// bounded is the text cut to at most limit bytes, with how many are missing.
func bounded(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	cut := limit
	for cut > 0 && !utf8.RuneStart(text[cut]) {
		cut--
	}
	return fmt.Sprintf("%s… (%d bytes more)", text[:cut], len(text)-cut)
}

func size(bytes int) string {
	switch {
	case bytes >= 10<<20:
		return fmt.Sprintf("%d MB", bytes>>20)
	case bytes >= 10<<10:
		return fmt.Sprintf("%d kB", bytes>>10)
	}
	return fmt.Sprintf("%d bytes", bytes)
}

// visible is a text of a page over several lines, in which what cannot be seen is escaped.
func visible(text string) string {
	var shown strings.Builder
	for _, r := range strings.ToValidUTF8(text, "\uFFFD") {
		if r == '\n' || r == '\t' || unicode.IsGraphic(r) {
			shown.WriteRune(r)
			continue
		}
		fmt.Fprintf(&shown, `\u{%x}`, r)
	}
	return shown.String()
}
