package native

import (
	"context"
	"errors"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/runtime"

	"pillion/browser/devtools"
)

const (
	// quiet is for how long nothing may begin before a page counts as at rest.
	quiet = 40 * time.Millisecond
	// requestPatience bounds the wait for what a page fetches in the background: some wait for ever (long polls).
	requestPatience = time.Second
)

var errSlow = errors.New("the page is still loading")

// rest waits until what an action set off has come to rest: documents, questions about them, and for a moment what is fetched.
// A page that never does is no error; it is told. begun is when the action began.
func (d *driver) rest(ctx context.Context, t *tab, patience time.Duration) error {
	d.turnOver(ctx, t)
	begun, calmSince := time.Now(), time.Now()
	for {
		now := time.Now()
		d.mu.Lock()
		changed, isAsked := d.changed, d.held > 0
		isBusy := d.isBusy(t, now.Sub(begun) < requestPatience)
		d.mu.Unlock()
		switch {
		case isAsked:
			begun, calmSince = now, now // a person takes as long as it takes
		case isBusy && now.Sub(begun) >= patience:
			return errSlow
		case isBusy:
			calmSince = now
		case now.Sub(calmSince) >= quiet:
			return nil
		}
		if err := d.awaitChange(ctx, changed, quiet); err != nil {
			return err
		}
	}
}

// isBusy reports whether something is on its way in the page, or in one that it opened just now.
func (d *driver) isBusy(t *tab, fetchingCounts bool) bool {
	for _, other := range d.tabs {
		isNew := !other.isOurs && !other.isTold
		if isNew && fetchingCounts && (len(other.loading) > 0 || d.shownURL(other) == "about:blank") {
			return true
		}
	}
	return t.isBusy(fetchingCounts)
}

// awaitChange waits until the browser told something, for at most so long.
func (d *driver) awaitChange(ctx context.Context, changed <-chan struct{}, atMost time.Duration) error {
	timer := time.NewTimer(atMost)
	defer timer.Stop()
	select {
	case <-changed:
	case <-timer.C:
	case <-d.browser.Over():
		return devtools.ErrClosed
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	return nil
}

// turnOver lets the page's own scripts run once, so that what they begin has begun.
func (d *driver) turnOver(ctx context.Context, t *tab) {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	_, _ = cdp.Call(ctx, t.session, runtime.Evaluate, runtime.EvaluateParams{
		Expression: "new Promise(done => setTimeout(done, 0))", AwaitPromise: new(true), Silent: new(true),
	})
	_ = d.browser.Flush(ctx)
}
