//go:build e2e

package native

import (
	"bufio"
	"context"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/storage"
	"github.com/chromedp/cdproto/target"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"pillion/browser/browsertest"
	"pillion/browser/devtools"
)

// usersBrowser is one that somebody started with a debugging port of this machine, and its address.
func usersBrowser(t *testing.T) string {
	t.Helper()
	program, err := devtools.Find(devtools.Search{Path: os.Getenv("PATH"), Getenv: os.Getenv})
	if err != nil {
		t.Skip(err)
	}
	folder := t.TempDir()
	// Each site has a process of its own, as in browsers with a window.
	args := []string{"--headless", "--site-per-process", "--remote-debugging-port=0", "--user-data-dir=" + folder, "--no-first-run", "--disable-gpu", "about:blank"}
	if os.Getuid() == 0 {
		args = append(args, "--no-sandbox")
	}
	command := exec.Command(program, args...)
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	said, theirs, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	command.Stderr = theirs
	err = command.Start()
	_ = theirs.Close()
	if err != nil {
		t.Fatal(err)
	}
	isOver := make(chan struct{}) // closed when none of its processes is left that could write
	t.Cleanup(func() {
		_ = syscall.Kill(-command.Process.Pid, syscall.SIGKILL)
		_ = command.Wait()
		<-isOver
		_ = said.Close()
	})
	lines := bufio.NewReader(said)
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			close(isOver)
			t.Fatalf("the user's browser has no port: %v", err)
		}
		if address, is := strings.CutPrefix(line, "DevTools listening on ws://"); is {
			go func() {
				_, _ = io.Copy(io.Discard, lines)
				close(isOver)
			}()
			address, _, _ = strings.Cut(address, "/")
			return address
		}
	}
}

// In a browser that the user started everything is as in one of Pillion's own.
func TestSuite_Attached(t *testing.T) {
	address := usersBrowser(t)
	browsertest.Suite(t, browsertest.Provider{Open: func(t *testing.T, s browsertest.Setup) *mcp.ClientSession {
		return connectTo(t, "2026-07-28", s, address)
	}})
}

func TestH2_AttachedItHasTheLoginsAndLeavesTheTabsAlone(t *testing.T) {
	address := usersBrowser(t)
	changed := make(chan struct{}, 1)
	user, err := devtools.Attach(t.Context(), address, func(devtools.Event) {
		select {
		case changed <- struct{}{}:
		default:
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	defer user.Close()
	site := browsertest.NewSite(t)
	root := user.Conn.Browser()
	if _, err := cdp.Call(t.Context(), root, target.SetDiscoverTargets, target.SetDiscoverTargetsParams{Discover: true}); err != nil {
		t.Fatal(err)
	}
	opens := func() target.ID {
		made, err := cdp.Call(t.Context(), root, target.CreateTarget, target.CreateTargetParams{URL: site.URL + "/other"})
		if err != nil {
			t.Fatal(err)
		}
		return made.TargetID
	}
	before := opens()
	_, err = cdp.Call(t.Context(), root, storage.SetCookies, storage.SetCookiesParams{Cookies: []*network.CookieParam{
		{Name: "login", Value: "ada", URL: site.URL}, {Name: "elsewhere", Value: "x", Domain: ".second.test", Path: "/"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	d := newDriver(Options{Attach: address, Network: browsertest.World(site), Output: t.TempDir()})
	if _, err := d.start(t.Context()); err != nil {
		t.Fatal(err)
	}
	defer d.stop()
	opened, err := d.newTab(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	d.begin(newOperation(false))
	goTo(t, d, opened, site.URL+"/")
	e, err := cdp.Call(t.Context(), opened.session, runtime.Evaluate, runtime.EvaluateParams{Expression: "document.cookie + ' ' + typeof RTCPeerConnection"})
	if err != nil || string(e.Result.Value) != `"login=ada undefined"` {
		t.Errorf("%+v, %v", e.Result, err)
	}
	meanwhile := opens() // which nothing holds up
	if len(d.tabs) != 1 {
		t.Errorf("%d tabs are the session's", len(d.tabs))
	}
	d.stop()
	var left []target.ID
	for isThere := false; !isThere; {
		select {
		case <-changed:
		case <-time.After(time.Minute):
			t.Fatalf("left are %v, and it came to nothing else", left)
		}
		all, err := cdp.Call(t.Context(), root, target.GetTargets, target.GetTargetsParams{})
		if err != nil {
			t.Fatal(err)
		}
		left = nil
		isLoaded := false
		for _, one := range all.TargetInfos {
			if one.Type == "page" {
				left = append(left, one.TargetID)
			}
			isLoaded = isLoaded || one.TargetID == meanwhile && strings.HasSuffix(one.URL, "/other")
		}
		isThere = isLoaded && !slices.Contains(left, opened.target)
	}
	if !slices.Contains(left, before) || !slices.Contains(left, meanwhile) {
		t.Errorf("left are %v, without %s or %s", left, before, meanwhile)
	}
}

func TestH2_WhatCannotBeAttachedToSaysWhatToDo(t *testing.T) {
	for _, address := range []string{"127.0.0.1:1", "10.0.0.1:9222", "example.com:9222", "9222"} {
		d := newDriver(Options{Attach: address})
		_, err := d.start(context.Background())
		if err == nil || !strings.Contains(explain(err), "--remote-debugging-port") || standing(err).Fault == "" {
			t.Errorf("%s: %v", address, err)
		}
	}
}
