package devtools

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp/jsonv2"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// peer is the browser's end of a connection.
type peer struct {
	in  *bufio.Reader
	out io.WriteCloser
}

func connected(t *testing.T, onEvent func(Event)) (*Conn, *peer) {
	t.Helper()
	fromBrowser, toUs := io.Pipe()
	toBrowser, fromUs := io.Pipe()
	c := Connect(fromBrowser, fromUs, onEvent)
	p := &peer{in: bufio.NewReader(toBrowser), out: toUs}
	t.Cleanup(func() {
		toBrowser.Close()
		toUs.Close()
		c.Close()
	})
	return c, p
}

func (p *peer) read(t *testing.T) message {
	t.Helper()
	text, err := p.in.ReadBytes(0)
	if err != nil {
		t.Error(err)
		return message{}
	}
	var m message
	if err := jsonv2.Unmarshal(bytes.TrimSuffix(text, []byte{0}), &m); err != nil {
		t.Error(err)
	}
	return m
}

func (p *peer) write(format string, values ...any) { fmt.Fprintf(p.out, format+"\x00", values...) }

func TestConn_MatchesAnswersById(t *testing.T) {
	c, browser := connected(t, func(Event) {})
	go func() {
		first, second := browser.read(t), browser.read(t)
		browser.write(`{"id":%d,"result":{"is":%q}}`, second.ID, second.Method)
		browser.write(`not a message`)
		browser.write(`{"id":99,"result":{}}`)
		browser.write(`{"id":%d,"sessionId":"s","result":{"is":%q}}`, first.ID, first.Method)
	}()
	answers := make(chan error, 2)
	for _, method := range []string{"A.one", "A.two"} {
		go func() {
			var answer struct {
				Is string `json:"is"`
			}
			err := c.Session("s").Call(t.Context(), method, nil, &answer)
			if err == nil && answer.Is != method {
				err = fmt.Errorf("%s got the answer of %s", method, answer.Is)
			}
			answers <- err
		}()
	}
	for range 2 {
		if err := <-answers; err != nil {
			t.Error(err)
		}
	}
}

func TestConn_ErrorsAndTheEnd(t *testing.T) {
	c, browser := connected(t, func(Event) {})
	go func() {
		browser.write(`{"id":%d,"error":{"code":-32000,"message":"no","data":"why"}}`, browser.read(t).ID)
	}()
	var refused *Error
	if err := c.Browser().Call(t.Context(), "A.b", nil, nil); !errors.As(err, &refused) || refused.Code != -32000 || err.Error() != "A.b: no (why)" {
		t.Errorf("%v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	go func() { browser.read(t); cancel() }()
	if err := c.Browser().Call(ctx, "A.b", nil, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	go func() { browser.read(t); browser.out.Close() }()
	if err := c.Browser().Call(t.Context(), "A.b", nil, nil); !errors.Is(err, ErrClosed) {
		t.Errorf("%v", err)
	}
	if err := c.Browser().Call(t.Context(), "A.b", nil, nil); !errors.Is(err, ErrClosed) {
		t.Errorf("%v", err)
	}
}

// A handler that is slow holds up neither answers nor the order of events.
func TestConn_EventsComeInOrderBesideAnswers(t *testing.T) {
	hold, seen := make(chan struct{}), make(chan string, 3)
	c, browser := connected(t, func(e Event) { <-hold; seen <- e.Method + string(e.Session) })
	go func() {
		m := browser.read(t)
		for i := range 3 {
			browser.write(`{"method":"E.%d","sessionId":"s","params":{}}`, i)
		}
		browser.write(`{"id":%d,"result":{}}`, m.ID)
	}()
	if err := c.Browser().Call(t.Context(), "A.b", nil, nil); err != nil {
		t.Error(err)
	}
	close(hold)
	for i := range 3 {
		if got, want := <-seen, fmt.Sprintf("E.%ds", i); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

func TestReadMessage_IsBounded(t *testing.T) {
	in := bufio.NewReaderSize(strings.NewReader(strings.Repeat("x", 1000)+"\x00"+strings.Repeat("y", 2000)+"\x00"), 64)
	if text, err := readMessage(in, 1500); err != nil || len(text) != 1000 {
		t.Errorf("%d bytes, %v", len(text), err)
	}
	if _, err := readMessage(in, 1500); err == nil {
		t.Error("a message above the limit was read")
	}
}

func FuzzReadMessage(f *testing.F) {
	f.Add([]byte("{\"id\":1}\x00{\"method\":\"A.b\"}\x00"))
	f.Fuzz(func(t *testing.T, text []byte) {
		in := bufio.NewReaderSize(bytes.NewReader(text), 64)
		for {
			one, err := readMessage(in, 1<<10)
			if err != nil {
				return
			}
			if bytes.IndexByte(one, 0) >= 0 || len(one) >= 1<<10 {
				t.Fatalf("%q", one)
			}
			var m message
			_ = jsonv2.Unmarshal(one, &m, lenient())
		}
	})
}

func TestS1_FindLooksOutsideOfTheWorkspace(t *testing.T) {
	workspace, system := t.TempDir(), t.TempDir()
	put := func(folder, name string, mode os.FileMode) string {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	name := names("linux")[0]
	inside := put(filepath.Join(workspace, "node_modules/.bin"), name, 0o700)
	good := put(system, names("linux")[1], 0o700)
	linked := filepath.Join(t.TempDir(), name)
	if err := os.Symlink(inside, linked); err != nil {
		t.Skip(err)
	}
	put(filepath.Join(system, "sub"), name, 0o600) // may not be executed
	path := strings.Join([]string{"", ".", "node_modules/.bin", filepath.Dir(inside), filepath.Dir(linked), filepath.Join(system, "sub"), system}, string(os.PathListSeparator))
	search := Search{Path: path, Outside: []string{workspace}, Getenv: os.Getenv}
	if found, err := Find(search); err != nil || found != good {
		t.Errorf("found %q, %v", found, err)
	}
	for _, program := range []string{inside, linked, "chrome", filepath.Join(system, "absent")} {
		search.Program = program
		if found, err := Find(search); err == nil {
			t.Errorf("%q: found %q", program, found)
		} else if missing := new(NotFoundError); !errors.As(err, &missing) || missing.Reason == "" {
			t.Errorf("%q: %v", program, err)
		}
	}
}

func TestS22_Switches(t *testing.T) {
	given := strings.Join(switches(Options{Relay: "127.0.0.1:4"}, "/profile"), "\n")
	for _, want := range []string{
		"--remote-debugging-pipe", "--proxy-server=http://127.0.0.1:4", "--proxy-bypass-list=<-loopback>", "--user-data-dir=/profile",
		"--host-resolver-rules=MAP * ~NOTFOUND", "--disable-quic", "disable_non_proxied_udp", "--disable-extensions",
	} {
		if !strings.Contains(given, want) {
			t.Errorf("%s is missing", want)
		}
	}
	for _, never := range []string{"--remote-debugging-port", "--no-sandbox", "--disable-web-security", "--allow-file-access"} {
		if strings.Contains(given, never) {
			t.Errorf("%s is given", never)
		}
	}
}
