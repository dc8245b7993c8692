package cases

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"pillion/editors/editortest"
	"pillion/rpc/message"
)

// replace writes a file as careful editors do. Nothing is said to Pillion of it.
func (w *world) replace(path, text string) {
	w.t.Helper()
	w.write(path+".tmp", text)
	w.do(os.Rename(path+".tmp", path))
}

// link makes path a link, in one step.
func (w *world) link(target, path string) {
	w.t.Helper()
	w.do(os.Symlink(target, path+".new"))
	w.do(os.Rename(path+".new", path))
}

func (w *world) do(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// off is a connector that shows by being listed which text was read.
func off() entry { return entry{"command": "nowhere", "disabled": true} }

// listed reports whether a connector is there.
func listed(e *editortest.Editor, name string) bool {
	for _, c := range editortest.Request(e, message.Connectors, message.Empty{}).Connectors {
		if c.Name == name {
			return true
		}
	}
	return false
}

// watches counts what a process watches; 0 where the system does not say.
func watches(pid int) int {
	count := 0
	paths, _ := filepath.Glob(filepath.Join("/proc", strconv.Itoa(pid), "fdinfo", "*"))
	for _, path := range paths {
		text, _ := os.ReadFile(path)
		count += strings.Count(string(text), "inotify wd:")
	}
	return count
}

// A8: a save restarts what it changed and nothing else.
func TestA8_AtomicSave(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	text := func(changed string) string {
		return servers(map[string]entry{"changed": fake("", "V="+changed), "stays": fake(""), "marker-" + changed: off()})
	}
	path := w.user(text("0"))
	e := w.edit()
	stays := e.Connector("stays", message.ConnectorReady)
	before := e.Connector("changed", message.ConnectorReady)
	for _, version := range []string{"1", "2", "3"} {
		w.replace(path, text(version))
		e.Connector("marker-"+version, message.ConnectorDisabled)
		after := e.ConnectorThat("that was restarted", func(c message.Connector) bool {
			return c.Name == "changed" && c.State == message.ConnectorReady && len(c.Processes) == 1 && c.Processes[0].PID != before.Processes[0].PID
		})
		eventually(t, "the old process has ended", func() bool { return !isAlive(before.Processes[0].PID) })
		before = after
		if samePID(stays, e.Connector("stays", message.ConnectorReady)) == 0 {
			t.Error("a connector that did not change was restarted")
		}
	}
}

// A8: the folder of the user's file need not exist.
func TestA8_FolderMadeLater(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	e := w.edit()
	if listed(e, "mine") {
		t.Fatal("where from?")
	}
	w.user(servers(map[string]entry{"mine": fake("")}))
	e.Connector("mine", message.ConnectorReady)
}

// A8, S2: the workspace folder goes while its connector works in it, and one of the same name comes.
func TestA8_FolderRemovedAndMadeAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	text := servers(map[string]entry{"f": fake("")})
	w.project(text)
	e := w.edit()
	e.Allow("f")
	before := e.Connector("f", message.ConnectorReady)
	for range 2 {
		w.do(os.RemoveAll(w.repository))
		eventually(t, "the connector is gone", func() bool { return !listed(e, "f") })
		w.project(text)
		eventually(t, "the connector is there again", func() bool { return listed(e, "f") })
		e.Connector("f", message.ConnectorWaiting) // another folder, which nobody has allowed
	}
	eventually(t, "its process has ended", func() bool { return !isAlive(before.Processes[0].PID) })
	e.Allow("f")
	e.Connector("f", message.ConnectorReady)
}

func TestC10_LinkRetargeted(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	in := func(name string) string { return filepath.Join(w.repository, name) }
	text := func(marker string) string { return servers(map[string]entry{"f": fake(""), marker: off()}) }
	w.write(in("d1/c.json"), text("one"))
	w.write(in("d2/c.json"), text("two"))
	w.link("d1/c.json", in(".mcp.json"))
	var removals atomic.Int32
	e := w.edit(func(o *editortest.Options) {
		o.Heard = func(body []byte) {
			if strings.Contains(string(body), `"removed":["`) {
				removals.Add(1)
			}
		}
	})
	e.Allow("f")
	stays := e.Connector("f", message.ConnectorReady)
	count := watches(e.PID())
	for _, step := range []struct {
		marker string
		act    func()
	}{
		{"two", func() { w.link("d2/c.json", in(".mcp.json")) }},
		{"two, saved", func() { w.replace(in("d2/c.json"), text("two, saved")) }},
		{"one", func() { w.link(in("d1/c.json"), in(".mcp.json")) }},
		{"one, saved", func() { w.write(in("d1/c.json"), text("one, saved")) }},
		{"two, saved", func() { w.link("d2/c.json", in(".mcp.json")) }},
	} {
		step.act()
		e.Connector(step.marker, message.ConnectorDisabled)
		if samePID(stays, e.Connector("f", message.ConnectorReady)) == 0 {
			t.Fatalf("%s: the connector did not stay up", step.marker)
		}
	}
	eventually(t, "no watch is leaked", func() bool { return watches(e.PID()) == count })
	removals.Store(0)
	w.do(os.Remove(in("d2/c.json")))
	eventually(t, "the project's connectors are gone", func() bool { return !listed(e, "f") && !isAlive(stays.Processes[0].PID) })
	w.write(in("d2/c.json"), text("again"))
	e.Connector("again", message.ConnectorDisabled)
	e.Connector("f", message.ConnectorReady, message.ConnectorIdle)
	if n := removals.Load(); n != 1 {
		t.Errorf("connectors were removed %d times", n)
	}
	eventually(t, "no watch is leaked", func() bool { return watches(e.PID()) == count })
}

// A8, C03: without a word from the editor.
func TestA8_BrokenAndMended(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	good := servers(map[string]entry{"f": fake(""), "before": off()})
	path := w.project(good)
	mark := w.user(servers(map[string]entry{"mark-0": off()}))
	e := w.edit()
	e.Allow("f")
	stays := e.Connector("f", message.ConnectorReady)
	for i, broken := range []string{good[:len(good)/2], "", "// nothing\n", `{"mcpServers": {"f": {}, "f": {}`} {
		w.replace(path, broken)
		name := "mark-" + strconv.Itoa(i+1)
		w.replace(mark, servers(map[string]entry{name: off()}))
		e.Connector(name, message.ConnectorDisabled) // read after the broken one
		if samePID(stays, e.Connector("f", message.ConnectorReady)) == 0 || !listed(e, "before") {
			t.Errorf("%q cost the connectors", broken)
		}
	}
	w.replace(path, servers(map[string]entry{"f": fake(""), "after": off()}))
	e.Connector("after", message.ConnectorDisabled)
	if samePID(stays, e.Connector("f", message.ConnectorReady)) == 0 {
		t.Error("mending restarted a connector that did not change")
	}
}

// A8, S24: a file that comes to lie outside its folder is refused, and its connectors go with it.
func TestS24_FileLedOutsideIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	text := servers(map[string]entry{"f": fake("touch=" + w.file("outside-ran"))})
	outside := w.write(w.file("outside/c.json"), text)
	inside := servers(map[string]entry{"f": fake("")})
	path := w.project(inside)
	e := w.edit()
	e.Allow("f")
	before := e.Connector("f", message.ConnectorReady)
	for _, target := range []string{outside, "../outside/c.json"} {
		w.link(target, path)
		eventually(t, "the connector is gone", func() bool { return !listed(e, "f") })
		w.replace(path, inside)
		eventually(t, "the connector is there again", func() bool { return listed(e, "f") })
		e.Connector("f", message.ConnectorReady, message.ConnectorIdle) // what it lists is known
	}
	eventually(t, "its first process has ended", func() bool { return !isAlive(before.Processes[0].PID) })
	if exists(w.file("outside-ran")) {
		t.Error("what lies outside was run")
	}
}

// A8: a checkout of thousands of files beside them is nothing to read the files again for.
func TestA8_StormOfOtherFiles(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	path := w.project(servers(map[string]entry{"before": off()}))
	var told atomic.Int32
	e := w.edit(func(o *editortest.Options) {
		o.Heard = func(body []byte) {
			if strings.Contains(string(body), `"method":"pillion/connectorsChanged"`) {
				told.Add(1)
			}
		}
	})
	e.Connector("before", message.ConnectorDisabled)
	told.Store(0)
	from := w.write(filepath.Join(w.repository, "file"), "")
	for i := range 20000 {
		to := filepath.Join(w.repository, "file"+strconv.Itoa(i%2))
		w.do(os.Rename(from, to))
		from = to
	}
	w.replace(path, servers(map[string]entry{"after": off()}))
	e.Connector("after", message.ConnectorDisabled)
	if n := told.Load(); n < 1 || n > 2 {
		t.Errorf("the editor was told %d times", n)
	}
}
