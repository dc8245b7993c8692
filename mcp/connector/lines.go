package connector

import (
	"bytes"
	"io"
)

const (
	firstBufferBytes = 64 << 10
	// maxNoiseBytes is how much of a line that begins like no message is looked at; the rest is only counted.
	maxNoiseBytes = 1 << 20
	// ownLineBytes is the length from which a line keeps its buffer, so that it need not be copied.
	ownLineBytes = 1 << 20
)

// line is one line of the server's stdout.
type line struct {
	// text has no line end. It is valid until the next line is read, unless isOwned.
	text    []byte
	isOwned bool
	// bytes is the length as received; more than len(text) where the line was over a bound.
	bytes int64
	// over has what could be read of a message that was too long; nil otherwise.
	over *scanner
	// of is the request whose own stream it came by; nil where a stream is nobody's own.
	of *exchange
}

// lineReader splits a stream into lines and never holds more than one line of bounded length.
type lineReader struct {
	in       io.Reader
	maxBytes int // of a message

	buffer     []byte
	start, end int // what was read and not returned
	searched   int // no line end before it, from start on
	err        error
}

func newLineReader(in io.Reader, maxBytes int) *lineReader {
	return &lineReader{in: in, maxBytes: maxBytes}
}

// next returns the next line, which may be empty, or the error that ended the stream. What stands before the end of the
// stream without a line end is a line too.
func (r *lineReader) next() (line, error) {
	for {
		i := bytes.IndexByte(r.buffer[r.searched:r.end], '\n')
		end := r.end
		if i >= 0 {
			end = r.searched + i
		}
		if bound, isMessage := r.bound(); end-r.start > bound {
			return r.skip(isMessage)
		}
		if i >= 0 {
			return r.take(end, 1), nil
		}
		r.searched = r.end
		if r.err != nil {
			if r.end > r.start {
				return r.take(r.end, 0), nil
			}
			return line{}, r.err
		}
		r.fill()
	}
}

// bound is how long the line in the buffer may be, by whether it begins like a message.
func (r *lineReader) bound() (bytes int, isMessage bool) {
	for _, b := range r.buffer[r.start:r.end] {
		switch b {
		case ' ', '\t', '\r', 0xef, 0xbb, 0xbf: // white space, byte-order mark
			continue
		case '{', '[':
			return r.maxBytes, true
		}
		break
	}
	return min(maxNoiseBytes, r.maxBytes), false
}

// take cuts the line off that goes on to end and is followed by skip bytes.
func (r *lineReader) take(end, skip int) line {
	text := bytes.TrimSuffix(r.buffer[r.start:end], []byte("\r"))
	taken := line{text: text, bytes: int64(end - r.start)}
	r.start = end + skip
	r.searched = r.start
	if len(text) >= ownLineBytes {
		taken.isOwned = true
		rest := r.buffer[r.start:r.end]
		r.buffer = make([]byte, max(firstBufferBytes, 2*len(rest)))
		r.start, r.searched, r.end = 0, 0, copy(r.buffer, rest)
	}
	return taken
}

// fill reads once, after making room.
func (r *lineReader) fill() {
	if r.start > 0 && r.start == r.end {
		r.start, r.searched, r.end = 0, 0, 0
	}
	if r.end == len(r.buffer) {
		r.room()
	}
	n, err := r.in.Read(r.buffer[r.end:])
	r.end += n
	r.err = err
}

// room moves the beginning of the line to the front or, where there is nothing to gain by that, takes a larger buffer.
func (r *lineReader) room() {
	length := r.end - r.start
	buffer := r.buffer
	if length > len(buffer)/2 || len(buffer) == 0 {
		// More than the longest message, and what was read with its end, is never kept.
		buffer = make([]byte, max(firstBufferBytes, min(2*len(buffer), r.maxBytes+firstBufferBytes)))
	}
	copy(buffer, r.buffer[r.start:r.end])
	r.buffer, r.start, r.searched, r.end = buffer, 0, length, length
}

// skip reads past a line that is too long and keeps its beginning as a sample, and of a message what can be told from its
// outermost members.
func (r *lineReader) skip(isMessage bool) (line, error) {
	sample := bytes.Clone(r.buffer[r.start:min(r.end, r.start+sampleBytes)])
	skipped := line{text: sample, isOwned: true}
	if isMessage {
		skipped.over = &scanner{}
	}
	for {
		part := r.buffer[r.start:r.end]
		i := bytes.IndexByte(part, '\n')
		if i >= 0 {
			part = part[:i]
		}
		skipped.bytes += int64(len(part))
		if skipped.over != nil {
			skipped.over.scan(part)
		}
		r.start += len(part)
		if i >= 0 {
			r.start++
		}
		r.searched = r.start
		if i >= 0 || r.err != nil {
			break
		}
		// The long buffer has served its purpose.
		if len(r.buffer) > firstBufferBytes {
			r.buffer = make([]byte, firstBufferBytes)
		}
		r.start, r.searched, r.end = 0, 0, 0
		r.fill()
	}
	return skipped, nil
}
