package connector

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// What a server may ask for.
const (
	rootsMethod    = "roots/list"
	elicitMethod   = "elicitation/create"
	samplingMethod = "sampling/createMessage"
)

const (
	// maxInquiries bounds the questions of one server that are open at a time.
	maxInquiries = 16
	// maxQuestions and maxSamplings bound what one request of ours may lead to (S30).
	maxQuestions = 20
	maxSamplings = 5
)

// The codes that a server is answered with (MCP 2025-11-25 elicitation and sampling).
const (
	codeMethodNotFound = -32601
	codeInvalidParams  = -32602
	codeRejected       = -1 // the user declined
)

// running is one of our requests while its answer is waited for: what a server may ask during.
type running struct {
	id    string
	clock *Clock
	ctx   context.Context

	questions, samplings int // of the inquiries' lock
}

// inquiries are the requests of one server that are being answered.
type inquiries struct {
	mu      sync.Mutex
	running []*running // oldest first
	open    map[string]context.CancelFunc
	pages   map[string]chan struct{} // by elicitation id: closed when the server says that its page is done with
}

func newInquiries() *inquiries {
	return &inquiries{open: map[string]context.CancelFunc{}, pages: map[string]chan struct{}{}}
}

// during notes that a request is under way, until the returned func is called.
func (q *inquiries) during(r *running) (end func()) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.running = append(q.running, r)
	return func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		q.running = slices.DeleteFunc(q.running, func(other *running) bool { return other == r })
	}
}

// cause is the request that a server asks in the middle of, where that can be told: the transport does not say. Where there
// are several the newest is charged, and the id is empty.
func (q *inquiries) cause() (charged *running, id string, all []*running) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.running) == 0 {
		return nil, "", nil
	}
	charged = q.running[len(q.running)-1]
	if !slices.ContainsFunc(q.running, func(other *running) bool { return other.id != charged.id }) {
		id = charged.id
	}
	return charged, id, slices.Clone(q.running)
}

// charge counts an inquiry against its request and reports whether it may still be made.
func (q *inquiries) charge(r *running, method string) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if method == samplingMethod {
		r.samplings++
		return r.samplings <= maxSamplings
	}
	r.questions++
	return r.questions <= maxQuestions
}

// serve answers a request of a server of the legacy era, in its own time. It is called by the reader and never blocks.
func (s *session) serve(method string, id, params jsontext.Value) {
	id, params = id.Clone(), params.Clone()
	charged, callID, all := s.inquiries.cause()
	refusal := s.mayInquire(method, params)
	if refusal == nil && method != rootsMethod && charged == nil {
		s.connector.warn("unasked "+method, fmt.Sprintf("asked for %s outside of any call", method))
		refusal = &ProtocolError{Code: codeInvalidParams, Message: "this may be asked for during a call alone"}
	}
	ctx, cancel := context.WithCancel(s.ctx)
	key := string(id)
	if refusal == nil && !s.inquiries.begin(key, cancel) {
		refusal = &ProtocolError{Code: codeRejected, Message: "too many questions are open already"}
	}
	if refusal != nil {
		cancel()
		s.answerInquiry(id, nil, refusal)
		return
	}
	s.workers.Go(func() {
		defer cancel()
		defer s.inquiries.end(key)
		if charged != nil { // what it was about ends with it
			for _, one := range all {
				defer context.AfterFunc(one.ctx, func() { cancelIfOver(all, cancel) })()
			}
		}
		result, refusal := s.inquire(ctx, method, params, charged, callID, all)
		s.answerInquiry(id, result, refusal)
	})
}

// cancelIfOver withdraws a question once nothing is under way that it could be about.
func cancelIfOver(all []*running, cancel context.CancelFunc) {
	for _, one := range all {
		if one.ctx.Err() == nil {
			return
		}
	}
	cancel()
}

func (q *inquiries) begin(key string, cancel context.CancelFunc) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.open) >= maxInquiries || q.open[key] != nil {
		return false
	}
	q.open[key] = cancel
	return true
}

func (q *inquiries) end(key string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	delete(q.open, key)
}

// withdraw ends an inquiry that its server does not wait for any more.
func (q *inquiries) withdraw(key string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if cancel := q.open[key]; cancel != nil {
		cancel()
	}
}

func (s *session) answerInquiry(id jsontext.Value, result []byte, refusal *ProtocolError) {
	answer := fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,`, id)
	if refusal != nil {
		message, _ := jsontext.AppendQuote(nil, refusal.Message)
		answer = fmt.Appendf(answer, `"error":{"code":%d,"message":%s}}`, refusal.Code, message)
	} else {
		answer = append(append(append(answer, `"result":`...), result...), '}')
	}
	if !s.filter.wire.answer(append(answer, '\n')) {
		s.connector.warn("unread answers", "does not read the answers to its requests")
	}
}

// mayInquire says why something may not be asked for at all.
func (s *session) mayInquire(method string, params jsontext.Value) *ProtocolError {
	offers := s.connector.offers()
	isOffered := false
	switch method {
	case rootsMethod:
		isOffered = offers.Roots != nil
	case elicitMethod:
		isOffered = offers.HasForms || offers.HasPages
	case samplingMethod:
		isOffered = offers.HasModel
	}
	if !isOffered {
		s.connector.warn("request "+visible(method, 60), fmt.Sprintf("asked for %s, which it was not offered", visible(method, 60)))
		return &ProtocolError{Code: codeMethodNotFound, Message: "not supported by this client: " + visible(method, 60)}
	}
	if method != elicitMethod {
		return nil
	}
	mode := modeOf(params)
	if mode == "form" && !offers.HasForms || mode == "url" && !offers.HasPages || mode != "form" && mode != "url" {
		s.connector.warn("mode "+visible(mode, 60), fmt.Sprintf("asked in the mode %s, which it was not offered", visible(mode, 60)))
		return &ProtocolError{Code: codeInvalidParams, Message: "this mode was not offered: " + visible(mode, 60)}
	}
	return nil
}

// inquire has people and models answer; what is under way does not lose time by it (E8).
func (s *session) inquire(ctx context.Context, method string, params jsontext.Value, charged *running, callID string, all []*running) ([]byte, *ProtocolError) {
	if method == rootsMethod {
		return s.connector.offers().rootsResult(), nil
	}
	if charged != nil && !s.inquiries.charge(charged, method) {
		s.connector.warn("many "+method, fmt.Sprintf("asked for %s again and again in one call; the rest is declined", method))
		if method == elicitMethod {
			return []byte(`{"action":"decline"}`), nil
		}
		return nil, &ProtocolError{Code: codeRejected, Message: fmt.Sprintf("no more than %d a call", maxSamplings)}
	}
	for _, one := range all {
		one.clock.Pause()
		defer one.clock.Resume()
	}
	if method == samplingMethod {
		return s.sample(ctx, params, callID)
	}
	question, refusal := s.readQuestion(params)
	if refusal != nil || question == nil {
		return []byte(`{"action":"decline"}`), refusal
	}
	question.CallID = callID
	return s.connector.offers().Elicit(ctx, *question).result(), nil
}

func (o Offers) rootsResult() []byte {
	type root struct {
		URI  string `json:"uri"`
		Name string `json:"name,omitzero"`
	}
	roots := []root{}
	for _, r := range o.Roots {
		roots = append(roots, root(r))
	}
	encoded, err := json.Marshal(map[string]any{"roots": roots})
	if err != nil {
		return []byte(`{"roots":[]}`)
	}
	return encoded
}
