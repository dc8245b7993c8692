package message

import (
	"errors"
	"net/url"

	"pillion/rpc"
)

//pillion:section 58 The browser
//
// Each session can have a browser without a window, behind the connector
// "browser". It is off until it is used: the first use in a session asks, once,
// and a no holds until the session ends or a person starts it all the same.
// What was allowed runs without a question on pages of this machine; every
// other origin, and a script in a page, asks.
//
// Without sessionId the window's own session is meant. The connector is listed
// once it was used.

// BrowserState is what a session's browser does. One that is not known reads as
// off.
type BrowserState string

const (
	BrowserOff      BrowserState = "off"      // it is not in use, and nobody has refused it
	BrowserAsking   BrowserState = "asking"   // a person is asked whether it may start
	BrowserStarting BrowserState = "starting" // it was allowed, and is not there yet
	BrowserRunning  BrowserState = "running"  // it serves; a window of it is open once a tool needs one
	BrowserRefused  BrowserState = "refused"  // a person said no for this session
	BrowserFailed   BrowserState = "failed"   // it was allowed and does not run
)

// BrowserParams names a session.
type BrowserParams struct {
	SessionID SessionID `json:"sessionId,omitzero"`
}

// BrowserStartParams says whose browser is to start, and what it is to open.
type BrowserStartParams struct {
	SessionID     SessionID     `json:"sessionId,omitzero"`
	URL           string        `json:"url,omitzero"`    // address to open once it is there, as a call of its tool that does
	CallID        CallID        `json:"callId,omitzero"` // names the question and that call
	WorkDoneToken ProgressToken `json:"workDoneToken,omitzero"`
}

// Check returns what is wrong with the params, as a sentence for -32602.
func (p BrowserStartParams) Check() error {
	if p.URL == "" {
		return nil
	}
	if parsed, err := url.Parse(p.URL); err != nil || parsed.Scheme != "http" && parsed.Scheme != "https" || parsed.Host == "" {
		return errors.New("url is no address that can be opened: it begins with http:// or https://")
	}
	return nil
}

// BrowserResult is a session's browser as it stands.
type BrowserResult struct {
	SessionID  SessionID         `json:"sessionId,omitzero"`
	State      BrowserState      `json:"state"`
	Provider   string            `json:"provider"`            // what drives it, or would
	Because    string            `json:"because"`             // why it is that provider, a clause
	Connector  ConnectorID       `json:"connector"`           // that its tools are of
	Doing      string            `json:"doing,omitzero"`      // what a start is about
	Problem    *ConnectorProblem `json:"problem,omitzero"`    // why it does not run, or would not
	Auto       bool              `json:"auto"`                // whether a session has one without a question
	PictureURI URI               `json:"pictureUri,omitzero"` // the last picture that was taken of it
	Message    string            `json:"message,omitzero"`    // why a request came to nothing, a sentence without its full stop
	Steps      []string          `json:"steps,omitzero"`      // what to do about that
	Call       *CallResult       `json:"call,omitzero"`       // what came of the call that was made for the request
}

// Browser says what a session's browser does. It starts nothing.
var Browser = rpc.Request[BrowserParams, BrowserResult]{Method: "pillion/browser"}

// MethodBrowserAttach is what [ApprovalBody] calls the question whether a
// session may work in the browser that the user started, which is no request.
const MethodBrowserAttach = "pillion/browser/attach"

// BrowserStart starts a session's browser, asking first where that was not
// allowed, and answers when it is there or is not to be.
var BrowserStart = rpc.Request[BrowserStartParams, BrowserResult]{Method: "pillion/browser/start"}

// BrowserStop ends a session's browser and answers when nothing of it is left.
// The next use asks again.
var BrowserStop = rpc.Request[BrowserParams, BrowserResult]{Method: "pillion/browser/stop"}

// BrowserPicture takes a picture of what the browser shows, which is then its
// pictureUri. It starts nothing.
var BrowserPicture = rpc.Request[BrowserParams, BrowserResult]{Method: "pillion/browser/picture"}

// BrowserAsk takes back that a session has a browser without a question: it
// clears browserAuto in the user's own settings. A browser that runs goes on.
var BrowserAsk = rpc.Request[BrowserParams, BrowserResult]{Method: "pillion/browser/ask"}

// BrowserChanged tells that a session's browser may stand otherwise. Editors are
// told of that of the window's own session.
var BrowserChanged = rpc.Event[BrowserResult]{Method: "pillion/browserChanged"}
