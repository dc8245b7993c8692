package state

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// maxStoreBytes bounds what is read of a file.
const maxStoreBytes = 64 << 20

// settled is how old a file must be before its size and time are trusted to tell it from another: two versions written
// within one tick of the file system's clock look alike.
const settled = 100 * time.Millisecond

// Store is one versioned file in a folder, shared by all windows: `{"version":1,"data":…}`. Keys are exact, duplicate and
// unknown ones make the file broken (C62), so every new key of T needs a new version. If T or *T has a method
// Validate() error, what it refuses is broken too. Methods may be called at once.
type Store[T any] struct {
	folder  *Folder
	name    string
	path    string
	version int
	empty   func() T

	mu        sync.Mutex
	cached    *loaded[T]
	confirmed string // the fault that the user confirmed for this process alone
}

// loaded is a file as it was read.
type loaded[T any] struct {
	value T
	aside *asideNote
	raw   []byte      // nil where the file was absent
	info  fs.FileInfo // nil where the file was absent
	at    time.Time
}

// asideNote stands in a file that took the place of a broken one, until the user confirms.
type asideNote struct {
	Path   string `json:"path"`
	Reason string `json:"reason"`
}

// NewStore returns the store in the file of that name. version is the one this program writes; T must understand every
// older one. empty makes the value of an absent file. Nothing is read yet.
func NewStore[T any](f *Folder, name string, version int, empty func() T) *Store[T] {
	return &Store[T]{folder: f, name: name, path: f.Path(name), version: version, empty: empty}
}

// Path returns the path of the store's file.
func (s *Store[T]) Path() string { return s.path }

// Read returns the stored value, which is shared and must not be modified, whichever window wrote it. The error is a
// *NewerError, a *BrokenError or that of reading the file. An unchanged file is not read again.
func (s *Store[T]) Read() (T, error) {
	l, err := s.current()
	if err != nil {
		return s.empty(), err
	}
	return l.value, nil
}

// Snapshot is what Read returns and what Health says, of one moment.
func (s *Store[T]) Snapshot() (value T, health error) {
	l, err := s.current()
	if err != nil {
		return s.empty(), s.healthOf(l, err)
	}
	return l.value, s.healthOf(l, nil)
}

// Update changes the stored value under the lock and returns the new one. An error of change is returned as it is, and
// then nothing is written. A newer file is refused. A broken file is set aside and that update refused with a
// *BrokenError that says where to; the next one starts from the empty value.
func (s *Store[T]) Update(ctx context.Context, change func(*T) error) (T, error) {
	var changed T
	err := s.locked(ctx, func() error {
		l, err := s.load()
		var broken *BrokenError
		if errors.As(err, &broken) {
			return s.setAside(broken)
		}
		if err != nil {
			return err
		}
		if err := change(&l.value); err != nil {
			return err
		}
		changed = l.value
		return s.write(l)
	})
	if err != nil {
		return s.empty(), err
	}
	return changed, nil
}

// locked runs do while no other window may write.
func (s *Store[T]) locked(ctx context.Context, do func() error) error {
	unlock, err := s.folder.Lock(ctx, s.name+".lock")
	if err != nil {
		return fmt.Errorf("update %s: %w", s.Path(), err)
	}
	defer unlock()
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.cached = nil
	}()
	removeTemps(s.Path())
	return do()
}

// current is load, but for a file that has not changed since: one look at the file system tells.
func (s *Store[T]) current() (*loaded[T], error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.cached; c != nil {
		info, err := os.Lstat(s.path)
		switch {
		case c.info == nil:
			if errors.Is(err, fs.ErrNotExist) {
				return c, nil
			}
		case err == nil && os.SameFile(info, c.info) && info.Size() == c.info.Size() && info.ModTime().Equal(c.info.ModTime()):
			return c, nil
		}
	}
	s.cached = nil
	l, err := s.load()
	if err == nil && (l.info == nil || l.at.Sub(l.info.ModTime()) > settled) {
		s.cached = l
	}
	return l, err
}

// load reads the file anew.
func (s *Store[T]) load() (*loaded[T], error) {
	l := &loaded[T]{at: time.Now()}
	var err error
	if l.raw, l.info, err = readRegular(s.Path()); errors.Is(err, fs.ErrNotExist) {
		l.value, l.raw, l.info = s.empty(), nil, nil
		return l, nil
	} else if errors.Is(err, errNoStore) {
		return nil, &BrokenError{Path: s.Path(), Reason: err}
	} else if err != nil {
		return nil, err // the error of os names the file
	}
	if err := s.decode(l); err != nil {
		var newer *NewerError
		if errors.As(err, &newer) {
			return nil, newer
		}
		return nil, &BrokenError{Path: s.Path(), Reason: err}
	}
	return l, nil
}

// errNoStore is the kind of what can't be a store whatever is in it.
var errNoStore = errors.New("it can't be a store")

func readRegular(path string) ([]byte, fs.FileInfo, error) {
	// Opening a pipe would wait for its writer: look first.
	if info, err := os.Lstat(path); err != nil {
		return nil, nil, err
	} else if !info.Mode().IsRegular() {
		return nil, nil, fmt.Errorf("%w: it is no regular file", errNoStore)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, nil, err
	}
	raw, err := io.ReadAll(io.LimitReader(f, maxStoreBytes+1))
	if err == nil && len(raw) > maxStoreBytes {
		err = fmt.Errorf("%w: it is larger than %d bytes", errNoStore, maxStoreBytes)
	}
	return raw, info, err
}

func (s *Store[T]) decode(l *loaded[T]) error {
	// A newer version may hold anything else, so its number is read first, by itself.
	var head struct {
		Version int `json:"version"`
	}
	if err := json.Unmarshal(l.raw, &head); err != nil {
		return err
	}
	if head.Version > s.version {
		return &NewerError{Path: s.Path(), Version: head.Version, Known: s.version}
	}
	if head.Version < 1 {
		return errors.New("it has no version")
	}
	var body struct {
		Version  int            `json:"version"`
		SetAside *asideNote     `json:"setAside"`
		Data     jsontext.Value `json:"data"`
	}
	strict := json.RejectUnknownMembers(true)
	if err := json.Unmarshal(l.raw, &body, strict); err != nil {
		return err
	}
	if body.Data == nil || body.Data.Kind() == 'n' {
		return errors.New("it has no data")
	}
	l.value, l.aside = s.empty(), body.SetAside
	if err := json.Unmarshal(body.Data, &l.value, strict); err != nil {
		return err
	}
	return validate(&l.value)
}

func validate(value any) error {
	if v, ok := value.(interface{ Validate() error }); ok {
		return v.Validate()
	}
	return nil
}

// write writes what was loaded and changed; an unchanged file is left alone.
func (s *Store[T]) write(l *loaded[T]) error {
	if err := validate(&l.value); err != nil {
		return fmt.Errorf("update %s: %w", s.Path(), err)
	}
	raw, err := json.Marshal(struct {
		Version  int        `json:"version"`
		SetAside *asideNote `json:"setAside,omitzero"`
		Data     T          `json:"data"`
	}{s.version, l.aside, l.value}, json.Deterministic(true), jsontext.WithIndent("  "))
	if err != nil {
		return fmt.Errorf("update %s: %w", s.Path(), err)
	}
	if raw = append(raw, '\n'); bytes.Equal(raw, l.raw) {
		return nil
	}
	return WriteFile(s.Path(), raw, 0o600)
}
