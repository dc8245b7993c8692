package native

import (
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/target"

	"pillion/browser/devtools"
	"pillion/browser/policy"
)

// held is a request that waits in the browser for an answer; nothing of it has left.
type held struct {
	session devtools.Session
	id      fetch.RequestID
	url     string
	origin  policy.Origin
	frame   cdp.FrameID
}

func (d *driver) onFetch(e devtools.Event) {
	switch e.Method {
	case fetch.RequestPaused.Method:
		var paused fetch.EventRequestPaused
		if read(e, &paused) && paused.Request != nil {
			d.judge(e.Session, &paused)
		}
	case fetch.AuthRequired.Method:
		var required fetch.EventAuthRequired
		if read(e, &required) {
			d.authenticate(e.Session, &required)
		}
	}
}

// authenticate proves the browser to the relay; a site's own question for a name and a password is left unanswered.
func (d *driver) authenticate(session target.SessionID, required *fetch.EventAuthRequired) {
	answer := &fetch.AuthChallengeResponse{Response: fetch.AuthChallengeResponseResponseCancelAuth}
	if c := required.AuthChallenge; c != nil && c.Source == fetch.AuthChallengeSourceProxy {
		name, password := d.relay.Credentials()
		answer = &fetch.AuthChallengeResponse{Response: fetch.AuthChallengeResponseResponseProvideCredentials, Username: name, Password: password}
	}
	d.browser.Session(session).Send(fetch.ContinueWithAuth.Method, fetch.ContinueWithAuthParams{RequestID: required.RequestID, AuthChallengeResponse: answer})
}

// judge lets a held request pass, refuses it, or has a person asked about it; the lock is held.
func (d *driver) judge(session target.SessionID, paused *fetch.EventRequestPaused) {
	h := held{session: d.browser.Session(session), id: paused.RequestID, url: paused.Request.URL, frame: paused.FrameID}
	h.origin, _ = policy.OriginOf(h.url)
	from, top := policy.Unknown, policy.Origin{}
	isTop := false
	if f := d.frames[paused.FrameID]; f != nil {
		from = f.zone
		root := d.root(f)
		top, _ = policy.OriginOf(root.url)
		isTop = paused.ResourceType == network.ResourceTypeDocument && f.parent == "" && d.tabOf(f.id) != nil
	}
	verdict, reason := policy.Judge(policy.Request{URL: h.url, From: from, Top: top, Document: isTop}, &d.allowed)
	switch {
	case verdict == policy.Pass:
		d.pass(h, paused.ResourceType == network.ResourceTypeDocument)
	case verdict == policy.Ask && d.asking != nil && d.asking.takes(h):
		d.held++
	default:
		d.refuse(h, reason, isTop)
	}
}

// pass lets it go on. A frame that shows a public document is a public one from here on.
func (d *driver) pass(h held, isDocument bool) {
	if f := d.frames[h.frame]; f != nil && isDocument && f.zone != policy.Outside {
		f.zone = policy.ZoneOf(h.url, f.zone)
	}
	if h.origin != (policy.Origin{}) && d.relay != nil {
		d.relay.Grant(h.origin)
	}
	h.session.Send(fetch.ContinueRequest.Method, fetch.ContinueRequestParams{RequestID: h.id})
}

// refuse ends it as if it had been given up, so that the page that is there stays.
func (d *driver) refuse(h held, reason policy.Reason, isTop bool) {
	why := network.ErrorReasonBlockedByClient
	switch {
	case isTop:
		why = network.ErrorReasonAborted
		d.tell("the page wanted to open %s; it was refused: %s", quote(h.url), reason)
		if t := d.tabOf(h.frame); t != nil {
			t.refused = string(reason)
		}
	case h.origin == (policy.Origin{}):
		d.tell("a request to %s was refused: %s", quote(bounded(h.url, 200)), reason)
	default:
		d.tell("requests to %s were refused: %s", quote(h.origin.String()), reason)
	}
	h.session.Send(fetch.FailRequest.Method, fetch.FailRequestParams{RequestID: h.id, ErrorReason: why})
}

// answer lets the held requests of a question go on, or refuses them.
func (d *driver) answer(q *question, a answer) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if a.allows {
		d.allow(q.origins, a.withParts)
	}
	for _, h := range q.held {
		d.held--
		if a.allows {
			d.pass(h, true)
		} else {
			d.refuse(h, policy.Reason("the answer was no"), true)
		}
	}
	d.tellChanged()
}

// allow keeps what a person said yes to; the lock is held.
func (d *driver) allow(origins []policy.Origin, withParts bool) {
	for _, origin := range origins {
		d.allowed.Allow(origin)
	}
	if withParts && len(origins) > 0 {
		d.allowed.AllowParts(origins[0])
	}
}

func (d *driver) root(f *frame) *frame {
	for range len(d.frames) {
		parent := d.frames[f.parent]
		if parent == nil {
			break
		}
		f = parent
	}
	return f
}

// socket grants or refuses a WebSocket that a page is about to open, of which the browser tells without waiting.
func (d *driver) socket(session target.SessionID, url string) {
	origin, err := policy.OriginOf(url)
	if err != nil {
		return
	}
	from, top := policy.Unknown, policy.Origin{}
	if one := d.sessions[session]; one != nil {
		if f := d.frames[cdp.FrameID(one.info.TargetID)]; f != nil {
			from = f.zone
			top, _ = policy.OriginOf(d.root(f).url)
		} else if f := d.frames[one.info.ParentFrameID]; f != nil { // a worker of a page
			from = f.zone
			top, _ = policy.OriginOf(d.root(f).url)
		}
	}
	// A browser of the user's may have documents of several sites in one target, and the socket may be of any of them.
	for _, f := range d.frames {
		if f.session == session && f.zone != policy.Inside {
			from = f.zone
		}
	}
	verdict, reason := policy.Judge(policy.Request{URL: url, From: from, Top: top}, &d.allowed)
	if verdict != policy.Pass {
		d.tell("a WebSocket to %s was refused: %s", quote(origin.String()), reason)
		return
	}
	if origin.Place() == policy.Loopback {
		d.relay.GrantSocket(origin)
	} else {
		d.relay.Grant(origin)
	}
}
