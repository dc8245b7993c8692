// Package consent remembers which connector definitions may run where.
// It asks nobody and starts nothing.
package consent

import (
	"context"
	"time"

	"pillion/mcp/state"
)

// Decision is what the user said about a definition.
type Decision string

// The decisions, as on the wire.
const (
	Allow       Decision = "allow"
	AllowFollow Decision = "allowFollow"
	Later       Decision = "later"
	Never       Decision = "never"
)

// Key says which connector of which folder is meant.
type Key struct {
	Root      string // path of the workspace folder
	RootID    string // RootID(Root): the folder's identity on disk
	Connector string // name in the file
}

// Record is one decision as it is kept.
type Record struct {
	Root           string    `json:"root"`
	RootID         string    `json:"rootId"`
	Connector      string    `json:"connector"`
	Hash           string    `json:"hash"`
	Decision       Decision  `json:"decision"`
	At             time.Time `json:"at"`
	DefinitionText string    `json:"definitionText"`
}

// Store is the store of decisions. Its methods may be called at once.
type Store struct{}

// New returns the store in the folder; nothing is read yet.
func New(f *state.Folder) *Store { panic("not yet") }

// Decision returns what was decided for exactly this definition here. Never counts whatever the hash.
func (s *Store) Decision(k Key, hash string) (Decision, bool) { panic("not yet") }

// Known reports whether some definition of the connector was allowed here.
func (s *Store) Known(k Key) bool { panic("not yet") }

// PreviousText returns the definition that was allowed last.
func (s *Store) PreviousText(k Key) (string, bool) { panic("not yet") }

// Decide records a decision. An *UnsavedError says that it could not be written and holds for this process alone.
func (s *Store) Decide(ctx context.Context, k Key, hash, definitionText string, d Decision) error {
	panic("not yet")
}

// Revoke forgets every decision about the connector in that root.
func (s *Store) Revoke(ctx context.Context, root, connector string) error { panic("not yet") }

// Records returns every decision, newest first.
func (s *Store) Records() []Record { panic("not yet") }

// Health is nil, or why every call must ask until Confirm (S20).
func (s *Store) Health() error { panic("not yet") }

// Confirm records that the user knows what Health says and wants to go on.
func (s *Store) Confirm(ctx context.Context) error { panic("not yet") }

// UnsavedError says that a decision holds in this process alone, and why.
type UnsavedError struct{ Err error }

func (e *UnsavedError) Error() string { return "kept for this window only: " + e.Err.Error() }

func (e *UnsavedError) Unwrap() error { return e.Err }

// RootID returns the identity on disk of the folder at path, which another folder made later at the same path does not
// share, or "" where it can't be told.
func RootID(path string) string { panic("not yet") }
