package native

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/domsnapshot"
)

const (
	snapshotPatience = 10 * time.Second
	maxFrames        = 50
)

// snapshot is the accessibility tree of a page as lines.
type snapshot struct {
	number int
	lines  []string
}

// window is a part of the snapshot of at most limit bytes, from a line on that is counted from 1, and how to get the rest.
func (s *snapshot) window(from, limit int) (text, left string) {
	if from < 1 {
		from = 1
	}
	if len(s.lines) == 0 {
		return "", ""
	}
	bytes, end := 0, from-1
	for end < len(s.lines) && (bytes == 0 || bytes+len(s.lines[end])+1 <= limit) {
		bytes += len(s.lines[end]) + 1
		end++
	}
	if from > len(s.lines) {
		return "", fmt.Sprintf("there are only %d lines", len(s.lines))
	}
	text = strings.Join(s.lines[from-1:end], "\n")
	if end < len(s.lines) {
		rest := 0
		for _, line := range s.lines[end:] {
			rest += len(line) + 1
		}
		left = fmt.Sprintf("%d of %d lines (%s) are left out; browser_snapshot with from: %d goes on, in a new snapshot, and target: a ref shows one part of the page", len(s.lines)-end, len(s.lines), size(rest), end+1)
	}
	return text, left
}

// takeSnapshot makes a snapshot of the tab, and its refs those that hold. below is a ref of the last one, or "".
func (d *driver) takeSnapshot(ctx context.Context, t *tab, below string) (*snapshot, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, snapshotPatience, errors.New("the page did not answer in time"))
	defer cancel()
	r := renderer{}
	if below != "" {
		found, err := d.element(t, below)
		if err != nil {
			return nil, err
		}
		r.below = found.node
	}
	// The page makes one after the other; here one is read while it is at the next.
	clickable := make(chan map[place]bool, 1)
	go func() { clickable <- d.clickable(ctx, t) }()
	page, err := d.gather(ctx, t.frame(), 0)
	r.clickable = <-clickable
	if err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(page.nodes) > 0 {
		t.title = text(page.nodes[0].Name)
	}
	d.refs.begin(t.id)
	r.refs = &d.refs
	r.document(page, 0, 0, r.below == 0)
	return &snapshot{d.refs.snapshot, r.lines}, nil
}

// element is what a ref stands for in the tab.
func (d *driver) element(t *tab, ref string) (element, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.refs.find(ref, t.id)
}

// gather reads the tree of a frame and of those in it.
func (d *driver) gather(ctx context.Context, id cdp.FrameID, depth int) (*document, error) {
	d.mu.Lock()
	f := d.frames[id]
	if f == nil {
		d.mu.Unlock()
		return nil, errors.New("the page has gone")
	}
	session, doc := d.browser.Session(f.session), &document{frame: id, session: f.session, inner: map[cdp.BackendNodeID]*document{}}
	var inner []cdp.FrameID
	for _, other := range d.frames {
		if other.parent == id && len(inner) < maxFrames && depth < maxFrameDepth {
			inner = append(inner, other.id)
		}
	}
	d.mu.Unlock()
	var tree axTree
	if err := session.Call(ctx, accessibility.GetFullAXTree.Method, accessibility.GetFullAXTreeParams{FrameID: id}, &tree); err != nil {
		return nil, fmt.Errorf("read the page: %w", err)
	}
	doc.nodes = tree.Nodes
	slices.Sort(inner)
	for _, frame := range inner {
		owner, err := cdp.Call(ctx, session, dom.GetFrameOwner, dom.GetFrameOwnerParams{FrameID: frame})
		if err != nil {
			continue // it went meanwhile, or is no element of the page
		}
		read, err := d.gather(ctx, frame, depth+1)
		if err != nil {
			read = &document{missing: "it did not answer"}
		}
		doc.inner[owner.BackendNodeID] = read
	}
	return doc, nil
}

// clickable are the elements that answer to clicks without being made for it, as their scripts have them. They are of no role that
// says so, and many pages consist of them.
func (d *driver) clickable(ctx context.Context, t *tab) map[place]bool {
	found := map[place]bool{}
	for _, session := range d.sessionsOf(t) {
		var captured struct {
			Documents []struct {
				Nodes struct {
					BackendNodeID []cdp.BackendNodeID `json:"backendNodeId"`
					IsClickable   struct {
						Index []int `json:"index"`
					} `json:"isClickable"`
				} `json:"nodes"`
			} `json:"documents"`
		}
		params := domsnapshot.CaptureSnapshotParams{ComputedStyles: []string{}}
		if err := session.Call(ctx, domsnapshot.CaptureSnapshot.Method, params, &captured); err != nil {
			continue // what is clickable by its role is known without
		}
		for _, one := range captured.Documents {
			for _, index := range one.Nodes.IsClickable.Index {
				if index >= 0 && index < len(one.Nodes.BackendNodeID) {
					found[place{session.ID, one.Nodes.BackendNodeID[index]}] = true
				}
			}
		}
	}
	return found
}
