package redact

import "slices"

// span is a half-open range of bytes.
type span struct{ start, end int }

const (
	tableBits = 13
	blockSize = 3
)

// matcher finds all of its patterns in one pass, after Wu and Manber: the last block of a window as long as the
// shortest pattern says how far the window may move on, so that text without a hit costs a look at every sixth byte
// or fewer. Not one byte of a text is copied.
type matcher struct {
	patterns []string
	window   int // length of the shortest pattern
	longest  int
	shift    *[1 << tableBits]uint8
	heads    *[1 << tableBits]int32 // 1 + index of the first pattern whose window ends in that block
	next     []int32                // 1 + index of the next one
	first    [256]bool              // first bytes of the patterns
}

func newMatcher(patterns []string) matcher {
	slices.Sort(patterns)
	patterns = slices.Compact(patterns)
	m := matcher{patterns: patterns}
	if len(patterns) == 0 {
		return m
	}
	m.window = len(patterns[0])
	for _, p := range patterns {
		m.window, m.longest = min(m.window, len(p)), max(m.longest, len(p))
		m.first[p[0]] = true
	}
	m.window = min(m.window, 128)
	m.shift, m.heads = new([1 << tableBits]uint8), new([1 << tableBits]int32)
	m.next = make([]int32, len(patterns))
	for i := range m.shift {
		m.shift[i] = uint8(m.window - blockSize + 1)
	}
	for i, p := range patterns {
		for end := blockSize; end <= m.window; end++ {
			h := hash(p[end-3], p[end-2], p[end-1])
			m.shift[h] = min(m.shift[h], uint8(m.window-end))
		}
		h := hash(p[m.window-3], p[m.window-2], p[m.window-1])
		m.next[i], m.heads[h] = m.heads[h], int32(i+1)
	}
	return m
}

func hash(a, b, c byte) uint32 {
	return (uint32(a) | uint32(b)<<8 | uint32(c)<<16) * 0x9E3779B1 >> (32 - tableBits)
}

// find returns where patterns stand in text, overlapping ones as one span, in order.
func (m *matcher) find(text string) []span {
	var spans []span
	if len(m.patterns) == 0 {
		return nil
	}
	shift := m.shift
	for end := m.window; end <= len(text); {
		h := hash(text[end-3], text[end-2], text[end-1])
		if n := int(shift[h]); n > 0 {
			end += n
			continue
		}
		start := end - m.window
		for i := m.heads[h]; i > 0; i = m.next[i-1] {
			p := m.patterns[i-1]
			if len(p) <= len(text)-start && text[start:start+len(p)] == p {
				spans = add(spans, span{start, start + len(p)})
			}
		}
		end++
	}
	return spans
}

// add appends sp, which starts no earlier than the last span.
func add(spans []span, sp span) []span {
	if n := len(spans); n > 0 && sp.start < spans[n-1].end {
		spans[n-1].end = max(spans[n-1].end, sp.end)
		return spans
	}
	return append(spans, sp)
}

// partial returns where the first pattern begins that text ends in the middle of, or len(text).
func (m *matcher) partial(text string) int {
	for start := max(0, len(text)-m.longest+1); start < len(text); start++ {
		if m.first[text[start]] && m.begins(text[start:]) {
			return start
		}
	}
	return len(text)
}

// begins reports whether a pattern longer than text begins with it.
func (m *matcher) begins(text string) bool {
	i, _ := slices.BinarySearch(m.patterns, text)
	for ; i < len(m.patterns); i++ {
		p := m.patterns[i]
		if len(p) < len(text) || p[:len(text)] != text {
			return false
		}
		if len(p) > len(text) {
			return true
		}
	}
	return false
}
