package message

import (
	"errors"
	"time"

	"pillion/rpc"
)

//pillion:section 66 Events
//
// One stream of everything that happens in a window, for views of activity and
// for programs that follow along. Events are numbered from 1; the epoch names
// the life of the process that numbers them.
//
// A client asks for what it has not seen with [Events], which also lets it be
// told of every further one by [EventTold], if it declared events. The last
// events are kept, some thousand of them. Whoever asks too late, or reads too
// slowly, is told an event of the kind gap in place of those it missed, and
// asks for lists again if it shows any; nobody else waits for it.

// EventEpoch names the life of the process that an event's number counts in.
type EventEpoch string

// EventKind says what an event is about, and so which of its members are there.
// One that is not known is passed over.
type EventKind string

const (
	EventConnector        EventKind = "connector"        // a connector is in another state, or has another problem
	EventConnectorRemoved EventKind = "connectorRemoved" // a connector is no more
	EventTools            EventKind = "tools"            // a connector's tools were listed anew, or others of them are offered
	EventResources        EventKind = "resources"        // a connector's resources were listed anew
	EventResourceUpdated  EventKind = "resourceUpdated"  // a resource that is subscribed to has changed
	EventPrompts          EventKind = "prompts"          // a connector's prompts were listed anew
	EventCall             EventKind = "call"             // a call asks, runs or has finished
	EventAsk              EventKind = "ask"              // a question was opened
	EventAskClosed        EventKind = "askClosed"        // a question has ended
	EventFiles            EventKind = "files"            // the configuration files were read
	EventBrowser          EventKind = "browser"          // a session's browser is in another state
	EventMessage          EventKind = "message"          // the editor was shown a message
	EventGap              EventKind = "gap"              // events are missing here
)

// MessageLevel is how loud a message is. One that is not known reads as info.
type MessageLevel string

const (
	MessageError   MessageLevel = "error"   // something does not work
	MessageWarning MessageLevel = "warning" // something is worth a look
	MessageInfo    MessageLevel = "info"    // something is to be known
)

// SessionEvent is one thing that happened. Secret values in it are replaced.
type SessionEvent struct {
	Epoch      EventEpoch     `json:"epoch"`
	Seq        int            `json:"seq"` // one more than that of the event before; a gap has that of the last one that is missing
	At         time.Time      `json:"at"`  // when it happened
	Kind       EventKind      `json:"kind"`
	CallID     CallID         `json:"callId,omitzero"`
	Connector  ConnectorID    `json:"connector,omitzero"`
	Name       string         `json:"name,omitzero"`       // of the connector, as its file writes it
	State      ConnectorState `json:"state,omitzero"`      // of the connector
	Browser    BrowserState   `json:"browser,omitzero"`    // state of the browser
	SessionID  SessionID      `json:"sessionId,omitzero"`  // whose browser it is
	Problem    string         `json:"problem,omitzero"`    // why it does not run; words of the connector may be in it
	Generation int            `json:"generation,omitzero"` // of the connector's tools
	URI        string         `json:"uri,omitzero"`        // of the resource, as its connector names it
	Tool       string         `json:"tool,omitzero"`       // label of the tool that is called, or what the caller named
	Call       CallState      `json:"call,omitzero"`       // how far the call has come
	Status     CallStatus     `json:"status,omitzero"`     // what came of it
	MayHaveRun bool           `json:"mayHaveRun,omitzero"` // whether a call that did not succeed may have run
	DurationMS int            `json:"durationMs,omitzero"` // how long its tool took
	Asker      string         `json:"asker,omitzero"`      // who called, or is asked for
	AskID      AskID          `json:"askId,omitzero"`
	Ask        AskKind        `json:"ask,omitzero"` // kind of the question
	How        AskClosing     `json:"how,omitzero"` // how the question ended
	By         string         `json:"by,omitzero"`  // who answered it
	Level      MessageLevel   `json:"level,omitzero"`
	Text       string         `json:"text,omitzero"`   // of the message
	Missed     int            `json:"missed,omitzero"` // how many events are missing
}

// EventsParams says what the client has seen: the epoch and the number of its
// last event, or nothing.
type EventsParams struct {
	Epoch EventEpoch `json:"epoch,omitzero"`
	Since int        `json:"since,omitzero"` // number of the last event that was seen; 0 for none
}

// Check returns what is wrong with the params, as a sentence for -32602.
func (p EventsParams) Check() error {
	if p.Since < 0 {
		return errors.New("since is negative: it is the number of an event, or 0")
	}
	return nil
}

// EventsResult holds the events after that, in order. Of another epoch, what
// was seen before says nothing: all that are kept are there.
type EventsResult struct {
	Epoch  EventEpoch     `json:"epoch"`
	Events []SessionEvent `json:"events"`
}

// Events lists the events that the client has not seen and, from its answer
// on, lets it be told of further ones. It may be asked again at any time.
var Events = rpc.Request[EventsParams, EventsResult]{Method: "pillion/events"}

// EventTold tells one event, in order, to a client that asked for them.
var EventTold = rpc.Event[SessionEvent]{Method: "pillion/event"}
