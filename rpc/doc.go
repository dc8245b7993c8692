// Package rpc carries JSON-RPC over one stream: it frames messages, keeps ids,
// order, cancellation and errors, and hands each request to the handler
// registered for its method. It knows no method beyond "$/cancelRequest", has no
// life cycle of its own and never decides what a message means.
//
// # Order
//
// One goroutine reads. On it, in wire order, messages are decoded, gated and
// matched to their handlers, and notifications run to their end. A request then
// runs on a goroutine of its own; answers leave in the order in which handlers
// return. What a connection sends (answers, events, calls) leaves in the order in
// which it was queued, by one writer, so a peer that does not read delays output
// and nothing else, up to a bound.
//
// # The library
//
// go.lsp.dev/jsonrpc2 drives the reader over this package's own Stream, runs its
// one handler, and encodes calls and notifications. Incoming requests reach it as
// notifications, because its answering path ends the connection on a panic, sends
// code 0 for a plain error, cannot repeat every legal id digit by digit and copies
// results once more than needed; answers are therefore written here, and so are
// calls correlated (see calls).
package rpc
