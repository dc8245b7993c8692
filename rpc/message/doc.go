// Package message declares every message that an editor and Pillion exchange
// beyond LSP itself: the pillion/… methods, the server commands, the
// capabilities and the questions, each with its documentation. It sends,
// routes and decides nothing; that is for those who import it.
//
// The TypeScript, Lua and Markdown forms of the protocol, and [All], are
// generated from the declarations and comments of this package.
//
// # Rules
//
// Messages are JSON-RPC 2.0 in LSP's Content-Length frames, UTF-8.
// Names and shapes are fixed; fields, enum values and methods may be added.
//
//   - A receiver ignores fields that it does not know.
//   - A receiver reads an enum value that it does not know as the safe one, which the type's documentation names.
//   - Names are case-exact and an object that holds a name twice is refused.
//   - A field marked optional is absent when there is nothing to say; a list that is not optional is never null.
//   - Times are RFC 3339.
//   - Positions use the position encoding negotiated by initialize, UTF-16 unless the client offers another first.
//   - Numbers of these messages fit a JavaScript number; where a connector's digits matter, the value travels as JSON text, in a field whose name ends in Text.
//   - No pillion/… message is sent before initialized, and pillion/… notifications go only to clients that declare experimental.pillion.
//
// Notifications are handled in the order of the wire; requests run at the same
// time and are answered in any order.
//
// # Outcomes and errors
//
// What came of a tool call is a result with a status, never a JSON-RPC error.
// A cancelled pillion/… request is answered by a result whose status says so
// where it has one.
// JSON-RPC errors are for misuse (-32602, with what is wrong) and for faults of
// Pillion itself (-32603).
package message

//go:generate go run pillion/rpc/internal/generate
