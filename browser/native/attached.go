package native

import (
	"context"
	"strings"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/storage"
	"github.com/chromedp/cdproto/target"

	"pillion/browser/devtools"
)

// moveOutPatience is for the tabs of a session to be closed in a browser that goes on.
const moveOutPatience = 2 * time.Second

// settleIn makes a place of the session's own in a browser that the user started: what is there goes through the relay, as in a
// browser of Pillion's own, and has the logins of the user's cookies (docs/decisions/0025). It is gone with the connection, however that ends.
func (d *driver) settleIn(ctx context.Context) error {
	session := d.browser.Conn.Browser()
	made, err := cdp.Call(ctx, session, target.CreateBrowserContext, target.CreateBrowserContextParams{
		DisposeOnDetach: new(true), ProxyServer: "http://" + d.relay.Address(), ProxyBypassList: "<-loopback>",
	})
	if err != nil {
		return err
	}
	d.mu.Lock()
	d.context = made.BrowserContextID
	d.mu.Unlock()
	theirs, err := cdp.Call(ctx, session, storage.GetCookies, storage.GetCookiesParams{})
	if err != nil || len(theirs.Cookies) == 0 {
		return err
	}
	lent := make([]*network.CookieParam, 0, len(theirs.Cookies))
	for _, c := range theirs.Cookies {
		one := &network.CookieParam{
			Name: c.Name, Value: c.Value, Domain: c.Domain, Path: c.Path, Secure: c.Secure, HTTPOnly: c.HTTPOnly, SameSite: c.SameSite,
		}
		if !strings.HasPrefix(c.Domain, ".") { // of this host alone, which only its address says
			one.Domain, one.URL = "", map[bool]string{true: "https://", false: "http://"}[c.Secure]+c.Domain+"/"
		}
		if !c.Session {
			one.Expires = cdp.TimeSinceEpoch(c.Expires)
		}
		if c.PartitionKey == nil { // one of a page inside another counts there alone
			lent = append(lent, one)
		}
	}
	if d.lend(ctx, made.BrowserContextID, lent) == nil {
		return nil
	}
	// The browser takes all or none: what it does not take of its own any more is left out.
	for _, one := range lent {
		_ = d.lend(ctx, made.BrowserContextID, []*network.CookieParam{one})
	}
	return ctx.Err()
}

func (d *driver) lend(ctx context.Context, to cdp.BrowserContextID, cookies []*network.CookieParam) error {
	_, err := cdp.Call(ctx, d.browser.Conn.Browser(), storage.SetCookies, storage.SetCookiesParams{Cookies: cookies, BrowserContextID: to})
	return err
}

// moveOut closes the session's tabs, and nothing else, in a browser that goes on.
func (d *driver) moveOut(from *devtools.Browser) {
	ctx, cancel := context.WithTimeout(context.Background(), moveOutPatience)
	defer cancel()
	if d.context != "" {
		_, _ = cdp.Call(ctx, from.Conn.Browser(), target.DisposeBrowserContext, target.DisposeBrowserContextParams{BrowserContextID: d.context})
	}
}

// isTheirs reports whether a target is not the session's, and lets it go: the user's own pages are neither held nor listened to. The
// lock is held.
func (d *driver) isTheirs(session devtools.Session, info *target.Info) bool {
	if !d.browser.IsAttached() || info.BrowserContextID == d.context {
		return false
	}
	session.Send(runtime.RunIfWaitingForDebugger.Method, nil)
	d.browser.Conn.Browser().Send(target.DetachFromTarget.Method, target.DetachFromTargetParams{SessionID: session.ID})
	return true
}

// withoutCalls is run before all scripts of a page: what WebRTC sends would go around the relay.
const withoutCalls = "delete globalThis.RTCPeerConnection; delete globalThis.webkitRTCPeerConnection"

// hold has the requests of a target held, where not all of the browser's are.
func (d *driver) hold(session devtools.Session, info *target.Info) {
	if !d.browser.IsAttached() {
		return
	}
	session.Send(fetch.Enable.Method, fetch.EnableParams{HandleAuthRequests: new(true)})
	if info.Type == "page" || info.Type == "iframe" {
		session.Send(page.AddScriptToEvaluateOnNewDocument.Method, page.AddScriptToEvaluateOnNewDocumentParams{Source: withoutCalls, RunImmediately: new(true)})
		session.Send(page.SetPrerenderingAllowed.Method, page.SetPrerenderingAllowedParams{})
	}
}
