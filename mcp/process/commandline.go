package process

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
)

// What CreateProcess and cmd.exe take, in UTF-16 units.
const (
	maxLineUnits      = 32766
	maxBatchLineUnits = 8191
)

// batchPrefix starts the command interpreter for a batch file: with extensions, for the escape of "%"; without delayed expansion, which would read "!"; without AutoRun commands; and stripping the outer quotes always.
const batchPrefix = `cmd.exe /e:ON /v:OFF /d /s /c "`

// CommandLine builds the Windows command line that makes path see exactly args (C11).
// A batch file, and nothing else, goes through cmd.exe: interpreter is true and the line is one for cmd.exe.
// It fails for what no quoting carries: NUL, for a batch file line breaks too, and more than the system takes.
func CommandLine(path string, args []string) (line string, interpreter bool, err error) {
	interpreter = isBatchFile(path)
	for _, text := range append([]string{path}, args...) {
		if strings.ContainsRune(text, 0) {
			return "", interpreter, errors.New("an argument holds a NUL character")
		}
		if interpreter && strings.ContainsAny(text, "\r\n") {
			return "", interpreter, errors.New("a batch file takes no argument with a line break")
		}
	}
	if strings.ContainsRune(path, '"') {
		return "", interpreter, errors.New("the program's path holds a quotation mark")
	}
	limit := maxLineUnits
	if interpreter {
		line, limit = batchLine(path, args), maxBatchLineUnits
	} else {
		line = plainLine(path, args)
	}
	if units := len(utf16.Encode([]rune(line))); units > limit {
		return "", interpreter, fmt.Errorf("a command line of %d characters, %d are possible", units, limit)
	}
	return line, interpreter, nil
}

func plainLine(path string, args []string) string {
	var b strings.Builder
	b.WriteString(`"` + path + `"`) // the first word knows no escapes
	for _, arg := range args {
		b.WriteByte(' ')
		appendArgument(&b, arg)
	}
	return b.String()
}

// isBatchFile reports whether Windows runs path through the command interpreter. It ignores dots and spaces at the end of a name.
func isBatchFile(path string) bool {
	name := strings.ToLower(strings.TrimRight(path, ". "))
	return strings.HasSuffix(name, ".bat") || strings.HasSuffix(name, ".cmd")
}

// appendArgument quotes by the rules of CommandLineToArgvW: backslashes count only before a quotation mark.
func appendArgument(b *strings.Builder, arg string) {
	if arg != "" && !strings.ContainsAny(arg, " \t\n\v\"") {
		b.WriteString(arg)
		return
	}
	b.WriteByte('"')
	backslashes := 0
	for i := range len(arg) {
		switch arg[i] {
		case '\\':
			backslashes++
		case '"':
			b.WriteString(strings.Repeat(`\`, backslashes+1))
			backslashes = 0
		default:
			backslashes = 0
		}
		b.WriteByte(arg[i])
	}
	b.WriteString(strings.Repeat(`\`, backslashes) + `"`)
}

func batchLine(path string, args []string) string {
	var b strings.Builder
	b.WriteString(batchPrefix)
	appendBatchArgument(&b, path, true)
	for _, arg := range args {
		b.WriteByte(' ')
		appendBatchArgument(&b, arg, needsBatchQuotes(arg))
	}
	b.WriteByte('"')
	return b.String()
}

// needsBatchQuotes reports whether cmd.exe or the program behind it could read arg as anything but one plain word.
// Words that need none get none: a batch file that compares "%1" sees the marks.
func needsBatchQuotes(arg string) bool {
	plain := func(r rune) bool {
		if r < unicode.MaxASCII {
			return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune(`#$+-./:@\_`, r)
		}
		return !unicode.IsControl(r) && !unicode.IsSpace(r)
	}
	return arg == "" || strings.HasSuffix(arg, `\`) || strings.ContainsFunc(arg, func(r rune) bool { return !plain(r) })
}

// appendBatchArgument quotes for two readers: cmd.exe, to which everything but "%" is plain between quotation marks, and the program that the batch file hands its arguments to.
// A quotation mark is doubled, not escaped with a backslash that cmd.exe does not know.
// "%" is followed by an expansion that yields nothing, so that no pair of them names a variable.
func appendBatchArgument(b *strings.Builder, arg string, quoted bool) {
	if !quoted {
		b.WriteString(arg)
		return
	}
	b.WriteByte('"')
	backslashes := 0
	for i := range len(arg) {
		switch arg[i] {
		case '\\':
			backslashes++
		case '"':
			b.WriteString(strings.Repeat(`\`, backslashes) + `"`)
			backslashes = 0
		case '%':
			b.WriteString(`%%cd:~,`)
			backslashes = 0
		default:
			backslashes = 0
		}
		b.WriteByte(arg[i])
	}
	b.WriteString(strings.Repeat(`\`, backslashes) + `"`)
}
