package main

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"testing"
)

// An answer reaches its own call, whatever comes between and in which order.
func TestWireMatchesAnswers(t *testing.T) {
	t.Parallel()
	fromProgram, program := io.Pipe()
	requests, toProgram := io.Pipe()
	told := make(chan string, 1)
	w := newWire(fromProgram, toProgram, func(body []byte) { told <- string(body) })
	first, second := make(chan string, 1), make(chan string, 1)
	sent := bufio.NewReader(requests)
	for _, answered := range []chan string{first, second} {
		go func() {
			result, err := w.call(t.Context(), "ask", []byte(`{"a":1}`))
			answered <- fmt.Sprint(string(result), err)
		}()
		body, err := readFrame(sent)
		if err != nil || !strings.HasSuffix(string(body), `,"method":"ask","params":{"a":1}}`) {
			t.Fatalf("sent %s, error %v", body, err)
		}
	}
	for _, body := range []string{otherStart + `"note"}`, answerStart + `2,"result":{"n":[2,3]}}`, answerStart + `1,"error":{"code":1}}`} {
		if _, err := fmt.Fprintf(program, "Content-Length: %d\r\n\r\n%s", len(body), body); err != nil {
			t.Fatal(err)
		}
	}
	if got := <-told; got != otherStart+`"note"}` {
		t.Errorf("told %s", got)
	}
	if got := <-second; got != `{"n":[2,3]}<nil>` {
		t.Errorf("the second call was answered %s", got)
	}
	if got := <-first; !strings.Contains(got, `ask was answered "error":{"code":1}`) {
		t.Errorf("the first call was answered %s", got)
	}
	if err := program.Close(); err != nil {
		t.Fatal(err)
	}
	<-w.ended
	go func() { _, _ = readFrame(sent) }()
	if _, err := w.call(t.Context(), "ask", nil); err == nil || !strings.Contains(err.Error(), "not answered") {
		t.Errorf("a call on an ended stream: %v", err)
	}
}
