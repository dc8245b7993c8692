package native

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/target"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"pillion/browser/devtools"
	"pillion/browser/policy"
)

// Guarded is a browser that another program drives, its guest, over DevTools. It goes nowhere that this package's own tools would
// not go (S14, S22), whoever leads it there, and keeps downloads and files as they do.
// Its methods may be called at once.
type Guarded struct {
	driver *driver
	server *server
	first  bool

	serving sync.Mutex // one guest at a time

	// needsNewTab says that a page of this machine was to be opened in a tab that has shown a public one.
	needsNewTab atomic.Bool

	mu    sync.Mutex
	fault error // why the last browser did not start
}

// NewGuarded returns one without a browser. isFirstPageExpected says that the guest waits for a page that is there from the start.
func NewGuarded(o Options, isFirstPageExpected bool) *Guarded {
	o.Attach = "" // a guest would see the user's own tabs
	d := newDriver(o)
	d.isGuarded = true
	return &Guarded{driver: d, server: &server{driver: d, pending: map[string]*running{}}, first: isFirstPageExpected}
}

// Serve starts a browser and has the guest speak with it over the two ends, until in ends, the browser has gone or ctx ends; then
// nothing of the browser is left. It closes neither end. What failed is told by Fault too.
func (g *Guarded) Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	g.serving.Lock()
	defer g.serving.Unlock()
	err := g.start(ctx)
	g.mu.Lock()
	g.fault = err
	g.mu.Unlock()
	if err != nil {
		return err
	}
	defer g.driver.stop()
	return g.driver.browser.Invite(ctx, in, out, devtools.Host{Judge: g.judge, Answered: g.answered})
}

func (g *Guarded) start(ctx context.Context) error {
	d := g.driver
	program, err := devtools.Find(d.o.Search)
	if err != nil {
		return err
	}
	if d.folder, err = newFolder(); err != nil {
		return &folderError{err}
	}
	if err = d.launch(ctx, program); err == nil {
		g.keepDownloads("")
		if g.first {
			_, err = d.newTab(ctx)
		}
	}
	if err != nil {
		d.stop()
	}
	return err
}

// Fault says, for an agent, why the last browser did not start; "" where it did.
func (g *Guarded) Fault() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.fault == nil || errors.Is(g.fault, context.Canceled) {
		return ""
	}
	return explain(g.fault)
}

// Close ends all calls and waits for them. It does not end Serve.
func (g *Guarded) Close() { g.server.endCalls() }

// judge answers those commands of the guest that would get around what holds here.
func (g *Guarded) judge(c devtools.Command) *devtools.Reply {
	switch c.Method {
	case browser.SetDownloadBehavior.Method:
		var p browser.SetDownloadBehaviorParams
		if jsonv2.Unmarshal(c.Params, &p) == nil {
			g.keepDownloads(p.BrowserContextID)
		}
		return &devtools.Reply{}
	case page.SetInterceptFileChooserDialog.Method:
		return &devtools.Reply{} // no page gets a file, and nothing waits for one
	case dom.SetFileInputFiles.Method:
		return &devtools.Reply{Fault: "files of this machine are not given to pages"}
	case page.Navigate.Method, target.CreateTarget.Method:
		return g.judgeDestination(c)
	}
	return nil
}

// keepDownloads has what pages of a context hand out land where it does for this package's own tools.
func (g *Guarded) keepDownloads(context cdp.BrowserContextID) {
	d := g.driver
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.browser == nil {
		return
	}
	d.browser.Conn.Browser().Send(browser.SetDownloadBehavior.Method, browser.SetDownloadBehaviorParams{
		Behavior: browser.SetDownloadBehaviorBehaviorAllowAndName, BrowserContextID: context, DownloadPath: d.output, EventsEnabled: new(true),
	})
}

// judgeDestination refuses what is never opened. A new origin passes here: its request is held, and asked about then.
func (g *Guarded) judgeDestination(c devtools.Command) *devtools.Reply {
	var p struct {
		URL string `json:"url"`
	}
	if jsonv2.Unmarshal(c.Params, &p) != nil {
		return &devtools.Reply{Fault: "where it leads is not clear"}
	}
	if p.URL == "" || p.URL == "about:blank" {
		return nil
	}
	d := g.driver
	d.mu.Lock()
	defer d.mu.Unlock()
	verdict, reason := policy.Judge(policy.Request{URL: p.URL, By: policy.Agent, Document: true}, &d.allowed)
	if verdict == policy.Refuse {
		return &devtools.Reply{Fault: fmt.Sprintf("%s was not opened: %s", quote(bounded(p.URL, 500)), reason)}
	}
	if origin, err := policy.OriginOf(p.URL); err == nil && origin.Place() == policy.Loopback {
		if f := d.frames[cdp.FrameID(c.Target)]; f != nil && f.zone == policy.Outside {
			g.needsNewTab.Store(true)
			return &devtools.Reply{Fault: "this tab has shown a public page, which never reaches this machine; open a new tab for it"}
		}
	}
	return nil
}

// answered learns which tabs the guest opened: they are nobody's pages so far, and reach what the agent may.
func (g *Guarded) answered(c devtools.Command, result jsonv2.Value) {
	if c.Method != target.CreateTarget.Method {
		return
	}
	var made target.CreateTargetResult
	if jsonv2.Unmarshal(result, &made) != nil {
		return
	}
	d := g.driver
	d.mu.Lock()
	used := d.browser
	d.mu.Unlock()
	if used == nil {
		return
	}
	_ = used.Flush(context.Background())
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, t := range d.tabs {
		if f := d.frames[t.frame()]; t.target == made.TargetID && f != nil {
			t.isOurs = true
			if t.documents == 0 && f.zone == policy.Unknown {
				f.zone = policy.Inside
			}
		}
	}
}

// Visit is one call of a tool at work.
type Visit struct {
	guarded *Guarded
	op      *operation
}

// Call runs a call, or goes on with one whose question the request answers. Meanwhile questions about new origins are put in it.
// Calls that are made at once wait for each other. What do returns is the result, with an error in it for the agent to read.
func (g *Guarded) Call(ctx context.Context, request *mcp.CallToolRequest, do func(context.Context, *Visit) *mcp.CallToolResult) (*mcp.CallToolResult, error) {
	d := g.driver
	return g.server.run(ctx, request, func(ctx context.Context, op *operation) *mcp.CallToolResult {
		select {
		case d.working <- struct{}{}:
			defer func() { <-d.working }()
		case <-ctx.Done():
			return failed(context.Cause(ctx))
		}
		d.begin(op)
		defer d.end(op)
		return do(ctx, &Visit{guarded: g, op: op})
	})
}

// Allow asks about a destination that the agent named, where that is needed, before anything is sent there. The error is for the
// agent to read.
func (v *Visit) Allow(ctx context.Context, url string) error {
	plain, err := policy.Destination(url)
	if err != nil {
		return refuseAct("%s cannot be opened: %s.", quote(bounded(url, 200)), err)
	}
	if plain == "about:blank" {
		return nil
	}
	return (&call{d: v.guarded.driver, op: v.op}).allow(ctx, plain, nil)
}

// Explain is an error of this package, for an agent to read.
func Explain(err error) string { return explain(err) }

// Fenced is a text with words of pages in it as a result shows it: between two lines that no page can know, with what cannot be
// seen in it escaped.
func Fenced(text string) string { return fenced(strings.TrimSpace(visible(text))) }

// PrivateFolder makes a folder for one session, with a name that leaves room for sockets in it, in memory where the system has a
// place there, and removes those that nobody uses any more.
func PrivateFolder() (path string, remove func(), err error) {
	made, err := newFolderIn(shortPlaces())
	if err != nil {
		return "", nil, err
	}
	return made.path, made.remove, nil
}

// NeedsNewTab reports, once, whether a page of this machine was to be opened in a tab that has shown a public one, and was not.
func (v *Visit) NeedsNewTab() bool { return v.guarded.needsNewTab.Swap(false) }

// Rest waits until no request waits for a person any more, and after that for at most so long until nothing was loading for a while.
func (v *Visit) Rest(ctx context.Context, atMost, quiet time.Duration) {
	d := v.guarded.driver
	timer := time.NewTimer(atMost)
	defer timer.Stop()
	isLate, calmSince := false, time.Now()
	for {
		d.mu.Lock()
		isAsked, changed := len(v.op.open) > 0, d.changed
		isLoading := slices.ContainsFunc(d.tabs, func(t *tab) bool { return t.isBusy(false) })
		d.mu.Unlock()
		if isAsked || isLoading {
			calmSince = time.Now()
		}
		left := quiet - time.Since(calmSince)
		if !isAsked && (isLate || !isLoading && left <= 0) {
			return
		}
		calm := time.NewTimer(max(left, time.Millisecond))
		select {
		case <-changed:
		case <-calm.C:
		case <-timer.C:
			isLate = true
		case <-ctx.Done():
			calm.Stop()
			return
		}
		calm.Stop()
	}
}

// Patiently runs do for at most so long, in which the time that a person takes does not count. A browser that makes it take longer
// is ended, and the guest starts another with its next call; the error says so to an agent.
func (v *Visit) Patiently(ctx context.Context, atMost time.Duration, do func(context.Context) error) error {
	err := v.guarded.driver.patiently(ctx, atMost, do)
	if ctx.Err() == nil && errors.Is(err, errSlow) || errors.Is(err, context.Canceled) && ctx.Err() == nil {
		d := v.guarded.driver
		d.mu.Lock()
		used := d.browser
		d.mu.Unlock()
		if used != nil {
			used.Kill()
			<-used.Ended()
		}
		return refuseAct("The browser did not answer within %s and was ended: its tabs are lost. The next call starts another.", atMost)
	}
	return err
}

// Notes are what happened meanwhile, a clause each, until the next call of it.
func (v *Visit) Notes() []string {
	var said []string
	for _, note := range v.guarded.driver.takeNotes() {
		text := note.text
		if note.count > 1 {
			text += fmt.Sprintf(" (%d times)", note.count)
		}
		said = append(said, text)
	}
	return slices.DeleteFunc(said, func(text string) bool { return strings.HasPrefix(text, "the page opened tab") })
}
