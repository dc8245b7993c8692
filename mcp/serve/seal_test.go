package serve

import (
	"encoding/base64"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"
)

func TestV7_AStateOpensForItsRequestAlone(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	s, about := newSeal(), []byte("tools/call of somebody")
	state, err := s.close(ticket{Flight: "F", Round: 2, Until: now.Add(time.Minute)}, about)
	if err != nil {
		t.Fatal(err)
	}
	if opened, err := s.open(state, about, now); err != nil || opened.Flight != "F" || opened.Round != 2 {
		t.Fatalf("%+v, %v", opened, err)
	}
	if strings.Contains(state, "F") && strings.Contains(state, `"r"`) {
		t.Error("what is carried can be read")
	}
	for name, open := range map[string]func() error{
		"of another request":      func() error { _, err := s.open(state, []byte("tools/call of another"), now); return err },
		"too late":                func() error { _, err := s.open(state, about, now.Add(2*time.Minute)); return err },
		"of another start":        func() error { _, err := newSeal().open(state, about, now); return err },
		"with something after it": func() error { _, err := s.open(state+"-TAMPERED", about, now); return err },
		"without its end":         func() error { _, err := s.open(state[:len(state)-4], about, now); return err },
		"empty":                   func() error { _, err := s.open("", about, now); return err },
	} {
		if err := open(); !errors.Is(err, errState) {
			t.Errorf("a state %s: %v", name, err)
		}
	}
	sealed, _ := base64.RawURLEncoding.DecodeString(state)
	for i := range sealed {
		changed := slices.Clone(sealed)
		changed[i] ^= 1
		if _, err := s.open(base64.RawURLEncoding.EncodeToString(changed), about, now); !errors.Is(err, errState) {
			t.Fatalf("byte %d of a state may be another one", i)
		}
	}
}

func FuzzV7_State(f *testing.F) {
	s := newSeal()
	f.Add("", "")
	f.Add("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "x")
	f.Fuzz(func(t *testing.T, state, about string) {
		if opened, err := s.open(state, []byte(about), time.Now()); err == nil {
			t.Errorf("%q opens as %+v", state, opened)
		}
	})
}

// A list is told page by page without an entry twice, and without leaving one out, whatever its size.
func TestL1_PagesAreTheWholeList(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		keys := rapid.SliceOfNDistinct(rapid.StringN(0, 5, -1), 0, 40, rapid.ID[string]).Draw(t, "keys")
		size := rapid.IntRange(1, 7).Draw(t, "size")
		maxBytes := rapid.SampledFrom([]int{0, 3, 8, math.MaxInt}).Draw(t, "maxBytes")
		var all []entry
		for _, key := range keys {
			all = append(all, entry{key, []byte(key)})
		}
		var got []string
		for cursor := ""; ; {
			bodies, next, isKnown := page(all, cursor, size, maxBytes)
			if !isKnown || len(bodies) > size || len(bodies) > 1 && len(slices.Concat(bodies...)) > maxBytes {
				t.Fatalf("%d entries, %v", len(bodies), isKnown)
			}
			for _, body := range bodies {
				got = append(got, string(body))
			}
			if cursor = next; cursor == "" {
				break
			}
		}
		slices.Sort(keys)
		if !slices.Equal(got, keys) {
			t.Fatalf("%q, want %q", got, keys)
		}
	})
	for _, cursor := range []string{"!", "AAAA", base64.RawURLEncoding.EncodeToString([]byte("x"))} {
		if _, _, isKnown := page(nil, cursor, 1, math.MaxInt); isKnown {
			t.Errorf("the cursor %q is taken", cursor)
		}
	}
}

func TestE1_NamesWithoutPrefixes(t *testing.T) {
	t.Parallel()
	all := []named{{"look", "one__look"}, {"wipe", "one__wipe"}, {"wipe", "two__wipe"}, {"one__look", "two__one__look-12345678"}, {"same", "same"}}
	want := []string{"look", "one__wipe", "two__wipe", "two__one__look-12345678", "same"}
	if got := chooseNames(all, true); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	for i, name := range chooseNames(all, false) {
		if name != all[i].served {
			t.Errorf("%q, want %q", name, all[i].served)
		}
	}
}

func TestObjectKeepsBytes(t *testing.T) {
	t.Parallel()
	const object = `{"a":9007199254740993,"b":{"z":1.50,"a":"\u00e9"},"a":[1,2]}`
	members, err := membersOf([]byte(object))
	if err != nil || string(objectOf(members...)) != object {
		t.Errorf("%s, %v", objectOf(members...), err)
	}
	for _, bad := range []string{``, `[]`, `"a"`, `{`, `{"a":`, `{"a"}`} {
		if _, err := membersOf([]byte(bad)); err == nil {
			t.Errorf("%s is taken for an object", bad)
		}
	}
}

func FuzzLines(f *testing.F) {
	for _, line := range []string{`{"jsonrpc":"2.0","id":1,"method":"ping"}`, `[]`, `{}`, `{"jsonrpc":"2.0","id":null,"result":{}}`, "\xff", `{"a":1,"a":2}`} {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		if _, fault := messageOf(line); fault != "" && !jsontext.Value(fault).IsValid(jsontext.AllowInvalidUTF8(true)) {
			t.Errorf("%q is answered with %s", line, fault)
		}
	})
}
