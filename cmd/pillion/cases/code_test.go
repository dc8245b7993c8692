//go:build !windows

package cases

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"pillion/editors/editortest"
	"pillion/mcp/mcptest"
	"pillion/rpc/message"
)

// scriptRepository is a repository whose connector is a script of its own, allowed and started once.
type scriptRepository struct {
	*world
	text string
}

func newScripted(t *testing.T) *scriptRepository {
	t.Helper()
	w := newWorld(t)
	s := &scriptRepository{world: w}
	s.put("run.sh", "exec '"+fakestdio+"'\n")
	s.put("package.json", "{}\n")
	s.put(".git/HEAD", "ref: refs/heads/main\n")
	s.text = servers(map[string]entry{"build": {"command": "sh", "args": []string{"run.sh", "${EXTRA:-none}"}, "envFile": ".env.mcp"}})
	s.put(".env.mcp", mcptest.ModeVar+"=\n")
	w.project(s.text)
	return s
}

func (s *scriptRepository) put(name, text string) string {
	return s.write(filepath.Join(s.repository, filepath.FromSlash(name)), text)
}

// allow allows the connector in a window of its own and waits for its first start.
func (s *scriptRepository) allow(decision message.ConsentDecision) {
	s.t.Helper()
	e := s.edit()
	c := e.Connector("build", message.ConnectorWaiting)
	editortest.Request(e, message.AskShow, message.AskShowParams{Connector: message.ConnectorRef(c.ID)})
	ask := e.Ask(message.AskConsent)
	if result := e.Answer(ask.AskID, `{"decisions":{"`+string(c.ID)+`":"`+string(decision)+`"}}`); !result.Accepted {
		s.t.Fatal(result.Reason)
	}
	e.Connector("build", message.ConnectorReady)
	e.End()
}

// outcome is what a connector comes to that may start in a new window, and what a question about it shows.
func (s *scriptRepository) outcome() (message.ConnectorState, message.ConsentItem) {
	s.t.Helper()
	e := s.edit()
	defer e.End()
	c := e.Connector("build", message.ConnectorWaiting, message.ConnectorReady, message.ConnectorFailed) // idle is before its start
	if c.State != message.ConnectorWaiting {
		return c.State, message.ConsentItem{}
	}
	editortest.Request(e, message.AskShow, message.AskShowParams{Connector: message.ConnectorRef(c.ID)})
	body := consentOf(s.t, e.Ask(message.AskConsent))
	if len(body.Items) != 1 {
		s.t.Fatalf("%+v", body)
	}
	return c.State, body.Items[0]
}

func TestS2_TheQuestionShowsTheCodeThatItCovers(t *testing.T) {
	t.Parallel()
	s := newScripted(t)
	state, item := s.outcome()
	var paths []string
	for _, file := range item.Shown.Files {
		paths = append(paths, file.Path)
		if len(file.SHA256) != 64 || file.Changed {
			t.Errorf("%+v", file)
		}
	}
	if want := []string{".env.mcp", "package.json", "run.sh"}; state != message.ConnectorWaiting || !slices.Equal(paths, want) {
		t.Errorf("%s, files %q, want %q", state, paths, want)
	}
}

func TestS2_EachChangeOfTheCodeAsks(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		change func(*scriptRepository)
		want   string // what the difference is said to be of; empty where nothing asks
	}{
		{"the script", func(s *scriptRepository) { s.put("run.sh", "exec '"+fakestdio+"' # another\n") }, "run.sh"},
		{"the script's name stands for another file", func(s *scriptRepository) {
			s.put("evil.sh", "exec '"+fakestdio+"' # evil\n")
			if os.Remove(filepath.Join(s.repository, "run.sh")) != nil || os.Symlink("evil.sh", filepath.Join(s.repository, "run.sh")) != nil {
				s.t.Fatal("no link")
			}
		}, "run.sh"},
		{"the file of variables", func(s *scriptRepository) { s.put(".env.mcp", "X=1\n") }, ".env.mcp"},
		{"what steers the runner", func(s *scriptRepository) { s.put("package.json", `{"type": "module"}`) }, "package.json"},
		{"a new file that steers it", func(s *scriptRepository) { s.put(".npmrc", "script-shell=./x\n") }, ".npmrc"},
		{"a file is gone", func(s *scriptRepository) { _ = os.Remove(filepath.Join(s.repository, "package.json")) }, "package.json"},
		{"another branch", func(s *scriptRepository) { s.put(".git/HEAD", "ref: refs/heads/evil\n") }, "checked-out branch"},
		{"another program of that name", func(s *scriptRepository) {
			bin := s.write(filepath.Join(s.home, "bin", "sh"), "#!/bin/sh\nexec /bin/sh \"$@\"\n")
			if err := os.Chmod(bin, 0o755); err != nil {
				s.t.Fatal(err)
			}
			s.environ = append(s.environ, "PATH="+filepath.Dir(bin)+string(os.PathListSeparator)+os.Getenv("PATH"))
		}, "program"},
		{"another value of a variable", func(s *scriptRepository) { s.environ = append(s.environ, "EXTRA=more") }, "args[1]"},
		{"the same content saved again", func(s *scriptRepository) { s.put("run.sh", "exec '"+fakestdio+"'\n") }, ""},
		{"a file that it does not name", func(s *scriptRepository) { s.put("other.sh", "x\n") }, ""},
		{"white space in the configuration", func(s *scriptRepository) { s.project(s.text + "\n\n") }, ""},
		{"changed and changed back", func(s *scriptRepository) {
			s.put("run.sh", "x\n")
			s.put("run.sh", "exec '"+fakestdio+"'\n")
		}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := newScripted(t)
			s.allow(message.ConsentAllow)
			test.change(s)
			state, item := s.outcome()
			if test.want == "" {
				if state == message.ConnectorWaiting || state == message.ConnectorFailed {
					t.Errorf("%s: %+v", state, item.Changes)
				}
				return
			}
			named := slices.ContainsFunc(item.Changes, func(c message.Change) bool { return c.Path == test.want })
			if state != message.ConnectorWaiting || item.Reason != message.ConsentChanged || !named {
				t.Errorf("%s, %s: %+v", state, item.Reason, item.Changes)
			}
		})
	}
}

func TestU11_WhatTheUserSavesOrFollowsDoesNotAsk(t *testing.T) {
	t.Parallel()
	another := "exec '" + fakestdio + "' # mine\n"
	t.Run("saved in the editor", func(t *testing.T) {
		t.Parallel()
		s := newScripted(t)
		s.allow(message.ConsentAllow)
		e := s.edit()
		e.Connector("build", message.ConnectorReady)
		path := s.put("run.sh", another)
		e.Open(path, another)
		saved(e, path)
		consents := filepath.Join(s.home, "state", "consents.json")
		before := s.read(consents)
		eventually(t, "the save is remembered", func() bool { return s.read(consents) != before })
		e.End()
		if state, item := s.outcome(); state == message.ConnectorWaiting {
			t.Errorf("%+v", item.Changes)
		}
		s.put("run.sh", another+"# and somebody else's\n")
		if state, _ := s.outcome(); state != message.ConnectorWaiting {
			t.Error("a change that was not saved here does not ask:", state)
		}
	})
	t.Run("followed", func(t *testing.T) {
		t.Parallel()
		s := newScripted(t)
		s.allow(message.ConsentAllowFollow)
		s.put("run.sh", another)
		s.put(".git/HEAD", "ref: refs/heads/feature\n")
		if state, item := s.outcome(); state == message.ConnectorWaiting {
			t.Errorf("%+v", item.Changes)
		}
	})
}

// What is swapped while its connector starts, and swapped back, may be what has run.
func TestS2_ASwapDuringTheStartIsSeen(t *testing.T) {
	t.Parallel()
	s := newScripted(t)
	text := "cp run.sh aside; echo evil > run.sh; mv aside run.sh; exec '" + fakestdio + "'\n"
	s.put("run.sh", text)
	e := s.edit()
	e.Connector("build", message.ConnectorWaiting)
	e.Allow("build")
	c := e.Connector("build", message.ConnectorWaiting, message.ConnectorStarting)
	eventually(t, "it is asked about again", func() bool {
		return editortest.Request(e, message.AskShow, message.AskShowParams{Connector: message.ConnectorRef(c.ID)}).AskID != nil
	})
	if s.read(filepath.Join(s.repository, "run.sh")) != text {
		t.Error("it was not swapped back, so this shows nothing")
	}
	item := consentOf(t, e.Ask(message.AskConsent)).Items[0]
	if len(item.Changes) != 1 || item.Changes[0].Path != "run.sh" || item.Changes[0].After != "changed while the connector started" {
		t.Errorf("%+v", item.Changes)
	}
}

// A repository that swaps its script all the time gets at most starts that are broken off, never a connector that runs.
func TestS2_ALoopThatSwapsTheFileEndsWaiting(t *testing.T) {
	t.Parallel()
	s := newScripted(t)
	s.allow(message.ConsentAllow)
	good, evil := s.read(filepath.Join(s.repository, "run.sh")), "exec '"+fakestdio+"' # evil\n"
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(time.Millisecond)
		defer tick.Stop()
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			case <-tick.C:
			}
			aside := filepath.Join(s.repository, "aside")
			if os.WriteFile(aside, []byte([]string{good, evil}[i%2]), 0o600) != nil || os.Rename(aside, filepath.Join(s.repository, "run.sh")) != nil {
				return
			}
		}
	}()
	e := s.edit()
	e.Connector("build", message.ConnectorWaiting)
	close(stop)
	<-done
	s.put("run.sh", good)
	// It stays so until a person has said yes again, whatever the file is now.
	result := call(t, e, "build.a", "{}")
	if result.Status != message.CallNeedsConsent || result.MayHaveRun {
		t.Errorf("%+v", result)
	}
}

func (s *scriptRepository) read(path string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		s.t.Fatal(err)
	}
	return strings.ToValidUTF8(string(text), "?")
}

// In a terminal nothing starts by itself, and what changed is found all the same.
func TestS2_ATerminalSeesTheChange(t *testing.T) {
	t.Parallel()
	s := newScripted(t)
	s.allow(message.ConsentAllow)
	pillion := func(line ...string) string {
		command := exec.Command(pillion, line...)
		command.Env, command.Dir, command.SysProcAttr = s.environ, s.repository, &syscall.SysProcAttr{Setsid: true}
		shown, _ := command.CombinedOutput()
		return string(shown)
	}
	if shown := pillion("mcp", "list"); strings.Contains(shown, "needs permission") {
		t.Fatalf("nothing changed:\n%s", shown)
	}
	before := onceHash(t, pillion("mcp", "revoke", "build")+pillion("call", "build.a", "{}"))
	s.allow(message.ConsentAllow)
	mark := s.file("mark")
	s.put("run.sh", ": > '"+mark+"'; exec '"+fakestdio+"'\n")
	for _, line := range [][]string{{"mcp", "list"}, {"why", "build"}} {
		if shown := pillion(line...); !strings.Contains(shown, "needs permission") {
			t.Errorf("pillion %s:\n%s", strings.Join(line, " "), shown)
		}
	}
	// What was named for one run is the code as well.
	shown := pillion("call", "--allow", before, "build.a", "{}")
	if !strings.Contains(shown, "needs permission") || exists(mark) {
		t.Errorf("another script ran, %v:\n%s", exists(mark), shown)
	}
	pillion("call", "--allow", onceHash(t, shown), "build.a", "{}")
	if !exists(mark) {
		t.Error("the script that was named did not run")
	}
}

var once = regexp.MustCompile(`--allow ([0-9a-f]+\.[0-9a-f]+)`)

// onceHash is what a program is told to name for one run.
func onceHash(t *testing.T, shown string) string {
	t.Helper()
	found := once.FindStringSubmatch(shown)
	if found == nil {
		t.Fatalf("nothing to name in:\n%s", shown)
	}
	return found[1]
}

// The words of a definition do not always say which file runs.
func TestS2_WhatRunsIsWhatIsWatched(t *testing.T) {
	t.Parallel()
	run := func(what string) string { return "exec '" + fakestdio + "' # " + what + "\n" }
	link := func(s *scriptRepository, target, name string) {
		_ = os.Remove(filepath.Join(s.repository, name))
		if err := os.Symlink(target, filepath.Join(s.repository, name)); err != nil {
			s.t.Fatal(err)
		}
	}
	for _, test := range []struct {
		name  string
		entry entry
		file  string // that runs
		links map[string]string
	}{
		{"a default in an argument", entry{"command": "sh", "args": []string{"${NOPE:-real.sh}"}}, "real.sh", nil},
		{"a default in the folder", entry{"command": "sh", "args": []string{"real.sh"}, "cwd": "${NOPE:-sub}"}, "sub/real.sh", nil},
		{"the kernel's name of the folder", entry{"command": "sh", "args": []string{"/proc/self/cwd/real.sh"}}, "real.sh", nil},
		{"back behind a link", entry{"command": "sh", "args": []string{"link/../real.sh"}}, "sub/real.sh", map[string]string{"link": "sub/deep"}},
		{"a program of PATH in the repository", entry{"command": "tool"}, "bin/tool", nil},
		{"what the shell sources", entry{"command": "bash", "args": []string{"-c", ":"}, "env": map[string]string{"BASH_ENV": "real.sh"}}, "real.sh", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := newScripted(t)
			put := func(what string) {
				path := s.put(test.file, "#!/bin/sh\n"+run(what))
				if err := os.Chmod(path, 0o755); err != nil {
					t.Fatal(err)
				}
			}
			s.put("sub/deep/x", "")
			s.environ = append(s.environ, "PATH="+filepath.Join(s.repository, "bin")+string(os.PathListSeparator)+os.Getenv("PATH"))
			for name, target := range test.links {
				link(s, target, name)
			}
			put("good")
			s.project(servers(map[string]entry{"build": test.entry}))
			s.allow(message.ConsentAllow)
			if state, item := s.outcome(); state != message.ConnectorReady {
				t.Fatalf("nothing changed: %s, %+v", state, item.Changes)
			}
			put("evil")
			if state, _ := s.outcome(); state != message.ConnectorWaiting {
				t.Errorf("what was swapped is %s", state)
			}
		})
	}
}

// The files are read again all the time, by any window's yes too; that must not lead past the judgement of the code.
func TestS2_AReloadDuringTheStartHidesNothing(t *testing.T) {
	t.Parallel()
	s := newScripted(t)
	s.allow(message.ConsentAllow)
	shell := s.write(filepath.Join(s.home, "slow-shell"), "#!/bin/sh\nsleep 1\nexec /bin/sh -c 'echo \"$PATH\"'\n")
	if err := os.Chmod(shell, 0o755); err != nil {
		t.Fatal(err)
	}
	s.environ = append(s.environ, "SHELL="+shell)
	e := s.edit()
	e.Connector("build", message.ConnectorStarting)
	mark := s.file("mark")
	s.put("run.sh", ": > '"+mark+"'; exec '"+fakestdio+"'\n")
	s.project(s.text + "\n")
	e.Connector("build", message.ConnectorWaiting)
	if exists(mark) {
		t.Error("what was swapped ran")
	}
}

// A yes of the user's is for what the user wrote: not for what lies on the disk beside it.
func TestU11_OnlyWhatTheEditorHoldsIsSaved(t *testing.T) {
	t.Parallel()
	s := newScripted(t)
	s.allow(message.ConsentAllow)
	e := s.edit()
	e.Connector("build", message.ConnectorReady)
	path := filepath.Join(s.repository, "run.sh")
	e.Open(path, s.read(path))
	s.put("run.sh", "exec '"+fakestdio+"' # another's\n")
	saved(e, path)
	editortest.Request(e, message.Connectors, message.Empty{})
	e.End()
	if state, _ := s.outcome(); state != message.ConnectorWaiting {
		t.Error("what somebody else wrote is", state)
	}
}

// Another folder takes the allowed one's place in the last moment before the spawn, the same but for what the script imports.
func TestS2_AFolderSwappedBeforeTheSpawn(t *testing.T) {
	t.Parallel()
	s := newScripted(t)
	script := ". ./lib.sh; exec '" + fakestdio + "'\n"
	s.put("run.sh", script)
	s.put("lib.sh", ":\n")
	s.allow(message.ConsentAllow)
	mark, other, aside := s.file("mark"), s.file("other"), s.file("aside")
	for name, text := range map[string]string{
		".mcp.json": s.text, "run.sh": script, "lib.sh": ": > '" + mark + "'\n", "package.json": "{}\n",
		".git/HEAD": "ref: refs/heads/main\n", ".env.mcp": mcptest.ModeVar + "=\n",
	} {
		s.write(filepath.Join(other, name), text)
	}
	// The login shell is asked right before.
	shell := s.write(filepath.Join(s.home, "swapping-shell"), "#!/bin/sh\nmv '"+s.repository+"' '"+aside+"' && mv '"+other+"' '"+s.repository+"'\nexec /bin/sh -c 'echo \"$PATH\"'\n")
	if err := os.Chmod(shell, 0o755); err != nil {
		t.Fatal(err)
	}
	s.environ = append(s.environ, "SHELL="+shell)
	e := s.edit()
	e.Connector("build", message.ConnectorWaiting)
	if exists(mark) || !exists(aside) {
		t.Errorf("the other folder ran: %v; it was swapped: %v", exists(mark), exists(aside))
	}
}
