package rpctest

import (
	"bufio"
	"fmt"
	"io"
	"net/textproto"
	"strconv"
)

// Frame returns body with its header.
func Frame(body []byte) []byte {
	return append(fmt.Appendf(nil, "Content-Length: %d\r\n\r\n", len(body)), body...)
}

// ReadFrame returns the body of the next frame of r: io.EOF at the end, another
// error for anything that is not a frame.
func ReadFrame(r *bufio.Reader) ([]byte, error) {
	if _, err := r.Peek(1); err != nil {
		return nil, err
	}
	header, err := textproto.NewReader(r).ReadMIMEHeader()
	if err != nil {
		return nil, fmt.Errorf("read a header: %w", noEOF(err))
	}
	length, err := strconv.ParseUint(header.Get("Content-Length"), 10, 31)
	if err != nil {
		return nil, fmt.Errorf("read a header: %w", err)
	}
	body := make([]byte, length)
	if _, err := io.ReadFull(r, body); err != nil {
		return nil, fmt.Errorf("read a body: %w", noEOF(err))
	}
	return body, nil
}

// noEOF keeps the end of a stream within a frame apart from its end.
func noEOF(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
