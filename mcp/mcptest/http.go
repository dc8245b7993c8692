package mcptest

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// HTTP is a fake connector that is reached over HTTP, in the process of the test and on the loopback interface. It answers as
// a fake process does, as application/json; notifications get 202, GET gets 405. A mode changes that; see [Modes] and
// [HTTPModes].
type HTTP struct {
	t      testing.TB
	server *httptest.Server
	fake   *fake
	dead   chan struct{}
	dying  sync.Once

	mu       sync.Mutex
	requests []HTTPRequest
	waiting  map[string]*posted // by JSON-RPC id
	order    []*posted          // of waiting, oldest first
	streams  []chan []byte      // of GETs
	sessions int
	session  string // the one that is known
	version  string // as agreed on
	once     map[string]bool
	resumed  int
	pending  []byte // the answer that a resumption asks for
}

// HTTPRequest is one request as it came.
type HTTPRequest struct {
	Method string // of HTTP
	Path   string
	Host   string
	Header http.Header
	Body   string
	RPC    string // the JSON-RPC method, if there is one
}

// posted is a request that waits for what is to be sent by its stream.
type posted struct {
	id, method string
	lines      chan []byte   // the last one is the reply
	answered   chan struct{} // closed when its id is free again
}

// NewHTTP starts a fake; it ends with the test. variables are NAME=value, as a fake process has them in its environment.
func NewHTTP(t testing.TB, mode string, variables ...string) *HTTP {
	t.Helper()
	return newHTTP(t, mode, variables, (*httptest.Server).Start)
}

// NewTLS is NewHTTP over TLS, with a certificate that nobody trusts but who reads [HTTP.CAFile].
func NewTLS(t testing.TB, mode string, variables ...string) *HTTP {
	t.Helper()
	return newHTTP(t, mode, variables, (*httptest.Server).StartTLS)
}

func newHTTP(t testing.TB, mode string, variables []string, start func(*httptest.Server)) *HTTP {
	t.Helper()
	o, err := parse(mode, append(Modes(), HTTPModes()...))
	if err != nil {
		t.Fatal(err)
	}
	h := &HTTP{t: t, dead: make(chan struct{}), waiting: map[string]*posted{}, once: map[string]bool{}}
	h.fake = newFake(o, httpOut{h}, func(name string) string {
		for _, variable := range variables {
			if value, ok := strings.CutPrefix(variable, name+"="); ok {
				return value
			}
		}
		return ""
	})
	h.server = httptest.NewUnstartedServer(http.HandlerFunc(h.serve))
	h.server.Config.ErrorLog = log.New(io.Discard, "", 0) // it aborts on purpose
	start(h.server)
	t.Cleanup(h.Close)
	if o.has("exit") {
		h.Close()
	}
	return h
}

// URL is the address of the fake's endpoint.
func (h *HTTP) URL() string { return h.server.URL + "/mcp" }

// Origin is the fake's address without a path.
func (h *HTTP) Origin() string { return h.server.URL }

// Address is where the fake listens.
func (h *HTTP) Address() string { return h.server.Listener.Addr().String() }

// CAFile writes the certificate that a fake over TLS is to be trusted by into a file and returns its path.
func (h *HTTP) CAFile() string {
	h.t.Helper()
	path := filepath.Join(h.t.TempDir(), "ca.pem")
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: h.server.Certificate().Raw})
	if err := os.WriteFile(path, text, 0o600); err != nil {
		h.t.Fatal(err)
	}
	return path
}

// Close ends the fake: connections break, and no more are taken.
func (h *HTTP) Close() {
	h.die()
	h.server.Close()
	h.fake.working.Wait()
}

func (h *HTTP) die() {
	h.dying.Do(func() {
		close(h.dead)
		close(h.fake.over)
		_ = h.server.Listener.Close()
		h.server.CloseClientConnections()
	})
}

// Forget makes the fake forget its session, as after a restart.
func (h *HTTP) Forget() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.session = "forgotten"
}

// Change makes the fake go on in another mode.
func (h *HTTP) Change(mode string) {
	h.t.Helper()
	o, err := parse(mode, append(Modes(), HTTPModes()...))
	if err != nil {
		h.t.Fatal(err)
	}
	h.fake.current.Store(&o)
}

func (h *HTTP) mode() options { return h.fake.mode() }

// Requests are those that have come, in order.
func (h *HTTP) Requests() []HTTPRequest {
	h.mu.Lock()
	defer h.mu.Unlock()
	return append([]HTTPRequest(nil), h.requests...)
}

// Received are the requests with a JSON-RPC method, or where that is GET or DELETE, those by that method of HTTP.
func (h *HTTP) Received(method string) (found []HTTPRequest) {
	for _, request := range h.Requests() {
		if request.RPC == method || request.Method == method && request.RPC == "" {
			found = append(found, request)
		}
	}
	return found
}

// serve answers one request of HTTP.
func (h *HTTP) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	var message request
	_ = json.Unmarshal(body, &message)
	h.mu.Lock()
	h.requests = append(h.requests, HTTPRequest{r.Method, r.URL.Path, r.Host, r.Header.Clone(), string(body), message.Method})
	h.mu.Unlock()
	o := h.mode()
	if want, ok := o["auth"]; ok && r.Header.Get("Authorization") != want {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	switch r.Method {
	case http.MethodGet:
		h.get(w, r)
	case http.MethodDelete:
		if o.has("deletehang") {
			h.hang(r)
		}
		h.Forget()
	case http.MethodPost:
		if !h.misbehaves(w, r, message) && h.admits(w, r, message) {
			h.post(w, r, body, message)
		}
	}
}

// hang waits until the other end, or the fake, has gone.
func (h *HTTP) hang(r *http.Request) {
	select {
	case <-r.Context().Done():
	case <-h.dead:
	}
	panic(http.ErrAbortHandler)
}

// misbehaves does what the mode wants in place of an answer.
func (h *HTTP) misbehaves(w http.ResponseWriter, r *http.Request, message request) bool {
	o, method := h.mode(), message.Method
	switch {
	case o.concerns("hang", method):
		h.hang(r)
	case o.concerns("drop", method):
		panic(http.ErrAbortHandler)
	case o.concerns("empty", method):
		w.WriteHeader(http.StatusAccepted)
	case o.concerns("html", method):
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, "<!DOCTYPE html><html><title>Welcome</title></html>")
	case o.concerns("endless", method):
		h.comments(w, r)
	case o.has("redirectloop"):
		h.redirect(w, o["redirectloop"], r.URL.Path+"/x")
	case r.URL.Path == "/mcp" && o.value("redirect", method) != "":
		code, target, _ := strings.Cut(o.value("redirect", method), ":")
		h.redirect(w, code, target)
	case o.value("status", method) != "":
		h.refuse(w, o.value("status", method))
	case o.value("statusonce", method) != "" && h.isFirst("status "+method):
		h.refuse(w, o.value("statusonce", method))
	case o.value("rpcstatus", method) != "":
		code, _ := strconv.Atoi(o.value("rpcstatus", method))
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(code)
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32603,"message":%q}}`, message.ID, cmp.Or(o["say"], "told to fail"))
	default:
		return false
	}
	return true
}

func (h *HTTP) isFirst(what string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	isFirst := !h.once[what]
	h.once[what] = true
	return isFirst
}

func (h *HTTP) redirect(w http.ResponseWriter, code, target string) {
	w.Header().Set("Location", target)
	status, _ := strconv.Atoi(code)
	w.WriteHeader(status)
}

func (h *HTTP) refuse(w http.ResponseWriter, code string) {
	o := h.mode()
	if after, ok := o["retryafter"]; ok {
		w.Header().Set("Retry-After", after)
	}
	status, _ := strconv.Atoi(code)
	w.WriteHeader(status)
	fmt.Fprint(w, o["say"])
}

// admits checks session and version, as strict servers do.
func (h *HTTP) admits(w http.ResponseWriter, r *http.Request, message request) bool {
	o := h.mode()
	h.mu.Lock()
	session, version := h.session, h.version
	h.mu.Unlock()
	isFirst := message.Method == "initialize" || message.Method == "server/discover"
	sent := r.Header.Values("Mcp-Protocol-Version")
	if o.has("strictversion") && message.Method != "server/discover" {
		if isFirst && len(sent) > 0 || !isFirst && (len(sent) != 1 || sent[0] != version) {
			http.Error(w, "wrong version", http.StatusBadRequest)
			return false
		}
	}
	if (o.has("session") || o.has("session400")) && !isFirst {
		named := r.Header.Get("Mcp-Session-Id")
		switch {
		case named == session && named != "":
		case named == "":
			http.Error(w, "the header is missing", http.StatusBadRequest)
			return false
		case o.has("session400"):
			http.Error(w, "session not found", http.StatusBadRequest)
			return false
		default:
			http.Error(w, "not found", http.StatusNotFound)
			return false
		}
	}
	return true
}

// post hands a message to the fake and sends what it answers.
func (h *HTTP) post(w http.ResponseWriter, r *http.Request, body []byte, message request) {
	if h.mode().has("oldsse") && r.URL.Path == "/mcp" {
		h.refuse(w, "405")
		return
	}
	h.fake.note(bytes.TrimSpace(body))
	isRequest := message.Method != "" && message.ID != nil
	if !isRequest || h.mode().has("oldsse") {
		w.WriteHeader(http.StatusAccepted)
		w.(http.Flusher).Flush()
		h.receive(body)
		return
	}
	p := &posted{id: string(message.ID), method: message.Method, lines: make(chan []byte, 1000), answered: make(chan struct{})}
	if !h.enter(r.Context(), p) {
		return
	}
	defer h.leave(p)
	h.receive(body)
	h.reply(w, r, p)
}

func (h *HTTP) receive(body []byte) {
	if _, isOver := h.fake.receive(bytes.TrimSpace(body)); isOver {
		h.die()
		panic(http.ErrAbortHandler)
	}
}

// enter lets the request in, after what waits by the same id: two clients of one fake count from one both.
func (h *HTTP) enter(ctx context.Context, p *posted) bool {
	for {
		h.mu.Lock()
		before := h.waiting[p.id]
		if before == nil {
			h.waiting[p.id] = p
			h.order = append(h.order, p)
		}
		h.mu.Unlock()
		if before == nil {
			return true
		}
		select {
		case <-before.answered:
		case <-h.dead:
			return false
		case <-ctx.Done():
			return false
		}
	}
}

// settle says that the request waits no longer; h.mu is held.
func (h *HTTP) settle(p *posted) {
	if h.waiting[p.id] == p {
		delete(h.waiting, p.id)
		close(p.answered)
	}
}

// leave takes the request out.
func (h *HTTP) leave(p *posted) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.settle(p)
	for i, other := range h.order {
		if other == p {
			h.order = append(h.order[:i:i], h.order[i+1:]...)
			return
		}
	}
}

// httpOut takes what the fake says, a line at a time, to whoever it is for.
type httpOut struct{ *HTTP }

func (httpOut) Close() error { return nil }

func (h httpOut) Write(text []byte) (int, error) {
	line := bytes.TrimSpace(bytes.Clone(text))
	message := headOf(line)
	h.mu.Lock()
	defer h.mu.Unlock()
	if p := h.waiting[string(message.ID)]; message.Method == "" && p != nil && !h.fake.mode().has("oldsse") {
		h.settle(p)
		p.lines <- line
		close(p.lines)
		return len(text), nil
	}
	if to := h.stream(message); to != nil {
		select {
		case to <- line:
		default: // nobody reads
		}
	}
	return len(text), nil
}

// headOf is what says who a message is for. Of a long one only the beginning is looked at, as fakes write it.
func headOf(line []byte) (message request) {
	if rest, ok := bytes.CutPrefix(line, []byte(`{"jsonrpc":"2.0","id":`)); ok && len(line) > 1<<16 {
		id, _, _ := bytes.Cut(rest, []byte(","))
		return request{ID: id}
	}
	_ = json.Unmarshal(line, &message)
	return message
}

// stream is where a message goes that is no reply to a request whose answer is open; h.mu is held.
func (h *HTTP) stream(message request) chan []byte {
	isListed := strings.HasSuffix(message.Method, "list_changed") || strings.HasSuffix(message.Method, "acknowledged")
	var call, listen chan []byte
	for _, p := range h.order {
		switch {
		case h.waiting[p.id] != p:
		case p.method == "subscriptions/listen":
			listen = p.lines
		default:
			call = p.lines
		}
	}
	switch {
	case len(h.streams) > 0 && (isListed || call == nil):
		return h.streams[len(h.streams)-1]
	case listen != nil && (isListed || call == nil):
		return listen
	}
	return call
}

// concerns reports whether a mode names the method.
func (o options) concerns(name, method string) bool {
	return o.lists(name, method) || o.lists(name, "*")
}

// value is what a mode has for the method.
func (o options) value(name, method string) string {
	if value, ok := o.pair(name, method); ok {
		return value
	}
	value, _ := o.pair(name, "*")
	return value
}
