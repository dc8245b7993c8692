//go:build e2e

package native

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
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
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = syscall.Kill(-command.Process.Pid, syscall.SIGKILL)
		_ = command.Wait()
		for range 50 { // its other processes end after it, and write until then
			if os.RemoveAll(folder) == nil {
				return
			}
			time.Sleep(20 * time.Millisecond)
		}
	})
	for range 500 {
		text, err := os.ReadFile(filepath.Join(folder, "DevToolsActivePort"))
		if port, _, isWhole := bytes.Cut(text, []byte("\n")); err == nil && isWhole {
			return "127.0.0.1:" + string(port)
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Fatal("the user's browser has no port")
	return ""
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
	user, err := devtools.Attach(t.Context(), address, func(devtools.Event) {})
	if err != nil {
		t.Fatal(err)
	}
	defer user.Close()
	site := browsertest.NewSite(t)
	root := user.Conn.Browser()
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
	awaitUser(t, func() bool {
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
		return isLoaded && !slices.Contains(left, opened.target)
	})
	if !slices.Contains(left, before) || !slices.Contains(left, meanwhile) {
		t.Errorf("left are %v, without %s or %s", left, before, meanwhile)
	}
}

func awaitUser(t *testing.T, holds func() bool) {
	t.Helper()
	for range 500 {
		if holds() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Error("it did not come to that")
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
