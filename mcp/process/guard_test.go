package process

import (
	"maps"
	"strings"
	"testing"
)

func TestReadRegistrations(t *testing.T) {
	t.Parallel()
	full := registration{ticket: 1, marker: "7-abc/a b", since: 5, leader: 100, started: 2000}
	about := registration{ticket: 2, marker: "7-def/c", since: 5}
	for _, test := range []struct {
		name, text string
		want       []registration
	}{
		{"nothing", "", nil},
		{"two", full.line() + about.line(), []registration{full, about}},
		{"first the marker, then the process", registration{ticket: 1, marker: full.marker, since: 5}.line() + full.line(), []registration{full}},
		{"released", full.line() + about.line() + releaseLine(1), []registration{about}},
		{"released what is not there", releaseLine(9) + full.line(), []registration{full}},
		{"a line cut by the sidecar's death", full.line() + strings.TrimSuffix(about.line(), "\n"), []registration{full}},
		{"noise", "hello\n\nkeep\nkeep 1 2 3\nrelease x\n" + full.line(), []registration{full}},
		{"a very long line", strings.Repeat("x", 10_000) + "\n" + full.line(), []registration{full}},
		{"the first process", "keep 1 5 1 2000 7-abc/x\n", nil},
		{"everybody", "keep 1 5 -1 2000 7-abc/x\n", nil},
		{"a process that may be another by now", "keep 1 5 100 0 7-abc/x\n", nil},
		{"no marker", "keep 1 5 100 2000 \n", nil},
		{"a marker that could be anybody's", "keep 1 5 100 2000 x\n", nil},
	} {
		want := make(map[int]registration)
		for _, r := range test.want {
			want[r.ticket] = r
		}
		if got := readRegistrations(strings.NewReader(test.text)); !maps.Equal(got, want) {
			t.Errorf("%s: %v, want %v", test.name, got, want)
		}
	}
}

func FuzzReadRegistrations(f *testing.F) {
	f.Add("keep 1 5 100 2000 7-abc/x\nkeep 2 5 0 0 7-def/y\nrelease 1\n")
	f.Fuzz(func(t *testing.T, text string) {
		for ticket, r := range readRegistrations(strings.NewReader(text)) {
			if ticket != r.ticket || r.leader < 0 || r.leader == 1 || r.leader > 0 && r.started == 0 || !isMarker(r.marker) {
				t.Errorf("%+v out of %q", r, text)
			}
		}
	})
}

func TestNewMarker(t *testing.T) {
	t.Parallel()
	a, b := NewMarker("c0ffee"), NewMarker("c0ffee")
	if a == b {
		t.Errorf("one marker for two starts: %s", a)
	}
	if !strings.HasSuffix(a, "/c0ffee") || !isMarker(a) {
		t.Error(a)
	}
}
