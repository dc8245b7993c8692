package message

import (
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

//pillion:section 10 Common shapes
//
// Small shapes that the others are made of.

// ProtocolVersion is the version of this protocol; a client lists the versions
// that it speaks in its capability.
const ProtocolVersion = 1

type (
	// URI is a document's or folder's address, as LSP writes it.
	URI = uri.URI
	// Range is a part of a document, as LSP has it.
	Range = protocol.Range
	// Position is a place between two characters of a document, as LSP has it.
	Position = protocol.Position
	// ProgressToken is a number or string that the editor made for a request's
	// progress, as LSP has it.
	ProgressToken = protocol.ProgressToken
)

// SessionID names a session that calls belong to. Absent, it is the window's
// own session; ids of attached callers are prefixed with their attachment.
type SessionID string

// Empty is an object without members: the params of a method that needs none,
// and the result of one that has nothing to say. Absent params are the same. In
// Neovim's Lua it is vim.empty_dict(), because {} is written as a list.
type Empty struct{}

// Change is one value that differs between two versions of a definition.
type Change struct {
	Path   string `json:"path"`   // where, as a JSON pointer
	Before string `json:"before"` // what stood there, as JSON text; empty where there was nothing
	After  string `json:"after"`  // what stands there now, as JSON text; empty where nothing is left
}
