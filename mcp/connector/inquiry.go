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
	task  string // that it follows; empty for none
	clock *Clock
	ctx   context.Context
	// inquirer answers what a server asks during it; nil has [Offers] answer.
	inquirer *Inquirer
	// onLog is told the log messages that are about it; nil hears none.
	onLog func(params []byte)
	// charges is what its questions are counted against; nil is itself.
	charges *running

	questions, samplings int // of the inquiries' lock
}

// inquiries are the requests of one server that are being answered.
type inquiries struct {
	mu      sync.Mutex
	running []*running // oldest first
	// shared is charged for what cannot be told to belong to one of several; it is anew once none is left.
	shared *running
	open   map[string]context.CancelFunc
	pages  map[string]chan struct{} // by elicitation id: closed when the server says that its page is done with
}

func newInquiries() *inquiries {
	return &inquiries{shared: &running{}, open: map[string]context.CancelFunc{}, pages: map[string]chan struct{}{}}
}

// during notes that a request is under way, until the returned func is called.
func (q *inquiries) during(r *running) (end func()) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.running = append(q.running, r)
	return func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		if q.running = slices.DeleteFunc(q.running, func(other *running) bool { return other == r }); len(q.running) == 0 {
			q.shared = &running{}
		}
	}
}

// cause is the request that a server asks in the middle of, its id, and all that it may be about, whose clocks stand still meanwhile.
// That is the one whose own stream the question came by (MCP 2025-11-25 streamable HTTP), that of the task that it names, or, where
// it came by no stream of a request, the only one that is under way. Of several none is picked: the connector itself is charged, and
// the id is empty. What came by the stream of a request that is over, or in which nothing may be asked, is about no other: nil.
func (q *inquiries) cause(of *exchange, task string) (charged *running, id string, all []*running) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if meant := q.meant(of, task); meant != nil {
		// A task is followed by one request after the other: all are one call, with one count and one clock.
		for _, other := range q.running {
			if other == meant || meant.id != "" && other.id == meant.id {
				all = append(all, other)
			}
		}
		return all[0], meant.id, all
	}
	if len(q.running) == 0 || of != nil {
		return nil, "", nil
	}
	first := q.running[0]
	if slices.ContainsFunc(q.running, func(other *running) bool { return other.id != first.id }) || first.id == "" && len(q.running) > 1 {
		return q.shared, "", slices.Clone(q.running)
	}
	return first, first.id, slices.Clone(q.running)
}

// meant is the request that a question says it is about; nil where that is none that is under way.
func (q *inquiries) meant(of *exchange, task string) *running {
	for _, r := range q.running {
		if of != nil && of.cause == r {
			return r
		}
	}
	for _, r := range q.running {
		if task != "" && r.task == task {
			return r
		}
	}
	return nil
}

// relatedTask is the task that a request of a server says that it is about (MCP 2025-11-25 tasks).
func relatedTask(params jsontext.Value) (id string) {
	_ = object(params, func(name string, value jsontext.Value) error {
		if name != "_meta" {
			return nil
		}
		return object(value, func(name string, value jsontext.Value) error {
			if name != "io.modelcontextprotocol/related-task" {
				return nil
			}
			return object(value, func(name string, value jsontext.Value) error {
				if name == "taskId" {
					id, _ = text(value)
				}
				return nil
			})
		})
	})
	return id
}

// charge counts an inquiry against its request and reports whether it may still be made.
func (q *inquiries) charge(r *running, method string) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if r.charges != nil {
		r = r.charges
	}
	if method == samplingMethod {
		r.samplings++
		return r.samplings <= maxSamplings
	}
	r.questions++
	return r.questions <= maxQuestions
}

// serve answers a request of a server of the legacy era, in its own time. It is called by the reader and never blocks.
func (s *session) serve(of *exchange, method string, id, params jsontext.Value) {
	id, params = id.Clone(), params.Clone()
	charged, callID, all := s.inquiries.cause(of, relatedTask(params))
	if by := inquirerOf(all); by != nil && charged != nil && charged.inquirer == nil {
		// Several of one caller: they are charged together.
		charged = &running{id: callID, clock: all[0].clock, ctx: all[0].ctx, inquirer: by, charges: charged}
	}
	refusal := s.mayInquire(method, params, s.offersTo(charged))
	if refusal == nil && method != rootsMethod && charged == nil {
		refusal = s.outsideOfCalls(of, method)
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

// outsideOfCalls refuses what is about no request that is under way. A server need not know yet that one is over.
func (s *session) outsideOfCalls(of *exchange, method string) *ProtocolError {
	if of != nil && of.cause != nil {
		return &ProtocolError{Code: codeInvalidParams, Message: "the request that this is about is over"}
	}
	s.connector.warn("unasked "+method, fmt.Sprintf("asked for %s outside of any call", method))
	return &ProtocolError{Code: codeInvalidParams, Message: "this may be asked for during a call alone"}
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
func (s *session) mayInquire(method string, params jsontext.Value, offers Offers) *ProtocolError {
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
	if charged != nil && charged.inquirer != nil {
		return s.inquireCaller(ctx, charged, method, params)
	}
	if method == rootsMethod {
		return s.connector.offers().rootsResult(), nil
	}
	if offers := s.connector.offers(); method == elicitMethod && offers.Elicit == nil || method == samplingMethod && offers.Sample == nil {
		return nil, &ProtocolError{Code: codeRejected, Message: "it cannot be told whose call this is about"}
	}
	if charged != nil && !s.inquiries.charge(charged, method) {
		s.connector.warn("many "+method, fmt.Sprintf("asked for %s again and again during its calls; the rest is declined", method))
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
