package serve

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Path is where a server is reached over HTTP.
const Path = "/mcp"

const (
	// idleSession is how long a session of the legacy era is kept for a client that says nothing.
	idleSession = 12 * time.Hour
	// writeTime is how long a client may leave what is written to it unread: a stream that nobody reads must not keep those of
	// others waiting.
	writeTime = 30 * time.Second
	// modernVersion is the first one of the modern era.
	modernVersion = "2026-07-28"
)

// NewToken is a word that nobody guesses, for one start of a server.
func NewToken() string { return rand.Text() + rand.Text() }

// Handler serves any number of clients over HTTP that prove themselves with the token, on one address in both eras. It is for the
// loopback interface: requests that a web page could have sent are refused.
func (s *Server) Handler(token string) http.Handler {
	s.watch()
	server := func(*http.Request) *mcp.Server { return s.sdk }
	options := mcp.StreamableHTTPOptions{MaxRequestBodyBytes: maxLineBytes, PropagateRequestCancellation: true, SessionTimeout: idleSession}
	legacy := mcp.NewStreamableHTTPHandler(server, &options)
	options.Stateless = true
	modern := mcp.NewStreamableHTTPHandler(server, &options)
	want := sha256.Sum256([]byte(token))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w, done := bounded(w, writeTime)
		defer done()
		w.Header().Set("X-Accel-Buffering", "no") // MCP 2026-07-28 transports
		switch {
		case !isLocal(r.Host), !isOwnOrigin(r.Header.Values("Origin"), r.Host):
			http.Error(w, "this is served to programs on this machine alone", http.StatusForbidden)
		case r.URL.Path != Path:
			http.NotFound(w, r)
		case !proves(r.Header.Values("Authorization"), want):
			w.Header().Set("WWW-Authenticate", "Bearer")
			http.Error(w, "the token is missing or another one", http.StatusUnauthorized)
		case !takesBody(w, r):
		case isModern(r.Header):
			modern.ServeHTTP(w, r)
		default:
			legacy.ServeHTTP(w, r)
		}
	})
}

// takesBody looks at the messages of a body as those of a stream are looked at, and answers for what is none: some of it the SDK would
// take for something else, such as an id that it rounds. It reports whether the request is to go on.
func takesBody(w http.ResponseWriter, r *http.Request) bool {
	if r.Method != http.MethodPost {
		return true
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, maxLineBytes+1))
	if err != nil || len(body) > maxLineBytes { // which the SDK answers
		r.Body = bodyOf(body, r.Body)
		return true
	}
	taken, fault := taken(body)
	if fault != "" {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusBadRequest)
		_, _ = io.WriteString(w, fault)
		return false
	}
	r.Body, r.ContentLength = bodyOf(taken, r.Body), int64(len(taken))
	return true
}

// taken is a body as the SDK is given it; the fault is the answer to what is neither a message nor a batch of them.
func taken(body jsontext.Value) (_ []byte, fault string) {
	messages, isBatch := []jsontext.Value{body}, body.Kind() == '['
	switch {
	case depth(body) > maxDepth:
		return nil, noJSON
	case isBatch:
		if messages, fault = batchOf(body); fault != "" {
			return nil, fault
		}
	}
	bodies, hasAnswers := make([][]byte, len(messages)), false
	for i, one := range messages {
		message, fault := messageOf(one)
		if fault != "" {
			return nil, fault
		}
		bodies[i] = one
		if holdsAnswers(message) {
			hasAnswers = true
			if encoded, err := jsonrpc.EncodeMessage(message); err == nil {
				bodies[i] = encoded
			}
		}
	}
	switch {
	case !hasAnswers:
		return body, ""
	case isBatch:
		return arrayOf(bodies), ""
	}
	return bodies[0], ""
}

// bodyOf is a body of which something was read.
func bodyOf(read []byte, rest io.ReadCloser) io.ReadCloser {
	return struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(read), rest), rest}
}

// boundedWriter gives each write so much time, after which the connection is of no more use.
type boundedWriter struct {
	http.ResponseWriter
	control *http.ResponseController
	most    time.Duration
}

// bounded bounds the writes of a response until done is called.
func bounded(w http.ResponseWriter, most time.Duration) (bounded http.ResponseWriter, done func()) {
	b := boundedWriter{w, http.NewResponseController(w), most}
	return b, func() { _ = b.control.SetWriteDeadline(time.Time{}) }
}

func (w boundedWriter) Write(part []byte) (int, error) {
	_ = w.control.SetWriteDeadline(time.Now().Add(w.most))
	return w.ResponseWriter.Write(part)
}

func (w boundedWriter) FlushError() error {
	_ = w.control.SetWriteDeadline(time.Now().Add(w.most))
	return w.control.Flush()
}

// Flush implements [http.Flusher], which the SDK asks for.
func (w boundedWriter) Flush() { _ = w.FlushError() }

// Unwrap is for [http.ResponseController].
func (w boundedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// isLocal reports whether a host, with or without a port, names this machine to itself: a page whose name leads here has another one
// (DNS rebinding; MCP 2025-11-25 transports).
func isLocal(hostport string) bool {
	name, _, err := net.SplitHostPort(hostport)
	if err != nil {
		name = strings.TrimSuffix(strings.TrimPrefix(hostport, "["), "]")
	}
	if strings.EqualFold(name, "localhost") {
		return true
	}
	ip := net.ParseIP(name)
	return ip != nil && ip.IsLoopback()
}

// isOwnOrigin reports whether a request is from no page, or from one of this very address: there is none.
func isOwnOrigin(origins []string, hostport string) bool {
	if len(origins) == 0 {
		return true
	}
	origin, err := url.Parse(origins[0])
	return len(origins) == 1 && err == nil && origin.Scheme == "http" && strings.EqualFold(origin.Host, hostport) && isLocal(origin.Host)
}

// proves reports whether the one header of authorization has the token; how long that takes does not tell how much of it is right.
func proves(headers []string, want [sha256.Size]byte) bool {
	if len(headers) != 1 {
		return false
	}
	scheme, token, _ := strings.Cut(headers[0], " ")
	is := sha256.Sum256([]byte(token))
	return subtle.ConstantTimeCompare(is[:], want[:]) == 1 && strings.EqualFold(scheme, "Bearer")
}

// isModern reports whether a request is of the modern era: it says so, or has that era's headers and no session of the other. One
// that lacks its version is answered by the modern era, which says what is missing.
func isModern(h http.Header) bool {
	version := h.Get("MCP-Protocol-Version")
	return version >= modernVersion || version == "" && h.Get("Mcp-Method") != "" && h.Get("Mcp-Session-Id") == ""
}

// followSession takes back what a session of the legacy era has subscribed to, once it is over.
func (s *Server) followSession(_ context.Context, r *mcp.InitializedRequest) {
	session := r.Session
	s.work(func() {
		_ = session.Wait()
		s.levels.Delete(session)
		ctx, stop := context.WithTimeout(context.Background(), endTime)
		defer stop()
		s.host.EndSubscriptions(ctx, s.holder(session))
	})
}

// endTime bounds the taking back of subscriptions.
const endTime = 5 * time.Second
