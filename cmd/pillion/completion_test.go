//go:build !windows

package main

import (
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// completed are the words that are offered at the end of a command line.
func (w *world) completed(words ...string) []string {
	w.t.Helper()
	words[len(words)-1] = "=" + words[len(words)-1]
	var offered []string
	for line := range strings.Lines(w.expect(exitOK, append([]string{completeWord}, words...)...).stdout) {
		word, _, _ := strings.Cut(line, "\t")
		offered = append(offered, word)
	}
	return offered
}

func TestCompletionFollowsTheGrammar(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.user(w.fake("good", "", map[string]string{"PILLION_FAKE_TOOLS": readOnlyTool}), w.fake("$(touch x)", "", nil), w.fake("two words", "", nil), w.fake("-rf", "", nil))
	w.expect(exitOK, "refresh", "good")
	for _, test := range []struct {
		words string
		want  []string
	}{
		{"comp", []string{"completion"}},
		{"mcp re", []string{"remove", "revoke"}},
		{"mcp remove ", []string{"good"}},
		{"mcp remove good ", nil},
		{"mcp add ", nil},
		{"ls g", []string{"good"}},
		{"ls --context ", nil},
		{"ls --con", []string{"--context"}},
		{"search x --connector ", []string{"good"}},
		{"call go", []string{"good.a"}},
		{"call good.a ", nil},
		{"completion ", []string{"bash", "zsh", "fish", "powershell"}},
		{"client install cur", []string{"cursor"}},
		{"permissions ", []string{"list", "remove", "set"}},
		{"log --kind=ca", nil},
		{"log --kind ca", []string{"call"}},
		{"log -- --k", nil},
		{"--log-level ", []string{"debug", "info", "warn", "error"}},
		{"--json mcp lo", []string{"log"}},
	} {
		if got := w.completed(strings.Split(test.words, " ")...); !slices.Equal(got, test.want) {
			t.Errorf("%q: %q, want %q", test.words, got, test.want)
		}
	}
	for _, words := range [][]string{{completeWord}, {completeWord, "x"}} {
		if o := w.run(words...); o.stdout != "" {
			t.Error(o)
		}
	}
}

// TestCompletionInRealShells completes in each shell that is there, the way a person does.
func TestCompletionInRealShells(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.user(w.fake("good", "", nil), w.fake("$(touch "+filepath.Join(w.home, "ran")+")", "", nil))
	script := func(shell string) string {
		path := filepath.Join(w.home, "completion."+shell)
		w.write(path, w.expect(exitOK, "completion", shell).stdout)
		return path
	}
	has := func(shell string) bool {
		_, err := exec.LookPath(shell)
		return err == nil
	}
	w.environ = append(w.environ, "PATH="+filepath.Dir(pathOf(t, "pillion"))+":/usr/local/bin:/usr/bin:/bin")
	t.Run("bash", func(t *testing.T) {
		if !has("bash") {
			t.Skip("there is no bash")
		}
		out := w.shell(t, "bash", "--norc", "-c", `source "$1"
try() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _pillion; echo "<${COMPREPLY[*]}>"; }
try pillion compl; try pillion mcp remove ""; try pillion ls --json --con; try pillion client install claude
complete -p pillion`, "bash", script("bash"))
		for _, want := range []string{"<completion>", "<good>", "<--context>", "<claude-code>", "-F _pillion pillion"} {
			if !strings.Contains(out, want) {
				t.Errorf("bash does not offer %s:\n%s", want, out)
			}
		}
	})
	t.Run("fish", func(t *testing.T) {
		if !has("fish") {
			t.Skip("there is no fish")
		}
		out := w.shell(t, "fish", "--no-config", "-c", `source $argv[1]; complete -C "pillion compl"; complete -C "pillion mcp remove "; complete -C "pillion ls --json --con"`, script("fish"))
		for _, want := range []string{"completion\tPrint a script", "good\n", "--context\tThe size"} {
			if !strings.Contains(out, want) {
				t.Errorf("fish does not offer %q:\n%s", want, out)
			}
		}
	})
	t.Run("zsh", func(t *testing.T) {
		if !has("zsh") {
			t.Skip("there is no zsh")
		}
		command := exec.Command("zsh", "-f", "-i")
		command.Dir, command.Env = w.repository, append(slices.Clone(w.environ), "PS1=> ")
		s := w.with(t).start(command, nil)
		s.sees("> ")
		s.types("autoload -Uz compinit && compinit -u -D && source " + script("zsh") + " && print rea''dy\n")
		s.sees("ready")
		s.types("pillion compl\t")
		s.sees("pillion completion")
		s.types("z\t")
		s.sees("zsh")
		s.types("\x15pillion mcp remove \t")
		s.sees("good")
		s.types("\x15exit\n")
		if _, shown := s.ends(); strings.Contains(shown, "touch") {
			t.Errorf("what is no word is offered:\n%s", shown)
		}
	})
	if exists(filepath.Join(w.home, "ran")) {
		t.Error("the name of a connector was run")
	}
}

// shell runs a shell in the world and returns what it printed.
func (w *world) shell(t *testing.T, arguments ...string) string {
	t.Helper()
	command := exec.Command(arguments[0], arguments[1:]...)
	command.Dir, command.Env = w.repository, w.environ
	out, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%q: %v\n%s", arguments, err, out)
	}
	return string(out)
}
