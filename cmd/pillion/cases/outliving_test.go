//go:build unix

package cases

import (
	"strings"
	"syscall"
	"testing"

	"pillion/editors/editortest"
	"pillion/rpc/message"
)

// A shell that passes its pipes on is killed with what it started.
func TestC18_AShellAsAWrapper(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	pids := w.file("pids")
	line := `exec 3<&0; "$0" <&3 3<&- & echo $$ >> "$1"; wait`
	wrapped := fake("ignoreeof,ignoreterm,pid="+pids).with("command", "/bin/sh").with("args", []string{"-c", line, fakestdio, pids})
	w.user(servers(map[string]entry{"mine": wrapped, "mute": wrapped.withEnv("PILLION_FAKE_MODE=mute,ignoreeof,ignoreterm,pid=" + w.file("mute"))}))
	e := w.edit()
	e.Connector("mine", message.ConnectorReady)
	eventually(t, "the mute one runs", func() bool { return alive(t, w.file("mute")) == 1 })
	e.Connector("mute", message.ConnectorStarting)
	for _, name := range []string{"mine", "mute"} {
		stopped := editortest.Request(e, message.ConnectorStop, message.ConnectorParams{Connector: message.ConnectorRef(name)}).Connector
		if stopped.State != message.ConnectorIdle || len(stopped.Processes) != 0 {
			t.Errorf("%+v", stopped)
		}
	}
	if alive(t, pids) != 0 || alive(t, w.file("mute")) != 0 || len(idsIn(t, pids)) != 3 {
		t.Errorf("of %v and %v live %d and %d", idsIn(t, pids), idsIn(t, w.file("mute")), alive(t, pids), alive(t, w.file("mute")))
	}
	// A call is a new wish.
	if result := approved(t, e, "mine.a", "{}", message.ApproveOnce); result.Status != message.CallOK {
		t.Errorf("%+v", result)
	}
}

// First stdin ends, for all of them at once; only who stays is signalled, and only who stays then is killed.
func TestC19_AllAreToldBeforeAnyIsSignalled(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*editortest.Editor){
		"everything is stopped": func(e *editortest.Editor) { editortest.Request(e, message.StopAll, message.Empty{}) },
		"the editor shuts down": (*editortest.Editor).End,
		"the editor is gone":    func(e *editortest.Editor) { e.Hang(); e.Wait() },
		"Pillion is killed":     (*editortest.Editor).Kill,
		"the files are emptied": nil,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			events, polite, pids := w.file("events"), w.file("polite"), w.file("pids")
			w.user(servers(map[string]entry{
				"polite": fake("flush=" + polite + ",pid=" + pids), // ends by itself
				"slow 1": fake("flush=" + events + ",ignoreeof,pid=" + pids), "slow 2": fake("flush=" + events + ",ignoreeof,pid=" + pids),
				"slow 3": fake("flush=" + events + ",ignoreeof,pid=" + pids), "deaf": fake("ignoreeof,ignoreterm,pid=" + pids),
			}))
			e := w.edit()
			for _, connector := range []string{"polite", "slow 1", "slow 2", "slow 3", "deaf"} {
				e.Connector(connector, message.ConnectorReady)
			}
			if end != nil {
				end(e)
			} else {
				saved(e, w.user(servers(nil)))
			}
			eventually(t, "nothing is left", func() bool { return alive(t, pids) == 0 })
			if got := string(read(t, polite)); got != "flushed\n" {
				t.Errorf("the polite one: %q", got)
			}
			if got, want := string(read(t, events)), strings.Repeat("flushed\n", 3)+strings.Repeat("signal\n", 3); got != want {
				t.Errorf("the others: %q", got)
			}
		})
	}
}

// A helper in a session of its own, whose server is killed too, is found by its mark.
func TestC20_AStrayHelperIsSwept(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	helper, server := w.file("helper"), w.file("server")
	w.user(servers(map[string]entry{"mine": fake("helper=" + helper + ",pid=" + server)}))
	e := w.edit()
	pid := pidOf(t, e, "mine")
	eventually(t, "its helper runs", func() bool { return alive(t, helper) == 1 })
	e.Kill()
	_ = syscall.Kill(pid, syscall.SIGKILL)
	eventually(t, "the helper has ended", func() bool { return alive(t, helper) == 0 })
}

// C20: losing the server alone ends what it left behind as well.
func TestC20_AHelperOfAKilledServer(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	helper := w.file("helper")
	w.user(servers(map[string]entry{"mine": fake("helper=" + helper)}))
	e := w.edit()
	if err := syscall.Kill(pidOf(t, e, "mine"), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if c := e.Connector("mine", message.ConnectorFailed); c.Problem.Kind != message.ProblemExited || !strings.Contains(c.Problem.Reason, "SIGKILL") {
		t.Errorf("%+v", c.Problem)
	}
	eventually(t, "the helper has ended", func() bool { return alive(t, helper) == 0 })
}

func TestC18_AStormOfOnAndOff(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	pids := w.file("pids")
	one := fake("pid=" + pids)
	e := w.edit()
	for i := range 20 {
		if i%2 == 0 {
			saved(e, w.user(servers(map[string]entry{"mine": one})))
		} else {
			saved(e, w.user(servers(map[string]entry{"mine": one.with("disabled", true)})))
		}
	}
	e.Connector("mine", message.ConnectorDisabled)
	eventually(t, "none is left", func() bool { return alive(t, pids) == 0 })
	saved(e, w.user(servers(map[string]entry{"mine": one})))
	// Listed in the storm, it waits to be used; else it starts to be listed.
	e.Connector("mine", message.ConnectorReady, message.ConnectorIdle)
	editortest.Request(e, message.ConnectorStart, message.ConnectorParams{Connector: "mine"})
	if pid := pidOf(t, e, "mine"); alive(t, pids) != 1 || !isAlive(pid) {
		t.Errorf("%d live", alive(t, pids))
	}
}
