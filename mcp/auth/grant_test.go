package auth

import (
	"bytes"
	"encoding/hex"
	"errors"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/godbus/dbus/v5"

	"pillion/mcp/state"
)

func grantKey(t *testing.T, p place, find func() Keyring, late func()) *GrantKey {
	t.Helper()
	folder, err := state.Open(p.state)
	if err != nil {
		t.Fatal(err)
	}
	return NewGrantKey(folder, find, late)
}

func (r *ring) found() Keyring { return r }

func TestS20_TheKeyOfTheGrantsIsMadeOnce(t *testing.T) {
	t.Parallel()
	p, keyring := newPlace(t), &ring{}
	one, other := grantKey(t, p, keyring.found, nil), grantKey(t, p, keyring.found, nil)
	if keyring.asked.Load() != 0 {
		t.Error("the keyring was touched before anything was asked")
	}
	if key, err := one.Key(false); err == nil || errors.Is(err, state.ErrUnsealed) {
		t.Errorf("a key that nobody made: %x, %v", key, err)
	}
	keys := make(chan []byte, 2)
	for _, window := range []*GrantKey{one, other} {
		go func() {
			key, err := window.Key(true)
			if err != nil {
				t.Error(err)
			}
			keys <- key
		}()
	}
	key := <-keys
	if len(key) != keyBytes || !bytes.Equal(key, <-keys) {
		t.Error("two windows have two keys")
	}
	asked := keyring.asked.Load()
	if again, err := one.Key(true); err != nil || !bytes.Equal(again, key) || keyring.asked.Load() != asked {
		t.Errorf("%x, %v; asked %d times", again, err, keyring.asked.Load())
	}
	if later, err := grantKey(t, p, keyring.found, nil).Key(false); err != nil || !bytes.Equal(later, key) {
		t.Errorf("another day: %x, %v", later, err)
	}
}

func TestS20_WithoutAKeyringThereIsNoKey(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	for name, find := range map[string]func() Keyring{
		"none":       func() Keyring { return nil },
		"no service": (&ring{fault: known(dbus.Error{Name: "org.freedesktop.DBus.Error.ServiceUnknown"})}).found,
		"no bus":     (&ring{fault: known(&net.OpError{Op: "dial", Err: errors.New("refused")})}).found,
	} {
		if key, err := grantKey(t, p, find, nil).Key(true); key != nil || !errors.Is(err, state.ErrUnsealed) {
			t.Errorf("%s: %x, %v", name, key, err)
		}
	}
	locked := &ring{fault: known(errors.New("failed to unlock"))}
	k := grantKey(t, p, locked.found, nil)
	for range 3 { // it may ask its user something: once is enough
		if key, err := k.Key(false); key != nil || err == nil || errors.Is(err, state.ErrUnsealed) {
			t.Errorf("locked: %x, %v", key, err)
		}
	}
	if locked.asked.Load() != 1 {
		t.Errorf("asked %d times", locked.asked.Load())
	}
	locked.fault = nil
	if _, err := k.Key(true); err != nil {
		t.Errorf("unlocked, and a person says something: %v", err)
	}
	odd := &ring{values: map[string]string{grantAccount: hex.EncodeToString([]byte("short"))}}
	if _, err := grantKey(t, p, odd.found, nil).Key(true); err == nil || strings.Contains(err.Error(), hex.EncodeToString([]byte("short"))) {
		t.Errorf("what is no key: %v", err)
	}
}

func TestS20_AKeyringThatHangsHoldsNobodyUp(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	made, err := grantKey(t, p, (&ring{}).found, nil).Key(true)
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		keyring := &ring{stuck: make(chan struct{}), values: map[string]string{grantAccount: hex.EncodeToString(made)}}
		late := make(chan struct{})
		k := grantKey(t, p, keyring.found, func() { close(late) })
		begun := time.Now()
		for range 3 {
			if key, err := k.Key(false); key != nil || err == nil || errors.Is(err, state.ErrUnsealed) {
				t.Errorf("%x, %v", key, err)
			}
		}
		if took := time.Since(begun); took != grantTime || keyring.asked.Load() != 1 {
			t.Errorf("it took %s, asked %d times", took, keyring.asked.Load())
		}
		close(keyring.stuck) // somebody has unlocked it
		<-late
		if key, err := k.Key(false); err != nil || !bytes.Equal(key, made) {
			t.Errorf("%x, %v", key, err)
		}
	})
}
