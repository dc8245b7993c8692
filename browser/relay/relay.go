package relay

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/netip"
	"sync"
	"time"

	"pillion/browser/policy"
)

const (
	dialPatience = 20 * time.Second
	maxFaults    = 256
	user         = "pillion"
)

// Options are what a relay reaches the network by; the zero value is the machine's own way.
type Options struct {
	Dial    func(ctx context.Context, network, address string) (net.Conn, error) // to an address, never a name
	Lookup  func(ctx context.Context, host string) ([]netip.Addr, error)
	Refused func(hostPort string, reason policy.Reason) // is told of every connection that was not made; may be nil
	// Patience is how long a connection waits for its grant: what a browser tells of a socket comes by another way than the
	// socket itself. 0 is a second.
	Patience time.Duration
}

// Relay is a running proxy. Its methods may be called from any goroutine.
type Relay struct {
	o         Options
	listener  net.Listener
	server    *http.Server
	proxy     *httputil.ReverseProxy
	transport *http.Transport
	secret    string
	serving   sync.WaitGroup

	mu      sync.Mutex
	granted map[string]bool
	sockets map[string]int // how many TLS sockets pages of this machine are about to open there
	changed chan struct{}  // closed and renewed with every grant
	faults  map[string]error
	tunnels map[net.Conn]bool
	isOver  bool
}

// Start listens on a free port of 127.0.0.1. Close ends it.
func Start(o Options) (*Relay, error) {
	if o.Dial == nil {
		o.Dial = (&net.Dialer{Timeout: dialPatience}).DialContext
	}
	if o.Lookup == nil {
		o.Lookup = func(ctx context.Context, host string) ([]netip.Addr, error) {
			return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
		}
	}
	if o.Patience == 0 {
		o.Patience = time.Second
	}
	if o.Refused == nil {
		o.Refused = func(string, policy.Reason) {}
	}
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("start the browser's relay: %w", err)
	}
	r := &Relay{
		o: o, listener: listener, secret: rand.Text(),
		granted: map[string]bool{}, sockets: map[string]int{}, changed: make(chan struct{}),
		faults: map[string]error{}, tunnels: map[net.Conn]bool{},
	}
	r.transport = &http.Transport{
		DialContext: r.dial, DisableCompression: true, MaxIdleConnsPerHost: 6, IdleConnTimeout: 30 * time.Second,
		ResponseHeaderTimeout: 0, // how long a page may take is the browser's affair
	}
	quiet := log.New(io.Discard, "", 0)
	r.proxy = &httputil.ReverseProxy{
		Rewrite:       func(p *httputil.ProxyRequest) { p.Out.Host = p.In.Host },
		Transport:     r.transport,
		FlushInterval: -1,
		ErrorLog:      quiet,
		ErrorHandler:  r.fail,
	}
	r.server = &http.Server{Handler: r, ReadHeaderTimeout: time.Minute, ErrorLog: quiet}
	r.serving.Go(func() { _ = r.server.Serve(listener) })
	return r, nil
}

// Address is where the relay listens, "127.0.0.1:port".
func (r *Relay) Address() string { return r.listener.Addr().String() }

// Credentials are what the browser proves itself with; nobody else is served.
func (r *Relay) Credentials() (name, password string) { return user, r.secret }

// Grant lets connections to the origin pass from here on.
func (r *Relay) Grant(o policy.Origin) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.granted[o.HostPort()] {
		r.granted[o.HostPort()] = true
		r.tellChanged()
	}
}

// GrantSocket lets one encrypted socket to the origin on this machine pass.
func (r *Relay) GrantSocket(o policy.Origin) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sockets[o.HostPort()]++
	r.tellChanged()
}

func (r *Relay) tellChanged() {
	close(r.changed)
	r.changed = make(chan struct{})
}

// Fault is why the last connection to the origin could not be made, or nil.
func (r *Relay) Fault(o policy.Origin) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.faults[o.HostPort()]
}

// Close ends every connection and waits for what served them.
func (r *Relay) Close() {
	r.mu.Lock()
	r.isOver = true
	for tunnel := range r.tunnels {
		_ = tunnel.Close()
	}
	r.tellChanged()
	r.mu.Unlock()
	_ = r.server.Close()
	r.serving.Wait()
	r.transport.CloseIdleConnections()
}

func (r *Relay) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	if !r.isOurs(request) {
		w.Header().Set("Proxy-Authenticate", `Basic realm="pillion"`)
		w.WriteHeader(http.StatusProxyAuthRequired)
		return
	}
	request.Header.Del("Proxy-Authorization")
	if !r.enter() {
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	defer r.serving.Done()
	if request.Method == http.MethodConnect {
		r.connect(w, request)
		return
	}
	origin, err := policy.OriginOf(request.URL.String())
	if err != nil || request.URL.Scheme != "http" {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	if reason := r.judge(request.Context(), origin, request.Header); reason != "" {
		r.o.Refused(origin.HostPort(), reason)
		w.WriteHeader(http.StatusForbidden)
		return
	}
	// An answer that begins before the end of its request was read is no reason to give the request up.
	_ = http.NewResponseController(w).EnableFullDuplex()
	r.proxy.ServeHTTP(w, request)
}

// enter has Close wait for what is served from here on, and reports whether that is still to be.
func (r *Relay) enter() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.isOver {
		r.serving.Add(1)
	}
	return !r.isOver
}

func (r *Relay) isOurs(request *http.Request) bool {
	want := "Basic " + base64.StdEncoding.EncodeToString([]byte(user+":"+r.secret))
	return subtle.ConstantTimeCompare([]byte(request.Header.Get("Proxy-Authorization")), []byte(want)) == 1
}

// judge decides about a request in the clear; "" passes.
func (r *Relay) judge(ctx context.Context, origin policy.Origin, header http.Header) policy.Reason {
	switch place := origin.Place(); {
	case place == policy.Refused:
		return policy.NotReachable
	case !r.awaitGrant(ctx, origin):
		return policy.NewOrigin
	case place == policy.Loopback && !comesFromInside(header):
		return policy.FromPublic
	}
	return ""
}

// comesFromInside reports whether a request to this machine was made by one of its own pages or by the agent. The browser says so
// in headers that no page can set (Fetch Metadata Request Headers); a page that hides where it comes from is not from here.
func comesFromInside(header http.Header) bool {
	switch header.Get("Sec-Fetch-Site") {
	case "none", "same-origin", "same-site":
		return true
	}
	from := header.Get("Origin")
	if from == "" || from == "null" {
		from = header.Get("Referer")
	}
	return policy.ZoneOf(from, policy.Unknown) == policy.Inside
}

// awaitGrant waits for a moment: the word about a socket comes by another way than its connection.
func (r *Relay) awaitGrant(ctx context.Context, origin policy.Origin) bool {
	return r.await(ctx, func() bool { return r.granted[origin.HostPort()] })
}

// awaitSocket takes one grant of [Relay.GrantSocket].
func (r *Relay) awaitSocket(ctx context.Context, origin policy.Origin) bool {
	return r.await(ctx, func() bool {
		if r.sockets[origin.HostPort()] == 0 {
			return false
		}
		r.sockets[origin.HostPort()]--
		return true
	})
}

// await asks with the lock held whenever something was granted.
func (r *Relay) await(ctx context.Context, holds func() bool) bool {
	patience := time.NewTimer(r.o.Patience)
	defer patience.Stop()
	for {
		r.mu.Lock()
		ok, over, changed := holds(), r.isOver, r.changed
		r.mu.Unlock()
		if ok || over {
			return ok
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return false
		case <-patience.C:
			return false
		}
	}
}

// dial connects to a host that was judged by its name, which is looked up here and nowhere else.
func (r *Relay) dial(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := r.reach(ctx, network, address)
	r.mu.Lock()
	defer r.mu.Unlock()
	if err == nil {
		delete(r.faults, address)
	} else if len(r.faults) < maxFaults {
		r.faults[address] = err
	}
	return conn, err
}

// UnreachableError is a name that leads where nobody may go.
type UnreachableError struct{ Host string }

func (e *UnreachableError) Error() string {
	return fmt.Sprintf("%q leads to an address that pages never reach", e.Host)
}

func (r *Relay) reach(ctx context.Context, network, address string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	addrs, err := r.addresses(ctx, host)
	if err != nil {
		return nil, err
	}
	var faults []error
	for _, addr := range addrs {
		conn, err := r.o.Dial(ctx, network, net.JoinHostPort(addr.String(), port))
		if err == nil {
			return conn, nil
		}
		faults = append(faults, err)
	}
	return nil, errors.Join(faults...)
}

func (r *Relay) addresses(ctx context.Context, host string) ([]netip.Addr, error) {
	place := policy.PlaceOfHost(host)
	if addr, err := netip.ParseAddr(host); err == nil && place != policy.Refused {
		return []netip.Addr{addr}, nil
	}
	switch place {
	case policy.Loopback:
		return []netip.Addr{netip.MustParseAddr("127.0.0.1"), netip.IPv6Loopback()}, nil
	case policy.Refused:
		return nil, &UnreachableError{host}
	}
	addrs, err := r.o.Lookup(ctx, host)
	if err != nil {
		return nil, err
	}
	// What was allowed by its name is public; one that leads to this machine, or will from the second look-up on, is not that.
	if policy.Together(addrs) != policy.Public {
		r.o.Refused(host, policy.NotReachable)
		return nil, &UnreachableError{host}
	}
	return addrs, nil
}

// fail leaves the browser with a broken connection, as it would be without a relay; a page of ours would look like the server's.
func (r *Relay) fail(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) }
