package cases

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"go.lsp.dev/uri"

	"pillion/rpc/rpctest"
)

var update = flag.Bool("update", false, "rewrite what transcripts expect")

// scripted is the world of the transcripts: two folders whose .mcp.json names Pillion's demo connector.
func scripted(t *testing.T) (w *world, vars map[string]string) {
	t.Helper()
	w = newWorld(t)
	second := w.file("second")
	notes := servers(map[string]entry{"notes": {"command": pillion, "args": []string{"demo"}, "env": map[string]string{"GORACE": "atexit_sleep_ms=0"}}})
	w.project(notes)
	w.write(filepath.Join(second, ".mcp.json"), notes)
	return w, map[string]string{
		"root": string(uri.File(w.repository)), "second": string(uri.File(second)), "home": w.home, "pillion": pillion,
	}
}

// start starts Pillion without an editor, for raw bytes.
func (w *world) start(arguments ...string) *rpctest.Peer {
	w.t.Helper()
	command := exec.Command(pillion, append([]string{"--stdio"}, arguments...)...)
	command.Env, command.Dir = w.environ, string(filepath.Separator)
	return rpctest.Start(w.t, command)
}

func TestTranscripts(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob("testdata/transcripts/*.txt")
	if err != nil || len(paths) == 0 {
		t.Fatalf("%q, %v", paths, err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txt"), func(t *testing.T) {
			t.Parallel()
			w, vars := scripted(t)
			rpctest.Play(t, path, w.start(), rpctest.PlayOptions{Vars: vars, Update: *update})
		})
	}
}

// A session that was traced is played again as a test: a bug report becomes one.
func TestTraceIsReplayed(t *testing.T) {
	t.Parallel()
	w, vars := scripted(t)
	trace := w.file("trace.txt")
	rpctest.Play(t, "testdata/transcripts/journey.txt", w.start("--trace", trace), rpctest.PlayOptions{Vars: vars})
	recorded := string(read(t, trace))
	if strings.Count(recorded, "\n>") < 20 || strings.Count(recorded, "\n<") < 20 {
		t.Fatalf("%s", recorded)
	}
	if info, err := os.Stat(trace); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info.Mode(), err)
	}
	// Ids of Pillion's own are others now: they are bound where they first came up.

	rpctest.Play(t, trace, w.start(), rpctest.PlayOptions{Replay: true})
}
