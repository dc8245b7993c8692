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

	"pillion/browser/devtools"
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
	root, number := t.frame(), -1
	r := renderer{}
	if below != "" {
		found, err := d.shown(t, below)
		if err != nil {
			return nil, err
		}
		if r.below = found.node; found.world != 0 {
			root, number = found.frame, found.number
		}
	}
	read, err := d.gather(ctx, root, number, r.below == 0, 0)
	if err != nil {
		return nil, err
	}
	if read.hasTree() {
		r.clickable = d.clickable(ctx, t)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if title := read.title(); root == t.frame() && title != "" {
		t.title = title
	}
	d.refs.begin(t.id)
	r.refs = &d.refs
	r.document(read, 0, 0, r.below == 0)
	return &snapshot{d.refs.snapshot, r.lines}, nil
}

// shown is what a ref stands for in the tab, as the snapshot has it.
func (d *driver) shown(t *tab, ref string) (element, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.refs.find(ref, t.id)
}

// element is what a ref stands for in the tab, as the browser knows it.
func (d *driver) element(ctx context.Context, t *tab, ref string) (element, error) {
	e, err := d.shown(t, ref)
	if err != nil || e.world == 0 {
		return e, err
	}
	node, err := d.described(ctx, e)
	if err != nil {
		return e, err
	}
	e.node = node.BackendNodeID
	return e, nil
}

// gather reads a frame and those in it: as the script sees it where it can and that is wanted, else as the browser's own tree.
// Where below is not -1, only what lies in the element of the script with that number is read.
func (d *driver) gather(ctx context.Context, id cdp.FrameID, below int, byScript bool, depth int) (*document, error) {
	d.mu.Lock()
	f := d.frames[id]
	if f == nil {
		d.mu.Unlock()
		return nil, errors.New("the page has gone")
	}
	copied := *f
	doc := &document{frame: id, session: f.session, inner: map[cdp.BackendNodeID]*document{}}
	isFirst := d.sessions[f.session] != nil && cdp.FrameID(d.sessions[f.session].info.TargetID) == id
	var inner []cdp.FrameID
	for _, other := range d.frames {
		if other.parent == id && len(inner) < maxFrames && depth < maxFrameDepth {
			inner = append(inner, other.id)
		}
	}
	d.mu.Unlock()
	slices.Sort(inner)
	if byScript {
		seen, err := d.walk(ctx, copied, isFirst, below)
		var answered *devtools.Error // that it does not do this, in this frame
		if err != nil && !errors.As(err, &answered) {
			return nil, err
		}
		if seen != nil {
			doc.walked = seen
			d.gatherSeen(ctx, doc, inner, depth)
			return doc, nil
		}
	}
	if below >= 0 {
		return nil, errors.New("the page has changed; take a snapshot of the whole page")
	}
	return doc, d.gatherTree(ctx, doc, inner, depth)
}

// gatherSeen reads the frames in a frame that the script saw.
func (d *driver) gatherSeen(ctx context.Context, doc *document, inner []cdp.FrameID, depth int) {
	if len(inner) == 0 {
		return
	}
	for text := range strings.SplitSeq(doc.walked.records, recordEnd) {
		one, ok := parseRecord(text)
		if !ok || one.role != "Iframe" {
			continue
		}
		node, err := d.described(ctx, element{number: one.number, world: doc.walked.world, session: doc.session})
		if err != nil || !slices.Contains(inner, node.FrameID) {
			continue // it went meanwhile
		}
		read, err := d.gather(ctx, node.FrameID, -1, true, depth+1)
		if err != nil {
			read = &document{missing: "it did not answer"}
		}
		doc.walked.inner[one.number] = read
	}
}

// gatherTree reads the browser's own tree of a frame, and the frames in it.
func (d *driver) gatherTree(ctx context.Context, doc *document, inner []cdp.FrameID, depth int) error {
	session := d.browser.Session(doc.session)
	var tree axTree
	if err := session.Call(ctx, accessibility.GetFullAXTree.Method, accessibility.GetFullAXTreeParams{FrameID: doc.frame}, &tree); err != nil {
		return fmt.Errorf("read the page: %w", err)
	}
	doc.nodes = tree.Nodes
	for _, frame := range inner {
		owner, err := cdp.Call(ctx, session, dom.GetFrameOwner, dom.GetFrameOwnerParams{FrameID: frame})
		if err != nil {
			continue // it went meanwhile, or is no element of the page
		}
		read, err := d.gather(ctx, frame, -1, false, depth+1)
		if err != nil {
			read = &document{missing: "it did not answer"}
		}
		doc.inner[owner.BackendNodeID] = read
	}
	return nil
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
