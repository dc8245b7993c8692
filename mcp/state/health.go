package state

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"time"
)

// NewerError says that a newer Pillion wrote the file, which is neither read nor written then.
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
	SetAside string // "" where the file still stands in its place
	Reason   error
}

func (e *BrokenError) Error() string {
	if e.SetAside != "" {
		return fmt.Sprintf("%s was broken and is now %s: %v", e.Path, e.SetAside, e.Reason)
	}
	return fmt.Sprintf("%s is broken: %v", e.Path, e.Reason)
}

// Unwrap returns the reason.
func (e *BrokenError) Unwrap() error { return e.Reason }

// Health is nil, or why the store is not what the user left: unreadable, newer, or set aside, by whichever window and
// however long ago, and not confirmed since.
func (s *Store[T]) Health() error {
	return s.healthOf(s.current())
}

// healthOf is the health of what was loaded, or could not be.
func (s *Store[T]) healthOf(l *loaded[T], err error) error {
	if err == nil && l.aside != nil {
		err = &BrokenError{Path: s.Path(), SetAside: l.aside.Path, Reason: errors.New(l.aside.Reason)}
	}
	if err == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.confirmed == err.Error() {
		return nil
	}
	return err
}

// Confirm records that the user knows what Health says and wants to go on: a broken file is set aside and the store is
// healthy again, for all windows. What can't be written (a newer file, a read-only folder) is confirmed for this process
// alone, which then goes on with an empty store. The error is that of ctx or of the lock.
func (s *Store[T]) Confirm(ctx context.Context) error {
	fault := s.Health()
	if fault == nil {
		return nil
	}
	err := s.locked(ctx, func() error {
		l, err := s.load()
		var broken *BrokenError
		if errors.As(err, &broken) {
			if err = s.setAside(broken); errors.As(err, &broken) && broken.SetAside != "" {
				l, err = s.load()
			}
		}
		if err != nil {
			return err
		}
		l.aside = nil
		return s.write(l)
	})
	if err == nil || ctx.Err() != nil || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.confirmed = fault.Error()
	return nil
}

// SetAside gives a file that can't be read a new name beside it and leaves an empty store in its place that says so
// until it is confirmed. A file that is not broken stays, and the name is empty.
func (s *Store[T]) SetAside() (newPath string, err error) {
	err = s.locked(context.Background(), func() error {
		_, err := s.load()
		var broken *BrokenError
		if !errors.As(err, &broken) {
			return err
		}
		if err = s.setAside(broken); errors.As(err, &broken) && broken.SetAside != "" {
			newPath = broken.SetAside
			return nil
		}
		return err
	})
	return newPath, err
}

// setAside puts the broken file aside under the lock. Its error is always set: a *BrokenError with the new name, or why
// it could not be done.
func (s *Store[T]) setAside(broken *BrokenError) error {
	aside, err := s.keep(time.Now())
	if err == nil {
		note := &asideNote{Path: aside, Reason: broken.Reason.Error()}
		err = s.write(&loaded[T]{value: s.empty(), aside: note})
	}
	if err != nil {
		return fmt.Errorf("set %s aside: %w", s.Path(), err)
	}
	return &BrokenError{Path: s.Path(), SetAside: aside, Reason: broken.Reason}
}

// keep gives the file a second name. The first one goes on existing where that is possible, so that a crash before the
// new file is written does not leave an absent store, which would pass for a healthy one.
func (s *Store[T]) keep(now time.Time) (aside string, err error) {
	base := s.Path() + ".broken-" + now.UTC().Format("20060102T150405Z")
	for n := 1; ; n++ {
		if aside = base; n > 1 {
			aside += "-" + strconv.Itoa(n)
		}
		err = os.Link(s.Path(), aside)
		if errors.Is(err, fs.ErrExist) && n < 1000 {
			continue
		}
		if err == nil {
			return aside, nil
		}
		if _, statErr := os.Lstat(aside); statErr == nil {
			continue
		}
		return aside, rename(s.Path(), aside) // no second names on this file system, or no regular file
	}
}
