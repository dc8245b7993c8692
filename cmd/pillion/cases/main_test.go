package cases

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"testing"

	"pillion/editors/editortest"
	"pillion/mcp/mcptest"
)

// pillion and fakestdio are the programs under test, built once for the run.
var pillion, fakestdio string

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	if file := os.Getenv(turncoatVar); file != "" {
		return turncoat(file)
	}
	if log := os.Getenv(puppetVar); log != "" {
		return runPuppet(log)
	}
	// The tests wait more than they work: for programs to start, and for what is left of them to end.
	flag.Parse()
	if parallel := flag.Lookup("test.parallel"); parallel.Value.String() == strconv.Itoa(runtime.GOMAXPROCS(0)) {
		_ = parallel.Value.Set(strconv.Itoa(4 * runtime.GOMAXPROCS(0)))
	}
	folder, err := os.MkdirTemp("", "pillion-cases-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(folder)
	if err := os.Chmod(folder, 0o755); err != nil { // another user runs them too
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	pillion = filepath.Join(folder, "pillion"+executableSuffix())
	fakestdio = filepath.Join(folder, "fakestdio"+executableSuffix())
	// A program under the race detector takes a second to end; what is tested here is not the fake.
	for program, flags := range map[string][]string{
		"pillion/cmd/pillion": {"-race", "-o", pillion}, "pillion/mcp/mcptest/fakestdio": {"-o", fakestdio},
	} {
		build := exec.Command("go", append(append([]string{"build"}, flags...), program)...)
		build.Stderr = os.Stderr
		if err := build.Run(); err != nil {
			fmt.Fprintln(os.Stderr, "build", program+":", err)
			return 1
		}
	}
	return m.Run()
}

func executableSuffix() string {
	if runtime.GOOS == "windows" {
		return ".exe"
	}
	return ""
}

// world is a user with a home and a repository of their own.
type world struct {
	t          *testing.T
	home       string
	repository string
	environ    []string
	// before is what Pillion is started by, if not directly.
	before []string
}

func newWorld(t *testing.T) *world {
	t.Helper()
	home := t.TempDir()
	w := &world{t: t, home: home, repository: filepath.Join(home, "repository")}
	if err := os.Mkdir(w.repository, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { mcptest.NoneLeft(t, home) }) // after the editors, which were started later
	w.environ = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + home, "TMPDIR=" + os.TempDir(), "LANG=C.UTF-8",
		"PILLION_CONFIG_DIR=" + filepath.Join(home, "config"), "PILLION_STATE_DIR=" + filepath.Join(home, "state"), "XDG_RUNTIME_DIR=", "PILLION_CACHE_DIR=/dev/null/none", // nothing is kept: each session starts what may run
		"GORACE=halt_on_error=1 exitcode=66 atexit_sleep_ms=0",
	}
	return w
}

// project writes the repository's .mcp.json and returns its path.
func (w *world) project(text string) string {
	w.t.Helper()
	return w.write(filepath.Join(w.repository, ".mcp.json"), text)
}

// user writes the user's own mcp.json and returns its path.
func (w *world) user(text string) string {
	w.t.Helper()
	return w.write(filepath.Join(w.home, "config", "mcp.json"), text)
}

func (w *world) write(path, text string) string {
	w.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
	return path
}

// edit opens the repository in an editor.
func (w *world) edit(change ...func(*editortest.Options)) *editortest.Editor {
	w.t.Helper()
	options := editortest.Options{Command: append(slices.Clone(w.before), pillion, "--stdio"), Environ: w.environ, Roots: []string{w.repository}}
	for _, f := range change {
		f(&options)
	}
	return editortest.Start(w.t, options)
}
