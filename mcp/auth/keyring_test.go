package auth

import (
	"errors"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"
)

func TestG3_NoProgramIsStartedToFindAKeyring(t *testing.T) {
	t.Parallel()
	hasBus := func(path string) bool { return path == "/run/user/1/bus" }
	tests := map[string]struct {
		system  string
		environ []string
		want    bool
	}{
		"nothing":               {"linux", nil, false},
		"address":               {"linux", []string{"DBUS_SESSION_BUS_ADDRESS=unix:path=/run/bus"}, true},
		"abstract":              {"linux", []string{"DBUS_SESSION_BUS_ADDRESS=unix:abstract=/tmp/x"}, true},
		"starts one":            {"linux", []string{"DBUS_SESSION_BUS_ADDRESS=autolaunch:"}, false},
		"runs a program":        {"linux", []string{"DBUS_SESSION_BUS_ADDRESS=unixexec:path=evil"}, false},
		"leaves the machine":    {"linux", []string{"DBUS_SESSION_BUS_ADDRESS=tcp:host=evil"}, false},
		"empty":                 {"linux", []string{"DBUS_SESSION_BUS_ADDRESS=", "XDG_RUNTIME_DIR=/run/user/1"}, true},
		"folder":                {"linux", []string{"XDG_RUNTIME_DIR=/run/user/1"}, true},
		"folder without a bus":  {"linux", []string{"XDG_RUNTIME_DIR=/run/user/2"}, false},
		"address goes before":   {"linux", []string{"XDG_RUNTIME_DIR=/run/user/1", "DBUS_SESSION_BUS_ADDRESS=autolaunch:"}, false},
		"Windows has one":       {"windows", nil, true},
		"macOS has one":         {"darwin", nil, true},
		"relative is no folder": {"linux", []string{"XDG_RUNTIME_DIR=user/1"}, false},
	}
	for name, test := range tests {
		if test.system == "linux" && runtime.GOOS == "windows" {
			continue // what is absolute there is not here
		}
		if got := hasKeyring(test.system, test.environ, hasBus); got != test.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestG3_AKeyringThatHangsIsBounded(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	synctest.Test(t, func(t *testing.T) {
		keyring := &ring{stuck: make(chan struct{})}
		defer close(keyring.stuck)
		s := p.store(keyring)
		begun := time.Now()
		set(t, s, key("token"), canary)
		if took := time.Since(begun); took != keyringTime {
			t.Errorf("it took %s", took)
		}
		set(t, s, key("second"), canary)
		holds(t, s, key("token"), canary)
		if took := time.Since(begun); took != keyringTime || keyring.asked.Load() != 1 {
			t.Errorf("it took %s, asked %d times", took, keyring.asked.Load())
		}
		if s.Place() != PlaceFile {
			t.Errorf("%q", s.Place())
		}
	})
}

func TestG3_AKeyringThatHangsKeepsNobody(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	set(t, p.store(&ring{}), key("token"), canary)
	synctest.Test(t, func(t *testing.T) {
		keyring := &ring{stuck: make(chan struct{})}
		defer close(keyring.stuck)
		s := p.store(keyring)
		if _, isSet, err := s.Value(t.Context(), key("token")); isSet || !errors.Is(err, ErrNoKeyring) {
			t.Errorf("%v, %v", isSet, err)
		}
		if _, _, err := s.Value(t.Context(), key("token")); !errors.Is(err, ErrNoKeyring) || keyring.asked.Load() != 1 {
			t.Errorf("%v, asked %d times", err, keyring.asked.Load())
		}
	})
}

// No two keys have one identity, whatever stands in their members.
func TestS11_EveryMemberTellsKeysApart(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		member := rapid.StringOfN(rapid.RuneFrom([]rune("a1:\x00")), 0, 5, -1)
		draw := func(name string) Key {
			m := func(i string) string { return member.Draw(t, name+i) }
			return Key{m("id"), m("source"), m("root"), m("destination"), m("issuer"), m("resource"), m("definition")}
		}
		a, b := draw("a"), draw("b")
		if (a == b) != (string(a.identity()) == string(b.identity())) || (a == b) != (a.account() == b.account()) {
			t.Fatalf("%+v and %+v", a, b)
		}
	})
}
