package redact

import "io"

// Writer returns a writer that passes on to w what is written to it, without the secrets, wherever they are split
// between writes. It holds back no more than what may be the beginning of a secret; Close writes that too and does not
// close w. It is not for use by several goroutines.
func (s *Set) Writer(w io.Writer) io.WriteCloser {
	if s == nil {
		s = New()
	}
	return &writer{set: s, to: w}
}

type writer struct {
	set  *Set
	to   io.Writer
	held []byte // not passed on yet
	done int    // the first bytes of held stood in a secret whose marker is written
	err  error
}

func (w *writer) Write(p []byte) (int, error) {
	if w.err != nil {
		return 0, w.err
	}
	if w.set.empty() {
		return w.to.Write(p)
	}
	w.held = append(w.held, p...)
	w.pass(w.set.matcher.partial(string(w.held)))
	if w.err != nil {
		return 0, w.err
	}
	return len(p), nil
}

func (w *writer) Close() error {
	if w.err == nil && len(w.held) > 0 {
		w.pass(len(w.held))
	}
	return w.err
}

// pass passes on what stands before limit.
func (w *writer) pass(limit int) {
	text := string(w.held)
	out := make([]byte, 0, len(text))
	at := w.done
	for _, sp := range w.set.matcher.find(text) {
		if sp.start >= limit {
			break // found again when the rest of what it may be part of is there
		}
		if sp.end <= at {
			continue
		}
		if sp.start >= at {
			out = append(append(out, text[at:sp.start]...), Marker...)
		}
		at = sp.end
	}
	if at < limit {
		out = append(out, text[at:limit]...)
	}
	w.done = max(0, at-limit)
	w.held = append(w.held[:0], w.held[limit:]...)
	if len(out) > 0 {
		_, w.err = w.to.Write(out)
	}
}
