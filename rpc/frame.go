package rpc

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strconv"
)

const (
	// maxLength is the largest length a header may claim; beyond it the stream is
	// not worth reading past (protocol rule "above 1 GiB").
	maxLength = 1 << 30
	// maxHeaderBytes bounds a header block, so that a stream without line ends
	// cannot grow memory.
	maxHeaderBytes = 32 << 10
	// reusedBytes is the largest body read into the reader's own buffer; larger
	// ones get memory of their own, which is free again with the message.
	reusedBytes = 64 << 10
	// trustedBytes is how much memory a header may claim before its bytes arrive.
	trustedBytes = 8 << 20
)

// frameReader cuts a byte stream into bodies by their Content-Length headers. It
// does not look into bodies.
type frameReader struct {
	in           *bufio.Reader
	maxBodyBytes int64
	reused       []byte
}

// newFrameReader returns a reader of the frames of in.
func newFrameReader(in io.Reader, maxBodyBytes int64) *frameReader {
	return &frameReader{in: bufio.NewReaderSize(in, maxHeaderBytes), maxBodyBytes: maxBodyBytes}
}

// frame is one body. The bytes of a borrowed one are overwritten by the next read.
type frame struct {
	body     []byte
	borrowed bool
}

// oversizedError says that a body was above the bound and has been read past. The
// stream stands at the next header.
type oversizedError struct{ bytes, maxBytes int64 }

func (e *oversizedError) Error() string {
	return fmt.Sprintf("message of %d bytes is above the limit of %d bytes", e.bytes, e.maxBytes)
}

// next returns the next frame. The error is *oversizedError (read on), *FrameError,
// io.EOF between frames, io.ErrUnexpectedEOF within one, or the reader's own.
func (r *frameReader) next() (frame, error) {
	length, err := r.header()
	if err != nil {
		return frame{}, err
	}
	if length > r.maxBodyBytes {
		if _, err := r.in.Discard(int(length)); err != nil {
			return frame{}, unexpected(err)
		}
		return frame{}, &oversizedError{length, r.maxBodyBytes}
	}
	if length <= reusedBytes {
		if int64(cap(r.reused)) < length {
			r.reused = make([]byte, max(length, 4<<10))
		}
		body := r.reused[:length]
		_, err := io.ReadFull(r.in, body)
		return frame{body, true}, unexpected(err)
	}
	body, err := r.large(int(length))
	return frame{body, false}, err
}

// large reads a body into memory of its own that grows with what really arrives.
func (r *frameReader) large(length int) ([]byte, error) {
	body := make([]byte, 0, min(length, trustedBytes))
	for len(body) < length {
		if len(body) == cap(body) {
			grown := make([]byte, len(body), min(length, 2*cap(body)))
			copy(grown, body)
			body = grown
		}
		n, err := r.in.Read(body[len(body):cap(body)])
		body = body[:len(body)+n]
		if err != nil && len(body) < length {
			return nil, unexpected(err)
		}
	}
	return body, nil
}

// header reads one header block and returns the length it gives.
func (r *frameReader) header() (int64, error) {
	length, consumed := int64(-1), 0
	for {
		line, err := r.in.ReadSlice('\n')
		consumed += len(line)
		if consumed > maxHeaderBytes || err == bufio.ErrBufferFull {
			return 0, &FrameError{Reason: fmt.Sprintf("no end within %d bytes, it begins %s", maxHeaderBytes, quoted(line))}
		}
		if err == io.EOF && consumed == 0 {
			return 0, io.EOF
		}
		if err != nil {
			return 0, unexpected(err)
		}
		line = bytes.TrimSuffix(line[:len(line)-1], []byte("\r"))
		if len(line) == 0 {
			break
		}
		name, value, found := bytes.Cut(line, []byte(":"))
		name = bytes.TrimSpace(name)
		if !found || !isFieldName(name) {
			return 0, &FrameError{Reason: "expected \"Content-Length: <bytes>\", got " + quoted(line)}
		}
		if !bytes.EqualFold(name, []byte("Content-Length")) {
			continue
		}
		claimed, err := parseLength(value)
		if err != nil {
			return 0, err
		}
		if length >= 0 && length != claimed {
			return 0, &FrameError{Reason: fmt.Sprintf("two lengths, %d and %d", length, claimed)}
		}
		length = claimed
	}
	if length < 0 {
		return 0, &FrameError{Reason: "no Content-Length"}
	}
	return length, nil
}

// isFieldName reports whether name is a token of RFC 9110: JSON without a header
// has colons too.
func isFieldName(name []byte) bool {
	for _, c := range name {
		letter := 'a' <= c|0x20 && c|0x20 <= 'z'
		if !letter && !('0' <= c && c <= '9') && !bytes.ContainsRune([]byte("!#$%&'*+-.^_`|~"), rune(c)) {
			return false
		}
	}
	return len(name) > 0
}

// parseLength reads the digits of a length. A sign, a blank within or any other
// byte is refused: a guess would lose the place in the stream.
func parseLength(value []byte) (int64, error) {
	text := string(bytes.TrimSpace(value))
	for _, c := range []byte(text) {
		if c < '0' || c > '9' {
			return 0, &FrameError{Reason: "Content-Length " + quoted(value) + " is not a number of bytes"}
		}
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if text == "" {
		return 0, &FrameError{Reason: "Content-Length is empty"}
	}
	if err != nil || n > maxLength {
		return 0, &FrameError{Reason: fmt.Sprintf("Content-Length %s is above the limit of %d bytes", quoted(value), maxLength)}
	}
	return n, nil
}

// quoted returns the beginning of text in quotes, on one line.
func quoted(text []byte) string {
	const shown = 80
	text = bytes.TrimSpace(text)
	if len(text) > shown {
		return strconv.Quote(string(text[:shown])) + "…"
	}
	return strconv.Quote(string(text))
}

// unexpected turns the end of the stream into its end within a frame.
func unexpected(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
