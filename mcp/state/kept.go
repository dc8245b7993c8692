package state

import (
	"context"
	"errors"
	"slices"
	"sync"
)

// Kept is a store whose changes hold in this process even where they can't be written: what a user said in this window
// counts here though the disk is full or the folder read-only. Its methods may be called at once.
type Kept[T any] struct {
	store *Store[T]

	mu      sync.Mutex
	unsaved []func(T) T
}

// NewKept returns a store that keeps what it can't write.
func NewKept[T any](s *Store[T]) *Kept[T] { return &Kept[T]{store: s} }

// Value returns what is stored and, over it, what could not be. What can't be read is taken for empty; Health says so.
// It is shared and must not be modified.
func (k *Kept[T]) Value() T {
	value, _ := k.Snapshot()
	return value
}

// Snapshot is what Value returns and what Health says, of one moment.
func (k *Kept[T]) Snapshot() (value T, health error) {
	value, health = k.store.Snapshot()
	k.mu.Lock()
	unsaved := slices.Clone(k.unsaved)
	k.mu.Unlock()
	for _, change := range unsaved {
		value = change(value)
	}
	return value, health
}

// Change changes the value. change must not modify what it is given, and may be called more than once. A broken file is
// set aside first. An *UnsavedError says that the change holds in this process alone; after any other error, which is
// that of ctx, it does not hold.
func (k *Kept[T]) Change(ctx context.Context, change func(T) T) error {
	update := func(v *T) error {
		*v = change(*v)
		return nil
	}
	_, err := k.store.Update(ctx, update)
	var broken *BrokenError
	if errors.As(err, &broken) && broken.SetAside != "" {
		_, err = k.store.Update(ctx, update)
	}
	if err == nil || ctx.Err() != nil {
		return err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.unsaved = append(k.unsaved, change)
	return &UnsavedError{Err: err}
}

// Path is that of the store.
func (k *Kept[T]) Path() string { return k.store.Path() }

// Health is that of the store.
func (k *Kept[T]) Health() error { return k.store.Health() }

// Confirm is that of the store.
func (k *Kept[T]) Confirm(ctx context.Context) error { return k.store.Confirm(ctx) }

// UnsavedError says that a change holds in this process alone, and why.
type UnsavedError struct{ Err error }

func (e *UnsavedError) Error() string { return "kept for this window only: " + e.Err.Error() }

// Unwrap returns why it could not be written.
func (e *UnsavedError) Unwrap() error { return e.Err }

// IsUnsaved reports whether err says that a change holds in this process alone.
func IsUnsaved(err error) bool {
	var unsaved *UnsavedError
	return errors.As(err, &unsaved)
}
