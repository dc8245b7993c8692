// Package state keeps Pillion's own files: atomic, locked between windows, versioned, private to the user.
// It does not know what is in them.
package state

import (
	"context"
	"fmt"
	"io/fs"
)

// Folder is a private folder of the user's.
type Folder struct{ path string }

// Open returns the folder at path, made with mode 0700 where it is absent. It refuses one that the user does not own,
// that others may write to, that is a link or no folder (S3).
func Open(path string) (*Folder, error) { panic("not yet") }

// Path returns the path of elem below the folder.
func (f *Folder) Path(elem ...string) string { panic("not yet") }

// Lock takes the kernel's lock on the file of that name in the folder and returns what gives it back.
// It waits until ctx ends, at most 10 s. A process that dies gives its locks back.
func (f *Folder) Lock(ctx context.Context, name string) (unlock func(), err error) { panic("not yet") }

// Store is one versioned file in a folder, shared by all windows. Its methods may be called at once.
type Store[T any] struct{}

// NewStore returns the store in the file of that name; version is the one this program writes, empty makes the value of
// an absent file. Nothing is read yet.
func NewStore[T any](f *Folder, name string, version int, empty func() T) *Store[T] { panic("not yet") }

// Path returns the path of the store's file.
func (s *Store[T]) Path() string { panic("not yet") }

// Read returns the stored value; the value is shared and must not be modified.
// The error is a *NewerError, a *BrokenError or that of reading the file.
func (s *Store[T]) Read() (T, error) { panic("not yet") }

// Update changes the stored value under the lock and returns the new one; an error of change is returned as it is and
// nothing is written. A newer file is refused. A broken file is set aside, and that update is refused with a *BrokenError
// that says where to; the next one starts from the empty value.
func (s *Store[T]) Update(ctx context.Context, change func(*T) error) (T, error) { panic("not yet") }

// SetAside gives a file that can't be read a new name beside it and leaves an empty, unconfirmed store in its place.
func (s *Store[T]) SetAside() (newPath string, err error) { panic("not yet") }

// Health is nil, or why the store is not what the user left: unreadable, newer, or set aside and not confirmed since,
// by whichever window.
func (s *Store[T]) Health() error { panic("not yet") }

// Confirm records that the user knows and wants to go on: a broken file is set aside, and the store is healthy again.
// What can't be written (a newer file, a read-only folder) is confirmed for this process alone.
func (s *Store[T]) Confirm(ctx context.Context) error { panic("not yet") }

// NewerError says that a newer Pillion wrote the file.
type NewerError struct {
	Path           string
	Version, Known int
}

func (e *NewerError) Error() string {
	return fmt.Sprintf("%s was written by a newer Pillion (version %d, this one knows %d)", e.Path, e.Version, e.Known)
}

// BrokenError says that a file can't be understood, and where it was put aside, if it was.
type BrokenError struct {
	Path     string
	SetAside string
	Reason   error
}

func (e *BrokenError) Error() string { return fmt.Sprintf("%s is broken: %v", e.Path, e.Reason) }

func (e *BrokenError) Unwrap() error { return e.Reason }

// WriteFile writes a whole file so that others see the old one or the new one and a crash loses neither.
// A link at path is replaced, not followed.
func WriteFile(path string, data []byte, perm fs.FileMode) error { panic("not yet") }
