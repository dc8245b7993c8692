package message

import (
	"errors"

	"pillion/rpc"
)

//pillion:section 27 Sessions of callers
//
// A caller may have several sessions, and a connector whose scope is session or
// parent-session has a process for each. What they are is listed, one can be
// joined by a second caller while this window lives, and each is restarted and
// ended alone. What was allowed to a session is not allowed to who joins it.

// AgentSession is a session of a caller that has processes to itself.
type AgentSession struct {
	SessionID SessionID        `json:"sessionId"` // empty for the window's own
	Name      string           `json:"name"`      // for people
	Processes []SessionProcess `json:"processes"`
	Holders   []SessionHolder  `json:"holders"` // who joined it, beside whose it is
}

// SessionProcess is a process that a session has to itself, or what it has of a
// remote server in its place.
type SessionProcess struct {
	Connector     ConnectorID `json:"connector"`
	ConnectorName string      `json:"connectorName"` // as its file writes it
	PID           int         `json:"pid,omitzero"`  // process id on the machine that Pillion runs on; absent of a remote server
}

// JoinMode is what a second holder of a session may do. One that is not known
// reads as readOnly.
type JoinMode string

const (
	JoinReadOnly JoinMode = "readOnly" // calls of tools that only read
	JoinDriving  JoinMode = "driving"  // every call, each judged as the holder's own
)

// SessionHolder is a caller that joined a session.
type SessionHolder struct {
	Name string   `json:"name"` // what it calls itself, a claim
	Mode JoinMode `json:"mode"`
}

// SessionsResult lists the sessions, the window's own first.
type SessionsResult struct {
	Sessions []AgentSession `json:"sessions"`
}

// SessionParams names a session, as [Sessions] lists it.
type SessionParams struct {
	SessionID SessionID `json:"sessionId"`
}

// Check returns what is wrong with the params, as a sentence for -32602.
func (p SessionParams) Check() error {
	if p.SessionID == "" {
		return errors.New("sessionId is missing")
	}
	return nil
}

// SessionJoinParams names the session to join, and how.
type SessionJoinParams struct {
	SessionID SessionID `json:"sessionId"`
	Mode      JoinMode  `json:"mode"`
}

// Check returns what is wrong with the params, as a sentence for -32602.
func (p SessionJoinParams) Check() error { return SessionParams{p.SessionID}.Check() }

// Sessions lists the sessions that have processes to themselves.
var Sessions = rpc.Request[Empty, SessionsResult]{Method: "pillion/sessions"}

// SessionJoin has calls of this connection that name the session served by its
// processes, as long as both live. Only a person's connection joins: an agent's
// is refused.
var SessionJoin = rpc.Request[SessionJoinParams, Empty]{Method: "pillion/session/join"}

// SessionRestart ends the session's processes; its next call has new ones. A
// caller restarts its own sessions and those that it drives, the editor any.
var SessionRestart = rpc.Request[SessionParams, Empty]{Method: "pillion/session/restart"}

// SessionEnd does the same, and forgets what was allowed to the session and who
// joined it.
var SessionEnd = rpc.Request[SessionParams, Empty]{Method: "pillion/session/end"}
