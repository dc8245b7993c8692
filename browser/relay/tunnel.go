package relay

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"pillion/browser/policy"
)

const helloPatience = 20 * time.Second

// connect serves CONNECT: what is encrypted, and sockets. To this machine only what is known to come from one of its own pages
// passes; elsewhere a grant of the origin is enough.
func (r *Relay) connect(w http.ResponseWriter, request *http.Request) {
	origin, err := policy.OriginOf("https://" + request.Host)
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	switch origin.Place() {
	case policy.Loopback:
		r.connectInside(w, origin)
	case policy.Public:
		r.connectOutside(w, request, origin)
	default:
		r.o.Refused(origin.HostPort(), policy.NotReachable)
		w.WriteHeader(http.StatusForbidden)
	}
}

func (r *Relay) connectOutside(w http.ResponseWriter, request *http.Request, origin policy.Origin) {
	if !r.awaitGrant(request.Context(), origin) {
		r.o.Refused(origin.HostPort(), policy.NewOrigin)
		w.WriteHeader(http.StatusForbidden)
		return
	}
	target, err := r.dial(request.Context(), "tcp", origin.HostPort())
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	defer target.Close()
	client, in, err := r.accept(w)
	if err != nil {
		return
	}
	defer client.Close()
	r.tunnel(client, in, target)
}

// connectInside tells the browser that it is connected before it is: who wants to connect is said behind that, and until it is
// known nothing of this machine is touched, so that nobody learns which ports are open.
func (r *Relay) connectInside(w http.ResponseWriter, origin policy.Origin) {
	client, in, err := r.accept(w)
	if err != nil {
		return
	}
	defer client.Close()
	defer r.untrack(client)
	if !r.track(client) {
		return
	}
	_ = client.SetReadDeadline(time.Now().Add(helloPatience))
	head, ok := r.judgeHead(in, origin)
	if !ok {
		return
	}
	_ = client.SetReadDeadline(time.Time{})
	target, err := r.dial(context.Background(), "tcp", origin.HostPort())
	if err != nil {
		return
	}
	defer target.Close()
	if _, err := target.Write(head); err != nil {
		return
	}
	r.tunnel(client, in, target)
}

// accept answers that the connection is made. The caller closes it.
func (r *Relay) accept(w http.ResponseWriter) (net.Conn, *bufio.Reader, error) {
	client, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return nil, nil, err
	}
	if _, err := io.WriteString(client, "HTTP/1.1 200 Connection established\r\n\r\n"); err != nil {
		return nil, nil, errors.Join(err, client.Close())
	}
	return client, buffered.Reader, nil
}

func (r *Relay) tunnel(client net.Conn, in *bufio.Reader, target net.Conn) {
	defer r.untrack(client, target)
	if !r.track(client, target) {
		return
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = io.Copy(target, in)
		closeWrite(target)
	}()
	_, _ = io.Copy(client, target)
	closeWrite(client)
	// One half may stay open for as long as the other end wishes, unless that end has gone.
	_ = client.SetReadDeadline(time.Now().Add(helloPatience))
	<-done
}

// judgeHead reads how a connection to this machine begins, and decides by that whether it passes; head is what was read.
func (r *Relay) judgeHead(in *bufio.Reader, origin policy.Origin) (head []byte, ok bool) {
	first, err := in.Peek(1)
	if err != nil {
		return nil, false
	}
	var read bytes.Buffer
	tee := io.TeeReader(in, &read)
	reason := policy.FromPublic
	if first[0] == 0x16 { // a TLS handshake (RFC 8446, 5.1)
		ok, err = r.judgeTLS(tee, origin)
	} else {
		ok, err = judgeSocket(tee)
	}
	if err != nil {
		reason = policy.NotClear
	}
	if err != nil || !ok {
		r.o.Refused(origin.HostPort(), reason)
		return nil, false
	}
	return read.Bytes(), true
}

// judgeSocket decides about a WebSocket in the clear by the page that opens it, which the browser names (RFC 6455, 4.1).
func judgeSocket(in io.Reader) (bool, error) {
	request, err := http.ReadRequest(bufio.NewReader(in))
	if err != nil {
		return false, err
	}
	if !strings.EqualFold(request.Header.Get("Upgrade"), "websocket") {
		return false, errors.New("no WebSocket")
	}
	return policy.ZoneOf(request.Header.Get("Origin"), policy.Unknown) == policy.Inside, nil
}

// judgeTLS decides about an encrypted connection. What a page fetches offers HTTP/2 and was let through one by one, so the origin
// has its grant; a WebSocket offers HTTP/1.1 alone and needs a grant of its own.
func (r *Relay) judgeTLS(in io.Reader, origin policy.Origin) (bool, error) {
	protocols, err := offered(in)
	if err != nil {
		return false, err
	}
	if slices.Contains(protocols, "h2") {
		return r.awaitGrant(context.Background(), origin), nil
	}
	return r.awaitSocket(context.Background(), origin), nil
}

var errRead = errors.New("read as far as needed")

// offered are the protocols that a TLS client offers to speak (ALPN, RFC 7301).
func offered(in io.Reader) ([]string, error) {
	var protocols []string
	isRead := false
	server := tls.Server(&oneWay{Reader: in}, &tls.Config{GetConfigForClient: func(hello *tls.ClientHelloInfo) (*tls.Config, error) {
		protocols, isRead = hello.SupportedProtos, true
		return nil, errRead
	}})
	if err := server.Handshake(); !isRead {
		return nil, err
	}
	return protocols, nil
}

// oneWay is a connection that is only listened to.
type oneWay struct {
	io.Reader
	net.Conn
}

func (o *oneWay) Read(b []byte) (int, error)       { return o.Reader.Read(b) }
func (o *oneWay) Write(b []byte) (int, error)      { return len(b), nil }
func (o *oneWay) Close() error                     { return nil }
func (o *oneWay) SetDeadline(time.Time) error      { return nil }
func (o *oneWay) SetReadDeadline(time.Time) error  { return nil }
func (o *oneWay) SetWriteDeadline(time.Time) error { return nil }

// track has the connections ended with the relay, and reports whether it still runs.
func (r *Relay) track(conns ...net.Conn) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, conn := range conns {
		if r.isOver {
			return false
		}
		r.tunnels[conn] = true
	}
	return true
}

func (r *Relay) untrack(conns ...net.Conn) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, conn := range conns {
		delete(r.tunnels, conn)
	}
}

func closeWrite(conn net.Conn) {
	if half, ok := conn.(interface{ CloseWrite() error }); ok {
		_ = half.CloseWrite()
	}
}
