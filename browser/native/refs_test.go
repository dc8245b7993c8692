package native

import (
	"strings"
	"testing"
)

func TestRefs_DieWithTheNextSnapshot(t *testing.T) {
	var r refs
	r.begin(1)
	first := r.add(element{node: 11, label: "a"})
	if e, err := r.find(first, 1); err != nil || e.node != 11 {
		t.Fatalf("%v, %v", e, err)
	}
	r.begin(1)
	second := r.add(element{node: 22, label: "b"})
	r.begin(2)
	r.add(element{node: 33, label: "c"})
	for ref, why := range map[string]string{
		first: "snapshot 1 and dead", second: "snapshot 2 and dead", "s4e1": "no ref", "s3e2": "no ref", "s3e0": "no ref", "s0e1": "no ref",
		"e1": "is no ref", "s03e1": "is no ref", "s3e01": "is no ref", "s3e1 ": "is no ref", "": "is no ref", "#id": "is no ref",
		"s3e-1": "no ref", "s3e99999999999999999999": "is no ref", "s3e1": "tab 2",
	} {
		if _, err := r.find(ref, 1); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%q: %v; want %q", ref, err, why)
		}
	}
	if e, err := r.find("s3e1", 2); err != nil || e.node != 33 {
		t.Errorf("%v, %v", e, err)
	}
}

func FuzzRef(f *testing.F) {
	f.Add("s1e1")
	f.Add("s1e2x")
	f.Fuzz(func(t *testing.T, text string) {
		var r refs
		r.begin(1)
		r.add(element{node: 1})
		if e, err := r.find(text, 1); err == nil && (text != "s1e1" || e.node != 1) {
			t.Fatalf("%q is taken for a ref", text)
		}
	})
}

func TestParseKey(t *testing.T) {
	for text, want := range map[string]struct {
		key, code string
		held      int64
		text      string
	}{
		"Enter": {"Enter", "Enter", 0, "\r"}, "a": {"a", "KeyA", 0, "a"}, "A": {"A", "KeyA", 0, "A"}, "7": {"7", "Digit7", 0, "7"},
		"Control+a": {"a", "KeyA", 2, ""}, "Control+Shift+K": {"K", "KeyK", 10, ""}, "Shift+Tab": {"Tab", "Tab", 8, ""},
		"+": {"+", "", 0, "+"}, "Control++": {"+", "", 2, ""}, "F5": {"F5", "F5", 0, ""}, "ß": {"ß", "", 0, "ß"}, "Shift": {"Shift", "ShiftLeft", 0, ""},
		"Space": {" ", "Space", 0, " "},
	} {
		got, held, err := parseKey(text)
		if err != nil || got.key != want.key || got.code != want.code || held != want.held || got.text != want.text {
			t.Errorf("%q: %+v, %d, %v", text, got, held, err)
		}
	}
	for _, text := range []string{"", "NoKey", "F13", "F0", "F05", "Control+", "Hyper+a", "ab"} {
		if got, _, err := parseKey(text); err == nil {
			t.Errorf("%q: %+v", text, got)
		}
	}
}

func TestS17_QuoteAndVisible(t *testing.T) {
	for text, want := range map[string]string{
		"plain": `"plain"`, "a\nb": `"a\nb"`, "\u202e\u200b": `"\u202e\u200b"`, "\xff": "\"\uFFFD\"", "\U000e0041": `"\U000e0041"`, `"q"`: `"\"q\""`,
	} {
		if got := quote(text); got != want {
			t.Errorf("quote(%q) = %s, want %s", text, got, want)
		}
	}
	if got := visible("a\n\u202eb\x1b[1m\u200d"); got != "a\n\\u{202e}b\\u{1b}[1m\\u{200d}" {
		t.Errorf("visible: %q", got)
	}
	if got := bounded("äöü", 3); got != "ä… (4 bytes more)" {
		t.Errorf("bounded: %q", got)
	}
}

func TestS27_Extension(t *testing.T) {
	for beginning, want := range map[string]string{
		"\x89PNG\r\n\x1a\n....": ".png", "\xff\xd8\xff\xe0": ".jpg", "GIF89a": ".gif", "RIFF....WEBPVP8 ": ".webp",
		"#!/bin/sh": ".download", "<svg": ".download", "": ".download", "%PDF-": ".download", "RIFF....WAVE": ".download", "MZ": ".download",
	} {
		if got := extension([]byte(beginning)); got != want {
			t.Errorf("%q: %s, want %s", beginning, got, want)
		}
	}
}

func TestS22_DownloadIdsAreNames(t *testing.T) {
	for id, want := range map[string]bool{"5f3c-aa": true, "": false, ".": false, "..": false, "a/b": false, "../a": false, "/a": false} {
		if got := isPlainName(id); got != want {
			t.Errorf("%q: %v", id, got)
		}
	}
}

func TestSnapshot_Window(t *testing.T) {
	s := &snapshot{number: 1}
	for range 10 {
		s.lines = append(s.lines, strings.Repeat("x", 9))
	}
	for _, test := range []struct {
		from, limit, lines int
		left               string
	}{
		{1, 1000, 10, ""}, {1, 30, 3, "7 of 10 lines (70 bytes) are left out; browser_snapshot with from: 4"}, {4, 30, 3, "from: 7"},
		{8, 30, 3, ""}, {1, 1, 1, "from: 2"}, {11, 30, 0, "only 10 lines"}, {0, 1000, 10, ""},
	} {
		shown, left := s.window(test.from, test.limit)
		lines := strings.Count(shown, "x") / 9
		if lines != test.lines || !strings.Contains(left, test.left) || test.left == "" && left != "" {
			t.Errorf("from %d, %d bytes: %d lines, %q", test.from, test.limit, lines, left)
		}
	}
}
