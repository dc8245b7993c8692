package serve

import (
	"cmp"
	"encoding/base64"
	"slices"
)

// pageSize is how many entries of a list are sent at once.
const pageSize = 1000

// entry is one entry of a list under what it is found by, which is there once.
type entry struct {
	key  string
	body []byte
}

// page returns the entries that follow a cursor, at most size of them, and the cursor of what follows those; empty where nothing
// does. It is false for a cursor that is none of ours. A list that changes meanwhile repeats no entry and leaves none out that is
// there all the time.
func page(all []entry, cursor string, size int) (bodies [][]byte, next string, isKnown bool) {
	after, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil {
		return nil, "", false
	}
	sorted := slices.SortedFunc(slices.Values(all), func(a, b entry) int { return cmp.Compare(a.key, b.key) })
	if cursor != "" {
		if after[0] != '>' {
			return nil, "", false
		}
		from, isThere := slices.BinarySearchFunc(sorted, string(after[1:]), func(e entry, key string) int { return cmp.Compare(e.key, key) })
		if isThere {
			from++
		}
		sorted = sorted[from:]
	}
	for i, e := range sorted {
		if i == size {
			return bodies, base64.RawURLEncoding.EncodeToString([]byte(">" + sorted[i-1].key)), true
		}
		bodies = append(bodies, e.body)
	}
	return bodies, "", true
}
