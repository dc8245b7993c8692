package imports

import "strings"

// dialect is how a program writes a variable into a string.
type dialect struct {
	title string
	// dollar is true where ${…} means something, with ${NAME} the variable of
	// that name where plain is true as well.
	dollar, plain bool
	// defaults is true where ${NAME:-default} has a default.
	defaults bool
	// editor is true where ${env:NAME} and the editors' own references do.
	editor bool
	// inputs is true where ${input:id} does.
	inputs bool
	// bare is true where $NAME does.
	bare bool
	// braces is true where {env:NAME} does, without a dollar.
	braces bool
	// program begins a value that is a command whose output counts.
	program string
}

func dialectOf(f Format) dialect {
	d := dialect{title: f.Title()}
	switch f {
	case VSCode:
		d.dollar, d.editor, d.inputs = true, true, true
	case Cursor, Windsurf:
		d.dollar, d.editor = true, true
	case ClaudeCode:
		d.dollar, d.plain, d.defaults = true, true, true
	case Gemini:
		d.dollar, d.plain, d.defaults, d.bare = true, true, true, true
	case MCPHub:
		d.dollar, d.plain, d.editor, d.inputs, d.program = true, true, true, true, "$: "
	case OpenCode:
		d.braces = true
	}
	return d
}

// translation is one string on its way from a dialect into Pillion's.
type translation struct {
	dialect
	toProject bool
	out       strings.Builder
	remarks   []string
	inputIDs  []string
	// isUnknown is true where a reference stayed that Pillion refuses, isBroken
	// where one stayed that it would pass on as text.
	isUnknown, isBroken bool
}

// maxTranslated bounds what is looked at, in bytes.
const maxTranslated = 64 << 10

// translate rewrites the references of a string. What Pillion would read
// otherwise than the program, or cannot express, is a remark.
func (d dialect) translate(text string, toProject bool) *translation {
	t := &translation{dialect: d, toProject: toProject}
	if len(text) > maxTranslated {
		t.out.WriteString(text)
		t.remark("it is too long to look for variables in")
		return t
	}
	for i := 0; i < len(text); {
		rest := text[i:]
		switch {
		case d.braces && (strings.HasPrefix(rest, "{env:") || strings.HasPrefix(rest, "{file:")) && strings.IndexByte(rest, '}') > 0:
			end := strings.IndexByte(rest, '}')
			t.brace(rest[1:end], rest[:end+1])
			i += end + 1
		case d.braces && strings.HasPrefix(rest, "${env:"):
			t.out.WriteByte('$') // the reference in braces stands behind a dollar of its own
			i++
		case strings.HasPrefix(rest, "${"):
			end := closing(rest)
			if end < 0 {
				t.out.WriteString(rest)
				return t
			}
			t.reference(rest[2:end], rest[:end+1])
			i += end + 1
		case d.bare && bareName(rest) > 0:
			end := 1 + bareName(rest)
			t.out.WriteString(t.variable(rest[1:end], "", false))
			i += end
		default:
			t.out.WriteByte(text[i])
			i++
		}
	}
	return t
}

// closing is where the brace of a reference closes, those inside its default
// closed before it.
func closing(text string) int {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch {
		case strings.HasPrefix(text[i:], "${"):
			depth++
		case text[i] == '}':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

func (t *translation) remark(message string) {
	for _, said := range t.remarks {
		if said == message {
			return
		}
	}
	t.remarks = append(t.remarks, message)
}

// reference translates the inside of ${…}; whole is all of it.
func (t *translation) reference(inside, whole string) {
	name, fallback, hasDefault := strings.Cut(inside, ":-")
	if !hasDefault {
		fallback = ""
	}
	switch {
	case !t.dollar:
		t.otherwise(whole)
	case t.inputs && strings.HasPrefix(inside, "input:"):
		t.input(inside[len("input:"):])
	case t.editor && strings.HasPrefix(inside, "env:"):
		t.environment(inside[len("env:"):], whole)
	case t.editor && (inside == "/" || inside == "pathSeparator"):
		t.out.WriteString("${pathSeparator}")
	case t.editor && (inside == "workspaceFolder" || inside == "workspaceFolderBasename" || inside == "userHome"):
		t.out.WriteString(whole)
	case t.plain && hasDefault && t.defaults && isName(name):
		if strings.Contains(fallback, "${") {
			t.remark("a default holds a reference itself, which " + t.title + " does not expand and Pillion does")
		}
		t.out.WriteString(t.variable(name, fallback, true))
	case t.plain && isName(inside):
		t.out.WriteString(t.variable(inside, "", false))
	case isName(inside):
		t.otherwise(whole)
	default:
		t.out.WriteString(whole)
		t.isUnknown = true
		t.remark(shown(whole) + " is not a reference that Pillion knows, and the entry does not run with it")
	}
}

// otherwise keeps what the program passes on as text and Pillion expands:
// Pillion's files have no way to write it as text.
func (t *translation) otherwise(whole string) {
	t.out.WriteString(whole)
	t.remark(t.title + " passes " + shown(whole) + " on as it is; Pillion puts the variable's value in its place")
}

func (t *translation) environment(name, whole string) {
	switch {
	case isLooseName(name):
		t.out.WriteString(t.variable(name, "", false))
	default:
		t.out.WriteString(whole)
		t.isBroken = true
		t.remark(shown(whole) + " names no variable that Pillion could read")
	}
}

// variable is how Pillion's files refer to a variable of the environment. The
// plain spelling is the one that other programs read too (U22).
func (t *translation) variable(name, fallback string, hasDefault bool) string {
	if hasDefault {
		fallback = ":-" + fallback
	}
	switch {
	case name == "CLAUDE_PROJECT_DIR" && t.title == ClaudeCode.Title() && !t.toProject:
		return "${workspaceFolder" + fallback + "}"
	case isName(name) && !isBuiltin(name):
		return "${" + name + fallback + "}"
	}
	return "${env:" + name + fallback + "}"
}

// input keeps a question of the user's own file; a project's file asks none, so
// a variable takes its place.
func (t *translation) input(id string) {
	if !t.toProject && id != "" {
		t.out.WriteString("${input:" + id + "}")
		t.inputIDs = append(t.inputIDs, id)
		return
	}
	name := variableName(id)
	t.out.WriteString("${" + name + "}")
	t.remark("a project's file asks for no input: set the variable " + name)
}

// brace translates opencode's {env:NAME} and {file:path}.
func (t *translation) brace(inside, whole string) {
	if name, ok := strings.CutPrefix(inside, "env:"); ok {
		t.environment(name, whole)
		return
	}
	t.out.WriteString(whole)
	t.isBroken = true
	t.remark("Pillion puts no file's text into a value; " + shown(whole) + " stays as it is and the entry comes switched off")
}

// variableName is a name that an environment variable may have.
func variableName(text string) string {
	name := strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '_' {
			return r
		}
		return '_'
	}, strings.ToUpper(text))
	if !isName(name) {
		name = "_" + name
	}
	return name
}

// bareName is how long the name is that follows a leading dollar.
func bareName(text string) int {
	n := 0
	for text[0] == '$' && n+1 < len(text) && (isName(text[n+1:n+2]) || n > 0 && '0' <= text[n+1] && text[n+1] <= '9') {
		n++
	}
	return n
}

func isBuiltin(name string) bool {
	switch name {
	case "workspaceFolder", "workspaceFolderBasename", "userHome", "pathSeparator":
		return true
	}
	return false
}

func isName(s string) bool {
	for i := range len(s) {
		c := s[i]
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}

// isLooseName knows the names that Windows has as well, such as
// ProgramFiles(x86).
func isLooseName(s string) bool {
	return isName(strings.NewReplacer("(", "_", ")", "_", ".", "_").Replace(s)) && strings.IndexByte("().", s[0]) < 0
}
