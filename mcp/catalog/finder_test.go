package catalog

import (
	"bytes"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// A search without an index, in parts, finds what the index does.
func TestJ2_AFinderFindsWhatAnIndexDoes(t *testing.T) {
	t.Parallel()
	word := rapid.SampledFrom([]string{"create", "Issue", "issues", "list", "Ärger", "x", "saved", "saves", "HTTP", "notes"})
	text := func(t *rapid.T, joint string) string {
		return strings.Join(rapid.SliceOfN(word, 0, 5).Draw(t, "words"), joint)
	}
	rapid.Check(t, func(t *rapid.T) {
		entries := make([]Entry, rapid.IntRange(0, 30).Draw(t, "count"))
		for i := range entries {
			entries[i] = Entry{
				Connector: text(t, "-"), Name: text(t, "_"), ServedName: text(t, "__"), Title: text(t, " "), Description: text(t, " "),
				Tags: rapid.SliceOfN(word, 0, 2).Draw(t, "tags"),
			}
		}
		query := text(t, " ")
		want, isPartial := NewIndex(entries).Search(query, nil)
		first, second := NewFinder(query), NewFinder(query)
		middle := rapid.IntRange(0, len(entries)).Draw(t, "middle")
		for i := range entries {
			if i < middle {
				first.Look(i, &entries[i])
			} else {
				second.Look(i, &entries[i])
			}
		}
		first.Join(second)
		got, gotPartial := first.Hits()
		if len(got)+len(want) > 0 && !reflect.DeepEqual(got, want) || gotPartial != isPartial {
			t.Errorf("%q: %+v, %v, want %+v, %v", query, got, gotPartial, want, isPartial)
		}
	})
}

func TestLoweredIsLowerCase(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.SliceOf(rapid.ByteRange(0, 0x7f)), rapid.SliceOf(rapid.Byte())).Draw(t, "text")
		want := bytes.ToLower(text)
		if got := lowered(bytes.Clone(text)); !bytes.Equal(got, want) {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	})
}
