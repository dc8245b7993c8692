package rpc

import (
	"bytes"
	"io"
	"strconv"
	"sync"
)

const (
	lengthPrefix = "Content-Length: "
	lengthSuffix = "\r\n\r\n"
	// headerRoom is kept free before a body for its header, whose length is known
	// only afterwards: 20 digits at most.
	headerRoom = len(lengthPrefix) + 20 + len(lengthSuffix)
	// pooledBytes is the largest buffer that is kept for reuse.
	pooledBytes = 64 << 10
	// splicedBytes is the size from which raw JSON is written from where it lies
	// instead of being copied into its frame.
	splicedBytes = 32 << 10
)

// outFrame is one frame on its way out: the header and the body in one buffer, but
// for a large raw value, which stands between two parts of the body.
type outFrame struct {
	buffer  bytes.Buffer // headerRoom bytes, then the body
	spliced []byte       // nil, or raw JSON that belongs at offset within buffer
	offset  int
	start   int // where the header begins, once sealed
}

// framePool reuses the buffers of small frames.
type framePool struct{ pool sync.Pool }

// get returns an empty frame.
func (p *framePool) get() *outFrame {
	f, _ := p.pool.Get().(*outFrame)
	if f == nil {
		f = new(outFrame)
	}
	f.buffer.Reset()
	f.spliced, f.offset, f.start = nil, 0, 0
	var room [headerRoom]byte
	f.buffer.Write(room[:])
	return f
}

// put takes a frame back that nobody uses any more.
func (p *framePool) put(f *outFrame) {
	f.spliced = nil
	if f.buffer.Cap() <= pooledBytes {
		p.pool.Put(f)
	}
}

// raw appends JSON to the body without copying it if it is large. A frame splices
// one value.
func (f *outFrame) raw(text []byte) {
	if len(text) < splicedBytes || f.spliced != nil {
		f.buffer.Write(text)
		return
	}
	f.spliced, f.offset = text, f.buffer.Len()
}

// seal writes the header before the body and returns the size of the frame.
func (f *outFrame) seal() int64 {
	var header [headerRoom]byte
	text := append(header[:0], lengthPrefix...)
	text = strconv.AppendInt(text, int64(f.buffer.Len()-headerRoom+len(f.spliced)), 10)
	text = append(text, lengthSuffix...)
	f.start = headerRoom - len(text)
	copy(f.buffer.Bytes()[f.start:], text)
	return int64(f.size())
}

// size returns the length of the sealed frame.
func (f *outFrame) size() int { return f.buffer.Len() - f.start + len(f.spliced) }

// body returns the body of the sealed frame in one piece.
func (f *outFrame) body() []byte {
	all := f.buffer.Bytes()
	if f.spliced == nil {
		return all[headerRoom:]
	}
	joined := make([]byte, 0, len(all)-headerRoom+len(f.spliced))
	joined = append(joined, all[headerRoom:f.offset]...)
	joined = append(joined, f.spliced...)
	return append(joined, all[f.offset:]...)
}

// appendTo appends the sealed frame, which splices nothing, to text.
func (f *outFrame) appendTo(text []byte) []byte {
	return append(text, f.buffer.Bytes()[f.start:]...)
}

// writeTo writes the sealed frame.
func (f *outFrame) writeTo(out io.Writer) error {
	all := f.buffer.Bytes()
	if f.spliced == nil {
		_, err := out.Write(all[f.start:])
		return err
	}
	for _, part := range [][]byte{all[f.start:f.offset], f.spliced, all[f.offset:]} {
		if _, err := out.Write(part); err != nil {
			return err
		}
	}
	return nil
}
