package message

import (
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"pillion/rpc"
)

//pillion:section 15 Session
//
// What an editor and Pillion tell each other at initialize. Nothing of it is
// required: a client that declares nothing is served as plain LSP.
//
// What can be set stands in the page of settings. It comes in
// initializationOptions and in the section pillion of workspace/configuration,
// and what it says about trust can only take away.

// CapabilityName is the member of capabilities.experimental, on both sides,
// that holds [ClientCapability] and [ServerCapability].
const CapabilityName = "pillion"

// ClientCapability is what a client declares in
// capabilities.experimental.pillion.
type ClientCapability struct {
	Protocol []int     `json:"protocol"`        // versions of this protocol that it speaks
	Asks     []AskKind `json:"asks"`            // kinds of question that it answers itself
	Events   bool      `json:"events,omitzero"` // whether it wants the stream of events
}

// ServerCapability is what Pillion answers in
// capabilities.experimental.pillion.
type ServerCapability struct {
	Protocol int            `json:"protocol"` // version of this protocol that is spoken
	Version  string         `json:"version"`  // Pillion's version
	Window   string         `json:"window"`   // names this window among those of the machine
	Attach   AttachEndpoint `json:"attach"`
}

// AttachEndpoint is where other programs join the window.
type AttachEndpoint struct {
	Socket string `json:"socket"` // path of the socket, or name of the pipe; empty where there is none
}

func parseMembers(raw []byte) (map[string]jsontext.Value, error) {
	if len(raw) == 0 {
		return nil, nil
	}
	var members map[string]jsontext.Value
	err := json.Unmarshal(raw, &members)
	return members, err
}

// ParseClientCapability reads a client's capabilities.experimental. It reports
// false where the client declares nothing that Pillion understands: such a
// client is served as plain LSP.
func ParseClientCapability(experimental []byte) (ClientCapability, bool) {
	members, err := parseMembers(experimental)
	if err != nil {
		return ClientCapability{}, false
	}
	var c ClientCapability
	if raw := members[CapabilityName]; raw.Kind() != jsontext.KindBeginObject || json.Unmarshal(raw, &c) != nil {
		return ClientCapability{}, false
	}
	if !slices.Contains(c.Protocol, ProtocolVersion) {
		return ClientCapability{}, false
	}
	return c, true
}

// Answers reports whether the client declared that it answers this kind of
// question itself.
func (c ClientCapability) Answers(kind AskKind) bool { return slices.Contains(c.Asks, kind) }

// TrustChangedParams says whether the workspace is trusted now.
type TrustChangedParams struct {
	Trusted bool `json:"trusted"` // false, or absent: connectors of the project wait
}

// TrustChanged tells that the user trusts the workspace, or no longer does.
//
//pillion:people
var TrustChanged = rpc.Notification[TrustChangedParams]{Method: "pillion/trustChanged"}

// Focused tells that the editor's window has the focus now. Of windows that an
// agent or a terminal could join alike, it joins the one that had it last; one
// whose editor never says so counts from when it was opened.
var Focused = rpc.Notification[Empty]{Method: "pillion/focused"}
