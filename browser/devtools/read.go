package devtools

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
)

const (
	// maxMessageBytes bounds one message of the browser. A whole accessibility tree of a large page has some 30 MB.
	maxMessageBytes = 256 << 20
	// maxPageStringBytes bounds one string of an event that tells what a page sent or said. It is divisible by four, so that what
	// is left of base64 can be read.
	maxPageStringBytes = 4 << 20
)

// readMessage reads up to the NUL that ends each message. What is larger than limit is an error. A page chooses how much it uploads
// and says, and the browser tells all of it, several times over: that is cut, for it would end the browser.
func readMessage(in *bufio.Reader, limit int) ([]byte, error) {
	var text []byte
	var cut *shortener
	for isFirst := true; ; isFirst = false {
		part, err := in.ReadSlice(0)
		if isFirst && isOfPage(part) {
			cut = &shortener{limit: maxPageStringBytes}
		}
		if cut != nil {
			text = cut.add(text, part)
		} else if len(text)+len(part) <= limit {
			text = append(text, part...)
		} else {
			return nil, tooLong(limit)
		}
		if len(text) > limit {
			return nil, tooLong(limit)
		}
		if err == nil {
			return bytes.TrimSuffix(text, []byte{0}), nil
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return nil, err
		}
	}
}

func tooLong(limit int) error { return fmt.Errorf("a message of more than %d bytes", limit) }

// isOfPage reports whether a message that begins like this is an event with strings of a page's, of which nobody needs the end.
func isOfPage(beginning []byte) bool {
	domain, ok := bytes.CutPrefix(beginning, []byte(`{"method":"`))
	if !ok {
		return false
	}
	for _, one := range []string{"Fetch.", "Network.", "Log.", "Runtime.consoleAPICalled", "Runtime.exceptionThrown"} {
		if bytes.HasPrefix(domain, []byte(one)) {
			return true
		}
	}
	return false
}

// shortener copies JSON and leaves out the end of strings that are longer than limit, an escape being kept or left out whole.
type shortener struct {
	limit    int
	isInside bool // of a string
	isCut    bool // the character that is being read is left out
	kept     int  // bytes of the string
	escape   int  // bytes that are missing of an escape
}

func (s *shortener) add(text, part []byte) []byte {
	for _, b := range part {
		switch {
		case !s.isInside:
			s.isInside, s.kept = b == '"', 0
		case s.escape == 0 && b == '"':
			s.isInside = false
		default:
			if s.step(b); s.isCut {
				continue
			}
			s.kept++
		}
		text = append(text, b)
	}
	return text
}

// step follows the escapes of a string (RFC 8259, 7).
func (s *shortener) step(b byte) {
	switch {
	case s.escape == 1 && b == 'u':
		s.escape = 4
	case s.escape > 0:
		s.escape--
	default:
		s.isCut = s.kept >= s.limit
		if b == '\\' {
			s.escape = 1
		}
	}
}
