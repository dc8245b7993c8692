package rpc

// A descriptor names one message and fixes its direction, the type P of its
// parameters and the type R of its result, so that a handler or a caller with the
// wrong types does not compile. The name "editor" stands for the peer that
// started the connection and "Pillion" for this side.
//
// Parameters and results of type [json/jsontext.Value], [encoding/json.RawMessage]
// or [go.lsp.dev/jsonrpc2.RawMessage] pass as the exact bytes of the wire.

// Request is a message from the editor to Pillion that is answered.
type Request[P, R any] struct{ Method string }

// Notification is a message from the editor to Pillion that is not answered.
type Notification[P any] struct{ Method string }

// EditorRequest is a message from Pillion to the editor that is answered.
type EditorRequest[P, R any] struct{ Method string }

// Event is a message from Pillion to the editor that is not answered.
type Event[P any] struct{ Method string }

// Null is the result of a request that has none: it is null on the wire, and
// whatever a peer answers instead is ignored. As the parameters of an outgoing
// message it leaves "params" out.
type Null struct{}
