package serve

import (
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"
	"time"
)

// Who opens a stream and never reads keeps a write for no longer than its time; others would wait for it.
func TestL1_AStreamThatNobodyReadsEnds(t *testing.T) {
	t.Parallel()
	ended := make(chan error, 1)
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w, done := bounded(w, 50*time.Millisecond)
		defer done()
		for part := make([]byte, 1<<20); ; {
			_, err := w.Write(part)
			if err == nil {
				err = http.NewResponseController(w).Flush()
			}
			if err != nil {
				ended <- err
				return
			}
		}
	}))
	defer web.Close()
	conn, err := net.Dial("tcp", web.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := conn.Write([]byte("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Error(err)
	}
}
