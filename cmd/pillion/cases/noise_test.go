package cases

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"pillion/editors/editortest"
	"pillion/mcp/mcptest"
	"pillion/rpc/message"
)

// What is skipped is counted, and shown once with a sample.
func TestC15_NoiseIsShown(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.user(servers(map[string]entry{"quiet": fake("", readOnly), "noisy": w.puppet("noisy"), "glue": fake("glue", readOnly)}))
	e := w.edit()
	for _, name := range []string{"quiet", "noisy", "glue"} {
		if c := e.Connector(name, message.ConnectorReady); len(c.Warnings) != 0 {
			t.Errorf("%q", c.Warnings)
		}
	}
	pid := pidOf(t, e, "noisy")
	for _, line := range []string{`plain \u001b[31mtext\u202e`, `{\"not json`, `{\"level\":\"info\"}`} {
		if result := call(t, e, "noisy.look", `{"stdout":"`+line+`","text":"heard"}`); result.Text != "heard" {
			t.Errorf("%s: %+v", line, result)
		}
	}
	warnings := func(name string) []string {
		for _, c := range editortest.Request(e, message.Connectors, message.Empty{}).Connectors {
			if c.Name == name {
				return c.Warnings
			}
		}
		return nil
	}
	if said := warnings("noisy"); len(said) != 1 || !strings.Contains(said[0], "3 lines") || !strings.Contains(said[0], "plain ") || strings.ContainsAny(said[0], "\x1b\u202e") {
		t.Errorf("%q", said)
	}
	if said := warnings("quiet"); len(said) != 0 {
		t.Errorf("%q", said)
	}
	if now := pidOf(t, e, "noisy"); now != pid {
		t.Errorf("process %d, then %d", pid, now)
	}
	execute(e, "pillion.server.status")
	if text := e.Shown("connectors"); strings.Count(text, "printed 3 lines to stdout") != 1 {
		t.Errorf("%s", text)
	}
	// An answer behind a log on the same line is lost, with that call alone.
	glued := call(t, e, "glue.a", "{}")
	if glued.Status == message.CallOK || !glued.MayHaveRun {
		t.Errorf("%+v", glued)
	}
	if result := call(t, e, "glue.a", "{}"); result.Status != message.CallOK {
		t.Errorf("%+v", result)
	}
}

// residentBytes is how much memory a process has; 0 where the system does not tell.
func residentBytes(pid int) int {
	status, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(status), "VmRSS:")
	kilobytes, _ := strconv.Atoi(strings.Fields(rest)[0])
	return kilobytes << 10
}

// However much comes, on either stream, what is kept of it is bounded, in memory and on the disk.
func TestC16_AFloodIsNotKept(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const flood, most = 20 << 20, 20 << 20 // the race detector takes its share
	w.user(servers(map[string]entry{
		"stderr": fake("stderrtotal="+strconv.Itoa(flood)).with("pillion", map[string]any{"startTimeout": "120s"}),
		"stdout": fake("flood="+strconv.Itoa(flood)).with("pillion", map[string]any{"startTimeout": "120s"}),
		"calm":   fake("", readOnly),
	}))
	e := w.edit()
	e.Connector("calm", message.ConnectorReady)
	before := residentBytes(e.PID())
	for _, name := range []string{"stderr", "stdout"} {
		e.Connector(name, message.ConnectorReady)
		if result := approved(t, e, name+".a", "{}", message.ApproveOnce); result.Status != message.CallOK {
			t.Errorf("%s: %+v", name, result)
		}
	}
	after := residentBytes(e.PID())
	t.Logf("%d MiB of memory, before the flood %d", after>>20, before>>20)
	if after-before > most {
		t.Errorf("%d MiB of memory, before the flood %d", after>>20, before>>20)
	}
	var kept int64
	err := filepath.WalkDir(w.file("state"), func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			kept += info.Size()
		}
		return err
	})
	if err != nil || kept > 10<<20 {
		t.Errorf("%d MiB are kept on the disk; %v", kept>>20, err)
	}
}

// C15: one line per kind costs that line alone, also where it stands between replies and where there are many.
func TestC15_LongLinesDoNotEndTheSession(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.user(servers(map[string]entry{"mine": fake("lines,stderrraw=300000", readOnly, mcptest.LogVar+"="+w.log("mine"))}))
	e := w.edit()
	pid := pidOf(t, e, "mine")
	for range 20 {
		if result := call(t, e, "mine.a", "{}"); result.Status != message.CallOK {
			t.Fatalf("%+v", result)
		}
	}
	if now := pidOf(t, e, "mine"); now != pid || len(argumentsOf(t, w.log("mine"))) != 20 {
		t.Errorf("process %d, then %d", pid, now)
	}
}
