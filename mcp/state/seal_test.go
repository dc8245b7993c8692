package state

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

type grant struct {
	Root  string            `json:"root"`
	Tools map[string]string `json:"tools,omitzero"`
	Deny  bool              `json:"deny,omitzero"`
	Seal  string            `json:"seal,omitzero"`
}

func grants(purpose string) Sealable[grant] {
	return Sealable[grant]{
		Purpose:  purpose,
		Seal:     func(g grant) string { return g.Seal },
		WithSeal: func(g grant, seal string) grant { g.Seal = seal; return g },
		Gives:    func(g grant) bool { return !g.Deny },
		Rest:     func(grant) (grant, bool) { return grant{}, false },
		Label:    func(g grant) string { return fmt.Sprintf("allow in %q", g.Root) },
	}
}

// keyOf is a keyring as it stands: with a key, without one yet, absent or locked.
type keyOf struct {
	key, made string
	err       error
	asked     int
}

func (k *keyOf) Key(mayMake bool) ([]byte, error) {
	k.asked++
	if k.key == "" && mayMake && k.made != "" {
		k.key, k.err = k.made, nil
	}
	if k.key == "" {
		return nil, k.err
	}
	return []byte(k.key), nil
}

var errLocked = errors.New("it is locked")

func TestS20_WhatCounts(t *testing.T) {
	t.Parallel()
	good := grant{Root: "/w", Tools: map[string]string{"write": "h1"}}
	sealed := NewSieve(&keyOf{key: "key"}, grants("test")).Sealer(true).Sealed(good)
	if sealed.Seal == "" {
		t.Fatal("it has no seal")
	}
	edited, copied := sealed, sealed
	edited.Tools = map[string]string{"write": "h2"}
	copied.Root = "/v"
	ofAnother := NewSieve(&keyOf{key: "key"}, grants("another")).Sealer(true).Sealed(good)
	absent := func() *keyOf { return &keyOf{err: fmt.Errorf("no bus: %w", ErrUnsealed)} }
	locked := func() *keyOf { return &keyOf{err: errLocked} }
	for _, test := range []struct {
		name   string
		key    *keyOf
		record grant
		want   string // what is wrong, empty where it counts
	}{
		{"as it was written", &keyOf{key: "key"}, sealed, ""},
		{"edited", &keyOf{key: "key"}, edited, "not sealed by Pillion"},
		{"copied from another root", &keyOf{key: "key"}, copied, "not sealed by Pillion"},
		{"of another kind of record", &keyOf{key: "key"}, ofAnother, "not sealed by Pillion"},
		{"without a seal", &keyOf{key: "key"}, good, "not sealed by Pillion"},
		{"the key is another", &keyOf{key: "other"}, sealed, "not sealed by Pillion"},
		{"the key was deleted", &keyOf{err: errors.New("no key")}, sealed, "cannot be had, so nothing shows that they are as Pillion wrote them"},
		{"the key was deleted, and the seal", &keyOf{err: errors.New("no key")}, good, "nothing shows that Pillion wrote these"},
		{"locked", locked(), sealed, "it is locked"},
		{"locked, and without a seal", locked(), good, "it is locked"},
		{"never a keyring", absent(), good, ""},
		{"no keyring any more", absent(), sealed, "a keyring that is not there now"},
	} {
		for range 2 { // the second time it is known
			sieve := NewSieve(test.key, grants("test"))
			deny := grant{Root: "/n", Deny: true}
			sifted := sieve.Sift([]grant{test.record, deny})
			counts := slices.ContainsFunc(sifted.Records, func(g grant) bool { return g.Root == test.record.Root })
			if counts != (test.want == "") || sifted.Records[len(sifted.Records)-1].Root != "/n" {
				t.Errorf("%s: %+v", test.name, sifted)
			}
			if test.want == "" {
				if sifted.Fault != nil || sifted.Doubts != nil {
					t.Errorf("%s: %+v", test.name, sifted)
				}
				continue
			}
			if sifted.Fault == nil || !strings.Contains(sifted.Fault.Error(), test.want) || len(sifted.Doubts) != 1 || sifted.Doubts[0].Label != fmt.Sprintf("allow in %q", test.record.Root) {
				t.Errorf("%s: %+v", test.name, sifted)
			}
		}
	}
	if sifted := NewSieve(nil, grants("test")).Sift([]grant{good}); len(sifted.Records) != 1 || sifted.Fault != nil {
		t.Errorf("without any key: %+v", sifted)
	}
}

func TestS20_TheKeyIsAskedForOnlyWhereSomethingIsGiven(t *testing.T) {
	t.Parallel()
	key := &keyOf{key: "key"}
	sieve := NewSieve(key, grants("test"))
	sieve.Sift(nil)
	sieve.Sift([]grant{{Root: "/w", Deny: true}})
	sieve.Sealer(false).Sealed(grant{Root: "/w", Deny: true})
	if key.asked != 0 {
		t.Errorf("asked %d times", key.asked)
	}
}

func TestS20_WhatAPersonAccepts(t *testing.T) {
	t.Parallel()
	old, forged := grant{Root: "/w"}, grant{Root: "/forged"}
	key := &keyOf{err: errors.New("no key yet"), made: "key"}
	sieve := NewSieve(key, grants("test"))
	shown := sieve.Sift([]grant{old})
	reseal := sieve.Accept([]string{shown.Doubts[0].Digest})
	if reseal == nil {
		t.Fatal("no key was made")
	}
	resealed := reseal([]grant{old, forged}) // the other one came after the question was shown
	if resealed[0].Seal == "" || resealed[1].Seal != "" {
		t.Errorf("%+v", resealed)
	}
	again := NewSieve(key, grants("test")).Sift(resealed)
	if len(again.Records) != 1 || again.Records[0].Root != "/w" || len(again.Doubts) != 1 {
		t.Errorf("in another window: %+v", again)
	}

	locked := &keyOf{err: errLocked}
	sieve = NewSieve(locked, grants("test"))
	said := sieve.Sealer(true).Sealed(grant{Root: "/said"})
	list := []grant{said, old}
	if sifted := sieve.Sift(list); len(sifted.Records) != 1 || sifted.Records[0].Root != "/said" {
		t.Errorf("what was said here: %+v", sifted)
	}
	if reseal := sieve.Accept([]string{sieve.Sift(list).Doubts[0].Digest}); reseal != nil {
		t.Error("it is sealed without a key")
	}
	if sifted := sieve.Sift(list); len(sifted.Records) != 2 || sifted.Fault != nil {
		t.Errorf("what was accepted here: %+v", sifted)
	}
	locked.key = "key" // it was unlocked
	list = sieve.Reseal(false)(list)
	if sifted := NewSieve(locked, grants("test")).Sift(list); len(sifted.Records) != 2 {
		t.Errorf("sealed when the key came: %+v", sifted)
	}
}

// Whatever is changed in a sealed record, it does not count any more; whatever is in it, it does as it was written.
func TestS20_ASealCoversTheWholeRecord(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		draw := rapid.Custom(func(t *rapid.T) grant {
			return grant{
				Root:  rapid.StringOfN(rapid.RuneFrom([]rune("/a\x00\u2028\"")), 0, 4, -1).Draw(t, "root"),
				Tools: rapid.MapOfN(rapid.SampledFrom([]string{"", "a", "b"}), rapid.SampledFrom([]string{"", "h"}), 0, 2).Draw(t, "tools"),
			}
		})
		one, other := draw.Draw(t, "one"), draw.Draw(t, "other")
		sealer := NewSieve(&keyOf{key: "key"}, grants("test")).Sealer(true)
		sealed := sealer.Sealed(one)
		if !sealer.Holds(sealed) {
			t.Fatalf("%+v", sealed)
		}
		isSame := one.Root == other.Root && fmt.Sprint(one.Tools) == fmt.Sprint(other.Tools)
		if other.Seal = sealed.Seal; sealer.Holds(other) && !isSame {
			t.Fatalf("the seal of %+v counts for %+v", one, other)
		}
	})
}
