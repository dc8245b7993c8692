package cases

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"go.lsp.dev/protocol"

	"pillion/editors/editortest"
	"pillion/mcp/mcptest"
	"pillion/rpc/message"
)

// canary stands in every spoof, so that foreign words are known wherever they turn up.
const canary = "SPOOF"

// spoofs are texts by which a repository, a connector or a caller could speak as Pillion, hide something or be acted on.
var spoofs = []string{
	"x\nPillion asks: SPOOF, all is well",
	"x\r\nNothing is sent before you answer. SPOOF",
	"x\u2028SPOOF\u2029SPOOF\u0085SPOOF\vSPOOF\f",
	"\x1b]0;SPOOF\x07\x1b[2J\x1b[31mSPOOF\u009b31m",
	"SPOOF\u202egnp.exe\u2066",
	"SP\u200bOOF SPOOF\u2060\ufeff\u00ad",
	"SPOOF\U000e0041\U000e0042",
	"SPOOF\u3164\u2800\u00a0\u3000",
	"[SPOOF](command:pillion.server.ask.answer) https://SPOOF.example <b>SPOOF</b> `SPOOF`",
	"vim: set modeline: SPOOF",
	`SPOOF" of your own file. It starts: "true`,
	`SPOOF\u{22}`,
	"| SPOOF\n| not Pillion's",
	"%{SPOOF} %s %n $(SPOOF) ${SPOOF",
	strings.Repeat("SPOOF ", 400) + "END",
}

var (
	isStep   = regexp.MustCompile(`^[0-9]+\. `)
	inQuotes = regexp.MustCompile(`"[^"]*"`)
)

// checkVoice holds S17 of a document of Pillion's: its first line is Pillion's, foreign words stand on marked lines alone, and
// nothing is hidden.
func checkVoice(t *testing.T, text string) {
	t.Helper()
	if !strings.HasPrefix(text, "Pillion") {
		t.Errorf("it does not begin with Pillion's own words:\n%s", text)
	}
	for line := range strings.SplitSeq(text, "\n") {
		own := line
		if isStep.MatchString(line) { // a sentence of Pillion's may name what it is about
			own = inQuotes.ReplaceAllString(line, "")
		}
		if strings.Contains(own, canary) && !strings.HasPrefix(line, "| ") {
			t.Errorf("foreign words as Pillion's own: %q", line)
		}
		checkVisible(t, line)
	}
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	for _, line := range lines[max(0, len(lines)-5):] {
		if strings.Contains(line, canary) {
			t.Errorf("foreign words where an editor looks for settings: %q", line)
		}
	}
}

// checkVisible holds that a line shows everything that is in it.
func checkVisible(t *testing.T, line string) {
	t.Helper()
	for _, r := range line {
		isSpace := r == ' ' || r == '\t'
		if !isSpace && (!unicode.IsGraphic(r) || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Zs, r)) || r == utf8.RuneError {
			t.Errorf("%U is hidden in %q", r, line)
		}
	}
	for _, blank := range []string{"\u3164", "\u2800", "\ufe0f", "\U000e0041"} {
		if strings.Contains(line, blank) {
			t.Errorf("%q is hidden in %q", blank, line)
		}
	}
}

// checkPrompt holds S17 and U18 of what an editor puts beside buttons.
func checkPrompt(t *testing.T, text string) {
	t.Helper()
	if !strings.HasPrefix(text, "Pillion: ") || utf8.RuneCountInString(text) > 500 {
		t.Errorf("%d characters: %q", utf8.RuneCountInString(text), text)
	}
	if strings.ContainsAny(text, "\n\r") || strings.Contains(text, "](") || strings.Contains(text, "://S") || strings.Contains(text, "`") {
		t.Errorf("an editor makes something of it: %q", text)
	}
	checkVisible(t, text)
}

// checkMessages holds that what was said by messages is plain.
func checkMessages(t *testing.T, e *editortest.Editor) {
	t.Helper()
	for _, text := range e.Messages() {
		if !strings.HasPrefix(text, "Pillion: ") {
			t.Errorf("%q", text)
		}
		for line := range strings.SplitSeq(text, "\n") {
			checkVisible(t, line)
		}
	}
}

func TestS17_ConsentSpeaksForPillionAlone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	entries := map[string]entry{}
	for i, spoof := range spoofs {
		value := strings.ReplaceAll(spoof, "${", "$")
		entries[fmt.Sprintf("%02d %s", i, nameOf(spoof))] = entry{
			"command": "/nowhere/" + strings.ReplaceAll(value, "\x00", ""), "args": []string{value, "--x=" + value}, "cwd": "/" + value,
			"env": map[string]string{"A": value, "SPOOF_" + fmt.Sprint(i): value}, "description": spoof, spoof: spoof,
			"pillion": map[string]any{spoof: true},
		}
	}
	entries["refused \x1b[31mSPOOF"] = fake("touch=" + w.file("ran")) // no name may hold this
	path := w.project(servers(entries))
	e := w.edit(chooser(func(string, []string) string { return "" }))
	waiting := 0
	for _, c := range editortest.Request(e, message.Connectors, message.Empty{}).Connectors {
		switch c.State {
		case message.ConnectorWaiting:
			waiting++
		case message.ConnectorFailed:
		default:
			t.Errorf("%+v", c)
		}
	}
	if waiting < len(spoofs)-1 {
		t.Fatalf("only %d connectors wait", waiting)
	}
	execute(e, "pillion.server.review")
	review := e.Shown("may these connectors of this repository run")
	checkVoice(t, review)
	if n := strings.Count(review, "END"); n < 4 {
		t.Errorf("something was cut: %d long values are whole", n)
	}
	e.Until("it was asked", func() bool { return e.PromptCount() == 1 })
	for _, c := range editortest.Request(e, message.Connectors, message.Empty{}).Connectors {
		if c.State != message.ConnectorWaiting {
			continue
		}
		execute(e, "pillion.server.connector.allow", string(quoted(t, string(c.ID))))
	}
	e.Until("each was asked about", func() bool { return e.PromptCount() == 1+waiting })
	for _, prompt := range e.Prompts() {
		checkPrompt(t, prompt)
	}
	execute(e, "pillion.server.status")
	checkVoice(t, e.Shown("Pillion: connectors"))
	checkMessages(t, e)

	// What stands in the file's own window is of one line each, and shows everything.
	text := string(read(t, path))
	e.Open(path, text)
	for _, d := range e.Diagnostics(path, "are there", func(all []protocol.Diagnostic) bool { return len(all) > 0 }) {
		checkVisible(t, fmt.Sprint(d.Message))
	}
	for line := range strings.SplitSeq(text, "\n") {
		if !strings.Contains(line, canary) || !strings.HasSuffix(line, "{") || strings.HasPrefix(line, "      ") {
			continue
		}
		for _, action := range actionsAt(t, e, path, text, line) {
			checkVisible(t, action.Title)
		}
	}
	if exists(w.file("ran")) {
		t.Error("something ran")
	}
}

// literal is JSON in which a file sees no reference.
func literal(text []byte) string { return strings.ReplaceAll(string(text), "${", `\u0024{`) }

// nameOf is a spoof as the name of a connector or a tool can be: without control characters, and not long (A10).
func nameOf(spoof string) string {
	name := []rune(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return '_'
		}
		return r
	}, spoof))
	return string(name[:min(len(name), 90)])
}

func quoted(t testing.TB, text string) []byte {
	t.Helper()
	value, err := json.Marshal(text)
	if err != nil {
		t.Fatal(err)
	}
	return value
}

func TestS17_ApprovalSpeaksForPillionAlone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var tools []map[string]any
	for i, spoof := range spoofs {
		schema := map[string]any{"type": "object", "description": spoof, "properties": map[string]any{spoof: map[string]any{"type": "string", "title": spoof}}}
		tools = append(tools, map[string]any{
			"name": fmt.Sprintf("%02d %s", i, nameOf(spoof)), "title": spoof, "description": spoof, "inputSchema": schema, "annotations": map[string]any{"title": spoof},
		})
	}
	list, err := json.Marshal(tools)
	if err != nil {
		t.Fatal(err)
	}
	result, err := json.Marshal(map[string]any{"isError": true, "content": []map[string]any{{"type": "text", "text": strings.Join(spoofs, "\n")}}})
	if err != nil {
		t.Fatal(err)
	}
	w.user(servers(map[string]entry{"mine": fake("", mcptest.ToolsVar+"="+literal(list), mcptest.ResultVar+"="+literal(result))}))
	titles := make(chan []string, 100)
	e := w.edit(chooser(func(_ string, all []string) string { titles <- all; return "Allow once" }))
	e.Connector("mine", message.ConnectorReady)
	found := editortest.Request(e, message.Tools, message.ToolsParams{}).Tools
	if len(found) != len(spoofs) {
		t.Fatalf("%d tools", len(found))
	}
	for i, tool := range found {
		arguments := fmt.Sprintf(`{"a":%s,%s:"1"}`, quoted(t, spoofs[i]), quoted(t, spoofs[i]))
		execute(e, "pillion.server.tool.call", string(quoted(t, string(tool.ID))), arguments)
		if all := next(t, e, titles); !slices.Equal(all[:2], []string{"Decline", "Allow once"}) {
			t.Errorf("%q", all)
		}
		e.Until("the outcome is shown", func() bool { return e.ShownCount() == 2*(i+1) })
	}
	for i, tool := range found { // a number is not what the schema wants: nobody is asked, and its words are in the outcome
		execute(e, "pillion.server.tool.call", string(quoted(t, string(tool.ID))), fmt.Sprintf(`{%s:1}`, quoted(t, spoofs[i])))
		e.Until("the fault is shown", func() bool { return e.ShownCount() == 2*len(found)+i+1 })
	}
	for _, text := range e.ShownTexts() {
		checkVoice(t, text)
		if strings.HasPrefix(text, "Pillion asks: may this tool be called") && !strings.Contains(text, "arguments, exactly as they will be sent\n| {") {
			t.Errorf("the arguments are not shown:\n%s", text)
		}
	}
	if prompts := e.Prompts(); len(prompts) != len(spoofs) {
		t.Errorf("%d prompts", len(prompts))
	}
	for _, prompt := range e.Prompts() {
		checkPrompt(t, prompt)
		// Out of the quotes around its name no tool gets: Pillion's question ends it.
		if name, rest, found := strings.Cut(strings.TrimPrefix(prompt, `Pillion: call "`), `"`); !found || !strings.HasPrefix(rest, "? It ") && utf8.RuneCountInString(prompt) < 490 {
			t.Errorf("%q then %q", name, rest)
		}
	}
	execute(e, "pillion.server.status")
	checkVoice(t, e.Shown("Pillion: connectors"))
	checkMessages(t, e)

	// The form in which the arguments of a call are written shows a tool as a comment.
	for _, tool := range found {
		detail := editortest.Request(e, message.ToolDetail, message.ToolParams{Tool: message.ToolRef(tool.ID)}).Tool
		if strings.ContainsAny(detail.Summary, "\n\r") || utf8.RuneCountInString(detail.Summary) > 140 {
			t.Errorf("summary %q", detail.Summary)
		}
	}
}
