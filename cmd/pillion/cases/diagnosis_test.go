//go:build unix

package cases

import (
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"pillion/editors/editortest"
	"pillion/mcp/mcptest"
	"pillion/rpc/message"
)

// guarded is a connector that a shell starts only where a condition holds, with words on stderr where it does not.
func guarded(condition, words, mode string) entry {
	return entry{
		"command": "/bin/sh", "args": []string{"-c", condition + ` || { echo "$0" >&2; exit 1; }; exec "$1"`, words, fakestdio},
		"env": map[string]string{mcptest.ModeVar: mode},
	}
}

// "Works in Claude Code, not here": a variable that the editor has and the connector is not given is named, with what to write;
// written there, it runs (D1, U29).
func TestD1_AVariableThatTheEditorHas(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.environ = append(w.environ, "ACME_API_KEY="+secretCanary)
	keyed := guarded(`[ -n "$ACME_API_KEY" ]`, "Error: ACME_API_KEY must be set", "")
	path := w.user(servers(map[string]entry{"mine": keyed}))
	w.project(servers(map[string]entry{"theirs": keyed}))
	e := w.edit()
	e.Allow("theirs")
	for name, steps := range map[string]struct{ has, lacks string }{
		"mine":   {`"inheritEnv": ["ACME_API_KEY"]`, "everybody"},
		"theirs": {`everybody who works on this project`, "inheritEnv"},
	} {
		p := e.Connector(name, message.ConnectorFailed).Problem
		text := strings.Join(p.Steps, "\n")
		if p.Kind != message.ProblemConfig || !strings.Contains(p.Reason, `the editor has the variable "ACME_API_KEY"`) || !strings.Contains(p.Reason, "exited (1)") {
			t.Errorf("%s: %+v", name, p)
		}
		for _, word := range []string{`"env": {"ACME_API_KEY": "${ACME_API_KEY}"}`, steps.has} {
			if !strings.Contains(text, word) {
				t.Errorf("the steps of %s lack %s:\n%s", name, word, text)
			}
		}
		if strings.Contains(text, steps.lacks) || strings.Contains(text+p.Reason, secretCanary) {
			t.Errorf("%s: %s\n%s", name, p.Reason, text)
		}
	}
	w.write(path, servers(map[string]entry{"mine": keyed.withEnv("ACME_API_KEY=${ACME_API_KEY}")}))
	e.Connector("mine", message.ConnectorReady)
}

// A program that wants a sign-in says so in its own words; what merely holds the word does not (D1).
func TestD1_ALostSignIn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.user(servers(map[string]entry{
		"signs in": guarded("[ -e '"+w.file("session")+"' ]", "You are not logged in. Run acme login to sign in.", ""),
		"argument": guarded("false", `unknown argument "login"`, ""),
		"answers":  w.puppet("answers"),
	}))
	e := w.edit()
	c := e.Connector("signs in", message.ConnectorLogin)
	if c.Problem.Kind != message.ProblemLogin || !strings.Contains(c.Problem.Reason, "wants a sign-in") || !strings.Contains(c.Problem.Reason, "You are not logged in") {
		t.Errorf("%+v", c.Problem)
	}
	if c := e.Connector("argument", message.ConnectorFailed); c.Problem.Kind != message.ProblemExited {
		t.Errorf("%+v", c.Problem)
	}
	result := call(t, e, "signs in.a", "{}")
	if result.Status != message.CallNeedsLogin || result.MayHaveRun || !strings.Contains(result.Advice, "Do not retry") || !strings.Contains(result.Advice, "1. Sign in") {
		t.Errorf("%+v", result)
	}
	// A tool that says the same of a call is a tool that says something: the connector runs, and nothing is diagnosed.
	e.Connector("answers", message.ConnectorReady)
	pid := pidOf(t, e, "answers")
	if result := call(t, e, "answers.look", `{"text":"401 Unauthorized: you are not logged in; ACME_API_KEY is not set"}`); result.Status != message.CallOK || result.Advice != "" {
		t.Errorf("%+v", result)
	}
	if now := pidOf(t, e, "answers"); now != pid {
		t.Errorf("process %d, then %d", pid, now)
	}
	w.write(w.file("session"), "")
	if c := editortest.Request(e, message.ConnectorRestart, message.ConnectorParams{Connector: "signs in"}).Connector; c.State != message.ConnectorReady {
		t.Errorf("%+v", c)
	}
}

// What keeps a connector from running stands wherever somebody looks, with the same steps: the list, the status document, a
// diagnostic, the command line, the answer to a call and what an agent is told (D2).
func TestD2_TheStepsAreEverywhere(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	path := w.user(servers(map[string]entry{"absent": {"command": "npx-that-is-not-there"}}))
	e := w.edit()
	p := e.Connector("absent", message.ConnectorFailed).Problem
	e.Open(path, string(read(t, path)))
	execute(e, message.CommandStatus.Name)
	status := e.Shown("npx-that-is-not-there")
	result := call(t, e, "absent.a", "{}")
	code, out, said := w.inShell("call", "absent.a", "{}")
	if code != 4 {
		t.Errorf("exit code %d, %s%s", code, out, said)
	}
	for i, step := range p.Steps {
		for place, text := range map[string]string{
			"the status": status, "the answer": strings.Join(result.Steps, "\n"), "the advice": result.Advice, "the command line": said,
		} {
			if !strings.Contains(text, step) {
				t.Errorf("%s lacks step %d, %s:\n%s", place, i+1, step, text)
			}
		}
	}
	if out != "" || !strings.Contains(said, p.Reason) {
		t.Errorf("%q, %q", out, said)
	}
}

// inShell runs the program with a line in the repository, without a terminal.
func (w *world) inShell(line ...string) (code int, stdout, stderr string) {
	w.t.Helper()
	command := exec.Command(pillion, line...)
	var out, said strings.Builder
	command.Env, command.Dir, command.Stdout, command.Stderr = w.environ, w.repository, &out, &said
	command.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := command.Run(); err != nil && command.ProcessState == nil {
		w.t.Fatal(err)
	}
	return command.ProcessState.ExitCode(), out.String(), said.String()
}
