package why

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
)

const (
	// maxNear is how many names are offered for one that is not known.
	maxNear = 3
	// leastLikeness is how much of two names must be the same for one to be taken for the other.
	leastLikeness = 0.5
)

// Near are the known names that an unknown one may have been meant for, the nearest first: those that sound the same but for
// case and separators, those that it is a part of, and those that share most of their letters in order.
func Near(name string, known []string) []string {
	type candidate struct {
		name     string
		likeness float64
	}
	var near []candidate
	for _, k := range known {
		if l := likeness(plain(name), plain(k)); l >= leastLikeness {
			near = append(near, candidate{k, l})
		}
	}
	slices.SortStableFunc(near, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.likeness, a.likeness), cmp.Compare(a.name, b.name))
	})
	var names []string
	for _, c := range near {
		if !slices.Contains(names, c.name) && len(names) < maxNear {
			names = append(names, c.name)
		}
	}
	return names
}

// Listed is a list of names as a question puts them.
func Listed(names []string) string {
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = fmt.Sprintf("%q", name)
	}
	return strings.Join(quoted, " or ")
}

func plain(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, name)
}

// likeness is the share of the pairs of letters that two names have in common, and at least a good one where one is a part of
// the other.
func likeness(a, b string) float64 {
	if a == b && a != "" {
		return 2
	}
	x, y := pairs(a), pairs(b)
	if len(x)+len(y) == 0 {
		return 0
	}
	common := 0
	for pair, n := range x {
		common += min(n, y[pair])
	}
	share := 2 * float64(common) / float64(total(x)+total(y))
	const leastPart = 3 // shorter names are a part of too many
	if min(len(a), len(b)) >= leastPart && (strings.Contains(a, b) || strings.Contains(b, a)) {
		share = max(share, leastLikeness)
	}
	return share
}

func pairs(s string) map[string]int {
	found := map[string]int{}
	runes := []rune(s)
	for i := 1; i < len(runes); i++ {
		found[string(runes[i-1:i+1])]++
	}
	return found
}

func total(counts map[string]int) (sum int) {
	for _, n := range counts {
		sum += n
	}
	return sum
}
