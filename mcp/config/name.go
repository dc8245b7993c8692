package config

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// ReservedName is the built-in browser's name; no entry may have it.
const ReservedName = "browser"

// checkName says what is wrong with a connector's name, or returns nil.
func checkName(name string) *Finding {
	f := Finding{Code: CodeName, Severity: Error, Entry: name}
	switch {
	case name == "":
		f.Message, f.Fix = "the name is empty", "give the connector a name"
	case utf8.RuneCountInString(name) > MaxNameRunes:
		f.Message = fmt.Sprintf("the name has %d characters", utf8.RuneCountInString(name))
		f.Fix = fmt.Sprintf("use at most %d", MaxNameRunes)
	case strings.ContainsFunc(name, unicode.IsControl):
		f.Message, f.Fix = "the name "+quoted(name)+" holds a control character", "remove it"
	case name == ReservedName:
		f.Code = CodeReservedName
		f.Message, f.Fix = quoted(name)+" is the name of the built-in browser", "choose another name"
	case strings.ContainsFunc(name, isUnusual):
		f.Code, f.Severity = CodeUnusualName, Hint
		f.Message = "the name is unusual and is shown as " + quoted(name)
		f.Fix = "letters, digits, dot, dash and underscore are read alike everywhere"
	default:
		return nil
	}
	return &f
}

func isUnusual(r rune) bool {
	return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("_-.", r))
}

// ShownName is a name made fit for a listing: control, format and other
// invisible characters, and blanks at the ends, are escaped.
func ShownName(name string) string {
	inner := strings.Trim(name, " ")
	if len(inner) == len(name) && !strings.ContainsFunc(name, isInvisible) {
		return name
	}
	left := len(name) - len(strings.TrimLeft(name, " "))
	var b strings.Builder
	for i, r := range name {
		if isInvisible(r) || i < left || i >= left+len(inner) {
			fmt.Fprintf(&b, `\u%04x`, r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// isInvisible reports whether a character cannot be told apart, or from
// nothing, on a screen.
func isInvisible(r rune) bool {
	switch r {
	case '\u00a0', '\u115f', '\u1160', '\u2800', '\u3164', '\uffa0', utf8.RuneError:
		return true
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Cs, unicode.Zl, unicode.Zp, unicode.Variation_Selector) ||
		r != ' ' && unicode.Is(unicode.Zs, r)
}

// quoted is a piece of the file as a message shows it: escaped and short.
func quoted(s string) string {
	const most = 64
	cut := ""
	if n := utf8.RuneCountInString(s); n > most {
		s, cut = string([]rune(s)[:most]), "…"
	}
	return `"` + ShownName(s) + cut + `"`
}
