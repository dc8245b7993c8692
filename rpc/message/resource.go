package message

import (
	"errors"

	"pillion/rpc"
)

//pillion:section 42 Resources
//
// A resource is something that can be read from a connector by its address; a
// template stands for many. Names, titles and descriptions are the connector's
// own words, and an address names nothing outside the connector.
//
// Whoever is not the editor's user is asked for, like a call, where an address
// is not among those that the connector lists.

// Resource is one resource of one connector.
type Resource struct {
	Connector   ConnectorID `json:"connector"`
	URI         string      `json:"uri"`                  // its address, as the connector writes it
	Name        string      `json:"name"`                 // what the connector calls it
	Title       string      `json:"title,omitzero"`       // its name for people
	Description string      `json:"description,omitzero"` // at most 4 KiB
	MIMEType    string      `json:"mimeType,omitzero"`    // what the connector says that it is
	Bytes       int         `json:"bytes,omitzero"`       // its size in bytes, where the connector says it
}

// ResourceTemplate is one template of one connector.
type ResourceTemplate struct {
	Connector   ConnectorID `json:"connector"`
	URITemplate string      `json:"uriTemplate"`          // an address with variables, as RFC 6570 has it
	Name        string      `json:"name"`                 // what the connector calls it
	Title       string      `json:"title,omitzero"`       // its name for people
	Description string      `json:"description,omitzero"` // at most 4 KiB
	MIMEType    string      `json:"mimeType,omitzero"`    // what the connector says that they are
}

// ResourcesParams says whose resources to list: those of one connector, or of
// all.
type ResourcesParams struct {
	Connector ConnectorRef `json:"connector,omitzero"`
}

// ResourcesResult lists resources and templates, in the connectors' own order.
type ResourcesResult struct {
	Resources []Resource         `json:"resources"`
	Templates []ResourceTemplate `json:"templates"`
}

// ResourceReadParams names what to read.
type ResourceReadParams struct {
	Connector       ConnectorRef  `json:"connector"`
	URI             string        `json:"uri"`             // its address, as the connector writes it
	CallID          CallID        `json:"callId,omitzero"` // for pillion/call/cancel
	SessionID       SessionID     `json:"sessionId,omitzero"`
	ParentSessionID SessionID     `json:"parentSessionId,omitzero"` // session that the caller's session belongs to
	WorkDoneToken   ProgressToken `json:"workDoneToken,omitzero"`
}

// Check returns what is wrong with the params, as a sentence for -32602.
func (p ResourceReadParams) Check() error { return checkResource(p.Connector, p.URI) }

// ResourceReadResult is what stands at an address, or why it could not be had.
type ResourceReadResult struct {
	Status   CallStatus        `json:"status"`            // what came of it, as of a call
	Contents []ResourceContent `json:"contents"`          // its parts
	Redacted bool              `json:"redacted,omitzero"` // whether secret values were replaced
	Error    *CallError        `json:"error,omitzero"`    // protocol error of the connector
	Message  string            `json:"message,omitzero"`  // a sentence about the outcome, in Pillion's own words
	Steps    []string          `json:"steps,omitzero"`    // what a person can do about it, in order
}

// ResourceContent is one part of a resource: a text, or a file with its bytes.
// Bytes that are no text are never in a message.
type ResourceContent struct {
	URI       string `json:"uri"`                // as the connector writes it
	MIMEType  string `json:"mimeType"`           // what its bytes show it to be, of a text what the connector says
	Text      string `json:"text,omitzero"`      // the text, at most 256 KiB of it
	Truncated bool   `json:"truncated,omitzero"` // whether the text was cut: the file has the whole
	FileURI   URI    `json:"fileUri,omitzero"`   // file in Pillion's own folder, which ends with the session
	Bytes     int    `json:"bytes"`              // its size in bytes
}

// ResourceParams names a resource.
type ResourceParams struct {
	Connector ConnectorRef `json:"connector"`
	URI       string       `json:"uri"` // its address, as the connector writes it
}

// Check returns what is wrong with the params, as a sentence for -32602.
func (p ResourceParams) Check() error { return checkResource(p.Connector, p.URI) }

// maxResourceURIBytes bounds an address.
const maxResourceURIBytes = 8 << 10

func checkResource(connector ConnectorRef, uri string) error {
	switch {
	case connector == "":
		return errors.New("connector is missing")
	case uri == "":
		return errors.New("uri is missing")
	case len(uri) > maxResourceURIBytes:
		return errors.New("uri has more than 8 KiB")
	}
	return nil
}

// ResourceSubscribeResult says whether a resource is followed.
type ResourceSubscribeResult struct {
	Status  CallStatus `json:"status"`           // ok, or why it is not
	Error   *CallError `json:"error,omitzero"`   // protocol error of the connector
	Message string     `json:"message,omitzero"` // a sentence about the outcome, in Pillion's own words
	Steps   []string   `json:"steps,omitzero"`   // what a person can do about it, in order
}

// ResourcesChangedParams names the connector whose lists changed.
type ResourcesChangedParams struct {
	Connector ConnectorID `json:"connector"`
}

// ResourceUpdatedParams names a resource that changed.
type ResourceUpdatedParams struct {
	Connector ConnectorID `json:"connector"`
	URI       string      `json:"uri"` // its address, as the connector writes it
}

// Resources lists resources and templates, from what is known: it never starts
// a connector.
var Resources = rpc.Request[ResourcesParams, ResourcesResult]{Method: "pillion/resources"}

// ResourceRead reads a resource, starting its connector if it must. Whatever
// comes of it is a result with a status.
var ResourceRead = rpc.Request[ResourceReadParams, ResourceReadResult]{Method: "pillion/resource/read"}

// ResourceSubscribe has the caller told when a resource changes, by
// [ResourceUpdated]. It is renewed when the connector starts again. Each one
// has its [ResourceUnsubscribe]; the connector is told of the first and the
// last alone.
var ResourceSubscribe = rpc.Request[ResourceParams, ResourceSubscribeResult]{Method: "pillion/resource/subscribe"}

// ResourceUnsubscribe takes one subscription back.
var ResourceUnsubscribe = rpc.Request[ResourceParams, Empty]{Method: "pillion/resource/unsubscribe"}

// ResourcesChanged tells that a connector's resources or templates are others.
var ResourcesChanged = rpc.Event[ResourcesChangedParams]{Method: "pillion/resourcesChanged"}

// ResourceUpdated tells that what stands at an address has changed, or may have
// while its connector did not run. Several changes may be told as one.
var ResourceUpdated = rpc.Event[ResourceUpdatedParams]{Method: "pillion/resourceUpdated"}
