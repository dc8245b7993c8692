package connector

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// controlSequence is what terminals take as colours and cursor movements; in a log it says nothing.
var controlSequence = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("\x1b\\[[0-9;:?]*[ -/]*[@-~]") })

// visible returns foreign text on one line of at most maxBytes, with everything that a reader would not see, or that would
// act on the screen, spelt out (S17).
func visible(foreign string, maxBytes int) string {
	if strings.IndexByte(foreign, '\x1b') >= 0 { // a flood is made of lines that have none
		foreign = controlSequence().ReplaceAllString(foreign, "")
	}
	var b strings.Builder
	for i, r := range foreign {
		if b.Len() >= maxBytes {
			b.WriteString("…")
			break
		}
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(foreign[i:], "\ufffd"):
			fmt.Fprintf(&b, `\x%02x`, foreign[i])
		case r == '\t':
			b.WriteByte(' ')
		case unicode.IsPrint(r) && !isTag(r):
			b.WriteRune(r)
		default:
			fmt.Fprintf(&b, `\u{%x}`, r)
		}
	}
	return b.String()
}

// isTag reports whether the rune is one of those that carry text nobody sees.
func isTag(r rune) bool {
	return r >= 0xe0000 && r <= 0xe0fff || r >= 0xfe00 && r <= 0xfe0f || r == 0x034f || r == 0x115f || r == 0x1160 || r == 0x3164
}
