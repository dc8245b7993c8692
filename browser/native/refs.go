package native

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"
)

// element is what a ref of a snapshot stands for.
type element struct {
	node    cdp.BackendNodeID // 0 is one that a script saw, until the browser was asked for it
	number  int               // among those that the script saw
	world   runtime.ExecutionContextID
	frame   cdp.FrameID
	session target.SessionID
	label   string // what the snapshot called it
}

// refs are the elements of the last snapshot. A ref says which snapshot it is of, so that one of an earlier snapshot is known as
// such instead of standing for whatever has its number by now.
type refs struct {
	snapshot int // counted up for as long as the process lives
	elements []element
	tab      int
}

// begin makes all earlier refs dead.
func (r *refs) begin(tab int) {
	r.snapshot++
	r.elements, r.tab = nil, tab
}

// forget makes all refs dead without there being new ones.
func (r *refs) forget() { r.begin(0) }

// add is the ref of an element.
func (r *refs) add(e element) string {
	r.elements = append(r.elements, e)
	return fmt.Sprintf("s%de%d", r.snapshot, len(r.elements))
}

// refError is a ref that stands for nothing.
type refError struct{ reason string }

func (e *refError) Error() string { return e.reason }

// find is the element that a ref stands for in the tab. The error is a *refError.
func (r *refs) find(ref string, tab int) (element, error) {
	snapshot, number, ok := parseRef(ref)
	switch {
	case !ok:
		return element{}, &refError{fmt.Sprintf("%s is no ref. A ref is written in the snapshot as [ref=s1e2]; call browser_snapshot for one.", quote(bounded(ref, 80)))}
	case snapshot != r.snapshot && snapshot > 0 && snapshot < r.snapshot:
		return element{}, &refError{fmt.Sprintf("The ref %s is of snapshot %d and dead: a newer one was made since. Call browser_snapshot and use a ref of that.", ref, snapshot)}
	case snapshot != r.snapshot || number < 1 || number > len(r.elements):
		return element{}, &refError{fmt.Sprintf("There is no ref %s in the last snapshot. Call browser_snapshot for those that there are.", ref)}
	case r.tab != tab:
		return element{}, &refError{fmt.Sprintf("The ref %s is of tab %d, and tab %d is the current one. Select that tab, or call browser_snapshot.", ref, r.tab, tab)}
	}
	return r.elements[number-1], nil
}

func parseRef(ref string) (snapshot, number int, ok bool) {
	rest, isRef := strings.CutPrefix(ref, "s")
	first, second, isPair := strings.Cut(rest, "e")
	snapshot, err := strconv.Atoi(first)
	number, otherErr := strconv.Atoi(second)
	// Only as they are written: "s01e1" is none.
	return snapshot, number, isRef && isPair && err == nil && otherErr == nil && ref == fmt.Sprintf("s%de%d", snapshot, number)
}
