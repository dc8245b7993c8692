package connector

import (
	"fmt"
	"sync"
)

// noise counts what the server printed that is no message, and keeps the first of it.
type noise struct {
	mu     sync.Mutex
	lines  int
	bytes  int64
	sample string
	// isRemote is set where there is no stdout.
	isRemote bool
}

// skip counts a line that is no message.
func (f *filter) skip(text []byte, bytes int64) {
	sample := visible(string(text[:min(len(text), sampleBytes)]), sampleBytes)
	n := &f.noise
	n.mu.Lock()
	n.lines++
	n.bytes += bytes
	isFirst := n.lines == 1
	if isFirst {
		n.sample = sample
	}
	n.mu.Unlock()
	f.onNoise(sample)
	if isFirst {
		f.onWarning("noise", n.sentence())
	}
}

// sentence says what was skipped; it is empty when nothing was.
func (n *noise) sentence() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	switch {
	case n.lines == 0:
		return ""
	case n.isRemote:
		return fmt.Sprintf(`sent what is no message %d times, the first: "%s"`, n.lines, n.sample)
	case n.lines == 1:
		return fmt.Sprintf(`printed a line to stdout that is no message: "%s"`, n.sample)
	}
	return fmt.Sprintf(`printed %d lines to stdout that are no messages, the first: "%s"`, n.lines, n.sample)
}

func (n *noise) first() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.sample
}
