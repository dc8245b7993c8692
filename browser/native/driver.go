package native

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/target"

	"pillion/browser/devtools"
	"pillion/browser/policy"
	"pillion/browser/relay"
)

// driver is the one browser of a session. It starts with the first call that needs it, and again when it has gone.
// One call works with it at a time; what the browser tells in between is kept under mu.
type driver struct {
	o       Options
	working chan struct{} // holds the one call's place
	// isGuarded says that a guest uses the browser, and this one only sees to it that it goes nowhere it may not.
	isGuarded bool

	browser *devtools.Browser // these five are the call's, or the guest's; nil and "" while there is no browser
	relay   *relay.Relay
	context cdp.BrowserContextID
	output  string
	folder  *folder

	isListening atomic.Bool // the browser is known to those who handle its events

	mu       sync.Mutex
	sessions map[target.SessionID]*attached
	frames   map[cdp.FrameID]*frame
	tabs     []*tab
	current  *tab
	front    *tab // the one that the browser draws
	lastTab  int
	allowed  policy.Allowed
	asking   *operation // the call that a question can be put in
	held     int        // requests that wait for a person
	notes    []note
	untold   int // notes for which there was no room
	refs     refs
	changed  chan struct{} // closed and renewed with whatever the browser tells
	files    downloads
}

// attached is a target of the browser that is listened to.
type attached struct {
	session devtools.Session
	info    *target.Info
	tab     *tab // nil for what belongs to no page, such as a service worker
}

// frame is where a document lies, or a worker, which has none.
type frame struct {
	id      cdp.FrameID
	parent  cdp.FrameID
	session target.SessionID
	zone    policy.Zone
	url     string
	loader  cdp.LoaderID // of the document that is there
}

func newDriver(o Options) *driver {
	o.Patience = o.Patience.orUsual()
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &driver{o: o, working: make(chan struct{}, 1), changed: make(chan struct{})}
}

// start has a browser with a page there, and reports whether it is a new one in place of one that has gone.
func (d *driver) start(ctx context.Context) (isAnew bool, err error) {
	if d.browser != nil {
		if d.answers(ctx) || ctx.Err() != nil {
			return false, context.Cause(ctx)
		}
		isAnew = true
		d.browser.Kill()
		d.stop()
	}
	program := ""
	if d.o.Attach == "" {
		if program, err = devtools.Find(d.o.Search); err != nil {
			return false, err
		}
	}
	if d.folder, err = newFolder(); err != nil {
		return false, &folderError{err}
	}
	if err := d.launch(ctx, program); err != nil {
		d.stop()
		return false, err
	}
	return isAnew, nil
}

// answers reports whether the browser is there and says so.
func (d *driver) answers(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, answerPatience)
	defer cancel()
	_, err := cdp.Call(ctx, d.browser.Conn.Browser(), browser.GetVersion, cdp.Empty{})
	return err == nil
}

// answerPatience is far above what a browser takes for a word about itself on a busy machine.
const answerPatience = 10 * time.Second

func (d *driver) launch(ctx context.Context, program string) error {
	d.mu.Lock()
	d.sessions, d.frames = map[target.SessionID]*attached{}, map[cdp.FrameID]*frame{}
	d.tabs, d.current, d.front, d.notes, d.untold, d.held = nil, nil, nil, nil, 0, 0
	d.refs.forget()
	d.tellChanged()
	d.files = downloads{}
	d.mu.Unlock()
	network := d.o.Network
	network.Refused = d.relayRefused
	started, err := relay.Start(network)
	if err != nil {
		return err
	}
	d.isListening.Store(false)
	d.mu.Lock()
	d.relay = started
	d.mu.Unlock()
	onEvent := func(e devtools.Event) {
		if d.isListening.Load() { // nothing before concerns anybody
			d.onEvent(e)
		}
	}
	var launched *devtools.Browser
	if d.o.Attach != "" {
		launched, err = devtools.Attach(ctx, d.o.Attach, onEvent)
	} else {
		launched, err = devtools.Start(ctx, devtools.Options{
			Program: program, Relay: started.Address(), Folder: d.folder.path, WithoutSandbox: d.o.WithoutSandbox, Env: d.o.Env, Log: d.o.Log,
		}, onEvent)
	}
	if err != nil {
		return err
	}
	d.mu.Lock()
	d.browser = launched
	d.mu.Unlock()
	d.isListening.Store(true)
	d.output = d.o.Output
	if d.output == "" {
		d.output = d.folder.downloads()
	}
	if err := os.MkdirAll(d.output, 0o700); err != nil {
		return fmt.Errorf("make the folder for downloads: %w", err)
	}
	return d.prepare(ctx)
}

// prepare has the browser hold every request, keep nothing on the disk, and tell of every page.
func (d *driver) prepare(ctx context.Context) error {
	session := d.browser.Conn.Browser()
	if d.browser.IsAttached() {
		if err := d.settleIn(ctx); err != nil {
			return fmt.Errorf("prepare the browser: %w", err)
		}
	} else {
		if _, err := cdp.Call(ctx, session, fetch.Enable, fetch.EnableParams{HandleAuthRequests: new(true)}); err != nil {
			return fmt.Errorf("prepare the browser: %w", err)
		}
		made, err := cdp.Call(ctx, session, target.CreateBrowserContext, target.CreateBrowserContextParams{})
		if err != nil {
			return fmt.Errorf("prepare the browser: %w", err)
		}
		d.context = made.BrowserContextID
	}
	if _, err := cdp.Call(ctx, session, browser.SetDownloadBehavior, browser.SetDownloadBehaviorParams{
		Behavior: browser.SetDownloadBehaviorBehaviorAllowAndName, BrowserContextID: d.context, DownloadPath: d.output, EventsEnabled: new(true),
	}); err != nil {
		return fmt.Errorf("prepare the browser: %w", err)
	}
	if _, err := cdp.Call(ctx, session, target.SetAutoAttach, target.SetAutoAttachParams{
		AutoAttach: true, WaitForDebuggerOnStart: true, Flatten: new(true),
	}); err != nil {
		return fmt.Errorf("prepare the browser: %w", err)
	}
	if _, err := cdp.Call(ctx, session, target.SetDiscoverTargets, target.SetDiscoverTargetsParams{Discover: true}); err != nil {
		return fmt.Errorf("prepare the browser: %w", err)
	}
	return nil
}

// stop ends the browser and everything that belongs to it. What was allowed holds on.
func (d *driver) stop() {
	d.mu.Lock()
	ended, relay := d.browser, d.relay
	d.browser, d.relay = nil, nil
	d.mu.Unlock()
	if ended != nil {
		if ended.IsAttached() {
			d.moveOut(ended)
		}
		ended.Close()
	}
	if relay != nil {
		relay.Close()
	}
	if d.folder != nil {
		d.folder.remove()
		d.folder = nil
	}
}

// newTab opens an empty page, waits until it is listened to, and makes it the current one.
func (d *driver) newTab(ctx context.Context) (*tab, error) {
	made, err := cdp.Call(ctx, d.browser.Conn.Browser(), target.CreateTarget, target.CreateTargetParams{URL: "about:blank", BrowserContextID: d.context})
	if err != nil {
		return nil, fmt.Errorf("open a tab: %w", err)
	}
	var opened *tab
	err = d.await(ctx, func() bool {
		for _, one := range d.tabs {
			if one.target == made.TargetID {
				opened = one
			}
		}
		return opened != nil
	})
	if err != nil {
		return nil, fmt.Errorf("open a tab: %w", err)
	}
	// A page that has not answered yet would not tell of the first document that it shows.
	if _, err := cdp.Call(ctx, opened.session, page.GetFrameTree, cdp.Empty{}); err != nil {
		return nil, fmt.Errorf("open a tab: %w", err)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.current, opened.isOurs = opened, true
	// Nobody's page so far: it reaches what the agent may.
	if f := d.frames[opened.frame()]; f != nil {
		f.zone = policy.Inside
	}
	return opened, nil
}

// await asks with the lock held whenever the browser told something, until it holds, the browser has gone or ctx ends.
func (d *driver) await(ctx context.Context, holds func() bool) error {
	for {
		d.mu.Lock()
		ok, changed := holds(), d.changed
		d.mu.Unlock()
		if ok {
			return nil
		}
		select {
		case <-changed:
		case <-d.browser.Over():
			return devtools.ErrClosed
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// tellChanged wakes who awaits; the lock is held.
func (d *driver) tellChanged() {
	close(d.changed)
	d.changed = make(chan struct{})
}

// note is something that happened beside what was asked for.
type note struct {
	text  string
	count int
}

const maxNotes = 50

// tell keeps a note until the next result; the lock is held.
func (d *driver) tell(format string, values ...any) {
	text := fmt.Sprintf(format, values...)
	for i := range d.notes {
		if d.notes[i].text == text {
			d.notes[i].count++
			return
		}
	}
	if len(d.notes) < maxNotes {
		d.notes = append(d.notes, note{text, 1})
		return
	}
	d.untold++
}

func (d *driver) takeNotes() []note {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, t := range d.tabs {
		if !t.isOurs && !t.isTold {
			t.isTold = true
			d.tell("the page opened tab %d", t.id)
		}
	}
	notes := d.notes
	if d.untold > 0 {
		notes = append(notes, note{"more happened than is told here", d.untold})
	}
	d.notes, d.untold = nil, 0
	return notes
}

func (d *driver) relayRefused(hostPort string, reason policy.Reason) {
	d.mu.Lock()
	defer d.mu.Unlock()
	// What the browser does of its own accord, and what a page only announced, is nobody's loss.
	if reason != policy.NewOrigin {
		d.tell("a connection to %s was refused: %s", quote(hostPort), reason)
	}
}

// onEvent keeps what the browser tells; it runs on the connection's own goroutine, one event after the other.
func (d *driver) onEvent(e devtools.Event) {
	d.mu.Lock()
	defer d.mu.Unlock()
	defer d.tellChanged()
	domain, _, _ := strings.Cut(e.Method, ".")
	if d.browser == nil {
		return // it is being ended
	}
	switch domain {
	case "Fetch":
		d.onFetch(e)
	case "Target":
		d.onTarget(e)
	case "Page":
		d.onPage(e)
	case "Network":
		d.onNetwork(e)
	case "Runtime", "Log":
		d.onConsole(e)
	case "Browser":
		d.onDownload(e)
	case "Inspector":
		d.onCrash(e)
	}
}

// read decodes the parameters of an event and reports whether they could be.
func read[P any](e devtools.Event, into *P) bool {
	return jsonv2.Unmarshal(e.Params, into, jsonv2.JoinOptions(jsonv2.DefaultOptionsV2(), jsonv2.AllowInvalidUTF8(true))) == nil
}
