package config

import "errors"

// ErrExists and ErrNotFound say that the name is, or is not, in the file.
var (
	ErrExists   = errors.New("exists already")
	ErrNotFound = errors.New("not in the file")
)

// UneditableError is returned for a text that cannot be edited safely: it does
// not parse, or the place to edit is ambiguous. The text is to be left as it is.
type UneditableError struct{ Finding Finding }

func (e *UneditableError) Error() string { return "edit configuration: " + e.Finding.Text() }

// Insert adds an entry at the end of mcpServers, which is created when absent;
// an empty text becomes a new file. Comments, order, indentation, line ends and
// byte-order mark stay. The definition may be JSON with comments and is written
// as strict JSON. strict also keeps the new entry from following a file's
// trailing-comma style.
func Insert(text []byte, name string, definition []byte, strict bool) ([]byte, error) {
	panic("unfinished")
}

// Replace puts a new definition in an entry's place.
func Replace(text []byte, name string, definition []byte) ([]byte, error) { panic("unfinished") }

// Remove takes an entry out, with its own comma and its line. Comments stay.
func Remove(text []byte, name string) ([]byte, error) { panic("unfinished") }

// SetDisabled switches an entry off or on by its "disabled" (or "enabled") key,
// which is added only when needed.
func SetDisabled(text []byte, name string, disabled bool) ([]byte, error) { panic("unfinished") }

// Difference returns the smallest single edit that turns one text into
// another, on rune boundaries.
func Difference(before, after []byte) Edit { panic("unfinished") }
