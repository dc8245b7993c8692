package native

import (
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/target"

	"pillion/browser/devtools"
)

// tab is one page of the browser. Its fields are the driver's, under its lock.
type tab struct {
	id      int // never given twice
	target  target.ID
	session devtools.Session
	title   string

	loading    map[cdp.FrameID]bool
	running    map[network.RequestID]bool // what the page itself waits for
	documents  int                        // how many the main frame has shown
	hasContent bool                       // the document is read, if not all that belongs to it
	hasCrashed bool
	isClosed   bool
	isOurs     bool   // no page opened it
	isTold     bool   // that a page opened it
	refused    string // why the last navigation was refused; "" otherwise
	nextDialog *dialogAnswer
	console    ring[consoleEntry]
	network    ring[*networkEntry]
	requests   map[network.RequestID]*networkEntry
}

const (
	maxEntries = 1000
	maxTabs    = 50
)

// addTab lists a new page, which becomes the current one if there is none.
func (d *driver) addTab(info *target.Info, session devtools.Session) *tab {
	d.lastTab++
	t := &tab{
		id: d.lastTab, target: info.TargetID, session: session, title: info.Title,
		loading: map[cdp.FrameID]bool{}, running: map[network.RequestID]bool{}, requests: map[network.RequestID]*networkEntry{},
	}
	t.console.limit, t.network.limit = maxEntries, maxEntries
	d.tabs = append(d.tabs, t)
	if d.current == nil {
		d.current = t
	}
	if len(d.tabs) > maxTabs {
		d.tell("a new tab was closed at once: there are %d already", maxTabs)
		d.browser.Conn.Browser().Send(target.CloseTarget.Method, target.CloseTargetParams{TargetID: t.target})
	}
	return t
}

// tabOf is the tab whose main frame it is, or nil.
func (d *driver) tabOf(id cdp.FrameID) *tab {
	for _, t := range d.tabs {
		if t.frame() == id {
			return t
		}
	}
	return nil
}

// frame is the id of the main frame, which is the target's.
func (t *tab) frame() cdp.FrameID { return cdp.FrameID(t.target) }

// isBusy reports whether something is on its way in the page: a document, or if that counts, what it fetches.
func (t *tab) isBusy(fetchingCounts bool) bool {
	return !t.isClosed && !t.hasCrashed && (len(t.loading) > 0 || fetchingCounts && len(t.running) > 0)
}

// ring keeps the last of what comes, and counts all of it.
type ring[T any] struct {
	limit int
	kept  []T
	total int
}

func (r *ring[T]) add(one T) {
	r.total++
	r.kept = append(r.kept, one)
	if len(r.kept) > r.limit {
		r.kept = append(r.kept[:0], r.kept[len(r.kept)-r.limit:]...)
	}
}

// first is the number, counted from 1, of the first that is kept.
func (r *ring[T]) first() int { return r.total - len(r.kept) + 1 }
