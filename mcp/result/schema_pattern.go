package result

import (
	"errors"
	"regexp"
	"regexp/syntax"
)

// The bounds of one pattern as it is written, and of all those of a schema as they are compiled: what is written in seven bytes
// can become a thousand steps.
const (
	maxPatternBytes = 4096
	maxPatternSize  = 50_000
)

var errLargePattern = errors.New("it is too large")

// pattern is a regular expression, and about how many steps a byte takes it at worst.
type pattern struct {
	*regexp.Regexp
	size int
}

// newPattern fails for what is too large before it is compiled.
func newPattern(text string) (*pattern, error) {
	if len(text) > maxPatternBytes {
		return nil, errLargePattern
	}
	parsed, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return nil, err
	}
	size := sizeOf(parsed)
	if size > maxPatternSize {
		return nil, errLargePattern
	}
	compiled, err := regexp.Compile(text)
	if err != nil {
		return nil, err
	}
	return &pattern{compiled, size}, nil
}

// sizeOf is about how large a pattern becomes, never much more than maxPatternSize.
func sizeOf(re *syntax.Regexp) int {
	size := 1 + len(re.Rune)
	for _, sub := range re.Sub {
		size = min(size+sizeOf(sub), maxPatternSize+1)
	}
	if re.Op == syntax.OpRepeat {
		size *= max(re.Min, re.Max, 1)
	}
	return min(size, maxPatternSize+1)
}

// steps is what it takes to look at a text.
func (p *pattern) steps(text string) int { return len(text) * (1 + p.size/32) }
