package devtools

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/coder/websocket"
	jsonv2 "github.com/go-json-experiment/json"
)

const (
	attachPatience    = 5 * time.Second
	maxDescribedBytes = 64 << 10
)

// AttachError is a browser that cannot be attached to.
type AttachError struct {
	Address string
	Err     error
}

func (e *AttachError) Error() string {
	return fmt.Sprintf("attach to the browser at %s: %v", e.Address, e.Err)
}

func (e *AttachError) Unwrap() error { return e.Err }

// LoopbackAddress is the debugging address of a browser of this machine as it is dialled, out of what a person wrote:
// "127.0.0.1:9222", "localhost:9222" or "http://[::1]:9222". Every other place is an error: who debugs a browser is its master.
func LoopbackAddress(written string) (string, error) {
	host, port, err := net.SplitHostPort(strings.TrimSuffix(strings.TrimPrefix(written, "http://"), "/"))
	if err != nil {
		return "", errors.New("it is no address with a port, such as 127.0.0.1:9222")
	}
	if strings.EqualFold(host, "localhost") {
		host = "127.0.0.1"
	}
	addr, err := netip.ParseAddr(host)
	if err != nil || !addr.IsLoopback() || addr.Zone() != "" {
		return "", errors.New("it is not an address of this machine, such as 127.0.0.1:9222")
	}
	at, err := netip.ParseAddrPort(net.JoinHostPort(addr.String(), port))
	if err != nil || at.Port() == 0 {
		return "", errors.New("it has no port, such as 127.0.0.1:9222")
	}
	return at.String(), nil
}

// Attach connects to a browser that somebody else started; see [LoopbackAddress] for the address. Closing what it returns ends the
// connection alone. onEvent is as in [Connect]. The error is the context's or an *AttachError.
func Attach(ctx context.Context, address string, onEvent func(Event)) (*Browser, error) {
	waiting, cancel := context.WithTimeoutCause(ctx, attachPatience, errors.New("it did not answer in time"))
	defer cancel()
	b, err := attach(waiting, address, onEvent)
	switch {
	case err == nil:
		return b, nil
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	}
	return nil, &AttachError{Address: address, Err: err}
}

func attach(ctx context.Context, address string, onEvent func(Event)) (*Browser, error) {
	at, err := LoopbackAddress(address)
	if err != nil {
		return nil, err
	}
	// Through no proxy, and to nowhere else.
	client := &http.Client{
		Transport:     &http.Transport{DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	path, err := debuggerPath(ctx, client, at)
	if err != nil {
		return nil, err
	}
	socket, _, err := websocket.Dial(ctx, "ws://"+at+path, &websocket.DialOptions{HTTPClient: client})
	if err != nil {
		return nil, err
	}
	socket.SetReadLimit(-1) // whoever reads the messages bounds them, and cuts what is long
	living, end := context.WithCancel(context.Background())
	joined := &socketPipe{ctx: living, cancel: end, socket: socket}
	b := &Browser{Conn: Connect(joined, joined, onEvent), ended: make(chan struct{})}
	go func() {
		<-b.Over()
		end()
		close(b.ended)
	}()
	version, err := cdp.Call(ctx, b.Conn.Browser(), browser.GetVersion, cdp.Empty{})
	if err != nil {
		b.Close()
		return nil, err
	}
	b.Product = version.Product
	return b, nil
}

// debuggerPath is where at the address the browser itself is spoken with.
func debuggerPath(ctx context.Context, client *http.Client, at string) (string, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+at+"/json/version", nil)
	if err != nil {
		return "", err
	}
	response, err := client.Do(request)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, maxDescribedBytes))
	if err != nil {
		return "", err
	}
	var described struct {
		URL string `json:"webSocketDebuggerUrl"`
	}
	if response.StatusCode != http.StatusOK || jsonv2.Unmarshal(text, &described) != nil {
		return "", errors.New("what answers there is no browser that can be attached to")
	}
	parsed, err := url.Parse(described.URL)
	if err != nil || !strings.HasPrefix(parsed.Path, "/devtools/browser") {
		return "", errors.New("what answers there is no browser that can be attached to")
	}
	return parsed.EscapedPath(), nil
}

// socketPipe has the messages of a socket as the pipes of a browser carry them: each with a NUL at its end.
type socketPipe struct {
	ctx     context.Context //nolint:containedctx // of the connection, which lives as long as it
	cancel  context.CancelFunc
	socket  *websocket.Conn
	message io.Reader
}

func (p *socketPipe) Read(b []byte) (int, error) {
	if len(b) == 0 {
		return 0, nil
	}
	if p.message == nil {
		_, message, err := p.socket.Reader(p.ctx)
		if err != nil {
			return 0, err
		}
		p.message = message
	}
	n, err := p.message.Read(b)
	if errors.Is(err, io.EOF) {
		p.message = nil
		if n == len(b) { // the end is read next
			p.message = strings.NewReader("")
			return n, nil
		}
		b[n] = 0
		return n + 1, nil
	}
	return n, err
}

// Write writes one message, which ends with its NUL.
func (p *socketPipe) Write(b []byte) (int, error) {
	if err := p.socket.Write(p.ctx, websocket.MessageText, b[:len(b)-1]); err != nil {
		return 0, err
	}
	return len(b), nil
}

func (p *socketPipe) Close() error {
	p.cancel()
	return p.socket.CloseNow()
}
