package auth

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"pillion/mcp/state"
)

const (
	fileName    = "secrets.json"
	keyFileName = "secrets.key"
	version     = 1

	// maxEntries bounds what is remembered.
	maxEntries = 10_000
)

// Options say where values are kept.
type Options struct {
	// Folder holds the list of what is stored, and sealed values.
	Folder *state.Folder
	// KeyFolder is the folder that the key of the sealed values goes to: another one, so that a copy of the first opens
	// nothing. It is made where it is needed.
	KeyFolder string
	// Keyring finds the keyring when one is needed, once, and may return nil; nil itself is for none.
	Keyring func() Keyring
}

// Store keeps values, shared by all windows. Its methods may be called at once. Nothing is read before the first of them.
type Store struct {
	kept      *state.Store[file]
	keyFolder string
	keyring   *boundedKeyring
}

// file is what the store's file holds.
type file struct {
	// Place is where new values go, as it came out when the first one was stored.
	Place   Place   `json:"place,omitzero"`
	Entries []entry `json:"entries"`
}

type entry struct {
	Key    Key       `json:"key"`
	At     time.Time `json:"at"`
	Place  Place     `json:"place"`
	Sealed []byte    `json:"sealed,omitzero"` // nonce and sealed text, where the place is the file
}

// Validate refuses what Pillion does not write.
func (f *file) Validate() error {
	switch f.Place {
	case "", PlaceKeyring, PlaceFile:
	default:
		return fmt.Errorf("unknown place %q", f.Place)
	}
	if len(f.Entries) > maxEntries {
		return fmt.Errorf("more than %d entries", maxEntries)
	}
	seen := make(map[Key]bool, len(f.Entries))
	for i, e := range f.Entries {
		if err := e.Key.check(); err != nil {
			return fmt.Errorf("entry %d: %w", i, err)
		}
		if seen[e.Key] {
			return fmt.Errorf("entry %d: its key stands there twice", i)
		}
		seen[e.Key] = true
		isSealed := len(e.Sealed) > 0
		if e.Place != PlaceKeyring && e.Place != PlaceFile || isSealed != (e.Place == PlaceFile) {
			return fmt.Errorf("entry %d: it lies nowhere", i)
		}
	}
	return nil
}

func (f *file) find(k Key) (entry, bool) {
	at := slices.IndexFunc(f.Entries, func(e entry) bool { return e.Key == k })
	if at < 0 {
		return entry{}, false
	}
	return f.Entries[at], true
}

// with returns the file with an entry in the place of that of the same key.
func (f *file) with(e entry) file {
	changed := f.without(e.Key)
	changed.Entries = append(changed.Entries, e)
	return changed
}

func (f *file) without(k Key) file {
	rest := slices.DeleteFunc(slices.Clone(f.Entries), func(e entry) bool { return e.Key == k })
	return file{Place: f.Place, Entries: rest}
}

// New returns a store that does nothing yet.
func New(o Options) *Store {
	empty := func() file { return file{Entries: []entry{}} }
	return &Store{
		kept:      state.NewStore(o.Folder, fileName, version, empty),
		keyFolder: o.KeyFolder,
		keyring:   newBoundedKeyring(o.Keyring, keyringTime),
	}
}

// Value returns the value of a key, if there is one. The error says why it cannot be read: a *state.NewerError or
// *state.BrokenError of the list, ErrNoKeyring, or that the sealed value does not open.
func (s *Store) Value(ctx context.Context, k Key) (value string, isSet bool, err error) {
	f, err := s.kept.Read()
	if err != nil {
		return "", false, fmt.Errorf("read secret %q: %w", k.ID, err)
	}
	e, isKnown := f.find(k)
	if !isKnown {
		return "", false, nil
	}
	if e.Place == PlaceFile {
		value, err = s.key().open(k, e.Sealed)
	} else {
		value, err = s.keyring.use(ctx, func(keyring Keyring) (string, error) { return keyring.Value(k.account()) })
	}
	switch {
	case errors.Is(err, ErrNoValue):
		return "", false, nil // somebody removed it from the keyring
	case err != nil:
		return "", false, fmt.Errorf("read secret %q: %w", k.ID, err)
	}
	return value, true, nil
}

// StoredAt returns when the value of a key was stored, without reading the value; zero where there is none.
func (s *Store) StoredAt(k Key) time.Time {
	f, err := s.kept.Read()
	if err != nil {
		return time.Time{}
	}
	e, _ := f.find(k)
	return e.At
}

// Set stores a value. Where it goes is decided once, with the first value: to the keyring if one answers, else to the sealed
// file; a value that is too big for the keyring goes to the file. A list that is broken is set aside first, as Health says.
func (s *Store) Set(ctx context.Context, k Key, value string) error {
	err := k.check()
	if len(value) > MaxValueBytes {
		err = fmt.Errorf("it has more than %d bytes", MaxValueBytes)
	}
	if err == nil {
		err = s.set(ctx, k, value)
	}
	if err != nil {
		return fmt.Errorf("store secret %q: %w", k.ID, err)
	}
	return nil
}

func (s *Store) set(ctx context.Context, k Key, value string) error {
	f, err := s.kept.Read()
	var broken *state.BrokenError
	if err != nil && !errors.As(err, &broken) {
		return err
	}
	// The keyring may ask its user: that takes too long for the lock.
	chosen := f.Place
	place, err := s.toKeyring(ctx, chosen, k, value)
	if err != nil {
		return err
	}
	if old, isKnown := f.find(k); isKnown && old.Place == PlaceKeyring && place == PlaceFile {
		_ = s.fromKeyring(ctx, k) // nothing reads it any more, whether or not it goes
	}
	return s.update(ctx, func(f *file) error {
		e := entry{Key: k, At: time.Now().UTC(), Place: place}
		if place == PlaceFile {
			if err := s.openKeyFolder(); err != nil {
				return err
			}
			if e.Sealed, err = s.key().seal(k, value); err != nil {
				return err
			}
		}
		changed := f.with(e)
		if chosen == "" && changed.Place == "" && len(value) <= smallestRoom {
			changed.Place = place
		}
		*f = changed
		return nil
	})
}

// smallestRoom is what every keyring has room for: a bigger value that went to the file says nothing about the next one.
const smallestRoom = 1 << 10

// toKeyring puts a value into the keyring if that is its place, and returns where it belongs.
func (s *Store) toKeyring(ctx context.Context, chosen Place, k Key, value string) (Place, error) {
	if chosen == PlaceFile {
		return PlaceFile, nil
	}
	_, err := s.keyring.use(ctx, func(keyring Keyring) (string, error) { return "", keyring.Set(k.account(), value) })
	switch {
	case err == nil:
		return PlaceKeyring, nil
	case errors.Is(err, ErrTooBig), errors.Is(err, ErrNoKeyring) && chosen == "":
		return PlaceFile, nil
	}
	return "", err
}

// Remove forgets a value; one that is not there is as good as removed.
func (s *Store) Remove(ctx context.Context, k Key) error {
	f, err := s.kept.Read()
	if err == nil {
		if e, isKnown := f.find(k); isKnown && e.Place == PlaceKeyring {
			err = s.fromKeyring(ctx, k)
		}
	}
	if err == nil {
		err = s.update(ctx, func(f *file) error {
			*f = f.without(k)
			return nil
		})
	}
	if err != nil {
		return fmt.Errorf("remove secret %q: %w", k.ID, err)
	}
	return nil
}

func (s *Store) fromKeyring(ctx context.Context, k Key) error {
	_, err := s.keyring.use(ctx, func(keyring Keyring) (string, error) { return "", keyring.Remove(k.account()) })
	return err
}

// update changes the list; what is broken is set aside first, and the change is made all the same.
func (s *Store) update(ctx context.Context, change func(*file) error) error {
	_, err := s.kept.Update(ctx, change)
	var broken *state.BrokenError
	if errors.As(err, &broken) && broken.SetAside != "" {
		_, err = s.kept.Update(ctx, change)
	}
	return err
}

// List returns what is stored, never a value, in the order of the keys' members.
func (s *Store) List() ([]Secret, error) {
	f, err := s.kept.Read()
	if err != nil {
		return nil, fmt.Errorf("list the secrets: %w", err)
	}
	secrets := make([]Secret, len(f.Entries))
	for i, e := range f.Entries {
		secrets[i] = Secret{Key: e.Key, At: e.At, Place: e.Place}
	}
	slices.SortFunc(secrets, func(a, b Secret) int { return slices.Compare(a.members(), b.members()) })
	return secrets, nil
}

// Place returns where new values go; empty as long as there was none.
func (s *Store) Place() Place {
	f, _ := s.kept.Read()
	return f.Place
}

// Health is nil, or why the list is not what was stored: unreadable, newer, or set aside, and not confirmed since.
func (s *Store) Health() error { return s.kept.Health() }

// Confirm records that the user knows what Health says.
func (s *Store) Confirm(ctx context.Context) error { return s.kept.Confirm(ctx) }

func (s *Store) key() sealKey { return sealKey{filepath.Join(s.keyFolder, keyFileName)} }

// openKeyFolder makes the key's folder where it is absent, and refuses one that others may write to.
func (s *Store) openKeyFolder() error {
	folder := s.keyFolder
	if resolved, err := filepath.EvalSymlinks(folder); err == nil {
		folder = resolved // people keep their configuration elsewhere
	}
	_, err := state.Open(folder)
	return err
}
