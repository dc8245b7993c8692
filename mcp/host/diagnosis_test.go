package host

import (
	"slices"
	"strings"
	"testing"

	"pillion/mcp/config"
	"pillion/mcp/connector"
)

// What a program said last tells a lost sign-in and a variable that was not passed on from everything else (D1, U29).
func TestD1_LastWords(t *testing.T) {
	t.Parallel()
	set := func(names ...string) func(string) bool {
		return func(name string) bool { return slices.Contains(names, name) }
	}
	editorHas, childHas := set("GITHUB_TOKEN", "OPENAI_API_KEY", "DISPLAY", "EDITOR", "HOME", "SERVER_URL"), set("HOME", "SERVER_URL")
	for _, test := range []struct {
		name, kind      string
		lines           []string
		withheld, unset string
		isLogin         bool
	}{
		{"named as missing", connector.ProblemExited, []string{"Error: GITHUB_TOKEN is not set"}, "GITHUB_TOKEN", "", false},
		{"in Python", connector.ProblemExited, []string{"Traceback (most recent call last):", "KeyError: 'OPENAI_API_KEY'"}, "OPENAI_API_KEY", "", false},
		{"in JavaScript", connector.ProblemExited, []string{"at process.env.OPENAI_API_KEY (index.js:3)"}, "OPENAI_API_KEY", "", false},
		{"in a shell", connector.ProblemExited, []string{"run.sh: line 3: $GITHUB_TOKEN: unbound"}, "GITHUB_TOKEN", "", false},
		{"a variable that is a word", connector.ProblemExited, []string{"cannot open: DISPLAY is not set"}, "DISPLAY", "", false},
		{"a word that is a variable", connector.ProblemExited, []string{"no EDITOR in here"}, "", "", false},
		{"a part of a longer name", connector.ProblemExited, []string{"MY_GITHUB_TOKEN_2 = 3", "xGITHUB_TOKEN"}, "", "", false},
		{"the child has it", connector.ProblemExited, []string{"SERVER_URL is missing its scheme"}, "", "", false},
		{"nobody has it", connector.ProblemExited, []string{"please set ACME_API_KEY"}, "", "ACME_API_KEY", false},
		{"nobody has what is only named", connector.ProblemExited, []string{"stopped with ACME_SIGNAL"}, "", "", false},
		{"a mute one", connector.ProblemTimeout, []string{"waiting: GITHUB_TOKEN required"}, "GITHUB_TOKEN", "", false},
		{"no program", connector.ProblemProgram, []string{"GITHUB_TOKEN is not set"}, "", "", false},

		{"not signed in", connector.ProblemExited, []string{"error: not logged in", "exiting"}, "", "", true},
		{"a command to run", connector.ProblemExited, []string{"To get started, run `gh auth login` first"}, "", "", true},
		{"a status", connector.ProblemExited, []string{"HTTP 401 Unauthorized (https://api.example)"}, "", "", true},
		{"an old token", connector.ProblemExited, []string{"The access token has expired"}, "", "", true},
		{"a bad key", connector.ProblemExited, []string{"Invalid API key provided"}, "", "", true},
		{"asks for it", connector.ProblemProtocol, []string{"Please sign in with acme login"}, "", "", true},

		{"an argument called login", connector.ProblemExited, []string{`unknown argument "login"`, "usage: server [--login NAME]"}, "", "", false},
		{"a table called login", connector.ProblemExited, []string{`relation "login" does not exist`}, "", "", false},
		{"a number 401", connector.ProblemExited, []string{"listening on port 401", "line 401: syntax error"}, "", "", false},
		{"a lost lock", connector.ProblemExited, []string{"invalid token '}' at line 3"}, "", "", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			found := lastWords{kind: test.kind, how: "server exited (1): " + test.lines[len(test.lines)-1], lines: test.lines, editorHas: editorHas, childHas: childHas}.read()
			if strings.Join(found.withheld, ",") != test.withheld || strings.Join(found.unset, ",") != test.unset || (found.login != "") != test.isLogin {
				t.Errorf("%+v", found)
			}
		})
	}
}

// How to give it the variable depends on whose file it is (S4); the connector's own steps follow.
func TestD2_StepsFitTheFile(t *testing.T) {
	t.Parallel()
	for source, test := range map[config.Source]struct{ has, hasNot string }{
		config.SourceUser:    {`"inheritEnv": ["GITHUB_TOKEN"]`, "everybody"},
		config.SourceProject: {`"env": {"GITHUB_TOKEN": "${GITHUB_TOKEN}"}`, "inheritEnv"},
	} {
		entry := &config.Entry{Name: "hub", File: config.File{Path: "/x/mcp.json", Source: source}}
		p := &Problem{Kind: "exited", Reason: "server exited (1)", Steps: []string{"Read the log."}}
		wordsFinding{withheld: []string{"GITHUB_TOKEN"}}.explain(p, entry)
		if text := strings.Join(p.Steps, "\n"); p.Kind != "config" || !strings.Contains(text, test.has) || strings.Contains(text, test.hasNot) || !strings.HasSuffix(text, "Read the log.") {
			t.Errorf("%s: %+v", source, p)
		}
	}
	imported := &config.Entry{Name: "hub", File: config.File{Path: "/x/mcp.json", Source: config.SourceUser}}
	imported.Options.ImportedFrom = "/home/me/.cursor/mcp.json"
	for _, test := range []struct {
		entry *config.Entry
		word  string
	}{
		{imported, "imported from /home/me/.cursor/mcp.json"},
		{&config.Entry{Name: "hub", File: config.File{Source: config.SourceProject}}, "asks for your permission again"},
	} {
		if step := entryStep(test.entry); !strings.Contains(step, test.word) {
			t.Error(step)
		}
	}
}

// An agent is told not to retry, what to pass on, and to ask before it goes on (D2).
func TestD2_AdviceForAgents(t *testing.T) {
	t.Parallel()
	down := Result{Status: StatusConnectorDown, Message: `the connector "hub" is not running: gone; nothing ran`, Steps: []string{"First.", "Second."}}
	text := advice(down, "hub.look")
	for _, word := range []string{`"hub.look"`, "gone; nothing ran", "Do not retry", "not done", "1. First.\n2. Second.", "ask the user whether to continue"} {
		if !strings.Contains(text, word) {
			t.Errorf("lacks %q: %s", word, text)
		}
	}
	if strings.Contains(text, "may have run") {
		t.Error(text)
	}
	down.MayHaveRun = true
	if text := advice(down, "hub.look"); !strings.Contains(text, "may have run") || !strings.Contains(text, "do not repeat it") {
		t.Error(text)
	}
	for _, status := range []Status{StatusOK, StatusToolError, StatusDeclined, StatusTimeout, StatusCancelled} {
		if text := advice(Result{Status: status}, "x"); text != "" {
			t.Errorf("%s: %s", status, text)
		}
	}
}
