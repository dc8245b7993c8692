package connector

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"pgregory.net/rapid"
)

// eventsIn lists the events of a stream, each as its name, id, retry and data.
func eventsIn(in io.Reader, maxBytes int) (all []string, err error) {
	r := newEventReader(in, maxBytes)
	for {
		e, err := r.next()
		if err != nil {
			return all, err
		}
		data := string(e.data.text)
		if e.data.over != nil {
			data = fmt.Sprintf("over %d, id %s", e.data.bytes, e.data.over.id)
		}
		all = append(all, fmt.Sprintf("%s/%s/%t/%s/%s", e.name, e.id, e.hasID, e.retry, data))
	}
}

func TestC52_Events(t *testing.T) {
	for in, want := range map[string]string{
		"data: a\n\n":               "//false/0s/a",
		"data:a\r\n\r\n":            "//false/0s/a",
		"data:  a\r\r":              "//false/0s/ a",
		"\ufeffdata: a\n\n":         "//false/0s/a",
		": comment\n:\ndata: a\n\n": "//false/0s/a",
		"data: a\ndata: b\n\n":      "//false/0s/a\nb",
		"data\n\n":                  "//false/0s/",
		"event: x\nid: 7\nretry: 200\ndata: a\n\n":           "x/7/true/200ms/a",
		"id\nretry: soon\ndata: a\n\n":                       "//true/0s/a",
		"id: a\x00b\ndata: a\n\n":                            "//false/0s/a",
		"dataset: no\nda: no\ndata: a\n\n":                   "//false/0s/a",
		"data: a":                                            "",
		"data: a\n":                                          "",
		"\n\n":                                               "//false/0s/ | //false/0s/",
		"data: " + strings.Repeat("x", 50) + "\n\n":          "//false/0s/over 50, id ",
		`data: {"id":5,"x":"` + strings.Repeat("x", 50):      "",
		`data: {"id":5,"result":"0123456789"}` + "\n\n":      "//false/0s/over 30, id 5",
		"data: 01234567890123456789\ndata: 0\n\ndata: b\n\n": "//false/0s/over 22, id  | //false/0s/b",
	} {
		for _, reader := range []io.Reader{strings.NewReader(in), iotest.OneByteReader(strings.NewReader(in)), iotest.DataErrReader(strings.NewReader(in))} {
			got, err := eventsIn(reader, 20)
			if strings.Join(got, " | ") != want || !errors.Is(err, io.EOF) {
				t.Errorf("%q: %q, %v; want %q", in, got, err, want)
			}
		}
	}
}

// However a stream is cut into reads and whatever ends its lines, the events are the same.
func TestEvents_DoNotDependOnReads(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lines := rapid.SliceOfN(rapid.SampledFrom([]string{"data: a", "data", "data:", "", "", "id: 1", ": c", "event: e", "data: {\"id\":1}", "retry: 5", "x"}), 0, 20).Draw(t, "lines")
		plain := strings.Join(append(lines, "", ""), "\n")
		want, _ := eventsIn(strings.NewReader(plain), 1000)
		end := rapid.SampledFrom([]string{"\n", "\r\n", "\r"}).Draw(t, "end")
		other := strings.ReplaceAll(plain, "\n", end)
		cut := &cutReader{text: []byte(other), at: rapid.SliceOfN(rapid.IntRange(1, 9), 1, 10).Draw(t, "cuts")}
		if got, _ := eventsIn(cut, 1000); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("%q: %q, want %q", other, got, want)
		}
	})
}

// cutReader returns as many bytes at a time as it is told.
type cutReader struct {
	text []byte
	at   []int
	n    int
}

func (c *cutReader) Read(b []byte) (int, error) {
	if len(c.text) == 0 {
		return 0, io.EOF
	}
	n := copy(b, c.text[:min(len(c.text), c.at[c.n%len(c.at)])])
	c.text = c.text[n:]
	c.n++
	return n, nil
}

func TestEvents_AreBounded(t *testing.T) {
	endless := io.LimitReader(repeating("data: xxxxxxxxxxxxxxxx"), 64<<20)
	begun := time.Now()
	r := newEventReader(endless, 1<<20)
	if _, err := r.next(); !errors.Is(err, io.EOF) || time.Since(begun) > time.Minute {
		t.Errorf("%v after %s", err, time.Since(begun))
	}
	if cap(r.head) > 4*maxFieldBytes {
		t.Errorf("%d bytes are held", cap(r.head))
	}
}

type repeating string

func (r repeating) Read(b []byte) (int, error) {
	return copy(b, bytes.Repeat([]byte(r), len(b)/len(r)+1)), nil
}

func FuzzEvents(f *testing.F) {
	f.Add([]byte("data: a\n\nid: 1\r\ndata\r\r\n"), uint8(3))
	f.Add([]byte("\ufeffretry: 10\n\n"), uint8(1))
	f.Fuzz(func(t *testing.T, text []byte, cut uint8) {
		want, _ := eventsIn(bytes.NewReader(text), 100)
		got, err := eventsIn(&cutReader{text: bytes.Clone(text), at: []int{int(cut%16) + 1}}, 100)
		if fmt.Sprint(got) != fmt.Sprint(want) || !errors.Is(err, io.EOF) {
			t.Errorf("%q, %v; want %q", got, err, want)
		}
	})
}
