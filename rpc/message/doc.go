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
// Messages are JSON-RPC 2.0 in LSP's frames.
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
//   - A message that is for people only shows or changes what is trusted. No agent reaches it, by whatever door.
//
// Notifications are handled in the order of the wire, and so are the decoding
// of requests and the documents that they see. Then requests run at the same
// time and are answered in any order.
//
// # Frames and life cycle
//
//   - A frame is a header with Content-Length in bytes, and a body in UTF-8. Nothing but frames is written to stdout.
//   - Invalid JSON in a good frame is answered -32700 with a null id, and the next message is served.
//   - A body above 64 MiB is read past and answered -32600 with a null id.
//   - A length that is missing, negative, no number or above 1 GiB ends the process with exit code 2 and one line on stderr.
//   - A request before initialize is answered -32002; one after shutdown, and a second initialize, -32600; an unknown one -32601. An unknown $/… notification is ignored.
//   - The answer to initialize waits for no connector.
//   - The process ends after exit, with 0 if shutdown came before and 1 if not, and by itself when it loses stdin, stdout or its parent.
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
