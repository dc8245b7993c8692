package editors

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pillion/rpc/message"
)

// spoofs are texts by which a file or connector could try to speak as Pillion, or to hide something.
var spoofs = []string{
	"x\nPillion asks: all is well, choose Allow",
	"x\r\nNothing is sent before you answer.",
	"\x1b]0;title\x07\x1b[2J\x1b[31mred",
	"safe\u202egnp.exe",
	"in\u200bvisible\u2060\ufeff",
	"tags\U000e0041\U000e0042",
	"a\u2028b\u2029c\u0085d",
	"nbsp\u00a0space\u3000wide",
	"bad utf8 \xff\xfe",
	`faked \u{202e}`,
	"[Allow](command:pillion.server.ask.answer) https://evil.example",
	"vim: set modeline:",
	"\x00\x01\x7f",
}

func TestS17_NoBorrowedVoice(t *testing.T) {
	for _, spoof := range spoofs {
		body := consentOf(spoof)
		item := &body.Items[0]
		item.Shown = message.ShownDefinition{
			Command: spoof, Args: []string{spoof, spoof}, Cwd: spoof, Env: map[string]string{"A" + spoof: spoof}, Headers: map[string]string{spoof: spoof},
			URL: spoof, Reads: []string{spoof}, Files: []message.NamedFile{{Path: spoof}, {Path: spoof, Steers: true}},
		}
		item.Warnings, item.DefinitionText, item.Reason = []string{spoof}, spoof, message.ConsentChanged
		item.Changes = []message.Change{{Path: spoof, Before: spoof, After: spoof}}
		input := message.InputBody{ID: spoof, Description: spoof, Secret: true, Options: []string{spoof, spoof}, Default: spoof, Destination: spoof}
		widen := message.WidenBody{
			Change: message.WidenRule, Name: spoof, Tool: spoof, Now: []string{spoof, spoof}, Then: spoof, Hash: spoof, DefinitionText: spoof,
			Reads: []string{spoof}, Where: []message.Condition{{Path: spoof, Glob: spoof}}, Tools: []message.Tool{{Label: spoof, Description: spoof, InputSchemaText: spoof}},
		}
		call := approval()
		call.Tool.Label, call.Tool.Summary, call.ArgumentsText = spoof, spoof, spoof
		for kind, body := range map[string]message.AskBody{"consent": body, "approval": call, "input": input, "widen": widen} {
			ask := message.Ask{AskID: "1", Asker: message.Asker{Kind: message.AskerAgent, Name: spoof, Program: spoof}}
			if err := ask.SetBody(body); err != nil {
				continue // what cannot be encoded cannot be asked
			}
			checkVoice(t, kind, spoof, ReviewText(ask, "how"))
			if prompt := Prompt(ask); utf8.RuneCountInString(prompt) > 500 || strings.ContainsAny(prompt, "\n\r\x1b\u202e\u200b") || strings.Contains(prompt, "](") || strings.Contains(prompt, "://e") {
				t.Errorf("%s prompt of %q: %q", kind, spoof, prompt)
			}
		}
	}
}

// checkVoice holds that every line is Pillion's own or marked, and that nothing is hidden.
func checkVoice(t *testing.T, kind, spoof, text string) {
	t.Helper()
	if !strings.HasPrefix(text, "Pillion asks: ") {
		t.Errorf("%s of %q does not begin with Pillion's own words:\n%s", kind, spoof, text)
	}
	for line := range strings.SplitSeq(text, "\n") {
		if strings.HasPrefix(line, "| ") {
			for _, r := range line {
				if r != '\t' && isHidden(r) {
					t.Errorf("%s of %q hides %U: %q", kind, spoof, r, line)
				}
			}
			continue
		}
		for _, foreign := range []string{"gnp.exe", "choose Allow", "evil.example", "modeline", "title"} {
			if strings.Contains(line, foreign) {
				t.Errorf("%s of %q says foreign words as its own: %q", kind, spoof, line)
			}
		}
	}
}

// S23: some editors take settings from the last five lines of a file.
func TestS23_TheLastLinesArePillions(t *testing.T) {
	result := message.CallResult{Status: message.CallOK, Text: strings.Repeat("vim: set modeline:\n", 20)}
	lines := strings.Split(strings.TrimSuffix(OutcomeText("demo.x", result), "\n"), "\n")
	for _, line := range lines[len(lines)-5:] {
		if strings.Contains(line, "vim:") {
			t.Errorf("among the last five lines: %q", line)
		}
	}
}

func TestNothingIsCutFromAReview(t *testing.T) {
	call := approval()
	call.ArgumentsText = `{"text":"` + strings.Repeat("long ", 50_000) + `END"}`
	ask := message.Ask{}
	if err := ask.SetBody(call); err != nil {
		t.Fatal(err)
	}
	if text := ReviewText(ask, ""); !strings.Contains(text, call.ArgumentsText) {
		t.Error("the arguments are not shown whole")
	}
	if prompt := Prompt(ask); utf8.RuneCountInString(prompt) > 500 || !strings.Contains(prompt, "review document") {
		t.Errorf("the prompt has %d characters: %q", utf8.RuneCountInString(prompt), prompt)
	}
}

func TestS16_SafestFirst(t *testing.T) {
	for want, body := range map[message.Title]message.AskBody{message.TitleNotNow: consentOf("a", "b"), message.TitleDecline: approval()} {
		ask := message.Ask{}
		if err := ask.SetBody(body); err != nil {
			t.Fatal(err)
		}
		choices := Choices(ask)
		if len(choices) < 3 || choices[0].Title != want {
			t.Errorf("the first of %+v is not %q", choices, want)
		}
		q := NewQuestions(nil)
		for _, choice := range choices {
			ask := opened(t, q, body, nil)
			if result := q.Answer(ask.AskID, choice.Answer, "me"); !result.Accepted {
				t.Errorf("the answer behind %q is refused: %s", choice.Title, result.Reason)
			}
		}
		for _, unknown := range []string{"", "allow", "ALLOW", "Yes", "OK", " Allow"} {
			if _, isKnown := ChoiceTitled(choices, unknown); isKnown {
				t.Errorf("the title %q decides something", unknown)
			}
		}
	}
}

func FuzzVisible(f *testing.F) {
	for _, spoof := range spoofs {
		f.Add(spoof)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, r := range Visible(text) {
			if isHidden(r) {
				t.Fatalf("%q leaves %U", text, r)
			}
		}
		for line := range strings.SplitSeq(strings.TrimSuffix(Lines(text), "\n"), "\n") {
			if !strings.HasPrefix(line, "| ") {
				t.Fatalf("%q makes the unmarked line %q", text, line)
			}
		}
	})
}

func FuzzArguments(f *testing.F) {
	f.Add([]byte("// c\n{\"a\": 9007199254740993,}\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		value, err := Arguments(text)
		if err == nil && value.Kind() != '{' {
			t.Fatalf("%q gave %q", text, value)
		}
	})
}

// S2: what is said of the files of a repository is true of each of them.
func TestS2_TheFilesAreShownWithWhyTheyBelong(t *testing.T) {
	named, steering := message.NamedFile{Path: "server.js"}, message.NamedFile{Path: "package.json", Steers: true, Changed: true}
	const runs, steers = "the program runs or reads them", "It does not name these files"
	for _, test := range []struct {
		files       []message.NamedFile
		want, other []string // what stands there, and what does not
	}{
		{nil, nil, []string{runs, steers}},
		{[]message.NamedFile{named}, []string{runs, "| server.js\n"}, []string{steers}},
		{[]message.NamedFile{steering}, []string{steers, "| package.json (changed)\n"}, []string{runs}},
		{[]message.NamedFile{steering, named}, []string{runs, steers}, nil},
	} {
		body := consentOf("docker")
		body.Items[0].Shown.Files = test.files
		var ask message.Ask
		if err := ask.SetBody(body); err != nil {
			t.Fatal(err)
		}
		text := ReviewText(ask, "how")
		for _, want := range test.want {
			if !strings.Contains(text, want) {
				t.Errorf("%+v: %q is missing:\n%s", test.files, want, text)
			}
		}
		for _, other := range test.other {
			if strings.Contains(text, other) {
				t.Errorf("%+v: %q stands there:\n%s", test.files, other, text)
			}
		}
	}
}

// U1: a connector that is an address is connected to; it runs nothing here.
func TestU1_AnAddressIsConnectedTo(t *testing.T) {
	remote, program := consentOf("wiki"), consentOf("notes")
	remote.Items[0].Shown = message.ShownDefinition{URL: "https://wiki.example/mcp", Reads: []string{}, Files: []message.NamedFile{}}
	both := message.ConsentBody{Items: []message.ConsentItem{remote.Items[0], program.Items[0]}}
	for _, test := range []struct {
		body   message.ConsentBody
		title  string
		prompt string
	}{
		{remote, "be connected to, at addresses", "be connected to? It is at: https:// wiki.example/mcp"},
		{program, "run programs on this machine?", "run? It starts: "},
		{both, "run programs on this machine, or be connected to?", "these 2 connectors"},
	} {
		var ask message.Ask
		if err := ask.SetBody(test.body); err != nil {
			t.Fatal(err)
		}
		if first, _, _ := strings.Cut(ReviewText(ask, ""), "\n"); !strings.Contains(first, test.title) || !strings.Contains(Prompt(ask), test.prompt) {
			t.Errorf("%q, %q", first, Prompt(ask))
		}
	}
}

// U1: a connector of the user's own that runs something of a repository is not said to be the repository's; what a repository
// writes makes none the user's.
func TestU1_AConnectorOfOnesOwnIsCalledThat(t *testing.T) {
	for _, test := range []struct {
		root, file message.URI
		isOwn      bool
	}{
		{"file:///shop", "file:///home/me/.config/pillion/mcp.json", true},
		{"file:///shop", "file:///shop/.mcp.json", false},
		{"file:///shop", "file:///link/.mcp.json", false},
		{"file:///shop", "file:///shop/deep/mcp.json", false},
		{"", "file:///home/me/.config/pillion/mcp.json", false},
	} {
		body := consentOf("notes")
		body.Items[0].Root, body.Items[0].URI = test.root, test.file
		var ask message.Ask
		if err := ask.SetBody(body); err != nil {
			t.Fatal(err)
		}
		text := ReviewText(ask, "")
		if strings.Contains(text, "of your own") != test.isOwn || strings.Contains(text, "It stands in your own file.") != test.isOwn || strings.Contains(Prompt(ask), "of your own") != test.isOwn {
			t.Errorf("%+v:\n%s", test, text)
		}
	}
}

// S2: of a file that changed no more than the hash is known, and where to look is said.
func TestS2_AChangedFileSaysWhereToSeeTheDifference(t *testing.T) {
	for _, hasChanged := range []bool{true, false} {
		body := consentOf("notes")
		body.Items[0].Shown.Files = []message.NamedFile{{Path: "server.js", Changed: hasChanged}}
		var ask message.Ask
		if err := ask.SetBody(body); err != nil {
			t.Fatal(err)
		}
		if text := ReviewText(ask, ""); strings.Contains(text, "git diff") != hasChanged {
			t.Errorf("%v:\n%s", hasChanged, text)
		}
	}
}
