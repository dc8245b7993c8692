//go:build linux

package soak

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"pillion/editors/editortest"
	"pillion/mcp/mcptest"
	"pillion/rpc/message"
)

var (
	duration = flag.Duration("soak.duration", 4*time.Second, "how long it goes on")
	seed     = flag.Uint64("soak.seed", 0, "what to do, as an earlier run printed it; 0 draws one")
)

// pillion and fakestdio are the programs under test, built once for the run.
var pillion, fakestdio string

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(run(m))
}

func run(m *testing.M) int {
	folder, err := os.MkdirTemp("", "pillion-soak-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(folder)
	pillion, fakestdio = filepath.Join(folder, "pillion"), filepath.Join(folder, "fakestdio")
	for _, build := range [][]string{{"-race", "-o", pillion, "pillion/cmd/pillion"}, {"-o", fakestdio, "pillion/mcp/mcptest/fakestdio"}} {
		command := exec.Command("go", append([]string{"build"}, build...)...)
		command.Stderr = os.Stderr
		if err := command.Run(); err != nil {
			fmt.Fprintln(os.Stderr, "build", build, err)
			return 1
		}
	}
	return m.Run()
}

// soak is a run.
type soak struct {
	environ []string
	files   *files
	tally   *tally
	random  *rand.Rand
	steady  *window // lives from the beginning to the end
	other   *window // is killed, and comes back
	opened  int
	memory  []float64 // of the steady window, MiB, a sample each step
}

const (
	pace     = 12 * time.Millisecond // between two things that happen
	patience = 60 * time.Second      // for what must come to an end
)

// TestSoak fails if Pillion crashes, grows, leaves something behind, loses an answer or gives one twice.
func TestSoak(t *testing.T) {
	if *seed == 0 {
		*seed = rand.Uint64()
	}
	t.Logf("soak: seed %d for %v", *seed, *duration)
	home := t.TempDir()
	t.Cleanup(func() { mcptest.NoneLeft(t, home) }) // after the editors, which are started later
	s := newSoak(t, home)
	for until := time.Now().Add(*duration); time.Now().Before(until); {
		s.step(t)
		s.memory = append(s.memory, residentMiB(s.steady.PID()))
		time.Sleep(pace) // what is simulated is time
	}
	s.conclude(t, home)
	t.Logf("soak: seed %d\n%s", *seed, s.tally)
	for _, fault := range s.tally.faults {
		t.Error(fault)
	}
}

func newSoak(t *testing.T, home string) *soak {
	t.Helper()
	repository := filepath.Join(home, "repository")
	if err := os.MkdirAll(repository, 0o755); err != nil {
		t.Fatal(err)
	}
	s := &soak{files: newFiles(home, repository), tally: newTally(), random: rand.New(rand.NewPCG(*seed, 0))}
	s.environ = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + home, "TMPDIR=" + os.TempDir(), "LANG=C.UTF-8",
		"PILLION_CONFIG_DIR=" + filepath.Join(home, "config"), "PILLION_STATE_DIR=" + filepath.Join(home, "state"), "XDG_RUNTIME_DIR=", "PILLION_CACHE_DIR=/dev/null/none", // nothing is kept: each session starts what may run
		"GORACE=halt_on_error=1 exitcode=66 atexit_sleep_ms=0",
	}
	if err := s.files.write(); err != nil {
		t.Fatal(err)
	}
	s.steady, s.other = s.reopen(t), s.reopen(t)
	for _, w := range []*window{s.steady, s.other} { // what the repository runs is asked about once, by whoever is first
		if _, err := editortest.TryRequest(w.Editor, message.AskShow, message.AskShowParams{}); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func (s *soak) reopen(t *testing.T) *window {
	s.opened++
	return s.open(t, fmt.Sprintf("window%d", s.opened), s.random.Uint64())
}

// step does one thing. What it does depends on the seed alone, never on what came of the things before.
func (s *soak) step(t *testing.T) {
	name := pick(s.random, s.files.entries...).name
	w := pick(s.random, s.steady, s.other)
	within := time.Duration(s.random.IntN(400)) * time.Millisecond
	switch n := s.random.IntN(1000); {
	case n < 780:
		id := message.CallID(fmt.Sprintf("%s-%d", w.name, len(s.tally.made)))
		s.tally.make(id)
		if within > 100*time.Millisecond {
			within = 0
		}
		w.call(id, name+".a", within)
	case n < 860:
		s.kill(n)
	case n < 920:
		s.edit(t, name, n)
	case n < 980:
		s.order(w, name, n)
	case n < 997:
		s.show(w)
	default:
		s.lose(t, n)
	}
}

// kill ends a connector's process the hard way.
func (s *soak) kill(n int) {
	all := slices.DeleteFunc(mcptest.ProcessesOf(s.files.home), func(p mcptest.Process) bool { return !strings.HasPrefix(p.Command, fakestdio) })
	if len(all) > 0 {
		s.tally.add("connector killed", syscall.Kill(all[n%len(all)].PID, syscall.SIGKILL) == nil)
	}
}

// edit changes a definition, or takes an entry out of its file or puts it back.
func (s *soak) edit(t *testing.T, name string, n int) {
	if n%3 == 0 {
		s.files.isOff[name] = !s.files.isOff[name]
	} else {
		s.files.edition[name]++
	}
	if err := s.files.write(); err != nil {
		t.Fatal(err)
	}
	s.tally.add("file edited", true)
}

// order starts, stops or restarts a connector; nobody waits for it.
func (s *soak) order(w *window, name string, n int) {
	order := []func() error{
		func() error {
			_, err := editortest.TryRequest(w.Editor, message.ConnectorStart, message.ConnectorParams{Connector: message.ConnectorRef(name)})
			return err
		},
		func() error {
			_, err := editortest.TryRequest(w.Editor, message.ConnectorStop, message.ConnectorParams{Connector: message.ConnectorRef(name)})
			return err
		},
		func() error {
			_, err := editortest.TryRequest(w.Editor, message.ConnectorRestart, message.ConnectorParams{Connector: message.ConnectorRef(name)})
			return err
		},
	}[n%3]
	w.calls.Go(func() { s.tally.add([]string{"start", "stop", "restart"}[n%3], order() == nil) })
}

// show brings up the question about whatever waits.
func (s *soak) show(w *window) {
	w.calls.Go(func() {
		_, err := editortest.TryRequest(w.Editor, message.AskShow, message.AskShowParams{})
		s.tally.add("question shown", err == nil)
	})
}

// lose ends the other window, by a kill or in order, and opens another one.
func (s *soak) lose(t *testing.T, n int) {
	old := s.other
	old.leave()
	if n%2 == 0 {
		s.tally.killed[old.name] = true
		old.Kill()
	} else {
		s.tally.closes(old.name)
		old.end()
	}
	if !old.settle(patience) {
		s.tally.fault("%s is gone, and somebody still waits for it", old.name)
	}
	s.tally.add([]string{"window killed", "window closed"}[n%2], true)
	s.other = s.reopen(t)
}

// conclude lets everything come to rest and looks at what is left.
func (s *soak) conclude(t *testing.T, home string) {
	for _, w := range []*window{s.steady, s.other} {
		if !w.settle(patience) {
			s.tally.fault("%s: calls without an answer:\n%s", w.name, w.Session())
		}
		w.leave()
		w.quiet()
	}
	s.other.end()
	fresh := s.reopen(t)
	fresh.leave()
	fresh.quiet()
	s.compareDescriptors(fresh)
	before, _ := fresh.autopsy()
	after, stacks := s.steady.autopsy()
	if after > before+before/4 {
		s.tally.fault("%d goroutines in a window that was used, %d in one that was not:\n%s", after, before, stacks)
	}
	s.tally.counts["goroutines at the end"], s.tally.counts["goroutines of a fresh window"] = after, before
	s.judgeMemory()
	mcptest.NoneLeft(t, home)
	if err := s.tally.compare(filepath.Join(home, "state")); err != nil {
		s.tally.fault("the audit log: %v", err)
	}
}

func (s *soak) compareDescriptors(fresh *window) {
	old, new := descriptors(s.steady.PID()), descriptors(fresh.PID())
	s.tally.counts["open files at the end"], s.tally.counts["open files of a fresh window"] = old, new
	if old > new+4 {
		s.tally.fault("%d files are open in a window that was used, %d in one that was not", old, new)
	}
}

// judgeMemory compares the last quarter with the second one; of a run of less than a minute nothing can be said.
func (s *soak) judgeMemory() {
	n := len(s.memory)
	second, last := median(s.memory[n/4:n/2]), median(s.memory[n*3/4:])
	s.tally.counts["MiB in the second quarter"], s.tally.counts["MiB in the last quarter"] = int(second), int(last)
	if *duration >= time.Minute && last > second*1.2+16 {
		s.tally.fault("memory grew from %.0f to %.0f MiB", second, last)
	}
}

func median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}
