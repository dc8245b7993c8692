//go:build !windows

package cases

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"pillion/editors/editortest"
	"pillion/mcp/mcptest"
	"pillion/rpc"
	"pillion/rpc/message"
)

// secretCanary is a value of the user's environment that must reach nobody.
const secretCanary = "canary-4f1c-of-the-environment"

// hostile is a repository that tries to get something run, sent or read by being opened. It is written as an archive: the
// comment says what it tries; repo/, config/ and outside/ are the repository, the user's own configuration and a folder beside
// them. In the files @MARK@ stands for the file whose existence shows that something ran, @FAKE@ for a program that makes it,
// @URL@ for an address that nobody may connect to, and @REPO@ and @OUTSIDE@ for the folders. "-> path" makes a link.
type hostile struct {
	*world
	marks  string
	silent *listener
}

func unpack(t *testing.T, archive *txtar.Archive) *hostile {
	t.Helper()
	h := &hostile{world: newWorld(t), silent: newListener(t)}
	h.marks = h.file("marks")
	if err := os.Mkdir(h.marks, 0o700); err != nil {
		t.Fatal(err)
	}
	// A folder of the repository stands first in PATH, as direnv and its kin have it.
	h.environ = append(h.environ, "CANARY_XYZ="+secretCanary, "PATH="+filepath.Join(h.repository, "bin")+string(os.PathListSeparator)+os.Getenv("PATH"))
	places := map[string]string{"repo": h.repository, "config": h.file("config"), "outside": h.file("outside")}
	replace := strings.NewReplacer("@MARK@", filepath.Join(h.marks, "ran"), "@FAKE@", fakestdio, "@URL@", h.silent.url(),
		"@REPO@", h.repository, "@OUTSIDE@", places["outside"], "@MODE@", mcptest.ModeVar)
	for _, file := range archive.Files {
		place, name, _ := strings.Cut(file.Name, "/")
		if places[place] == "" {
			t.Fatalf("%s lies nowhere", file.Name)
		}
		path := filepath.Join(places[place], filepath.FromSlash(name))
		text := replace.Replace(string(file.Data))
		if target, isLink := strings.CutPrefix(text, "-> "); isLink {
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(strings.TrimSpace(target), path); err != nil {
				t.Fatal(err)
			}
			continue
		}
		h.write(path, text)
		if strings.HasPrefix(text, "#!") {
			if err := os.Chmod(path, 0o755); err != nil {
				t.Fatal(err)
			}
		}
	}
	return h
}

// visit does in the repository what an editor and its user do without meaning to run anything, twice.
func (h *hostile) visit(t *testing.T, options ...func(*editortest.Options)) {
	t.Helper()
	var leaks atomic.Int32
	heard := func(o *editortest.Options) {
		o.Heard = func(body []byte) {
			if strings.Contains(string(body), secretCanary) {
				leaks.Add(1)
			}
		}
	}
	path := filepath.Join(h.repository, ".mcp.json")
	for range 2 {
		e := h.edit(append(slices.Clone(options), heard)...)
		text, _ := os.ReadFile(path)
		if len(text) > 0 {
			askAboutEverything(t, e, path, string(text))
		}
		for _, c := range editortest.Request(e, message.Connectors, message.Empty{}).Connectors {
			for _, act := range []rpc.Request[message.ConnectorParams, message.ConnectorResult]{message.ConnectorStart, message.ConnectorRestart} {
				if c.Source != "user" {
					editortest.Request(e, act, message.ConnectorParams{Connector: message.ConnectorRef(c.ID)})
				}
			}
			if c.State == message.ConnectorWaiting {
				result := call(t, e, string(c.Name)+".a", "{}")
				if result.MayHaveRun {
					t.Errorf("a call of %q may have run: %+v", c.Name, result)
				}
			}
		}
		editortest.Request(e, message.Doctor, message.DoctorParams{})
		h.write(filepath.Join(h.repository, ".git", "HEAD"), "ref: refs/heads/other\n")
		saved(e, path)
		editortest.Request(e, message.Connectors, message.Empty{})
		e.End()
	}
	if n := leaks.Load(); n > 0 {
		t.Errorf("%d messages hold the value of a variable", n)
	}
}

// commands runs what somebody types in a terminal in the repository, with nobody to ask.
func (h *hostile) commands(t *testing.T) {
	t.Helper()
	for _, line := range []string{
		"version", "mcp list", "mcp list --json", "pending", "call a {}", "call repo.a {}", "mcp approve", "answer x allow",
		"mcp add more -- " + fakestdio, "mcp remove nobody", "doctor", "doctor --json",
	} {
		command := exec.Command(pillion, strings.Fields(line)...)
		command.Env, command.Dir, command.SysProcAttr = h.environ, h.repository, &syscall.SysProcAttr{Setsid: true}
		shown, _ := command.CombinedOutput()
		if strings.Contains(string(shown), secretCanary) {
			t.Errorf("pillion %s shows the value of a variable:\n%s", line, shown)
		}
		if strings.Contains(string(shown), "panic:") || strings.Contains(string(shown), "DATA RACE") {
			t.Errorf("pillion %s:\n%s", line, shown)
		}
	}
}

// TestRedTeam_Repositories opens every hostile repository there is.
func TestRedTeam_Repositories(t *testing.T) {
	t.Parallel()
	archives, err := filepath.Glob("testdata/redteam/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatal("no hostile repositories", err)
	}
	for _, path := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			tries, _, _ := strings.Cut(string(archive.Comment), "\n")
			t.Log(tries)
			h := unpack(t, archive)
			h.visit(t)
			h.visit(t, func(o *editortest.Options) { o.Initialize = map[string]any{"trusted": true} })
			h.visit(t, func(o *editortest.Options) { o.IsPlain = true })
			h.commands(t)
			if left, err := os.ReadDir(h.marks); err != nil || len(left) > 0 {
				t.Errorf("%s: it succeeded: %v, %v", tries, left, err)
			}
		})
	}
}

// The mark is made where somebody allows it: the suite can fail.
func TestRedTeam_AMarkIsSeen(t *testing.T) {
	t.Parallel()
	archive, err := txtar.ParseFile("testdata/redteam/entries.txtar")
	if err != nil {
		t.Fatal(err)
	}
	h := unpack(t, archive)
	e := h.edit()
	e.Connector("program", message.ConnectorWaiting)
	e.Allow("program")
	e.Connector("program", message.ConnectorReady, message.ConnectorIdle)
	if left, err := os.ReadDir(h.marks); err != nil || len(left) == 0 {
		t.Errorf("nothing ran: %v, %v", left, err)
	}
}
