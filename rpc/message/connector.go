package message

import (
	"time"

	"pillion/rpc"
)

//pillion:section 20 Connectors
//
// A connector is one MCP server that Pillion runs or reaches: an entry of the
// user's mcp.json or of a workspace folder's .mcp.json.
//
// A method that takes a connector accepts its id, or its name where that is
// unique; otherwise it answers -32602 and lists the ids.

// ConnectorID names a connector. It is opaque, and stable for as long as the
// file and the name in it stay the same.
type ConnectorID string

// ConnectorRef is a connector as a caller names it: its id, or its name where
// that is unique.
type ConnectorRef string

// ConnectorState is where a connector is in its life. A state that is not known
// reads as not running, with nothing to offer but the state's own name.
type ConnectorState string

const (
	ConnectorWaiting  ConnectorState = "waiting"  // needs permission: its definition was not allowed here, or no longer is what was allowed
	ConnectorDenied   ConnectorState = "denied"   // blocked by the user
	ConnectorDisabled ConnectorState = "disabled" // switched off in a file or by the user
	ConnectorStarting ConnectorState = "starting" // from the start until its tools were first listed
	ConnectorReady    ConnectorState = "ready"    // running, tools listed
	ConnectorIdle     ConnectorState = "idle"     // no process, tools known: starts on use
	ConnectorLogin    ConnectorState = "login"    // needs a sign-in
	ConnectorFailed   ConnectorState = "failed"   // not running, for the reason its problem gives
	ConnectorStopping ConnectorState = "stopping" // being ended
)

// Source is where a connector's definition comes from. One that is not known
// reads as project, the least trusted.
type Source string

const (
	SourceUser    Source = "user"    // the user's own file
	SourceProject Source = "project" // a file of the workspace
	SourceImport  Source = "import"  // another program's file, as the user imported it
	SourceBuiltin Source = "builtin" // part of Pillion
)

// Transport is how a connector is reached. One that is not known has no meaning
// beyond its name.
type Transport string

const (
	TransportStdio   Transport = "stdio"   // a process, over its standard input and output
	TransportHTTP    Transport = "http"    // streamable HTTP
	TransportSSE     Transport = "sse"     // the older HTTP with server-sent events
	TransportBuiltin Transport = "builtin" // inside Pillion
)

// ProblemKind is the kind of thing that keeps a connector from running. One
// that is not known reads as internal.
type ProblemKind string

const (
	ProblemLogin       ProblemKind = "login"       // it wants a sign-in
	ProblemProgram     ProblemKind = "program"     // its program was not found or cannot be run
	ProblemExited      ProblemKind = "exited"      // its process ended
	ProblemUnreachable ProblemKind = "unreachable" // its address cannot be reached
	ProblemTimeout     ProblemKind = "timeout"     // it did not answer in time
	ProblemProtocol    ProblemKind = "protocol"    // it does not speak MCP
	ProblemConfig      ProblemKind = "config"      // its entry is wrong or lacks a variable
	ProblemInternal    ProblemKind = "internal"    // a fault of Pillion
)

// Connector is one connector as it stands.
type Connector struct {
	ID         ConnectorID        `json:"id"`
	Name       string             `json:"name"`          // as the file writes it
	Root       URI                `json:"root,omitzero"` // workspace folder of a project's connector
	State      ConnectorState     `json:"state"`
	Source     Source             `json:"source"`
	URI        URI                `json:"uri,omitzero"`   // file that defines it
	Range      *Range             `json:"range,omitzero"` // its entry in that file
	Hash       string             `json:"hash,omitzero"`  // hash of the definition as it stands: what a consent names
	Transport  Transport          `json:"transport"`
	Tools      int                `json:"tools"`               // how many tools its catalogue has
	Resources  int                `json:"resources"`           // how many resources and resource templates its catalogue has
	Prompts    int                `json:"prompts"`             // how many prompts its catalogue has
	Tokens     int                `json:"tokens"`              // estimated context cost of its tools
	Generation int                `json:"generation"`          // counts its catalogues; 0 before the first
	Stale      bool               `json:"stale,omitzero"`      // whether the catalogue is one of an earlier session: shown and searched, never what a call is judged on
	ListedAt   *time.Time         `json:"listedAt,omitzero"`   // when the catalogue was listed
	Server     *ServerIdentity    `json:"server,omitzero"`     // who it said it is, once it did
	Processes  []ConnectorProcess `json:"processes"`           // what runs for it now
	ShadowedBy ConnectorID        `json:"shadowedBy,omitzero"` // connector of the same name that is used in its place
	AliasOf    ConnectorID        `json:"aliasOf,omitzero"`    // connector that it is a second name of
	Profiles   []string           `json:"profiles,omitzero"`   // profiles that it belongs to
	Problem    *ConnectorProblem  `json:"problem,omitzero"`    // why it does not run, where it should
	Phase      string             `json:"phase,omitzero"`      // what a starting one is about, in words: "coming back by itself, attempt 2 of 10"
	Warnings   []string           `json:"warnings,omitzero"`   // what is wrong with it that does not keep it from running
	Pinned     bool               `json:"pinned,omitzero"`     // whether the user wants it listed first
	DisabledBy []DisabledBy       `json:"disabledBy,omitzero"` // who keeps it off, where it is
	LogURI     URI                `json:"logUri,omitzero"`     // file of what it writes to its standard error, which need not be there
}

// ServerIdentity is who a connector's MCP server said it is.
type ServerIdentity struct {
	Name            string `json:"name"`                  // its own name, a claim
	Version         string `json:"version"`               // its own version, a claim
	ProtocolVersion string `json:"protocolVersion"`       // MCP revision that was agreed on
	Instructions    string `json:"instructions,omitzero"` // its own words to a model, as far as the entry passes them on: a claim
}

// ConnectorProcess is one process that runs for a connector.
type ConnectorProcess struct {
	PID       int       `json:"pid"`                // process id on the machine that Pillion runs on
	SessionID SessionID `json:"sessionId,omitzero"` // session that has it to itself
	StartedAt time.Time `json:"startedAt"`          // when it was started
}

// ConnectorProblem says why a connector does not run and how to get it back.
type ConnectorProblem struct {
	Kind   ProblemKind `json:"kind"`
	Reason string      `json:"reason"`          // one sentence, from the connector's own error
	Steps  []string    `json:"steps"`           // what to do, in order
	LogURI URI         `json:"logUri,omitzero"` // its log file
}

// ConnectorParams names the connector to act on.
type ConnectorParams struct {
	Connector ConnectorRef `json:"connector"`
	SessionID SessionID    `json:"sessionId,omitzero"` // session whose process is meant, for a connector that has one per session
	// WorkDoneToken is for a start's progress; one that the user cancels is stopped.
	WorkDoneToken ProgressToken `json:"workDoneToken,omitzero"`
}

// ConnectorResult holds the connector as it stands afterwards.
type ConnectorResult struct {
	Connector Connector `json:"connector"`
}

// ConnectorsResult lists every connector.
type ConnectorsResult struct {
	Rev        int         `json:"rev"` // counts the changes; compare with that of [ConnectorsChanged]
	Connectors []Connector `json:"connectors"`
}

// ConnectorsChangedParams says which connectors are new or different and which
// have gone.
type ConnectorsChangedParams struct {
	Rev     int           `json:"rev"`     // one more than the last; a gap means ask again
	Changed []Connector   `json:"changed"` // whole, as they stand
	Removed []ConnectorID `json:"removed"`
}

// FileScope says which file an entry is written to. One that is not known is
// refused.
type FileScope string

const (
	FileScopeUser    FileScope = "user"    // the user's own mcp.json
	FileScopeProject FileScope = "project" // .mcp.json of a workspace folder
)

// ConnectorAddParams says what to add, and where.
type ConnectorAddParams struct {
	Name           string    `json:"name"`           // key of the new entry
	DefinitionText string    `json:"definitionText"` // the entry's value as JSON text
	Scope          FileScope `json:"scope"`
	Root           URI       `json:"root,omitzero"`  // workspace folder of a project entry; needed where there are several
	Force          bool      `json:"force,omitzero"` // whether an entry of that name is replaced
}

// ConnectorAddResult holds what was added.
type ConnectorAddResult struct {
	Connector Connector `json:"connector"`
	Warnings  []string  `json:"warnings"` // what the user should know about the entry
}

// ConnectorRemoveParams names the connector whose entry is removed from its
// file.
type ConnectorRemoveParams struct {
	Connector ConnectorRef `json:"connector"`
}

// Connectors lists every connector, those that wait, are off or are shadowed
// included. It starts nothing.
var Connectors = rpc.Request[Empty, ConnectorsResult]{Method: "pillion/connectors"}

// ConnectorStart starts a connector and answers when it settled: running,
// failed, or waiting for a person. It never allows what was not allowed.
var ConnectorStart = rpc.Request[ConnectorParams, ConnectorResult]{Method: "pillion/connector/start"}

// ConnectorStop ends a connector's processes and answers when they are gone.
var ConnectorStop = rpc.Request[ConnectorParams, ConnectorResult]{Method: "pillion/connector/stop"}

// ConnectorRestart ends a connector's processes, starts it and answers when it
// settled.
var ConnectorRestart = rpc.Request[ConnectorParams, ConnectorResult]{Method: "pillion/connector/restart"}

// ConnectorAdd writes an entry into the user's or the project's file. The file
// keeps its comments and order; one that does not parse is left alone and the
// request is refused.
//
//pillion:people
var ConnectorAdd = rpc.Request[ConnectorAddParams, ConnectorAddResult]{Method: "pillion/connector/add"}

// ConnectorRemove stops a connector and removes its entry from its file.
//
//pillion:people
var ConnectorRemove = rpc.Request[ConnectorRemoveParams, Empty]{Method: "pillion/connector/remove"}

// ConnectorsChanged tells which connectors changed, several changes at a time.
var ConnectorsChanged = rpc.Event[ConnectorsChangedParams]{Method: "pillion/connectorsChanged"}
