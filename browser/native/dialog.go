package native

import (
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/target"
)

// dialogAnswer is what the agent decided about the next dialog of a page.
type dialogAnswer struct {
	accepts bool
	text    string
}

// onDialog answers at once, for a page stands still while its dialog is open: an alert is read, leaving a page is let happen, and
// whatever is a decision is a no unless the agent said otherwise before.
func (d *driver) onDialog(session target.SessionID, event *page.EventJavascriptDialogOpening) {
	if d.isGuarded {
		return // the guest's to answer
	}
	decision := dialogAnswer{accepts: event.Type == page.DialogTypeAlert || event.Type == page.DialogTypeBeforeunload}
	isDecided := false
	if one := d.sessions[session]; one != nil && one.tab != nil && one.tab.nextDialog != nil && event.Type != page.DialogTypeBeforeunload {
		decision, isDecided = *one.tab.nextDialog, true
		one.tab.nextDialog = nil
	}
	what := "dismissed"
	if decision.accepts {
		what = "accepted"
	}
	hint := ""
	if !isDecided && !decision.accepts {
		hint = "; to have it accepted, call browser_handle_dialog and then repeat what opened it"
	}
	d.tell("the page showed a dialog (%s) with the text %s; it was %s%s", event.Type, quote(bounded(event.Message, 1000)), what, hint)
	d.browser.Session(session).Send(page.HandleJavaScriptDialog.Method, page.HandleJavaScriptDialogParams{Accept: decision.accepts, PromptText: decision.text})
}
