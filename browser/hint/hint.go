// Package hint says of a message whether its sender wants something seen or done in a running page, so that an agent starts a
// browser for it, or does not (H6). It reads the message alone: it knows no project, opens nothing, and decides nothing for anybody.
package hint

import "strings"

// Reason says what in a message speaks for a running page; "" is none.
type Reason string

const (
	None    Reason = ""
	Address Reason = "it names an address to open"
	Asked   Reason = "it asks for a browser, a page or a picture of one"
	Act     Reason = "it asks to do something in a page, as a user would"
	Watch   Reason = "it asks what happens in a running page"
)

// maxBytes bounds what is read of a message: what somebody wants stands at its beginning or at its end.
const maxBytes = 16 << 10

// Of says whether the message needs a running page, and why. Its answer is a hint: it would rather be silent than start a browser
// for a message about code.
func Of(message string) Reason {
	words := tokens(spoken(message))
	switch {
	case len(words) == 0 || declines(words):
		return None
	case opensAddress(words):
		return Address
	case asksForBrowser(words):
		return Asked
	case actsInPage(words):
		return Act
	case watchesPage(words):
		return Watch
	}
	return None
}

// spoken is the message without what is quoted in it: code, logs and the text of others are about pages, and ask for none.
func spoken(message string) string {
	if len(message) > maxBytes {
		message = message[:maxBytes/2] + "\n" + message[len(message)-maxBytes/2:]
	}
	var kept []string
	fence := ""
	for _, line := range strings.Split(message, "\n") {
		bare := strings.TrimSpace(line)
		switch mark := fenceOf(bare); {
		case fence != "":
			if strings.HasPrefix(bare, fence) && strings.Trim(bare, fence[:1]) == "" {
				fence = ""
			}
		case mark != "":
			fence = mark
		case strings.HasPrefix(bare, ">") || strings.HasPrefix(line, "\t") || strings.HasPrefix(line, "    "):
		default:
			kept = append(kept, withoutCode(line))
		}
	}
	return strings.Join(kept, "\n")
}

func fenceOf(line string) string {
	for _, mark := range []string{"```", "~~~"} {
		if strings.HasPrefix(line, mark) {
			return line[:len(line)-len(strings.TrimLeft(line, mark[:1]))]
		}
	}
	return ""
}

// withoutCode takes out what stands between backticks.
func withoutCode(line string) string {
	parts := strings.Split(line, "`")
	if len(parts)%2 == 0 { // one that is not closed
		return line
	}
	var kept strings.Builder
	for i, part := range parts {
		if i%2 == 0 {
			kept.WriteString(part)
		} else if isAddress(strings.ToLower(part)) {
			kept.WriteString(" " + part + " ")
		} else {
			kept.WriteString(" code ")
		}
	}
	return kept.String()
}

// tokens are the words in lower case; an address is one word, and so are a comma and the end of a sentence.
func tokens(text string) []string {
	var found []string
	for _, field := range strings.Fields(strings.ToLower(text)) {
		core := strings.Trim(field, "\"'“”‘’()[]{}<>*_,;:!?.…")
		if core != "" {
			found = append(found, core)
		}
		switch {
		case strings.ContainsAny(field[len(field)-1:], ".!?;:"):
			found = append(found, ".")
		case strings.HasSuffix(field, ","):
			found = append(found, ",")
		}
	}
	return found
}

// isAddress reports whether a word is something that a browser could open.
func isAddress(word string) bool {
	if rest, ok := strings.CutPrefix(word, "http://"); ok {
		return rest != ""
	}
	if rest, ok := strings.CutPrefix(word, "https://"); ok {
		return rest != ""
	}
	host, port, ok := strings.Cut(word, ":")
	if host != "localhost" && host != "127.0.0.1" && host != "0.0.0.0" && host != "[::1]" {
		return false
	}
	port, _, _ = strings.Cut(port, "/")
	return ok && port != "" && strings.Trim(port, "0123456789") == ""
}
