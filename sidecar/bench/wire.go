package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
)

// wire is the editor's end of a stream of frames. It decodes nothing and hands no work from one goroutine to the next but
// the answers: what the measuring end costs hides what is measured. It knows the form in which the measured programs write
// their messages, and no other.
type wire struct {
	out io.Writer
	// notify is called for each message that is no answer, on the reader.
	notify func(body []byte)
	ended  chan struct{} // the stream has ended, err says why
	err    error

	mu      sync.Mutex
	last    int64
	waiting map[int64]chan []byte
}

// The beginnings of messages.
const (
	answerStart = `{"jsonrpc":"2.0","id":`
	otherStart  = `{"jsonrpc":"2.0","method":`
)

// newWire reads in until it ends.
func newWire(in io.Reader, out io.Writer, notify func(body []byte)) *wire {
	w := &wire{out: out, notify: notify, ended: make(chan struct{}), waiting: map[int64]chan []byte{}}
	go func() {
		defer close(w.ended)
		w.err = w.read(bufio.NewReaderSize(in, 64<<10))
	}()
	return w
}

func (w *wire) read(in *bufio.Reader) error {
	for {
		body, err := readFrame(in)
		if errors.Is(err, io.EOF) {
			return io.EOF
		}
		if err != nil {
			return err
		}
		rest, isAnswer := bytes.CutPrefix(body, []byte(answerStart))
		switch {
		case isAnswer:
			err = w.answered(rest)
		case bytes.HasPrefix(body, []byte(otherStart)):
			w.notify(body)
		default:
			err = errors.New("a message of unknown form")
		}
		if err != nil {
			return fmt.Errorf("read %.200q: %w", body, err)
		}
	}
}

// readFrame reads one body.
func readFrame(in *bufio.Reader) ([]byte, error) {
	length := -1
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return nil, err
		}
		line = strings.TrimSpace(line)
		if line == "" {
			break
		}
		if value, found := strings.CutPrefix(line, "Content-Length: "); found {
			if length, err = strconv.Atoi(value); err != nil {
				return nil, err
			}
		}
	}
	if length < 0 {
		return nil, errors.New("a frame without a length")
	}
	body := make([]byte, length)
	_, err := io.ReadFull(in, body)
	return body, err
}

// answered hands over what follows the id; rest begins with the id.
func (w *wire) answered(rest []byte) error {
	text, answer, _ := bytes.Cut(rest, []byte(","))
	id, err := strconv.ParseInt(string(text), 10, 64)
	if err != nil {
		return err
	}
	w.mu.Lock()
	waiting := w.waiting[id]
	delete(w.waiting, id)
	w.mu.Unlock()
	if waiting != nil {
		waiting <- answer
	}
	return nil
}

// call sends a request and returns the text of its result.
func (w *wire) call(ctx context.Context, method string, params []byte) ([]byte, error) {
	answer := make(chan []byte, 1)
	w.mu.Lock()
	w.last++
	id := w.last
	w.waiting[id] = answer
	body := fmt.Appendf(nil, answerStart+`%d,"method":%q,"params":`, id, method)
	err := w.sendLocked(append(append(body, params...), '}'))
	w.mu.Unlock()
	if err != nil {
		return nil, err
	}
	select {
	case text := <-answer:
		result, isResult := bytes.CutPrefix(text, []byte(`"result":`))
		if !isResult {
			return nil, fmt.Errorf("%s was answered %.500s", method, text)
		}
		return result[:len(result)-1], nil
	case <-w.ended:
		return nil, fmt.Errorf("%s was not answered: %w", method, w.err)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// tell sends a notification.
func (w *wire) tell(method, params string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.sendLocked(fmt.Appendf(nil, otherStart+`%q,"params":%s}`, method, params))
}

func (w *wire) sendLocked(body []byte) error {
	frame := fmt.Appendf(nil, "Content-Length: %d\r\n\r\n", len(body))
	_, err := w.out.Write(append(frame, body...))
	return err
}
