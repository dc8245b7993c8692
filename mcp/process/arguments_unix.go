//go:build linux || darwin

package process

import (
	"bytes"
	"encoding/binary"
	"io"
)

// environOfArguments skips what stands before the environment in a kern.procargs2 answer: a count, the path, padding, and as many arguments as counted.
func environOfArguments(text []byte) ([]byte, error) {
	if len(text) < 4 {
		return nil, io.ErrUnexpectedEOF
	}
	count := int(binary.NativeEndian.Uint32(text))
	_, rest, ok := bytes.Cut(text[4:], []byte{0})
	rest = bytes.TrimLeft(rest, "\x00")
	for ; ok && count > 0; count-- {
		_, rest, ok = bytes.Cut(rest, []byte{0})
	}
	if !ok {
		return nil, io.ErrUnexpectedEOF
	}
	return rest, nil
}
