package auth

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/godbus/dbus/v5"
	"github.com/zalando/go-keyring"
)

// Keyring keeps values by the name of an account. Its methods may block for as long as they like: a locked keyring asks its
// user.
type Keyring interface {
	// Value returns an error that wraps ErrNoValue where there is none.
	Value(account string) (string, error)
	// Set returns an error that wraps ErrTooBig for a value that never fits.
	Set(account, value string) error
	// Remove is content where there is nothing.
	Remove(account string) error
}

// The errors that a keyring is told apart by.
var (
	ErrNoValue = errors.New("there is no such value")
	ErrTooBig  = errors.New("the value is too big for the keyring")
	// ErrNoKeyring says that no keyring answers.
	ErrNoKeyring = errors.New("no keyring answers")
	// ErrNoService says that there is none that could answer: the bus is not there, or knows no keyring.
	ErrNoService = errors.New("no keyring is there")
)

// service is what Pillion's entries are called in the keyring.
const service = "pillion"

// SystemKeyring returns the keyring of the operating system, or nil where there is none to speak to. It looks and does not
// touch it: no program is started and nothing is asked.
func SystemKeyring(environ []string) Keyring {
	if !hasKeyring(runtime.GOOS, environ, exists) {
		return nil
	}
	return systemKeyring{}
}

// hasKeyring decides whether the library may be called at all: without the address of a session bus it would start one, and
// leave it behind.
func hasKeyring(system string, environ []string, exists func(path string) bool) bool {
	if system == "windows" || system == "darwin" {
		return true
	}
	var address, runtimeFolder string
	for _, variable := range environ {
		name, value, _ := strings.Cut(variable, "=")
		switch name {
		case "DBUS_SESSION_BUS_ADDRESS":
			address = value
		case "XDG_RUNTIME_DIR":
			runtimeFolder = value
		}
	}
	if address != "" {
		// Other transports start a program, or leave this machine.
		return strings.HasPrefix(address, "unix:")
	}
	return filepath.IsAbs(runtimeFolder) && exists(filepath.Join(runtimeFolder, "bus"))
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

type systemKeyring struct{}

func (systemKeyring) Value(account string) (string, error) {
	value, err := keyring.Get(service, account)
	return value, known(err)
}

func (systemKeyring) Set(account, value string) error {
	return known(keyring.Set(service, account, value))
}

func (systemKeyring) Remove(account string) error {
	if err := keyring.Delete(service, account); err != nil && !errors.Is(err, keyring.ErrNotFound) {
		return known(err)
	}
	return nil
}

func known(err error) error {
	switch {
	case errors.Is(err, keyring.ErrNotFound):
		return ErrNoValue
	case errors.Is(err, keyring.ErrSetDataTooBig):
		return ErrTooBig
	case isAbsent(err):
		return fmt.Errorf("%w: %w", ErrNoService, err)
	}
	return err
}

// isAbsent reports whether nobody is there to ask, as opposed to one who does not answer, or says no.
func isAbsent(err error) bool {
	var onBus dbus.Error
	if errors.As(err, &onBus) {
		return onBus.Name == "org.freedesktop.DBus.Error.ServiceUnknown" || onBus.Name == "org.freedesktop.DBus.Error.NameHasNoOwner"
	}
	var dialled *net.OpError
	return errors.As(err, &dialled) && dialled.Op == "dial"
}

// keyringTime bounds one use of the keyring: long enough for somebody to type its password.
const keyringTime = time.Minute

// boundedKeyring asks a keyring that may never answer.
type boundedKeyring struct {
	find func() Keyring // nil where there is none
	wait time.Duration
	// isStuck is set once it did not answer in time. It is not asked again by this process: what is stuck would pile up.
	isStuck atomic.Bool
}

func newBoundedKeyring(find func() Keyring, wait time.Duration) *boundedKeyring {
	if find == nil {
		find = func() Keyring { return nil }
	}
	return &boundedKeyring{find: sync.OnceValue(find), wait: wait}
}

// use calls do, which gets the keyring and may block. An error is that of ctx, ErrNoValue, ErrTooBig, or wraps ErrNoKeyring.
func (b *boundedKeyring) use(ctx context.Context, do func(Keyring) (string, error)) (string, error) {
	keyring := b.find()
	if keyring == nil {
		return "", ErrNoKeyring
	}
	if b.isStuck.Load() {
		return "", fmt.Errorf("%w: it did not answer before", ErrNoKeyring)
	}
	type answer struct {
		value string
		err   error
	}
	answers := make(chan answer, 1)
	go func() {
		value, err := do(keyring)
		answers <- answer{value, err}
	}()
	late := time.NewTimer(b.wait)
	defer late.Stop()
	select {
	case a := <-answers:
		if a.err != nil && !errors.Is(a.err, ErrNoValue) && !errors.Is(a.err, ErrTooBig) {
			return "", fmt.Errorf("%w: %w", ErrNoKeyring, a.err)
		}
		return a.value, a.err
	case <-late.C:
		b.isStuck.Store(true)
		return "", fmt.Errorf("%w: nothing came within %s", ErrNoKeyring, b.wait)
	case <-ctx.Done():
		return "", ctx.Err()
	}
}
