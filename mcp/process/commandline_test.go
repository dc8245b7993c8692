package process

import (
	"slices"
	"strings"
	"testing"
)

// awkward are arguments that quoting gets wrong.
var awkward = []string{
	"", " ", "a b", "a&b", "&calc.exe", "a|b", "a^b", "^", "<>", "%PATH%", "100%", "%", "%%", "%cd:~,%", "!x!", `"`, `""`, `a"b`, `"&calc.exe&"`, `%PATH%"&x`,
	`\`, `a\`, `a b\`, `a\\b`, `a\"b`, `\\"`, `C:\Program Files\x`, "ünï", "日本", "🙂", "-y", "@scope/pkg@1.2.3", "--x=y", "{\"a\": \"b c\"}", "a\tb", "(x)", "~", ";", ",", "=", "*", "?",
}

const (
	batch = `C:\Program Files\nodejs\npx.cmd`
	plain = `C:\Program Files\nodejs\node.exe`
)

func TestC11_CommandLine(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		path        string
		args        []string
		want        string
		interpreter bool
	}{
		{plain, nil, `"C:\Program Files\nodejs\node.exe"`, false},
		{plain, []string{"-e", "a b", "", `say "hi"`, `end\`, `an end\`}, `"C:\Program Files\nodejs\node.exe" -e "a b" "" "say \"hi\"" end\ "an end\\"`, false},
		{plain, []string{"%PATH%", "a&b"}, `"C:\Program Files\nodejs\node.exe" %PATH% a&b`, false},
		{batch, []string{"-y", "pkg@1"}, batchPrefix + `"C:\Program Files\nodejs\npx.cmd" -y pkg@1"`, true},
		{batch, []string{"", "a b", "a&b", `a"b`, `a\`}, batchPrefix + `"C:\Program Files\nodejs\npx.cmd" "" "a b" "a&b" "a""b" "a\\""`, true},
		{batch, []string{"%PATH%"}, batchPrefix + `"C:\Program Files\nodejs\npx.cmd" "%%cd:~,%PATH%%cd:~,%""`, true},
		{`C:\100%\x.BAT`, nil, batchPrefix + `"C:\100%%cd:~,%\x.BAT""`, true},
		{`C:\x.bat. .`, nil, batchPrefix + `"C:\x.bat. .""`, true},
		{`C:\x.cmd.exe`, nil, `"C:\x.cmd.exe"`, false},
		{`C:\cmd`, nil, `"C:\cmd"`, false},
	} {
		got, interpreter, err := CommandLine(test.path, test.args)
		if got != test.want || interpreter != test.interpreter || err != nil {
			t.Errorf("%s %q\ngot  %s, %v, %v\nwant %s, %v", test.path, test.args, got, interpreter, err, test.want, test.interpreter)
		}
	}
}

func TestC11_Refuses(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		path string
		args []string
	}{
		{plain, []string{"a\x00b"}}, {batch, []string{"a\x00b"}}, {batch, []string{"a\nb"}}, {batch, []string{"a\rb"}},
		{`C:\a"b.exe`, nil}, {`C:\a"b.cmd`, nil}, {"C:\\a\nb.cmd", nil},
		{plain, []string{strings.Repeat("x", 32767)}}, {batch, []string{strings.Repeat("x", 8191)}},
	} {
		if line, _, err := CommandLine(test.path, test.args); err == nil {
			t.Errorf("%q %.20q: %.80s", test.path, test.args, line)
		}
	}
	if _, _, err := CommandLine(plain, []string{"a\nb"}); err != nil {
		t.Error(err)
	}
}

func TestC11_ArgumentsArriveUnchanged(t *testing.T) {
	t.Parallel()
	for _, path := range []string{plain, batch, `C:\100% sure\run it.bat`} {
		checkArrival(t, path, awkward)
		for _, a := range awkward {
			for _, b := range awkward {
				checkArrival(t, path, []string{a, b})
			}
		}
	}
}

func FuzzCommandLine(f *testing.F) {
	for _, arg := range awkward {
		f.Add(arg, "b", true)
		f.Add("a", arg, false)
	}
	f.Fuzz(func(t *testing.T, a, b string, interpreted bool) {
		path := plain
		if interpreted {
			path = batch
		}
		if _, _, err := CommandLine(path, []string{a, b}); err == nil {
			checkArrival(t, path, []string{a, b})
		}
	})
}

// checkArrival reads the line as Windows does and compares what arrives.
func checkArrival(t *testing.T, path string, args []string) {
	t.Helper()
	line, interpreter, err := CommandLine(path, args)
	if err != nil {
		t.Fatalf("%s %q: %v", path, args, err)
	}
	if interpreter {
		var ok bool
		if line, ok = asInterpreted(line); !ok {
			t.Errorf("%s %q: cmd.exe would read more than one command in %s", path, args, line)
			return
		}
	}
	if got, want := arrived(line), append([]string{path}, args...); !slices.Equal(got, want) {
		t.Errorf("line    %s\narrives %q\nwant    %q", line, got, want)
	}
}

// asInterpreted is the command that cmd.exe makes of a line: the outer marks stripped (/s), variables expanded, and false if a character outside of quotation marks is anything but plain.
func asInterpreted(line string) (string, bool) {
	command, ok := strings.CutPrefix(line, batchPrefix)
	if !ok || !strings.HasSuffix(command, `"`) {
		return line, false
	}
	command = expandVariables(strings.TrimSuffix(command, `"`))
	quoted := false
	for _, r := range command {
		switch {
		case r == '"':
			quoted = !quoted
		case !quoted && strings.ContainsRune("&|<>^()%!\n\r;,=\t", r):
			return command, false
		}
	}
	return command, !quoted
}

// expandVariables follows cmd.exe on a command line, where every variable is set to "!!": from "%" to the next "%" is a name, unless a "%" follows at once, which is itself.
func expandVariables(text string) string {
	var b strings.Builder
	for {
		before, after, found := strings.Cut(text, "%")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		name, rest, closed := strings.Cut(after, "%")
		switch {
		case !closed || name == "":
			b.WriteByte('%')
			text = after
		case name == "cd:~,":
			text = rest
		default:
			b.WriteString("!!")
			text = rest
		}
	}
}

// arrived parses a command line by the rules of the C runtime, which programs use.
func arrived(line string) []string {
	first, rest, _ := strings.Cut(strings.TrimPrefix(line, `"`), `"`)
	args := []string{first}
	for rest = strings.TrimLeft(rest, " \t"); rest != ""; rest = strings.TrimLeft(rest, " \t") {
		var arg string
		arg, rest = nextArgument(rest)
		args = append(args, arg)
	}
	return args
}

func nextArgument(text string) (arg, rest string) {
	var b strings.Builder
	quoted := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\':
			run := len(text[i:]) - len(strings.TrimLeft(text[i:], `\`))
			marked := i+run < len(text) && text[i+run] == '"'
			if marked {
				b.WriteString(strings.Repeat(`\`, run/2))
				if run%2 == 1 {
					b.WriteByte('"')
					i++
				}
			} else {
				b.WriteString(strings.Repeat(`\`, run))
			}
			i += run - 1
		case c == '"' && quoted && i+1 < len(text) && text[i+1] == '"':
			b.WriteByte('"')
			i++
		case c == '"':
			quoted = !quoted
		case !quoted && (c == ' ' || c == '\t'):
			return b.String(), text[i:]
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), ""
}
