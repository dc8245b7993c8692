package connector

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"pillion/mcp/mcptest"
	"pillion/mcp/redact"
)

func TestStart_ShakesHandsAndLists(t *testing.T) {
	t.Parallel()
	f := started(t, "")
	status := f.Status()
	if status.State != StateReady || status.Generation != 1 || f.names() != "a" || status.PID == 0 {
		t.Errorf("status %+v", status)
	}
	if status.Server != (Server{Name: "fake", Version: "1.2.3", ProtocolVersion: "2025-06-18"}) || status.Instructions != "Be brief." {
		t.Errorf("server %+v, instructions %q", status.Server, status.Instructions)
	}
	if text := f.say(`{}`); text != "ok" {
		t.Errorf("said %q", text)
	}
	f.Stop(t.Context())
	if got := f.states(); got != "starting ready stopping stopped" {
		t.Errorf("states %s", got)
	}
	if status := f.Status(); status.PID != 0 || status.Catalogue == nil {
		t.Errorf("after the stop: %+v", status)
	}
}

func TestStart_OutlivesItsContextAndMayBeRepeated(t *testing.T) {
	t.Parallel()
	f := fake(t, "")
	ctx, cancel := context.WithCancel(t.Context())
	if err := f.Start(ctx); err != nil {
		t.Fatal(err)
	}
	cancel()
	if text := f.say(`{}`); text != "ok" {
		t.Errorf("said %q", text)
	}
	if err := f.Start(t.Context()); err != nil {
		t.Errorf("a second start: %v", err)
	}
	f.Stop(t.Context())
	if err := f.Start(t.Context()); err != nil {
		t.Errorf("a start after a stop: %v", err)
	}
	if got := f.Status().Generation; got != 1 {
		t.Errorf("generation %d for an equal list", got)
	}
	if got := len(f.received("notifications/initialized")); got != 2 {
		t.Errorf("%d lives", got)
	}
}

func TestStart_SaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, mode string
		set        setting
		kind       string
		reason     string
	}{
		{"no such program", "", define(func(d *Definition) { d.Program = "/nowhere/program" }), ProblemProgram, `program "/nowhere/program" not found`},
		{"not executable", "", define(func(d *Definition) {
			d.Program = filepath.Join(d.Dir, "plain")
			if err := os.WriteFile(d.Program, []byte("#!/bin/sh\n"), 0o600); err != nil {
				panic(err)
			}
		}), ProblemProgram, "may not be executed"},
		{"no such folder", "", define(func(d *Definition) { d.Dir = "/nowhere/folder" }), ProblemConfig, `the folder "/nowhere/folder"`},
		{"C14 exited before reading", "stderr=missing libfoo,exit=127", nil, ProblemExited, "server exited (127): missing libfoo"},
		{"C14 exited with nothing said", "exit=3", nil, ProblemExited, "server exited (3)"},
		{"C14 exited after a line on stdout", "banner=usage: thing,exiton=server/discover:2+initialize:2", nil, ProblemExited, `server exited (2); it printed "usage: thing"`},
		{"C14 closed stdout", "closestdout", define(func(d *Definition) { d.Era = EraLegacy }), ProblemProtocol, "closed its stdout but is still running"},
		{"C14 no answer", "mute,stderr=waiting for a license", define(func(d *Definition) { d.StartTimeout = 3 * time.Second }), ProblemTimeout,
			"no answer within 3s; it said last: waiting for a license"},
		{"C14 speaks no MCP", "mute,banner=Welcome to the shell", define(func(d *Definition) { d.StartTimeout = 3 * time.Second }), ProblemProtocol,
			`speaks no MCP: it printed "Welcome to the shell"`},
		{"refused", "fail=initialize:-32603", nil, ProblemProtocol, "it refused the handshake: server/discover: method not found (-32601); initialize: told to fail (-32603)"},
		{"unknown version", "version=1999-01-01", nil, ProblemProtocol, `initialize: it speaks protocol version "1999-01-01"`},
		{"tools refused", "fail=tools/list:-32603", tune(func(t *tuning) { t.listRetry = time.Millisecond }), ProblemProtocol, "its tools could not be listed: told to fail (-32603)"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if test.set == nil {
				test.set = func(*Definition, *Options, *tuning) {}
			}
			if test.name == "not executable" && runtime.GOOS == "windows" {
				t.Skip("Windows has no permission to execute")
			}
			p := problem(t, test.mode, test.set)
			if p.Kind != test.kind || !strings.Contains(p.Reason, test.reason) {
				t.Errorf("%s: %s, want %s: %s", p.Kind, p.Reason, test.kind, test.reason)
			}
			if len(p.Steps) < 2 || !strings.Contains(p.Steps[len(p.Steps)-1], `start the connector "fake" again`) {
				t.Errorf("steps %q", p.Steps)
			}
		})
	}
}

func TestC14_LastStderrIsBoundedVisibleAndRedacted(t *testing.T) {
	t.Parallel()
	const secret = "hunter2-hunter2"
	p := problem(t, "stderr=\x1b[31mbad\x1b[0m key "+secret+"\u202e\a,stderrflood=0,exit=127", func(_ *Definition, o *Options, _ *tuning) {
		o.Redact = redact.New(secret)
	})
	want := `server exited (127): bad key [REDACTED]\u{202e}\u{7}`
	if p.Reason != want || len(p.LastStderr) != 1 || p.ExitCode != 127 {
		t.Errorf("reason %q, last %q, code %d", p.Reason, p.LastStderr, p.ExitCode)
	}
	for _, step := range p.Steps {
		if strings.Contains(step, secret) {
			t.Errorf("step %q", step)
		}
	}
}

func TestC12_FirstAnswerDecides(t *testing.T) {
	t.Parallel()
	quick := tune(func(t *tuning) { t.probe = 200 * time.Millisecond })
	for _, test := range []struct {
		name, mode, version string
	}{
		{"legacy refuses discover", "", "2025-06-18"},
		{"legacy ignores discover", "silent=server/discover", "2025-06-18"},
		{"modern", "modern", "2026-07-28"},
		{"modern without initialize", "modernonly", "2026-07-28"},
		{"slow discover against silent initialize", "modern,delay=server/discover:600ms,silent=initialize", "2026-07-28"},
		{"slow discover against quick initialize", "modern,delay=server/discover:1m", "2025-06-18"},
		{"discover refused late", "delay=server/discover:600ms+initialize:900ms", "2025-06-18"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			f := started(t, test.mode, quick)
			if got := f.Status().Server; got.ProtocolVersion != test.version || got.Name != "fake" {
				t.Errorf("server %+v, want version %s", got, test.version)
			}
			if text := f.say(`{}`); text != "ok" {
				t.Errorf("said %q", text)
			}
			if got := len(f.received("initialize")); got > 1 {
				t.Errorf("%d times initialize", got)
			}
		})
	}
}

// A server that knows server/discover and refuses its revision is asked once more, and no older server for that.
func TestC12_RevisionIsRefused(t *testing.T) {
	t.Parallel()
	for mode, want := range map[string]struct {
		version     string
		initialized int
	}{
		"modern,failonce=server/discover:-32022": {"2026-07-28", 0},
		"fail=server/discover:-32022":            {"2025-06-18", 1},
	} {
		f := started(t, mode)
		if got := f.Status().Server.ProtocolVersion; got != want.version {
			t.Errorf("%s: version %s, want %s", mode, got, want.version)
		}
		if got := len(f.received("server/discover")); got != 2 {
			t.Errorf("%s: %d times server/discover, want 2", mode, got)
		}
		if got := len(f.received("initialize")); got != want.initialized {
			t.Errorf("%s: %d times initialize, want %d", mode, got, want.initialized)
		}
		if text := f.say(`{}`); text != "ok" {
			t.Errorf("%s: said %q", mode, text)
		}
	}
}

func TestC12_EraOverridesTheProbe(t *testing.T) {
	t.Parallel()
	f := started(t, "modern", define(func(d *Definition) { d.Era = EraLegacy }))
	if got := len(f.received("server/discover")); got != 0 || f.Status().Server.ProtocolVersion != "2025-06-18" {
		t.Errorf("legacy: %d times server/discover, %+v", got, f.Status().Server)
	}
	p := problem(t, "", define(func(d *Definition) { d.Era = EraModern }))
	if p.Kind != ProblemProtocol || !strings.Contains(p.Reason, "server/discover: method not found") {
		t.Errorf("modern: %+v", p)
	}
}

func TestC12_EraIsRememberedAndFoundWrong(t *testing.T) {
	t.Parallel()
	eras := &ownEras{}
	remember := func(_ *Definition, o *Options, _ *tuning) { o.Eras = eras }
	f := started(t, "", remember)
	f.Stop(t.Context())
	if eras.era != EraLegacy {
		t.Fatalf("remembered %q", eras.era)
	}
	if err := f.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := len(f.received("server/discover")); got != 1 {
		t.Errorf("%d times server/discover in two lives", got)
	}
	// The server was updated and knows no initialize any longer.
	g := started(t, "modernonly", remember)
	if got := g.Status().Server.ProtocolVersion; got != "2026-07-28" || eras.era != EraModern {
		t.Errorf("version %s, remembered %q", got, eras.era)
	}
}

func TestC23_ServerThatExitsOnAnUnknownFirstMessage(t *testing.T) {
	t.Parallel()
	lives := filepath.Join(t.TempDir(), "lives")
	f := started(t, "strict,pid="+lives)
	if text := f.say(`{}`); text != "ok" {
		t.Errorf("said %q", text)
	}
	if got := len(mcptest.Received(t, lives)); got != 2 {
		t.Errorf("%d spawns", got)
	}
	f.Stop(t.Context())
	if err := f.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := len(mcptest.Received(t, lives)); got != 3 {
		t.Errorf("%d spawns in two starts: not remembered", got)
	}
}

func TestC23_TwoSpawnsAtMost(t *testing.T) {
	t.Parallel()
	lives := filepath.Join(t.TempDir(), "lives")
	problem(t, "exit=1,pid="+lives)
	if got := len(mcptest.Received(t, lives)); got != 2 {
		t.Errorf("%d spawns", got)
	}
}

func TestC18_StopInEveryState(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"", "mute", "noread", "slowstart=1h", "silent=tools/list", "mute,ignoreeof,ignoreterm", "wrapper", "wrapper,mute,ignoreeof,ignoreterm"} {
		// The folder of a test has its name in it, and a comma would end the mode.
		t.Run(strings.ReplaceAll(mode, ",", " "), func(t *testing.T) {
			t.Parallel()
			pids := filepath.Join(t.TempDir(), "pids")
			f := fake(t, mode+",pid="+pids)
			result := make(chan error, 1)
			go func() { result <- f.Start(context.Background()) }()
			f.eventually("spawned", func() bool { return len(mcptest.Received(t, pids)) > 0 })
			if mode == "" || mode == "wrapper" {
				f.eventually("ready", func() bool { return f.Status().State == StateReady })
			}
			f.Stop(t.Context())
			if status := f.Status(); status.State != StateStopped || status.PID != 0 || status.Problem != nil {
				t.Errorf("status %+v", status)
			}
			if err := <-result; err != nil && !errors.Is(err, errStopped) {
				t.Errorf("Start: %v", err)
			}
			for _, pid := range mcptest.Received(t, pids) {
				if isAlive(pid) {
					t.Errorf("process %s is left", pid)
				}
			}
		})
	}
}

func TestC18_StartThatComesDuringAStopBeginsAfterwards(t *testing.T) {
	t.Parallel()
	f := started(t, "ignoreeof")
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		f.Stop(context.Background())
	}()
	f.eventually("stopping", func() bool { return f.Status().State == StateStopping })
	if err := f.Start(t.Context()); err != nil {
		t.Errorf("Start: %v", err)
	}
	<-stopped
	if text := f.say(`{}`); text != "ok" {
		t.Errorf("said %q", text)
	}
}

func TestC18_StopWithoutPatienceKills(t *testing.T) {
	t.Parallel()
	f := started(t, "ignoreeof,ignoreterm", func(_ *Definition, o *Options, _ *tuning) {
		o.Timing.EOF, o.Timing.Term = time.Hour, time.Hour
	})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	f.Stop(ctx)
	if got := f.Status().PID; got != 0 {
		t.Errorf("process %d is left", got)
	}
}

func TestC18_AbortedStartLeavesNothing(t *testing.T) {
	t.Parallel()
	pids := filepath.Join(t.TempDir(), "pids")
	f := fake(t, "mute,ignoreeof,pid="+pids)
	ctx, cancel := context.WithCancelCause(t.Context())
	result := make(chan error, 1)
	go func() { result <- f.Start(ctx) }()
	f.eventually("spawned", func() bool { return len(mcptest.Received(t, pids)) > 0 })
	cause := errors.New("the window closed")
	cancel(cause)
	if err := <-result; !errors.Is(err, cause) {
		t.Errorf("Start: %v", err)
	}
	if status := f.Status(); status.State != StateStopped || status.PID != 0 {
		t.Errorf("status %+v", status)
	}
	if pid := mcptest.Received(t, pids)[0]; isAlive(pid) {
		t.Errorf("process %s is left", pid)
	}
}

func TestC18_StartThatIsNotWantedSpawnsNothing(t *testing.T) {
	t.Parallel()
	pids := filepath.Join(t.TempDir(), "pids")
	f := fake(t, "pid="+pids)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := f.Start(ctx); !errors.Is(err, context.Canceled) || f.Status().State != StateStopped {
		t.Errorf("Start: %v, state %s", err, f.Status().State)
	}
	if got := mcptest.Received(t, pids); len(got) > 0 {
		t.Errorf("processes %q", got)
	}
}

func TestC18_StormOfRestartsLeavesOne(t *testing.T) {
	t.Parallel()
	pids := filepath.Join(t.TempDir(), "pids")
	f := fake(t, "wrapper,pid="+pids)
	for range 20 {
		done := make(chan struct{})
		go func() {
			defer close(done)
			_ = f.Start(context.Background())
		}()
		f.Stop(t.Context())
		<-done
	}
	if err := f.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	alive := 0
	for _, pid := range mcptest.Received(t, pids) {
		if isAlive(pid) {
			alive++
		}
	}
	if alive != 1 {
		t.Errorf("%d processes", alive)
	}
	f.Stop(t.Context())
}

func TestC19_ShutdownOrder(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	f := started(t, "flush="+file, func(_ *Definition, o *Options, _ *tuning) { o.Timing.EOF = 5 * time.Second })
	f.Stop(t.Context())
	if got := fmt.Sprint(mcptest.Received(t, file)); got != "[flushed]" {
		t.Errorf("the server %s", got)
	}
	g := started(t, "ignoreeof,flush="+file+"2", func(_ *Definition, o *Options, _ *tuning) { o.Timing.EOF = time.Second })
	g.Stop(t.Context())
	if got := fmt.Sprint(mcptest.Received(t, file+"2")); got != "[flushed signal]" && runtime.GOOS != "windows" {
		t.Errorf("the second server %s", got)
	}
}

func TestC24_SlowServerTakesItsOwnTime(t *testing.T) {
	t.Parallel()
	f := started(t, "slowstart=1s,stderr=fetching", define(func(d *Definition) { d.Downloads, d.StartTimeout = true, 30*time.Second }))
	if text := f.say(`{}`); text != "ok" {
		t.Errorf("said %q", text)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	var phases []string
	for _, c := range f.changes {
		if c.Phase != "" {
			phases = append(phases, c.Phase)
		}
	}
	if got := strings.Join(phases, "; "); !strings.Contains(got, "it may be downloading; waiting for its first answer; listing") {
		t.Errorf("phases %s", got)
	}
}

func TestC24_SilentDownloadHasItsBound(t *testing.T) {
	t.Parallel()
	p := problem(t, "slowstart=1h", define(func(d *Definition) { d.Downloads, d.StartTimeout = true, 100*time.Millisecond }),
		tune(func(t *tuning) { t.download = 400 * time.Millisecond }))
	if p.Kind != ProblemTimeout || !strings.Contains(p.Reason, "400ms") {
		t.Errorf("problem %+v", p)
	}
}

func TestC25_LossWhileIdleIsSaid(t *testing.T) {
	t.Parallel()
	f := started(t, "")
	server, err := os.FindProcess(f.Status().PID)
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Kill(); err != nil {
		t.Fatal(err)
	}
	f.eventually("failed", func() bool { return f.Status().State == StateFailed })
	if p := f.Status().Problem; p.Kind != ProblemExited || p.Reason != "server was ended by SIGKILL" && runtime.GOOS != "windows" {
		t.Errorf("problem %+v", p)
	}
	_, err = f.Call(t.Context(), CallRequest{Tool: "a"})
	var notReady *NotReadyError
	if !errors.As(err, &notReady) || notReady.Problem == nil {
		t.Errorf("call: %v", err)
	}
	if err := f.Start(t.Context()); err != nil {
		t.Errorf("start again: %v", err)
	}
}
