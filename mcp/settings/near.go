package settings

import (
	"strings"
	"unicode"
)

// Nearest returns the known key that a misspelt one most likely stands for.
func Nearest(key string, known []string) (string, bool) {
	for _, k := range known {
		if Plain(key) == Plain(k) {
			return k, true
		}
	}
	if len(key) < 3 || len(key) > 32 {
		return "", false
	}
	best, least := "", 3
	for _, k := range known {
		// Short keys are near to everything.
		if limit := min(2, len(k)/3); limit > 0 {
			if d := distance(strings.ToLower(key), strings.ToLower(k)); d <= limit && d < least {
				best, least = k, d
			}
		}
	}
	return best, best != ""
}

// Plain is a key without case and separators, by which spellings of it are told.
func Plain(key string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("_- .", r) {
			return -1
		}
		return unicode.ToLower(r)
	}, key)
}

// distance counts the insertions, deletions, replacements and swaps of
// neighbours that turn a into b.
func distance(a, b string) int {
	previous, current := make([]int, len(b)+1), make([]int, len(b)+1)
	var before []int
	for j := range previous {
		previous[j] = j
	}
	for i := 1; i <= len(a); i++ {
		current[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			current[j] = min(previous[j]+1, current[j-1]+1, previous[j-1]+cost)
			if before != nil && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				current[j] = min(current[j], before[j-2]+1)
			}
		}
		before, previous, current = previous, current, make([]int, len(b)+1)
	}
	return previous[len(b)]
}
