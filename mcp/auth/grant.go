package auth

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"sync"
	"time"

	"pillion/mcp/state"
)

const (
	// grantAccount is what the key of the grants is called in the keyring.
	grantAccount = "grants"
	grantLock    = "grants.lock"

	// grantTime bounds how long anybody waits for the key: what is judged meanwhile is judged without it.
	grantTime = time.Second
)

// errNoGrantKey says that the keyring holds no key, though it answers.
var errNoGrantKey = errors.New("the keyring holds no key of Pillion's yet, or not any more")

// GrantKey is the key that grants are sealed with (S20), made once and kept in the keyring. The keyring is not touched before it
// is asked for. It implements state.SealKey; its methods may be called at once.
type GrantKey struct {
	folder *state.Folder
	find   func() Keyring
	late   func()

	mu      sync.Mutex
	key     []byte
	err     error         // what came of the last question; nil before it
	pending chan struct{} // closed when the question that is open is answered; nil without one
	isLate  bool          // nobody waits for it any more
}

// NewGrantKey returns the key that the keyring holds which find finds, nil being none; the folder's lock keeps two windows from
// making two. late is told of an answer that came after everybody had stopped waiting, on a goroutine of its own.
func NewGrantKey(folder *state.Folder, find func() Keyring, late func()) *GrantKey {
	return &GrantKey{folder: folder, find: sync.OnceValue(find), late: late}
}

// Key implements state.SealKey. A keyring that does not answer within a second is waited for by nobody, until it does.
func (g *GrantKey) Key(mayMake bool) ([]byte, error) {
	key, err := g.await(mayMake)
	if mayMake && errors.Is(err, errNoGrantKey) { // the question that was open was one without
		return g.await(mayMake)
	}
	return key, err
}

func (g *GrantKey) await(mayMake bool) ([]byte, error) {
	pending, isLate := g.ask(mayMake)
	if pending != nil && !isLate {
		timer := time.NewTimer(grantTime)
		defer timer.Stop()
		select {
		case <-pending:
		case <-timer.C:
		}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.pending != nil {
		g.isLate = true
		return nil, fmt.Errorf("%w within %s: unlock it, or answer what it asks", ErrNoKeyring, grantTime)
	}
	return g.key, g.err
}

// ask puts the question to the keyring, unless it is answered, or is open already. What failed is tried again for what a person
// says alone: a keyring may ask them something each time.
func (g *GrantKey) ask(mayMake bool) (pending <-chan struct{}, isLate bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	isSettled := g.key != nil || errors.Is(g.err, state.ErrUnsealed) || g.err != nil && !mayMake
	if g.pending == nil && !isSettled {
		g.pending, g.isLate = make(chan struct{}), false
		go g.answer(mayMake)
	}
	return g.pending, g.isLate
}

func (g *GrantKey) answer(mayMake bool) {
	key, err := g.fromKeyring(mayMake)
	g.mu.Lock()
	if err == nil {
		g.key = key
	}
	g.err = err
	close(g.pending)
	isLate := g.isLate
	g.pending = nil
	g.mu.Unlock()
	if isLate && g.late != nil {
		g.late()
	}
}

func (g *GrantKey) fromKeyring(mayMake bool) ([]byte, error) {
	keyring := g.find()
	if keyring == nil {
		return nil, state.ErrUnsealed
	}
	key, err := readGrantKey(keyring)
	if errors.Is(err, errNoGrantKey) && mayMake {
		key, err = g.make(keyring)
	}
	switch {
	case err == nil || errors.Is(err, errNoGrantKey):
		return key, err
	case errors.Is(err, ErrNoService):
		return nil, fmt.Errorf("%w: %w", state.ErrUnsealed, err)
	}
	return nil, fmt.Errorf("%w: %w", ErrNoKeyring, err)
}

func (g *GrantKey) make(keyring Keyring) ([]byte, error) {
	unlock, err := g.folder.Lock(context.Background(), grantLock)
	if err != nil {
		return nil, err
	}
	defer unlock()
	if key, err := readGrantKey(keyring); !errors.Is(err, errNoGrantKey) {
		return key, err // another window was first
	}
	key := make([]byte, keyBytes)
	_, _ = rand.Read(key) // never fails
	if err := keyring.Set(grantAccount, hex.EncodeToString(key)); err != nil {
		return nil, err
	}
	return readGrantKey(keyring) // what it gives is what counts
}

func readGrantKey(keyring Keyring) ([]byte, error) {
	text, err := keyring.Value(grantAccount)
	if errors.Is(err, ErrNoValue) {
		return nil, errNoGrantKey
	}
	if err != nil {
		return nil, err
	}
	key, err := hex.DecodeString(text)
	if err != nil || len(key) != keyBytes {
		return nil, errors.New("what it holds under the name of the key is none") // its text is never said
	}
	return key, nil
}
