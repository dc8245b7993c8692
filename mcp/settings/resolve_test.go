package settings

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func give(t testing.TB, channel Channel, name Name, text string) Given {
	t.Helper()
	v, faults := declared(name).Decode([]byte(text))
	if len(faults) > 0 {
		t.Fatalf("%s %s: %v", name, text, faults)
	}
	return Given{Name: name, Channel: channel, Value: v}
}

func TestResolve(t *testing.T) {
	t.Parallel()
	tests := []struct {
		what     string
		given    []Given
		name     Name
		want     string
		from     Channel
		overrode []Channel
		refused  int
	}{
		{"nothing", nil, Ask, `"command"`, Default, nil, 0},
		{"one", []Given{give(t, UserFile, Ask, `"prompt"`)}, Ask, `"prompt"`, UserFile, []Channel{Default}, 0},
		{"the later channel", []Given{give(t, Configuration, Ask, `"command"`), give(t, UserFile, Ask, `"prompt"`), give(t, Flag, Ask, `"prompt"`)},
			Ask, `"command"`, Configuration, []Channel{Flag, UserFile, Default}, 0},
		{"of one channel the last", []Given{give(t, Flag, Ask, `"command"`), give(t, Flag, Ask, `"prompt"`)}, Ask, `"prompt"`, Flag, []Channel{Flag, Default}, 0},
		{"a channel that is none", []Given{give(t, Environment, CallTimeout, `"1s"`)}, CallTimeout, `"5m"`, Default, nil, 1},
		{"an option of an entry", []Given{give(t, UserEntry, CallTimeout, `"1s"`)}, CallTimeout, `"1s"`, UserEntry, []Channel{Default}, 0},
		{"trust, narrowed", []Given{give(t, Initialize, Trusted, `false`)}, Trusted, `false`, Initialize, []Channel{Default}, 0},
		{"trust, narrowed twice", []Given{give(t, Configuration, Trusted, `false`), give(t, Initialize, Trusted, `false`)}, Trusted, `false`, Initialize, []Channel{Default}, 0},
		{"trust, as it was", []Given{give(t, Initialize, Trusted, `true`)}, Trusted, `true`, Default, nil, 0},
		{"trust, widened", []Given{give(t, UserFile, Trusted, `false`), give(t, Initialize, Trusted, `true`)}, Trusted, `false`, UserFile, []Channel{Default}, 1},
		{"trust, widened behind a narrowing", []Given{give(t, Flag, Trusted, `false`), give(t, Configuration, Trusted, `true`)}, Trusted, `false`, Flag, []Channel{Default}, 1},
		{"trust, granted", []Given{give(t, UserEntry, InheritEnv, `["A"]`)}, InheritEnv, `["A"]`, UserEntry, []Channel{Default}, 0},
		{"trust of a project", []Given{give(t, ProjectEntry, InheritEnv, `["A"]`)}, InheritEnv, `[]`, Default, nil, 1},
		{"no trust from the settings of all entries", []Given{give(t, UserFile, TrustReadOnly, `true`)}, TrustReadOnly, `false`, Default, nil, 1},
	}
	for _, test := range tests {
		resolved := Resolve(test.given...)
		held := resolved.Of(test.name)
		var overrode []Channel
		for _, g := range held.Overrode {
			overrode = append(overrode, g.Channel)
		}
		if held.Given.Value.String() != test.want || held.Given.Channel != test.from || !slices.Equal(overrode, test.overrode) || len(resolved.Refusals()) != test.refused {
			t.Errorf("%s: %s from %s, overrode %v, refused %v", test.what, held.Given.Value, held.Given, overrode, resolved.Refusals())
		}
	}
	if len(Resolve().All()) != len(All()) {
		t.Error("a setting has no value")
	}
}

// TestS3_OnlyTheGranterWidens tries every trust setting with every value by every channel: what another channel gives can
// only take away from what the user's own file says, and what would add is refused and said.
func TestS3_OnlyTheGranterWidens(t *testing.T) {
	t.Parallel()
	tried := 0
	for _, s := range All() {
		if !s.IsTrust {
			continue
		}
		for _, channel := range Channels() {
			if channel == s.Granter() {
				continue
			}
			for _, granted := range append(samples(s), Value{}) {
				var given []Given
				if granted.IsSet() {
					given = append(given, Given{Name: s.Name, Channel: s.Granter(), Value: granted})
				}
				before := Resolve(given...).Value(s.Name)
				for _, tried1 := range samples(s) {
					tried++
					after := Resolve(append(given, Given{Name: s.Name, Channel: channel, Where: "somewhere", Value: tried1})...)
					checkNarrowing(t, s, channel, before, tried1, after)
				}
			}
		}
	}
	if tried < 50 {
		t.Errorf("only %d attempts were made", tried)
	}
}

func checkNarrowing(t *testing.T, s Setting, channel Channel, before, value Value, after Resolved) {
	t.Helper()
	what := fmt.Sprintf("%s: %s by %s over %s", s.Name, value, channel, before)
	isRefused := len(after.Refusals()) == 1
	switch now := after.Value(s.Name); {
	case s.widens(before, now):
		t.Errorf("%s: widened to %s", what, now)
	case s.widens(before, value) && (!now.Equal(before) || !isRefused):
		t.Errorf("%s: holds %s, refused %v", what, now, isRefused)
	case !s.widens(before, value) && !now.Equal(value) && !isRefused:
		t.Errorf("%s: holds %s, and nothing is said", what, now)
	case isRefused && !strings.Contains(after.Refusals()[0].String(), string(s.Name)):
		t.Errorf("%s: the refusal does not name it: %s", what, after.Refusals()[0])
	}
}

// What holds depends on the channels alone, never on the order in which they were heard.
func TestOrderOfArrivalMeansNothing(t *testing.T) {
	t.Parallel()
	all := All()
	rapid.Check(t, func(t *rapid.T) {
		var given []Given
		for range rapid.IntRange(0, 12).Draw(t, "count") {
			s := rapid.SampledFrom(all).Draw(t, "setting")
			channel := rapid.SampledFrom(Channels()).Draw(t, "channel")
			if !slices.ContainsFunc(given, func(g Given) bool { return g.Name == s.Name && g.Channel == channel }) {
				given = append(given, Given{Name: s.Name, Channel: channel, Value: rapid.SampledFrom(samples(s)).Draw(t, "value")})
			}
		}
		first, second := Resolve(given...), Resolve(rapid.Permutation(given).Draw(t, "order")...)
		for _, s := range all {
			a, b := first.Of(s.Name), second.Of(s.Name)
			if !a.Given.Value.Equal(b.Given.Value) || a.Given.Channel != b.Given.Channel || len(a.Overrode) != len(b.Overrode) {
				t.Fatalf("%s: %s from %s, or %s from %s", s.Name, a.Given.Value, a.Given, b.Given.Value, b.Given)
			}
			obeysPrecedence(t, a, given)
		}
		if len(first.Refusals()) != len(second.Refusals()) {
			t.Fatalf("%v, or %v", first.Refusals(), second.Refusals())
		}
	})
}

func obeysPrecedence(t *rapid.T, held Held, given []Given) {
	last := held.Given
	for _, g := range held.Overrode {
		if !held.Setting.IsTrust && g.Channel >= last.Channel {
			t.Fatalf("%s: %s overrode %s", held.Setting.Name, last, g)
		}
		last = g
	}
	for _, g := range given {
		if g.Name == held.Setting.Name && !held.Setting.IsTrust && held.Setting.Has(g.Channel) && g.Channel > held.Given.Channel {
			t.Fatalf("%s: %s holds, and %s is stronger", held.Setting.Name, held.Given, g)
		}
	}
}
