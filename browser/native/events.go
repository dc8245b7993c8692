package native

import (
	"slices"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/inspector"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"

	"pillion/browser/devtools"
	"pillion/browser/policy"
)

func (d *driver) onTarget(e devtools.Event) {
	switch e.Method {
	case target.AttachedToTarget.Method:
		var event target.EventAttachedToTarget
		if read(e, &event) && event.TargetInfo != nil {
			d.attach(e.Session, &event)
		}
	case target.DetachedFromTarget.Method:
		var event target.EventDetachedFromTarget
		if read(e, &event) {
			d.detach(event.SessionID)
		}
	case target.TargetInfoChanged.Method:
		var event target.EventTargetInfoChanged
		if !read(e, &event) || event.TargetInfo == nil {
			return
		}
		for _, t := range d.tabs {
			if t.target == event.TargetInfo.TargetID {
				t.title = event.TargetInfo.Title
				if f := d.frames[t.frame()]; f != nil && f.loader == "" {
					f.url = event.TargetInfo.URL // of a document that the page did not tell of
				}
			}
		}
	}
}

// attach listens to a new page, frame or worker before it does anything; the browser holds it until then.
func (d *driver) attach(parent target.SessionID, event *target.EventAttachedToTarget) {
	info, session := event.TargetInfo, d.browser.Session(event.SessionID)
	if info.Type == "browser" {
		return // what stands for it to a guest
	}
	if d.isTheirs(session, info) {
		return
	}
	d.hold(session, info)
	one := &attached{session: session, info: info}
	if above := d.sessions[parent]; above != nil {
		one.tab = above.tab
	}
	d.sessions[event.SessionID] = one
	id := cdp.FrameID(info.TargetID)
	switch info.Type {
	case "page":
		d.frames[id] = &frame{id: id, session: event.SessionID, zone: d.zoneOfNew(info), url: info.URL}
		one.tab = d.addTab(info, session)
		d.front = nil // it is before all others by now
		session.Send(page.SetInterceptFileChooserDialog.Method, page.SetInterceptFileChooserDialogParams{Enabled: true, Cancel: new(true)})
	case "iframe":
		f := d.frameOf(id, info.ParentFrameID)
		f.session = event.SessionID
	default:
		if info.ParentFrameID == "" {
			d.frames[id] = &frame{id: id, session: event.SessionID, zone: policy.ZoneOf(info.URL, policy.Unknown), url: info.URL}
		}
	}
	if info.Type == "page" || info.Type == "iframe" {
		session.Send(page.Enable.Method, page.EnableParams{})
		if !d.isGuarded {
			session.Send(log.Enable.Method, nil)
		}
	}
	if d.isGuarded { // it reads the console and what was fetched itself; of sockets alone it is told nowhere else
		session.Send(network.Enable.Method, network.EnableParams{MaxTotalBufferSize: new(int64(0)), MaxResourceBufferSize: new(int64(0))})
	} else {
		session.Send(network.Enable.Method, network.EnableParams{MaxTotalBufferSize: new(int64(32 << 20)), MaxResourceBufferSize: new(int64(8 << 20))})
		session.Send(runtime.Enable.Method, nil)
	}
	session.Send(target.SetAutoAttach.Method, target.SetAutoAttachParams{AutoAttach: true, WaitForDebuggerOnStart: true, Flatten: new(true)})
	session.Send(runtime.RunIfWaitingForDebugger.Method, nil)
}

// zoneOfNew is what a new page is before it has shown anything: what opened it is. One that nobody seems to have opened may hide
// that; those that were opened here are made known by newTab.
func (d *driver) zoneOfNew(info *target.Info) policy.Zone {
	if opener := d.frames[info.OpenerFrameID]; opener != nil {
		return opener.zone
	}
	if opener := d.frames[cdp.FrameID(info.OpenerID)]; opener != nil {
		return opener.zone
	}
	return policy.Unknown
}

func (d *driver) detach(id target.SessionID) {
	one := d.sessions[id]
	if one == nil {
		return
	}
	delete(d.sessions, id)
	if one.info.Type != "page" {
		return
	}
	delete(d.frames, cdp.FrameID(one.info.TargetID))
	d.tabs = slices.DeleteFunc(d.tabs, func(t *tab) bool { return t == one.tab })
	one.tab.isClosed = true
	if d.current == one.tab {
		d.current = nil
		if len(d.tabs) > 0 {
			d.current = d.tabs[len(d.tabs)-1]
		}
	}
}

// frameOf is the frame with the id, made below its parent where it is new.
func (d *driver) frameOf(id, parent cdp.FrameID) *frame {
	f := d.frames[id]
	if f == nil {
		f = &frame{id: id, parent: parent}
		if above := d.frames[parent]; above != nil {
			f.zone, f.session = above.zone, above.session
		}
		d.frames[id] = f
	}
	return f
}

func (d *driver) onPage(e devtools.Event) {
	switch e.Method {
	case page.FrameAttached.Method:
		var event page.EventFrameAttached
		if read(e, &event) {
			d.frameOf(event.FrameID, event.ParentFrameID).session = e.Session
		}
	case page.FrameDetached.Method:
		var event page.EventFrameDetached
		if read(e, &event) && event.Reason != page.FrameDetachedReasonSwap {
			delete(d.frames, event.FrameID)
		}
	case page.FrameNavigated.Method:
		var event page.EventFrameNavigated
		if read(e, &event) && event.Frame != nil {
			d.navigated(e.Session, event.Frame)
		}
	case page.NavigatedWithinDocument.Method:
		var event page.EventNavigatedWithinDocument
		if read(e, &event) && d.frames[event.FrameID] != nil {
			d.frames[event.FrameID].url = event.URL
		}
	case page.JavascriptDialogOpening.Method:
		var event page.EventJavascriptDialogOpening
		if read(e, &event) {
			d.onDialog(e.Session, &event)
		}
	default:
		d.onLoading(e)
	}
}

func (d *driver) navigated(session target.SessionID, now *cdp.Frame) {
	f := d.frameOf(now.ID, now.ParentID)
	f.session, f.url, f.loader = session, now.URL+now.URLFragment, now.LoaderID
	if f.zone != policy.Outside {
		f.zone = policy.ZoneOf(now.URL, f.zone)
	}
	if t := d.tabOf(now.ID); t != nil {
		t.documents++
		t.hasContent = false
	}
}

// onLoading follows what the frames of a page are loading.
func (d *driver) onLoading(e devtools.Event) {
	one := d.sessions[e.Session]
	if one == nil || one.tab == nil {
		return
	}
	switch e.Method {
	case page.FrameStartedNavigating.Method:
		var event page.EventFrameStartedNavigating
		if read(e, &event) && event.NavigationType == page.FrameStartedNavigatingNavigationTypeDifferentDocument {
			one.tab.loading[event.FrameID] = true
		}
	case page.FrameStartedLoading.Method:
		var event page.EventFrameStartedLoading
		if read(e, &event) {
			one.tab.loading[event.FrameID] = true
		}
	case page.FrameStoppedLoading.Method:
		var event page.EventFrameStoppedLoading
		if read(e, &event) {
			delete(one.tab.loading, event.FrameID)
		}
	case page.DomContentEventFired.Method:
		if one.info.Type == "page" {
			one.tab.hasContent = true
		}
	}
}

func (d *driver) onCrash(e devtools.Event) {
	if one := d.sessions[e.Session]; e.Method == inspector.TargetCrashed.Method && one != nil && one.tab != nil {
		one.tab.hasCrashed = true
		clear(one.tab.loading)
		clear(one.tab.running)
		d.tell("the page in tab %d crashed", one.tab.id)
	}
}
