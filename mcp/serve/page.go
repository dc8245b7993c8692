package serve

import (
	"cmp"
	"encoding/base64"
	"slices"
	"strings"
)

// pageSize is how many entries of a list are sent at once.
const pageSize = 1000

// maxPageBytes ends a page early: a thousand entries with pictures in them are more than a client reads at once.
const maxPageBytes = 8 << 20

// entry is one entry of a list under what it is found by, which is there once.
type entry struct {
	key  string
	body []byte
}

// page returns the entries that follow a cursor, at most size of them and, but for a first one, maxBytes, and the cursor of what
// follows those; empty where nothing does. It is false for a cursor that is none of ours. A list that changes meanwhile repeats no
// entry and leaves none out that is there all the time.
func page(all []entry, cursor string, size, maxBytes int) (bodies [][]byte, next string, isKnown bool) {
	after, isKnown := afterOf(cursor)
	if !isKnown {
		return nil, "", false
	}
	sorted := slices.SortedFunc(slices.Values(all), func(a, b entry) int { return cmp.Compare(a.key, b.key) })
	if cursor != "" {
		from, isThere := slices.BinarySearchFunc(sorted, after, func(e entry, key string) int { return cmp.Compare(e.key, key) })
		if isThere {
			from++
		}
		sorted = sorted[from:]
	}
	bytes := 0
	for i, e := range sorted {
		if bytes += len(e.body); i == size || i > 0 && bytes > maxBytes {
			return bodies, base64.RawURLEncoding.EncodeToString([]byte(cursorMark + sorted[i-1].key)), true
		}
		bodies = append(bodies, e.body)
	}
	return bodies, "", true
}

// cursorMark begins what a cursor holds, so that none is empty.
const cursorMark = ">"

// afterOf is the key that a cursor stands for; the empty cursor stands for none. What decodes passes over line ends, so that a
// cursor that is not empty may hold nothing.
func afterOf(cursor string) (after string, isKnown bool) {
	if cursor == "" {
		return "", true
	}
	held, err := base64.RawURLEncoding.Strict().DecodeString(cursor)
	after, isKnown = strings.CutPrefix(string(held), cursorMark)
	return after, isKnown && err == nil
}
