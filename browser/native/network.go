package native

import (
	"fmt"
	"strings"

	"github.com/chromedp/cdproto/network"

	"pillion/browser/devtools"
)

// networkEntry is one request of a page, or one socket.
type networkEntry struct {
	number   int
	method   string
	url      string
	kind     network.ResourceType
	status   int64
	mimeType string
	failure  string
	isOver   bool
	bytes    float64
	id       network.RequestID
	session  devtools.Session
}

const (
	maxURLBytes     = 500     // of an address that is shown
	maxKeptURLBytes = 4 << 10 // of one that is kept, to be looked for; a page may have a thousand of 2 MB
	maxTokenBytes   = 80      // of a method or a type, which pages choose too
)

func (d *driver) onNetwork(e devtools.Event) {
	if e.Method == network.WebSocketCreated.Method {
		var event network.EventWebSocketCreated
		if read(e, &event) {
			d.socket(e.Session, event.URL)
			d.enter(e, &networkEntry{id: event.RequestID, method: "GET", url: event.URL, kind: network.ResourceTypeWebSocket})
		}
		return
	}
	one := d.sessions[e.Session]
	if one == nil || one.tab == nil {
		return
	}
	switch e.Method {
	case network.RequestWillBeSent.Method:
		var event network.EventRequestWillBeSent
		if read(e, &event) && event.Request != nil {
			d.requested(e, one.tab, &event)
		}
	case network.ResponseReceived.Method:
		var event network.EventResponseReceived
		if read(e, &event) && event.Response != nil {
			if entry := one.tab.requests[event.RequestID]; entry != nil {
				entry.status, entry.mimeType = event.Response.Status, bounded(event.Response.MimeType, maxTokenBytes)
			}
		}
	case network.LoadingFinished.Method:
		var event network.EventLoadingFinished
		if read(e, &event) {
			one.tab.finish(event.RequestID, "", event.EncodedDataLength)
		}
	case network.LoadingFailed.Method:
		var event network.EventLoadingFailed
		if read(e, &event) {
			failure := event.ErrorText
			if event.BlockedReason == network.BlockedReasonInspector || failure == "net::ERR_BLOCKED_BY_CLIENT" {
				failure = "refused by Pillion"
			}
			one.tab.finish(event.RequestID, failure, 0)
		}
	}
}

func (d *driver) requested(e devtools.Event, t *tab, event *network.EventRequestWillBeSent) {
	if event.RedirectResponse != nil {
		if entry := t.requests[event.RequestID]; entry != nil {
			entry.status = event.RedirectResponse.Status
			t.finish(event.RequestID, "", 0)
		}
	}
	if strings.HasPrefix(event.Request.URL, "data:") {
		return
	}
	d.enter(e, &networkEntry{id: event.RequestID, method: event.Request.Method, url: event.Request.URL, kind: event.Type})
	switch event.Type {
	case network.ResourceTypeDocument, network.ResourceTypeScript, network.ResourceTypeStylesheet, network.ResourceTypeXHR, network.ResourceTypeFetch:
		t.running[event.RequestID] = true
	}
}

func (d *driver) enter(e devtools.Event, entry *networkEntry) {
	one := d.sessions[e.Session]
	if one == nil || one.tab == nil {
		return
	}
	entry.session = d.browser.Session(e.Session)
	entry.url, entry.method = bounded(entry.url, maxKeptURLBytes), bounded(entry.method, maxTokenBytes)
	one.tab.network.add(entry)
	entry.number = one.tab.network.total
	one.tab.requests[entry.id] = entry
	if len(one.tab.requests) > 2*maxEntries {
		for id, old := range one.tab.requests {
			if old.number < one.tab.network.first() {
				delete(one.tab.requests, id)
			}
		}
	}
}

func (t *tab) finish(id network.RequestID, failure string, bytes float64) {
	delete(t.running, id)
	if entry := t.requests[id]; entry != nil {
		entry.isOver, entry.failure, entry.bytes = true, failure, bytes
	}
}

// isFault reports whether a person who looks for what is wrong would look at it.
func (e *networkEntry) isFault() bool { return e.failure != "" || e.status >= 400 }

// isStatic reports whether it is a part of the page that loaded as it should.
func (e *networkEntry) isStatic() bool {
	switch e.kind {
	case network.ResourceTypeImage, network.ResourceTypeFont, network.ResourceTypeStylesheet, network.ResourceTypeScript, network.ResourceTypeMedia:
		return e.isOver && !e.isFault()
	}
	return false
}

func (e *networkEntry) line() string {
	outcome := "under way"
	switch {
	case e.failure != "":
		outcome = "failed: " + printable(e.failure)
	case e.status != 0:
		outcome = fmt.Sprint(e.status)
	case e.isOver:
		outcome = "done"
	}
	line := fmt.Sprintf("%d. %s %s → %s (%s", e.number, printable(e.method), quote(bounded(e.url, maxURLBytes)), outcome, strings.ToLower(e.kind.String()))
	if e.mimeType != "" {
		line += ", " + printable(e.mimeType)
	}
	if e.bytes > 0 {
		line += ", " + size(int(e.bytes))
	}
	return line + ")"
}
