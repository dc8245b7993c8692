package config

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestPosition(t *testing.T) {
	t.Parallel()
	const text = "a😀b\r\n日本\ré\n\n"
	tests := []struct{ offset, line, utf16, utf8 int }{
		{0, 0, 0, 0}, {1, 0, 1, 1}, {3, 0, 1, 1}, {5, 0, 3, 5}, {6, 0, 4, 6}, {7, 0, 4, 6},
		{8, 1, 0, 0}, {11, 1, 1, 3}, {12, 1, 1, 3}, {14, 1, 2, 6}, {15, 2, 0, 0}, {17, 2, 1, 2}, {18, 3, 0, 0}, {19, 4, 0, 0},
		{-5, 0, 0, 0}, {99, 4, 0, 0},
	}
	for _, test := range tests {
		if line, character := Position([]byte(text), test.offset, true); line != test.line || character != test.utf16 {
			t.Errorf("offset %d in UTF-16: %d:%d", test.offset, line, character)
		}
		if line, character := Position([]byte(text), test.offset, false); line != test.line || character != test.utf8 {
			t.Errorf("offset %d in UTF-8: %d:%d", test.offset, line, character)
		}
	}
}

func TestOffsetIsClamped(t *testing.T) {
	t.Parallel()
	const text = "a😀b\r\nxy"
	tests := []struct {
		line, character int
		utf16           bool
		want            int
	}{
		{0, 0, true, 0}, {0, 1, true, 1}, {0, 2, true, 1}, {0, 3, true, 5}, {0, 4, true, 6}, {0, 99, true, 6},
		{0, 2, false, 1}, {0, 5, false, 5}, {0, 99, false, 6},
		{1, 1, true, 9}, {1, 99, true, 10}, {2, 0, true, 10}, {99, 99, false, 10}, {-1, 5, true, 0}, {0, -5, true, 0},
	}
	for _, test := range tests {
		if got := Offset([]byte(text), test.line, test.character, test.utf16); got != test.want {
			t.Errorf("%d:%d (UTF-16 %v) is %d, want %d", test.line, test.character, test.utf16, got, test.want)
		}
	}
}

func TestByteOrderMarkHasNoWidth(t *testing.T) {
	t.Parallel()
	text := []byte("\ufeff{\n}")
	if line, character := Position(text, 3, true); line != 0 || character != 0 {
		t.Errorf("%d:%d", line, character)
	}
	if line, character := Position(text, 0, true); line != 0 || character != 0 {
		t.Errorf("%d:%d", line, character)
	}
	if got := Offset(text, 0, 0, true); got != 3 {
		t.Errorf("offset %d", got)
	}
	if line, character := Position(text, 5, false); line != 1 || character != 0 {
		t.Errorf("%d:%d", line, character)
	}
}

func TestPositionAndOffsetAgree(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := []byte(rapid.StringOf(rapid.SampledFrom([]rune("ab\r\n\té日😀\ufeff"))).Draw(t, "text"))
		wide := rapid.Bool().Draw(t, "UTF-16")
		lines := NewLines(text)
		for offset := range len(text) + 1 {
			line, character := lines.Position(offset, wide)
			back := lines.Offset(line, character, wide)
			inside := offset < len(text) && !utf8.RuneStart(text[offset])
			between := offset > 0 && offset < len(text) && text[offset-1] == '\r' && text[offset] == '\n'
			mark := offset < lines.starts[0]
			if back != offset && !inside && !between && !mark {
				t.Fatalf("offset %d is %d:%d and back %d in %q", offset, line, character, back, text)
			}
			if back > offset && !mark {
				t.Fatalf("offset %d moves forward to %d in %q", offset, back, text)
			}
		}
	})
}

// One place is found without an index as it is with one.
func TestC78_OffsetNeedsNoIndex(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := []byte(strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"a", "\n", "\r", "\r\n", "😀", "漢", "\ufeff", "\xff"}), 0, 12).Draw(t, "text"), ""))
		line, character, utf16 := rapid.IntRange(-1, 8).Draw(t, "line"), rapid.IntRange(-1, 9).Draw(t, "character"), rapid.Bool().Draw(t, "utf16")
		if got, want := Offset(text, line, character, utf16), NewLines(text).Offset(line, character, utf16); got != want {
			t.Fatalf("%q %d:%d is %d, want %d", text, line, character, got, want)
		}
	})
}
