package message

import (
	"time"

	"pillion/rpc"
)

//pillion:section 25 Consent
//
// A connector that a repository's file defines is a command from that
// repository. It waits until a person allows exactly that definition, in that
// folder; the question is an ask of the kind consent.

// ConsentDecision is what was decided about one definition in one folder. One
// that is not known reads as later: it does not run.
type ConsentDecision string

const (
	ConsentAllow       ConsentDecision = "allow"       // exactly this definition may run here
	ConsentAllowFollow ConsentDecision = "allowFollow" // the same, and changes to the files it names do not ask again
	ConsentLater       ConsentDecision = "later"       // not now: quiet until the definition changes or the user acts
	ConsentNever       ConsentDecision = "never"       // never here, whatever it says
)

// ConsentRecord is one decision that stands.
type ConsentRecord struct {
	Root           URI             `json:"root"` // workspace folder that it counts in
	Connector      ConnectorID     `json:"connector"`
	Name           string          `json:"name"` // the connector's name in its file
	Hash           string          `json:"hash"` // hash of the definition that was decided on
	Decision       ConsentDecision `json:"decision"`
	At             time.Time       `json:"at"`             // when it was decided
	DefinitionText string          `json:"definitionText"` // the definition as it was shown
}

// ConsentsResult lists every decision that stands.
type ConsentsResult struct {
	Records []ConsentRecord `json:"records"`
}

// ConsentRevokeParams names the decisions to take back.
type ConsentRevokeParams struct {
	Root      URI          `json:"root"` // workspace folder that they count in
	Connector ConnectorRef `json:"connector"`
}

// Consents lists what was allowed, put off and denied, with date and
// definition.
//
//pillion:people
var Consents = rpc.Request[Empty, ConsentsResult]{Method: "pillion/consents"}

// ConsentRevoke takes every decision about a connector in a folder back: it is
// stopped if it runs, and waits again.
//
//pillion:people
var ConsentRevoke = rpc.Request[ConsentRevokeParams, Empty]{Method: "pillion/consent/revoke"}
