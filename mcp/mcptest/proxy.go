package mcptest

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
)

// Proxy is an HTTP proxy that leads every connection to one address, whatever host it is asked for, and counts them.
type Proxy struct {
	server  *httptest.Server
	target  string
	mu      sync.Mutex
	hosts   []string
	tunnels sync.WaitGroup
	open    map[net.Conn]bool
}

// NewProxy starts a proxy to an address; it ends with the test.
func NewProxy(t testing.TB, target string) *Proxy {
	t.Helper()
	p := &Proxy{target: target, open: map[net.Conn]bool{}}
	p.server = httptest.NewServer(http.HandlerFunc(p.serve))
	t.Cleanup(func() {
		p.mu.Lock()
		for conn := range p.open {
			_ = conn.Close()
		}
		p.mu.Unlock()
		p.tunnels.Wait()
		p.server.Close()
	})
	return p
}

// URL is the proxy's address, as HTTPS_PROXY has it.
func (p *Proxy) URL() string { return p.server.URL }

// Asked are the hosts that CONNECT asked for, in order.
func (p *Proxy) Asked() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string(nil), p.hosts...)
}

func (p *Proxy) serve(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	p.hosts = append(p.hosts, r.Host)
	p.mu.Unlock()
	if r.Method != http.MethodConnect {
		http.Error(w, "only CONNECT", http.StatusMethodNotAllowed)
		return
	}
	there, err := net.Dial("tcp", p.target)
	if err != nil {
		http.Error(w, "no connection", http.StatusBadGateway)
		return
	}
	here, buffered, err := w.(http.Hijacker).Hijack()
	if err != nil {
		_ = there.Close()
		return
	}
	_, _ = io.WriteString(here, "HTTP/1.1 200 OK\r\n\r\n")
	p.mu.Lock()
	p.open[here], p.open[there] = true, true
	p.mu.Unlock()
	carry := func(to net.Conn, from io.Reader) {
		p.tunnels.Go(func() {
			_, _ = io.Copy(to, from)
			_ = to.Close()
		})
	}
	carry(here, there)
	carry(there, buffered) // what came early is in there
}
