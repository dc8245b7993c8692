package connector

import (
	"regexp"
	"strings"
	"sync"
	"unicode"
)

// maxAlarmAge is how many lines may follow an error for it to count still: what Node prints below one is often longer than
// what is kept.
const maxAlarmAge = 60

// errorLine is a line that begins with the name of an error, as most languages write those that end a program.
var errorLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\s*(?:\[?(?i:error|fatal|fatal error|panic)\]?|[\w.]*(?:Error|Exception))(?: \[\w+\])?: ?\S`)
})

// namesError reports whether a line says what went wrong. Every line of a flood is looked at: most have nothing before a colon
// that could be such a name.
func namesError(line string) bool {
	head, _, hasColon := strings.Cut(line, ":")
	if !hasColon {
		return false
	}
	head = strings.ToLower(head)
	for _, word := range []string{"error", "exception", "fatal", "panic"} {
		if strings.Contains(head, word) {
			return errorLine().MatchString(line)
		}
	}
	return false
}

// isWords reports whether a line says anything to a person: no bracket alone, no frame of a stack, no version of Node.
func isWords(line string) bool {
	line = strings.TrimSpace(line)
	return strings.ContainsFunc(line, unicode.IsLetter) && !strings.HasPrefix(line, "at ") && !strings.HasPrefix(line, "Node.js v")
}

// telling is the line that says best why a program ended, of the last ones and an error that came before them: the last that
// names an error, else the last that is words, else the last.
func telling(lines []string, alarm string) string {
	if line := lastThat(lines, namesError); line != "" {
		return line
	}
	if alarm != "" {
		return alarm
	}
	return lastWords(lines)
}

// lastWords is the last line that is words, else the last.
func lastWords(lines []string) string {
	if line := lastThat(lines, isWords); line != "" || len(lines) == 0 {
		return line
	}
	return lines[len(lines)-1]
}

func lastThat(lines []string, is func(string) bool) string {
	for i := len(lines) - 1; i >= 0; i-- {
		if is(lines[i]) {
			return lines[i]
		}
	}
	return ""
}
