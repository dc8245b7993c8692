package connector

import (
	"bufio"
	"bytes"
	"io"
	"strconv"
	"strings"
	"time"
)

const (
	eventBufferBytes = 64 << 10
	// maxFieldBytes is how much is kept of a line of an event stream that holds no data.
	maxFieldBytes = 4 << 10
)

// event is one event of an event stream (HTML standard, 9.2).
type event struct {
	name string // empty means message
	// data is as a line of a process is: over a bound, it has a scanner in place of its text.
	data line
	// id is what a resumption names; hasID tells an empty one, which takes the last one back, from none.
	id    string
	hasID bool
	retry time.Duration // 0 means that none is asked for
}

// eventReader splits an event stream into events and never holds more than one of bounded size.
type eventReader struct {
	in       *bufio.Reader
	maxBytes int
	isBegun  bool // there may be no byte-order mark any longer
	skipsLF  bool // the last line ended with a carriage return
	head     []byte
}

func newEventReader(in io.Reader, maxBytes int) *eventReader {
	return &eventReader{in: bufio.NewReaderSize(in, eventBufferBytes), maxBytes: maxBytes}
}

// next returns the next event, or the error that ended the stream. What stands before the end without a blank line after it is
// no event.
func (r *eventReader) next() (event, error) {
	var e event
	data := eventData{maxBytes: r.maxBytes}
	for {
		field, isData, err := r.line(&data)
		if err != nil {
			return event{}, err
		}
		if !isData && len(field) == 0 {
			e.data = data.line()
			return e, nil
		}
		if !isData {
			e.take(field)
		}
	}
}

// take takes a line that holds no data.
func (e *event) take(field []byte) {
	name, value, _ := strings.Cut(string(field), ":")
	value = strings.TrimPrefix(value, " ")
	switch name {
	case "event":
		e.name = value
	case "id":
		if !strings.Contains(value, "\x00") {
			e.id, e.hasID = value, true
		}
	case "retry":
		if milliseconds, err := strconv.ParseUint(value, 10, 31); err == nil {
			e.retry = time.Duration(milliseconds) * time.Millisecond
		}
	}
}

// line reads one line. That of data goes to data as it comes; of any other the beginning is returned, which is valid until
// the next line is read.
func (r *eventReader) line(data *eventData) (field []byte, isData bool, err error) {
	r.head = r.head[:0]
	for {
		part, isEnd, err := r.part()
		if err != nil {
			return nil, false, err
		}
		if isData {
			data.add(part)
		} else {
			kept := min(len(part), maxFieldBytes-len(r.head))
			r.head = append(r.head, part[:kept]...)
			if mark := []byte("\ufeff"); !r.isBegun && (len(r.head) >= len(mark) || isEnd) {
				r.isBegun = true
				r.head = bytes.TrimPrefix(r.head, mark)
			}
			if value, ok := bytes.CutPrefix(r.head, []byte("data:")); ok {
				isData = true
				data.begin()
				data.add(value)
				data.add(part[kept:])
			}
		}
		if isEnd {
			break
		}
	}
	if !isData && string(r.head) == "data" {
		isData = true
		data.begin()
	}
	return r.head, isData, nil
}

// part returns what is there of the line, and whether that is its end. It is valid until the next read.
func (r *eventReader) part() (part []byte, isEnd bool, err error) {
	for {
		if _, err := r.in.Peek(1); err != nil {
			return nil, false, err
		}
		there, _ := r.in.Peek(r.in.Buffered())
		if r.skipsLF {
			r.skipsLF = false
			if there[0] == '\n' {
				_, _ = r.in.Discard(1)
				continue
			}
		}
		end := bytes.IndexByte(there, '\n')
		if cr := bytes.IndexByte(there[:max(end, 0)], '\r'); cr >= 0 {
			end = cr
		} else if end < 0 {
			end = bytes.IndexByte(there, '\r')
		}
		if end < 0 {
			_, _ = r.in.Discard(len(there))
			return there, false, nil
		}
		r.skipsLF = there[end] == '\r'
		_, _ = r.in.Discard(end + 1)
		return there[:end], true, nil
	}
}

// eventData is the data of one event as it comes.
type eventData struct {
	maxBytes int
	text     []byte
	bytes    int64
	lines    int
	isAtHead bool     // of a line's value
	over     *scanner // once it is too long
	sample   []byte
}

// begin begins a line of data.
func (d *eventData) begin() {
	d.lines++
	if d.lines > 1 {
		d.isAtHead = false
		d.add([]byte("\n"))
	}
	d.isAtHead = true
}

func (d *eventData) add(part []byte) {
	if len(part) > 0 && d.isAtHead {
		d.isAtHead = false
		part = bytes.TrimPrefix(part, []byte(" "))
	}
	d.bytes += int64(len(part))
	if d.over == nil && len(d.text)+len(part) > d.maxBytes {
		d.over = &scanner{}
		d.over.scan(d.text)
		d.sample = bytes.Clone(d.text[:min(len(d.text), sampleBytes)])
		d.text = nil
	}
	if d.over != nil {
		d.over.scan(part)
		return
	}
	d.text = append(d.text, part...)
}

func (d *eventData) line() line {
	if d.over != nil {
		return line{text: d.sample, isOwned: true, bytes: d.bytes, over: d.over}
	}
	return line{text: d.text, isOwned: true, bytes: d.bytes}
}
