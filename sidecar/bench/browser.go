package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"pillion/browser/devtools"
	"pillion/browser/install"
	"pillion/browser/native"
	"pillion/browser/node"
	"pillion/sidecar/core"
)

const (
	browserLimit       = 0.8 // of what @playwright/mcp takes alone, with the same browser
	browserMemoryLimit = 0.2
	snapshotsOfRound   = 5
	clicksOfRound      = 10
)

// browserWays are the ones that are measured in turn: Pillion's own, @playwright/mcp as it is, and the same behind Pillion.
type browserWay struct {
	name    string
	program string
	args    []string
	env     []string
}

// measureBrowser measures the browser without Node against @playwright/mcp: the first page that can be used, a snapshot of 5,000
// nodes, a click, and what the driver beside the browser keeps in memory.
func measureBrowser(ctx context.Context, r *report, p *programs, n plan) error {
	ways, missing := browserWays(p)
	if missing != "" {
		r.line("the browser is not measured: %s", missing)
		return nil
	}
	site := httptest.NewServer(http.HandlerFunc(servePages))
	defer site.Close()
	figures := make([]browserFigures, len(ways))
	for range max(1, n.rounds/3) {
		for i, way := range ways {
			if err := figures[i].round(ctx, way, site.URL); err != nil {
				return fmt.Errorf("%s: %w", way.name, err)
			}
		}
	}
	own, other := figures[0], figures[1]
	r.line("a browser: %s against %s, and that behind Pillion", ways[0].name, ways[1].name)
	for _, one := range []struct {
		name string
		of   func(browserFigures) series
	}{
		{"first page", func(f browserFigures) series { return f.first }},
		{"snapshot of 5,000 nodes", func(f browserFigures) series { return f.snapshot }},
		{"click", func(f browserFigures) series { return f.click }},
	} {
		for i, way := range ways {
			r.figure(one.name+", "+way.name, one.of(figures[i]), times)
		}
		r.limited(one.name+", ratio", one.of(own).over(one.of(other)), ratio, browserLimit)
	}
	if canMeasureMemory {
		r.figure("driver, "+ways[0].name, own.memory, mebibytes)
		r.figure("driver, "+ways[1].name, other.memory, mebibytes)
		r.limited("driver, ratio", own.memory.over(other.memory), ratio, browserMemoryLimit)
	}
	return nil
}

// browserWays are what can be measured here, or why it cannot.
func browserWays(p *programs) (ways []browserWay, missing string) {
	browser, err := devtools.Find(devtools.Search{Path: os.Getenv("PATH"), Getenv: os.Getenv})
	if err != nil {
		return nil, err.Error()
	}
	runtime, err := exec.LookPath("node")
	if err != nil {
		return nil, "there is no Node"
	}
	script := filepath.Join(os.Getenv("PILLION_DEV_CACHE"), "browser-playwright", "node_modules", "@playwright", "mcp", "cli.js")
	if _, err := os.Stat(script); err != nil {
		return nil, "the bed browser-playwright is not installed"
	}
	env := append(os.Environ(), native.ProgramVar+"="+browser)
	alone := []string{script, "--headless", "--isolated", "--executable-path", browser}
	if os.Getuid() == 0 {
		env = append(env, native.WithoutSandboxVar+"=1")
		alone = append(alone, "--no-sandbox")
	}
	behind := append(env[:len(env):len(env)], node.KindVar+"="+string(install.Playwright), node.NodeVar+"="+runtime, node.ScriptVar+"="+script)
	return []browserWay{
		{"native", p.pillion, []string{core.BrowserCommand}, env},
		{"playwright alone", runtime, append(alone, "--output-dir", filepath.Join(p.folder, "playwright")), env},
		{"playwright here", p.pillion, []string{core.BrowserCommand}, behind},
	}, ""
}

func servePages(w http.ResponseWriter, request *http.Request) {
	w.Header().Set("Content-Type", "text/html")
	if request.URL.Path == "/many" {
		fmt.Fprint(w, `<!doctype html><title>Many</title><ul id=l></ul><script>
l.innerHTML=Array.from({length:2500},(_,i)=>'<li><button>Button '+i+'</button></li>').join('')</script>`)
		return
	}
	fmt.Fprint(w, `<!doctype html><title>One</title><h1>One</h1><button onclick="o.textContent=Number(o.textContent)+1">Press</button><p id=o>0</p>`)
}

// browserFigures are those of one way, a figure for each round.
type browserFigures struct{ first, snapshot, click, memory series }

// round starts the server anew and measures all.
func (f *browserFigures) round(ctx context.Context, way browserWay, site string) (err error) {
	command := exec.Command(way.program, way.args...)
	command.Env = way.env
	begun := time.Now()
	client := mcp.NewClient(&mcp.Implementation{Name: "bench", Version: "0"}, nil)
	session, err := client.Connect(ctx, &mcp.CommandTransport{Command: command}, &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, session.Close()) }()
	use := browserUse{ctx, session}
	if _, err := use.call("browser_navigate", map[string]any{"url": site + "/"}); err != nil {
		return err
	}
	said, err := use.call("browser_snapshot", map[string]any{})
	if err != nil {
		return err
	}
	f.first = append(f.first, float64(time.Since(begun)))
	clicks, err := use.clicks(said)
	if err != nil {
		return err
	}
	if _, err := use.call("browser_navigate", map[string]any{"url": site + "/many"}); err != nil {
		return err
	}
	snapshots, err := use.snapshots()
	if err != nil {
		return err
	}
	f.click, f.snapshot = append(f.click, middle(clicks)), append(f.snapshot, middle(snapshots))
	if canMeasureMemory {
		bytes, err := residentBytes(command.Process.Pid)
		if err != nil {
			return err
		}
		f.memory = append(f.memory, bytes)
	}
	return nil
}

// browserUse is a session at work.
type browserUse struct {
	ctx     context.Context
	session *mcp.ClientSession
}

func (u browserUse) call(tool string, arguments map[string]any) (string, error) {
	result, err := u.session.CallTool(u.ctx, &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		return "", err
	}
	said := ""
	for _, block := range result.Content {
		if text, ok := block.(*mcp.TextContent); ok {
			said += text.Text
		}
	}
	if result.IsError {
		return "", fmt.Errorf("%s: %s", tool, said)
	}
	return said, nil
}

// clicks presses the button again and again, by the newest ref that was told of it.
func (u browserUse) clicks(said string) ([]time.Duration, error) {
	button := regexp.MustCompile(`button "Press".*\[ref=([^\]]+)\]`)
	var all []time.Duration
	ref := ""
	for range clicksOfRound {
		if found := button.FindStringSubmatch(said); found != nil {
			ref = found[1]
		}
		begun := time.Now()
		var err error
		if said, err = u.call("browser_click", map[string]any{"target": ref, "element": "the button"}); err != nil {
			return nil, err
		}
		all = append(all, time.Since(begun))
	}
	return all, nil
}

func (u browserUse) snapshots() ([]time.Duration, error) {
	var all []time.Duration
	for range snapshotsOfRound {
		begun := time.Now()
		if _, err := u.call("browser_snapshot", map[string]any{}); err != nil {
			return nil, err
		}
		all = append(all, time.Since(begun))
	}
	return all, nil
}
