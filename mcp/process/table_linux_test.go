package process

import (
	"os"
	"strings"
	"testing"
)

func TestParseStat(t *testing.T) {
	t.Parallel()
	tail := " 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 "
	for _, test := range []struct {
		name, text string
		want       entry
		ok         bool
	}{
		{"plain", "42 (sh) S 7 40 41" + tail + "1 0 12345 9", entry{identity{42, 12345}, 7, 40, 41, false}, true},
		{"a name with parentheses and spaces", "42 (a) R 1 (b c) S 7 40 41" + tail + "1 0 12345", entry{identity{42, 12345}, 7, 40, 41, false}, true},
		{"a zombie", "42 (sh) Z 7 40 41" + tail + "1 0 12345", entry{identity{42, 12345}, 7, 40, 41, true}, true},
		{"its main thread has ended, others run", "42 (sh) Z 7 40 41" + tail + "3 0 12345", entry{identity{42, 12345}, 7, 40, 41, false}, true},
		{"cut short", "42 (sh) S 7 40 41" + tail, entry{}, false},
		{"no name", "42", entry{}, false},
		{"empty", "", entry{}, false},
	} {
		got, ok := parseStat(42, []byte(test.text))
		if ok != test.ok || ok && got != test.want {
			t.Errorf("%s: %+v, %v", test.name, got, ok)
		}
	}
}

func FuzzParseStat(f *testing.F) {
	own, err := os.ReadFile("/proc/self/stat")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(own)
	f.Add([]byte("42 (a) b) S 1 2 3"))
	f.Fuzz(func(t *testing.T, text []byte) {
		if e, ok := parseStat(42, text); ok && (e.pid != 42 || !strings.Contains(string(text), ")")) {
			t.Errorf("%+v out of %q", e, text)
		}
	})
}

func TestLookup_Own(t *testing.T) {
	t.Parallel()
	e, ok := lookup(os.Getpid())
	if !ok || e.parent != os.Getppid() || e.ended || e.started == 0 || !e.lives() {
		t.Errorf("%+v, %v", e, ok)
	}
	if _, ok := lookup(1 << 30); ok {
		t.Error("found a process that cannot be")
	}
}
