package rpc

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
)

// readAll returns what a frame reader makes of a stream: bodies, and the error it
// ends with.
func readAll(in io.Reader, maxBodyBytes int64) (bodies []string, oversized int, err error) {
	r := newFrameReader(in, maxBodyBytes)
	for {
		f, err := r.next()
		var large *oversizedError
		switch {
		case errors.As(err, &large):
			oversized++
		case err != nil:
			return bodies, oversized, err
		default:
			bodies = append(bodies, string(f.body))
		}
	}
}

func TestC77_HeaderVariants(t *testing.T) {
	t.Parallel()
	const body = `{"text":"漢字 😀"}`
	n := len(body)
	for _, header := range []string{
		"Content-Length: %d\r\n\r\n",
		"content-length:%d\r\n\r\n",
		"CONTENT-LENGTH:    %d   \r\n\r\n",
		"Content-Length : %d\r\n\r\n",
		"Content-Length: %d\n\n",
		"Content-Length: %d\r\n\n",
		"Content-Length: 0%d\r\n\r\n",
		"Content-Type: application/vscode-jsonrpc; charset=utf-8\r\nContent-Length: %d\r\n\r\n",
		"Content-Length: %d\r\nContent-Type: application/vscode-jsonrpc; charset=utf8\r\nX: y: z\r\n\r\n",
	} {
		frame := fmt.Sprintf(header, n) + body
		bodies, _, err := readAll(strings.NewReader(frame+frame), 1<<20)
		if err != io.EOF || len(bodies) != 2 || bodies[0] != body || bodies[1] != body {
			t.Errorf("%q: bodies %q, error %v", header, bodies, err)
		}
		// The same length twice says nothing new.
		twice := fmt.Sprintf("Content-Length: %d\r\n", n) + frame
		if bodies, _, err := readAll(strings.NewReader(twice), 1<<20); err != io.EOF || len(bodies) != 1 {
			t.Errorf("%q after another length: bodies %q, error %v", header, bodies, err)
		}
	}
}

func TestC77_SplitAtEveryByte(t *testing.T) {
	t.Parallel()
	const body = `{"text":"漢字 😀"}`
	stream := fmt.Sprintf("Content-Length: %d\r\n\r\n%sContent-Length: 0\r\n\r\nContent-Length: 2\r\n\r\n{}", len(body), body)
	want := []string{body, "", "{}"}
	for at := range len(stream) {
		in := io.MultiReader(strings.NewReader(stream[:at]), strings.NewReader(stream[at:]))
		if bodies, _, err := readAll(in, 1<<20); err != io.EOF || fmt.Sprint(bodies) != fmt.Sprint(want) {
			t.Errorf("split at %d: bodies %q, error %v", at, bodies, err)
		}
	}
	if bodies, _, err := readAll(iotest.OneByteReader(strings.NewReader(stream)), 1<<20); err != io.EOF || fmt.Sprint(bodies) != fmt.Sprint(want) {
		t.Errorf("byte by byte: bodies %q, error %v", bodies, err)
	}
}

func TestC77_UnusableLength(t *testing.T) {
	t.Parallel()
	for _, header := range []string{
		"\r\n",
		"Content-Type: x\r\n\r\n",
		"Content-Length:\r\n\r\n",
		"Content-Length: -1\r\n\r\n",
		"Content-Length: +1\r\n\r\n",
		"Content-Length: 1.0\r\n\r\n",
		"Content-Length: 0x10\r\n\r\n",
		"Content-Length: 1 2\r\n\r\n",
		"Content-Length: two\r\n\r\n",
		"Content-Length: 1073741825\r\n\r\n",
		"Content-Length: 99999999999999999999999999\r\n\r\n",
		"Content-Length: 1\r\nContent-Length: 2\r\n\r\n",
		"{\"jsonrpc\":\"2.0\"}\n",
		"hello\r\n",
		strings.Repeat("x", maxHeaderBytes+1),
		strings.Repeat("X: y\r\n", maxHeaderBytes/6+1),
	} {
		_, _, err := readAll(strings.NewReader(header), 1<<20)
		var unreadable *FrameError
		if !errors.As(err, &unreadable) {
			t.Errorf("%.40q: error %v, expected a FrameError", header, err)
			continue
		}
		if text := err.Error(); strings.ContainsAny(text, "\r\n") || len(text) > 300 {
			t.Errorf("%.40q: the error is not one short line: %q", header, text)
		}
	}
}

func TestC77_EndWithinFrame(t *testing.T) {
	t.Parallel()
	stream := "Content-Length: 5\r\n\r\nhello"
	for at := 1; at < len(stream); at++ {
		if _, _, err := readAll(strings.NewReader(stream[:at]), 1<<20); err != io.ErrUnexpectedEOF {
			t.Errorf("end after %d bytes: error %v", at, err)
		}
	}
}

// allocated returns how much f allocates in bytes.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// endless yields blanks.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}

// Not parallel, nor the next: they measure what the process allocates.
func TestC77_LengthsAllocateNothing(t *testing.T) {
	for _, c := range []struct {
		name, header string
		maxBytes     uint64
	}{
		{"above 1 GiB", "Content-Length: 1073741825\r\n\r\n", 1 << 20},
		{"1 GiB, read past", "Content-Length: 1073741824\r\n\r\n", 1 << 20},
		{"64 MiB that do not come", "Content-Length: 67108864\r\n\r\n", trustedBytes + 1<<20},
	} {
		used := allocated(func() { _, _, _ = readAll(strings.NewReader(c.header), 64<<20) })
		if used > c.maxBytes {
			t.Errorf("%s: %d bytes were allocated", c.name, used)
		}
	}
}

func TestC77_OversizedBodyIsReadPast(t *testing.T) {
	const size = 80 << 20
	in := io.MultiReader(
		strings.NewReader(fmt.Sprintf("Content-Length: %d\r\n\r\n", size)),
		io.LimitReader(endless{}, size),
		strings.NewReader("Content-Length: 2\r\n\r\n{}"),
	)
	var bodies []string
	var oversized int
	var err error
	used := allocated(func() { bodies, oversized, err = readAll(in, 64<<20) })
	if err != io.EOF || oversized != 1 || len(bodies) != 1 || bodies[0] != "{}" {
		t.Errorf("bodies %q, %d oversized, error %v", bodies, oversized, err)
	}
	if used > 1<<20 {
		t.Errorf("%d bytes were allocated for a body that is read past", used)
	}
}

func TestLargeBodies(t *testing.T) {
	t.Parallel()
	for _, size := range []int{reusedBytes, reusedBytes + 1, trustedBytes - 1, trustedBytes, trustedBytes + 1, 3*trustedBytes + 5} {
		body := bytes.Repeat([]byte("0123456789abcdef"), size/16+1)[:size]
		in := io.MultiReader(strings.NewReader(fmt.Sprintf("Content-Length: %d\r\n\r\n", size)), bytes.NewReader(body))
		r := newFrameReader(iotest.HalfReader(in), 64<<20)
		f, err := r.next()
		if err != nil || !bytes.Equal(f.body, body) || f.borrowed != (size <= reusedBytes) {
			t.Errorf("%d bytes: got %d, borrowed %v, error %v", size, len(f.body), f.borrowed, err)
		}
	}
}

func FuzzFrameReader(f *testing.F) {
	for _, seed := range []string{
		"Content-Length: 2\r\n\r\n{}Content-Length: 3\n\nabc",
		"content-length:0\r\n\r\nContent-Length: -1\r\n\r\n",
		"Content-Length: 70\r\n\r\n",
		"\r\n\r\n",
		"Content-Length: 1073741825\r\n\r\n",
		"Content-Type: x\r\nContent-Length: 1\r\n\r\n!",
	} {
		f.Add([]byte(seed), uint8(7))
	}
	f.Fuzz(func(t *testing.T, stream []byte, at uint8) {
		const limit = 64
		bodies, oversized, err := readAll(bytes.NewReader(stream), limit)
		if err == nil {
			t.Fatal("reading ended without an error")
		}
		total := 0
		for _, body := range bodies {
			if len(body) > limit {
				t.Fatalf("a body of %d bytes passed the limit", len(body))
			}
			total += len(body)
		}
		if total > len(stream) {
			t.Fatalf("%d bytes of bodies in a stream of %d", total, len(stream))
		}
		cut := min(int(at), len(stream))
		again := io.MultiReader(bytes.NewReader(stream[:cut]), iotest.OneByteReader(bytes.NewReader(stream[cut:])))
		bodies2, oversized2, err2 := readAll(again, limit)
		if fmt.Sprint(bodies, oversized, err) != fmt.Sprint(bodies2, oversized2, err2) {
			t.Fatalf("the cut at %d changed the result: %q %d %v, then %q %d %v", cut, bodies, oversized, err, bodies2, oversized2, err2)
		}
	})
}
