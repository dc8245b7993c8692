// Package redact takes secret values out of text before it is shown, logged or handed on.
// It is best effort and no security boundary, and it does not decide which values are secret beyond LooksSecret (S29).
package redact

import (
	"slices"
	"strings"
	"unsafe"
)

// Marker stands where a secret value stood.
const Marker = "[REDACTED]"

// MinBytes is the length of the shortest secret that is looked for; anything shorter turns up by chance (S29).
const MinBytes = 8

// Set is an immutable set of secret values in the forms they are seen in: plain, URL-encoded, JSON-escaped, hexadecimal
// and base64 at each of the three offsets. A nil Set holds none. All methods may be called at once.
type Set struct {
	secrets []string
	matcher matcher
	escapes bool
}

// New returns the set of the given secret values. Values shorter than MinBytes are left out.
func New(secrets ...string) *Set {
	s := &Set{}
	for _, secret := range secrets {
		if len(secret) >= MinBytes {
			s.secrets = append(s.secrets, secret)
		}
	}
	slices.Sort(s.secrets)
	s.secrets = slices.Compact(s.secrets)
	var patterns []string
	for _, secret := range s.secrets {
		patterns = append(patterns, forms(secret)...)
	}
	s.matcher = newMatcher(patterns)
	s.escapes = slices.ContainsFunc(patterns, func(p string) bool { return strings.IndexByte(p, '\\') >= 0 })
	return s
}

// Escapes reports whether a secret of the set is spelt otherwise inside a JSON string. Only then may what a JSON string
// says hold a secret that Bytes did not find in its spelling, and is worth a search of its own.
func (s *Set) Escapes() bool { return s != nil && s.escapes }

// With returns a set that holds more values besides those of s.
func (s *Set) With(more ...string) *Set {
	if s == nil {
		return New(more...)
	}
	return New(slices.Concat(s.secrets, more)...)
}

// Text returns in with every secret replaced by Marker, and whether there was one. Text that is JSON stays JSON.
func (s *Set) Text(in string) (out string, redacted bool) {
	if s.empty() {
		return in, false
	}
	return s.text(in, maxNesting, "{[")
}

// Bytes is Text for bytes, those of a lone JSON string or number included. Without a secret in it in itself is returned;
// in is never modified.
func (s *Set) Bytes(in []byte) (out []byte, redacted bool) {
	if s.empty() {
		return in, false
	}
	// The string is a view of in that does not outlive this call unless nothing was replaced.
	text, redacted := s.text(unsafe.String(unsafe.SliceData(in), len(in)), maxNesting, "{[\"-0123456789")
	if !redacted {
		return in, false
	}
	return []byte(text), true
}

// Parts is Text over pieces that a reader may put together: a secret split over several of them is found too.
// Its marker stands in the piece where the secret begins. Without a secret in them in itself is returned.
func (s *Set) Parts(in []string) (out []string, redacted bool) {
	if s.empty() {
		return in, false
	}
	out = in
	replace := func(i int, text string) {
		if !redacted {
			out, redacted = slices.Clone(in), true
		}
		out[i] = text
	}
	for i, part := range in {
		if text, hit := s.Text(part); hit {
			replace(i, text)
		}
	}
	if len(in) < 2 {
		return out, redacted
	}
	joined := strings.Join(out, "")
	spans := s.matcher.find(joined)
	if len(spans) == 0 {
		return out, redacted
	}
	start := 0
	for i, part := range slices.Clone(out) {
		if text, hit := cut(part, start, spans); hit {
			replace(i, text)
		}
		start += len(part)
	}
	return out, redacted
}

// cut replaces what spans cover of part, which begins at start in the text that spans count in.
func cut(part string, start int, spans []span) (string, bool) {
	var b strings.Builder
	done := 0
	for _, sp := range spans {
		from, to := max(sp.start-start, 0), min(sp.end-start, len(part))
		if from >= to {
			continue
		}
		b.WriteString(part[done:from])
		if sp.start >= start {
			b.WriteString(Marker)
		}
		done = to
	}
	if done == 0 {
		return part, false
	}
	b.WriteString(part[done:])
	return b.String(), true
}

func (s *Set) empty() bool { return s == nil || len(s.matcher.patterns) == 0 }

// text redacts one text, which is tried as JSON if it begins with one of openings; nesting bounds how deep JSON in strings
// of JSON is followed.
func (s *Set) text(in string, nesting int, openings string) (string, bool) {
	spans := s.matcher.find(in)
	mayBeJSON := nesting > 0 && begins(in, openings)
	if len(spans) == 0 && !(mayBeJSON && s.hasRareEscape(in)) {
		return in, false
	}
	if mayBeJSON && isJSON(in) {
		return s.json(in, spans, nesting)
	}
	return replaceAll(in, spans)
}

func replaceAll(in string, spans []span) (string, bool) {
	if len(spans) == 0 {
		return in, false
	}
	var b strings.Builder
	b.Grow(len(in))
	done := 0
	for _, sp := range spans {
		b.WriteString(in[done:sp.start])
		b.WriteString(Marker)
		done = sp.end
	}
	b.WriteString(in[done:])
	return b.String(), true
}
