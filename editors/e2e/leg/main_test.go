package main

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"
)

func TestTally(t *testing.T) {
	t.Parallel()
	const p = `"Package":"pillion/p"`
	for name, c := range map[string]struct {
		events string
		want   counts
		shown  []string
		hidden string
	}{
		"pass is silent": {
			events: `{"Action":"run",` + p + `,"Test":"TestA"}
{"Action":"output",` + p + `,"Test":"TestA","Output":"chatter\n"}
{"Action":"pass",` + p + `,"Test":"TestA"}
{"Action":"output",` + p + `,"Output":"ok  \tpillion/p\t0.1s\n"}
{"Action":"pass",` + p + `}`,
			want: counts{Passed: 1}, shown: []string{"ok  \tpillion/p"}, hidden: "chatter",
		},
		"failure and skip show what they printed": {
			events: `{"Action":"run",` + p + `,"Test":"TestA"}
{"Action":"output",` + p + `,"Test":"TestA","Output":"wrong sum\n"}
{"Action":"fail",` + p + `,"Test":"TestA"}
{"Action":"run",` + p + `,"Test":"TestB"}
{"Action":"output",` + p + `,"Test":"TestB","Output":"no such editor\n"}
{"Action":"skip",` + p + `,"Test":"TestB"}
{"Action":"fail",` + p + `}`,
			want: counts{Failed: 1, Skipped: 1}, shown: []string{"wrong sum", "no such editor"},
		},
		"a package that does not build is one failure": {
			events: `{"Action":"build-output","ImportPath":"pillion/p","Output":"p.go:1: broken\n"}
{"Action":"fail",` + p + `}`,
			want: counts{Failed: 1}, shown: []string{"p.go:1: broken"},
		},
		"a test that never ended has failed": {
			events: `{"Action":"run",` + p + `,"Test":"TestA"}
{"Action":"output",` + p + `,"Test":"TestA","Output":"panic: oh\n"}
{"Action":"fail",` + p + `}`,
			want: counts{Failed: 1}, shown: []string{"panic: oh"},
		},
		"other lines pass through": {
			events: "WARNING: not hermetic\n{\"half\": ", shown: []string{"WARNING: not hermetic", `{"half": `},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			if got := tally(false, strings.NewReader(c.events), &out); got != c.want {
				t.Errorf("counted %v, want %v", got, c.want)
			}
			for _, want := range c.shown {
				if !strings.Contains(out.String(), want) {
					t.Errorf("not shown: %q in\n%s", want, &out)
				}
			}
			if c.hidden != "" && strings.Contains(out.String(), c.hidden) {
				t.Errorf("shown: %q in\n%s", c.hidden, &out)
			}
		})
	}
}

func TestSettle(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		counted   counts
		succeeded bool
		want      counts
	}{
		"good run":                         {counts{Passed: 2}, true, counts{Passed: 2}},
		"failed run without a failed test": {counts{Passed: 2}, false, counts{Passed: 2, Failed: 1}},
		"failed test is counted once":      {counts{Failed: 1}, false, counts{Failed: 1}},
		"no test ran":                      {counts{}, true, counts{Failed: 1}},
		"skips alone are no run":           {counts{Skipped: 3}, true, counts{Failed: 1, Skipped: 3}},
	} {
		if got := settle(c.counted, c.succeeded, new(bytes.Buffer)); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

func TestLegsAreRecordedAndTotalled(t *testing.T) {
	file := filepath.Join(t.TempDir(), "legs")
	t.Setenv("PILLION_LEGS", file)
	var out bytes.Buffer
	if err := run(options{}, []string{"good", "true"}, &out); err != nil {
		t.Error(err)
	}
	if err := run(options{}, []string{"bad", "false"}, &out); err == nil {
		t.Error("a leg whose command fails must fail")
	}
	if err := run(options{}, []string{"absent", filepath.Join(t.TempDir(), "no-such-program")}, &out); err == nil {
		t.Error("a leg that cannot be run must fail")
	}
	out.Reset()
	if err := run(options{total: file}, nil, &out); err != nil {
		t.Fatal(err)
	}
	if !strings.HasSuffix(out.String(), "\n0 passed, 2 failed, 0 skipped\n") {
		t.Errorf("closing line is not last in\n%s", &out)
	}
}
