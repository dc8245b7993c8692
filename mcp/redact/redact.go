// Package redact takes secret values out of text before it is shown, logged or handed on.
// It is best effort and no security boundary, and it does not decide which values are secret beyond LooksSecret (S29).
package redact

import "io"

// Marker stands where a secret value stood.
const Marker = "[REDACTED]"

// Set is an immutable set of secret values. A nil Set holds none.
// All methods may be called at once.
type Set struct{}

// New returns the set of the given secret values; values shorter than 8 bytes are left out (S29).
func New(secrets ...string) *Set { panic("not yet") }

// With returns a set that holds more values besides those of s.
func (s *Set) With(more ...string) *Set { panic("not yet") }

// Text returns in with every secret replaced by Marker, and whether there was one. Text that is JSON stays JSON.
func (s *Set) Text(in string) (out string, redacted bool) { panic("not yet") }

// Bytes is Text for bytes; without a secret in it in itself is returned, and in is never modified.
func (s *Set) Bytes(in []byte) (out []byte, redacted bool) { panic("not yet") }

// Parts is Text over pieces that a reader may put together: a secret split over several of them is found too.
func (s *Set) Parts(in []string) (out []string, redacted bool) { panic("not yet") }

// Writer returns a writer that passes on to w what is written to it, without the secrets, wherever they are split
// between writes. Close writes what was held back and does not close w. It is not for use by several goroutines.
func (s *Set) Writer(w io.Writer) io.WriteCloser { panic("not yet") }

// LooksSecret reports whether value is a secret by the name of its key or by its own shape.
func LooksSecret(key, value string) bool { panic("not yet") }
