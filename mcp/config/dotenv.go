package config

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"
)

// parseEnvFile reads NAME=value lines as dotenv files have them: comments,
// "export", single quotes as they are, double quotes with escapes, both across
// lines. Nothing is expanded: a value is never expanded twice. The error names
// the line and repeats nothing of it, for it may hold a secret.
func parseEnvFile(text []byte) ([]Variable, error) {
	text = bytes.TrimPrefix(text, []byte(byteOrderMark))
	if !utf8.Valid(text) || bytes.IndexByte(text, 0) >= 0 {
		return nil, fmt.Errorf("the file is not UTF-8 text")
	}
	rest := strings.ReplaceAll(string(text), "\r\n", "\n")
	total := strings.Count(rest, "\n")
	var list []Variable
	for rest != "" {
		line := total - strings.Count(rest, "\n") + 1
		rest = strings.TrimLeft(rest, " \t")
		if rest == "" || rest[0] == '\n' || rest[0] == '#' {
			_, rest, _ = strings.Cut(rest, "\n")
			continue
		}
		name, after, ok := strings.Cut(rest, "=")
		name = strings.Trim(strings.TrimPrefix(name, "export "), " \t")
		if !ok || name == "" || strings.ContainsAny(name, " \t\r\n\"'#$") {
			return nil, fmt.Errorf("line %d has no name before =", line)
		}
		value, remainder, ok := envValue(strings.TrimLeft(after, " \t"))
		if !ok {
			return nil, fmt.Errorf("line %d has a quote that is never closed, or text after one", line)
		}
		list = append(list, Variable{name, value})
		rest = remainder
	}
	return list, nil
}

// envValue reads a value and returns what follows its line.
func envValue(text string) (value, rest string, ok bool) {
	if text == "" || text[0] != '"' && text[0] != '\'' {
		value, rest, _ = strings.Cut(text, "\n")
		if value, ok = strings.CutPrefix(value, "#"); ok {
			return "", rest, true
		}
		if i := strings.IndexAny(value, " \t"); i >= 0 {
			// A comment begins at a # that follows a blank.
			for j := i; j < len(value); j++ {
				if value[j] == '#' && (value[j-1] == ' ' || value[j-1] == '\t') {
					value = value[:j]
					break
				}
			}
		}
		return strings.TrimRight(value, " \t"), rest, true
	}
	quote := text[0]
	var b strings.Builder
	for i := 1; i < len(text); i++ {
		switch c := text[i]; {
		case c == quote:
			after, rest, _ := strings.Cut(text[i+1:], "\n")
			after = strings.TrimSpace(after)
			return b.String(), rest, after == "" || after[0] == '#'
		case c == '\\' && quote == '"' && i+1 < len(text):
			i++
			b.WriteString(unescaped(text[i]))
		default:
			b.WriteByte(c)
		}
	}
	return "", "", false
}

func unescaped(c byte) string {
	switch c {
	case 'n':
		return "\n"
	case 'r':
		return "\r"
	case 't':
		return "\t"
	case '"', '\\', '$', '\'':
		return string(c)
	}
	return `\` + string(c)
}
