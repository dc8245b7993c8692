package native

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/target"

	"pillion/browser/policy"
	"pillion/browser/relay"
)

type destination struct {
	URL  string   `json:"url" jsonschema:"where to go, with http:// or https://"`
	Also []string `json:"also,omitempty" jsonschema:"further origins that the page may load from, such as https://cdn.example.com; they are asked about in the same question"`
}

const maxAlso = 20

func navigate(ctx context.Context, c *call, in destination) error {
	c.shows = true
	url, err := policy.Destination(in.URL)
	if err != nil {
		c.shows = false
		return refuseAct("%s cannot be opened: %s.", quote(bounded(in.URL, 200)), err)
	}
	also, err := origins(in.Also)
	if err != nil {
		c.shows = false
		return err
	}
	if err := c.allow(ctx, url, also); err != nil {
		c.shows = false
		return err
	}
	if err := c.avoidOldPage(ctx, url); err != nil {
		return err
	}
	return c.open(ctx, url)
}

func origins(texts []string) ([]policy.Origin, error) {
	if len(texts) > maxAlso {
		return nil, refuseAct("At most %d further origins can be asked about at once.", maxAlso)
	}
	var found []policy.Origin
	for _, text := range texts {
		plain, err := policy.Destination(text)
		if err != nil {
			return nil, refuseAct("%s is no origin: %s.", quote(bounded(text, 200)), err)
		}
		origin, err := policy.OriginOf(plain)
		if err != nil || origin.Place() != policy.Public {
			return nil, refuseAct("%s is no public origin.", quote(bounded(text, 200)))
		}
		found = append(found, origin)
	}
	return found, nil
}

// allow asks about what was not allowed yet, before anything is sent there.
func (c *call) allow(ctx context.Context, url string, also []policy.Origin) error {
	c.d.mu.Lock()
	verdict, reason := policy.Judge(policy.Request{URL: url, By: policy.Agent, Document: true}, &c.d.allowed)
	isNew := slices.ContainsFunc(also, func(o policy.Origin) bool { return !c.d.allowed.Has(o) })
	c.d.mu.Unlock()
	switch {
	case verdict == policy.Refuse:
		return refuseAct("%s was not opened: %s.", quote(bounded(url, 500)), reason)
	case verdict == policy.Pass && !isNew:
		return nil
	}
	origin, err := policy.OriginOf(url)
	if err != nil {
		return refuseAct("Origins can be allowed together with a page of http or https alone.")
	}
	a, err := c.d.ask(ctx, c.op, &question{url: url, origins: append([]policy.Origin{origin}, also...)})
	switch {
	case errors.Is(err, errNobody):
		return refuseAct("%s was not opened: %s.", quote(bounded(url, 500)), err)
	case err != nil:
		return err
	case !a.allows:
		return refuseAct("%s was not opened: the answer was no. Do not ask again for it.", quote(bounded(url, 500)))
	}
	return nil
}

// avoidOldPage has a page of this machine opened in a tab that has shown nothing public, so that nothing of an old page is there to
// gain by it.
func (c *call) avoidOldPage(ctx context.Context, url string) error {
	origin, err := policy.OriginOf(url)
	if err != nil || origin.Place() != policy.Loopback {
		return nil
	}
	c.d.mu.Lock()
	old := c.tab
	f := c.d.frames[old.frame()]
	isFresh := f != nil && f.zone == policy.Inside && !old.hasCrashed
	c.d.mu.Unlock()
	if isFresh {
		return nil
	}
	return c.replace(ctx, old)
}

// replace puts a new tab in the place of one.
func (c *call) replace(ctx context.Context, old *tab) error {
	fresh, err := c.d.newTab(ctx)
	if err != nil {
		return err
	}
	c.d.mu.Lock()
	fresh.id, old.id = old.id, fresh.id
	place, last := slices.Index(c.d.tabs, old), slices.Index(c.d.tabs, fresh)
	if place >= 0 && last >= 0 {
		c.d.tabs[place], c.d.tabs[last] = fresh, old
	}
	c.d.lastTab--
	c.tab, c.d.front = fresh, fresh
	c.d.mu.Unlock()
	_, err = cdp.Call(ctx, c.d.browser.Conn.Browser(), target.CloseTarget, target.CloseTargetParams{TargetID: old.target})
	if err != nil {
		return err
	}
	return c.d.await(ctx, func() bool { return old.isClosed })
}

// open goes to the URL in the call's tab and waits until the page can be read.
func (c *call) open(ctx context.Context, url string) error {
	t := c.tab
	c.d.mu.Lock()
	t.refused = ""
	c.d.mu.Unlock()
	var went page.NavigateResult
	err := c.d.patiently(ctx, c.d.o.Patience.Navigation, func(ctx context.Context) (err error) {
		went, err = cdp.Call(ctx, t.session, page.Navigate, page.NavigateParams{URL: url})
		return err
	})
	switch {
	case errors.Is(err, errSlow):
		t.session.Send(page.StopLoading.Method, nil)
		return refuseAct("%s did not answer within %s. It may still be starting; try again, or wait.", quote(bounded(url, 500)), c.d.o.Patience.Navigation)
	case err != nil:
		return err
	case went.ErrorText != "":
		return c.whyNotOpened(url, went.ErrorText)
	}
	if went.LoaderID != "" {
		err = c.d.patiently(ctx, c.d.o.Patience.Navigation, func(ctx context.Context) error {
			return c.d.await(ctx, func() bool {
				f := c.d.frames[t.frame()]
				return t.hasContent && f != nil && f.loader == went.LoaderID || t.isClosed || t.hasCrashed
			})
		})
	}
	if err == nil {
		err = c.d.rest(ctx, t, c.d.o.Patience.Action)
	}
	return c.sayIfSlow(err)
}

func (c *call) sayIfSlow(err error) error {
	if errors.Is(err, errSlow) {
		c.say("The page is still loading; this is how it is now.")
		return nil
	}
	return err
}

func (c *call) whyNotOpened(url, said string) error {
	origin, _ := policy.OriginOf(url)
	fault := c.d.relay.Fault(origin)
	c.d.mu.Lock()
	refused := c.tab.refused
	c.d.mu.Unlock()
	var unreachable *relay.UnreachableError
	c.shows = false
	switch {
	case refused != "":
		return refuseAct("%s led to a page that was refused: %s.", quote(bounded(url, 500)), refused)
	case said == "net::ERR_ABORTED":
		c.say("%s is no page: the tab stays as it was.", quote(bounded(url, 500)))
		c.shows = true
		return c.sayIfSlow(c.d.rest(context.Background(), c.tab, time.Second))
	case errors.As(fault, &unreachable):
		return refuseAct("%s was not opened: its name leads to a private address or to this machine, which only localhost may.", quote(bounded(url, 500)))
	case fault != nil && origin.Place() == policy.Loopback:
		return refuseAct("Nothing answers at %s (%s). Is the server running, and on that port?", origin, reason(fault))
	case fault != nil:
		return refuseAct("%s could not be reached: %s.", origin, reason(fault))
	}
	return refuseAct("%s could not be opened: %s.", quote(bounded(url, 500)), printable(said))
}

// reason is the last part of what the network says, on one line.
func reason(err error) string {
	first, _, _ := strings.Cut(err.Error(), "\n")
	return printable(bounded(first, 200))
}

// patiently waits for do for at most patience, in which the time that a person takes does not count. After that the context of
// do ends and the error is errSlow.
func (d *driver) patiently(ctx context.Context, patience time.Duration, do func(context.Context) error) error {
	inner, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	done := make(chan error, 1)
	go func() { done <- do(inner) }()
	const step = 100 * time.Millisecond
	ticker := time.NewTicker(step)
	defer ticker.Stop()
	for {
		select {
		case err := <-done:
			return err
		case <-ticker.C:
		}
		d.mu.Lock()
		isAsked := d.held > 0
		d.mu.Unlock()
		if !isAsked {
			patience -= step
		}
		if patience <= 0 {
			cancel(errSlow)
			return <-done
		}
	}
}

func navigateBack(ctx context.Context, c *call, _ nothing) error {
	c.shows = true
	history, err := cdp.Call(ctx, c.tab.session, page.GetNavigationHistory, cdp.Empty{})
	if err != nil {
		return err
	}
	at := int(history.CurrentIndex) - 1
	if at < 0 || at >= len(history.Entries) || at == 0 && history.Entries[at].URL == "about:blank" {
		return refuseAct("There is no page to go back to in this tab.")
	}
	entry := history.Entries[at]
	before := c.tab
	if err := c.avoidOldPage(ctx, entry.URL); err != nil {
		return err
	}
	if c.tab != before {
		c.say("The page was opened anew, in a new tab in place of the old one.")
		return c.open(ctx, entry.URL)
	}
	if _, err := cdp.Call(ctx, c.tab.session, page.NavigateToHistoryEntry, page.NavigateToHistoryEntryParams{EntryID: entry.ID}); err != nil {
		return err
	}
	err = c.d.patiently(ctx, c.d.o.Patience.Navigation, func(ctx context.Context) error {
		return c.d.await(ctx, func() bool {
			f := c.d.frames[c.tab.frame()]
			return f == nil || f.url == entry.URL || c.tab.refused != ""
		})
	})
	if errors.Is(err, errSlow) {
		return fmt.Errorf("go back: %w", err)
	}
	if err == nil {
		err = c.d.rest(ctx, c.tab, c.d.o.Patience.Action)
	}
	return c.sayIfSlow(err)
}
