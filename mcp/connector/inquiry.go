package connector

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
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

	maxMessageBytes = 16 << 10
	maxFormBytes    = 64 << 10
	maxFormDepth    = 16
	maxFormFields   = 100
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
				defer context.AfterFunc(one.ctx, func() { s.cancelIfOver(all, cancel) })()
			}
		}
		result, refusal := s.inquire(ctx, method, params, charged, callID, all)
		s.answerInquiry(id, result, refusal)
	})
}

// cancelIfOver withdraws a question once nothing is under way that it could be about.
func (s *session) cancelIfOver(all []*running, cancel context.CancelFunc) {
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

// modeOf is how a question is put; one that does not say has a form.
func modeOf(params jsontext.Value) string {
	mode := "form"
	_ = object(params, func(name string, value jsontext.Value) error {
		if name == "mode" {
			mode, _ = text(value)
		}
		return nil
	})
	return mode
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

func (a ElicitationAnswer) result() []byte {
	switch {
	case a.Action == ElicitAccept && len(a.Content) > 0:
		return fmt.Appendf(nil, `{"action":"accept","content":%s}`, a.Content)
	case a.Action == ElicitAccept, a.Action == ElicitDecline:
		return fmt.Appendf(nil, `{"action":%q}`, a.Action)
	}
	return []byte(`{"action":"cancel"}`)
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

// readQuestion reads the params of elicitation/create. Neither a question nor a refusal means that it is declined unseen: its
// form cannot be put to anybody.
func (s *session) readQuestion(params jsontext.Value) (*Elicitation, *ProtocolError) {
	q := &Elicitation{}
	isText := false
	err := object(params, func(name string, value jsontext.Value) error {
		switch name {
		case "message":
			q.Message, isText = text(value)
		case "requestedSchema":
			q.Schema = value.Clone()
		case "url":
			q.URL, _ = text(value)
		}
		return nil
	})
	isPage := modeOf(params) == "url"
	switch {
	case err != nil:
	case !isText || len(q.Message) > maxMessageBytes:
		err = fmt.Errorf("message is not a text of at most %d bytes", maxMessageBytes)
	case isPage:
		q.Schema = nil
		err = checkPage(q.URL)
	default:
		q.URL = ""
		var reason string
		if reason, err = checkForm(q.Schema); reason != "" {
			s.connector.warn("form", "asked with a form that is declined: "+reason)
			return nil, nil
		}
	}
	if err != nil {
		return nil, &ProtocolError{Code: codeInvalidParams, Message: err.Error()}
	}
	return q, nil
}

// checkPage refuses a page that a person could be misled about (S17).
func checkPage(address string) error {
	u, err := url.Parse(address)
	switch {
	case err != nil || len(address) > maxURIBytes:
		return errors.New("url is not an address that can be read")
	case u.Scheme != "https" || u.Opaque != "":
		return errors.New("url must begin with https://")
	case u.User != nil:
		return errors.New("url must have no user and password")
	case u.Hostname() == "" || strings.ContainsFunc(u.Host, func(r rune) bool { return r <= ' ' || r >= 0x7f }):
		return errors.New("the host of url must be ASCII")
	case strings.ContainsFunc(address, func(r rune) bool { return r <= ' ' || r >= 0x7f }):
		return errors.New("url must be ASCII, without white space")
	}
	return nil
}

// checkForm reads the schema of a form (MCP 2025-11-25 elicitation: a flat object of primitives). The reason says why it is
// declined unseen: it has references, which can lead in circles, or it wants a secret, for which a form is no place.
func checkForm(schema jsontext.Value) (reason string, err error) {
	switch {
	case schema.Kind() != '{':
		return "", errors.New("requestedSchema is not an object")
	case len(schema) > maxFormBytes || isTooDeep(schema, maxFormDepth):
		return "it is too large", nil
	case !schema.IsValid(jsontext.AllowInvalidUTF8(true)):
		return "it has a name twice in one object", nil
	case hasReference(schema):
		return "it has references", nil
	}
	fields, isObject := 0, false
	err = object(schema, func(name string, value jsontext.Value) error {
		switch name {
		case "type":
			kind, _ := text(value)
			isObject = kind == "object"
		case "properties":
			return object(value, func(name string, value jsontext.Value) error {
				if fields++; fields > maxFormFields {
					reason = "it has too many fields"
				}
				if wantsSecret(name, value) {
					reason = fmt.Sprintf("its field %s wants a secret", visible(name, 60))
				}
				return checkField(name, value)
			})
		}
		return nil
	})
	if err == nil && !isObject {
		err = errors.New("requestedSchema is not the schema of an object")
	}
	return reason, err
}

// checkField refuses a field that is no primitive, nor a choice of several.
func checkField(name string, schema jsontext.Value) error {
	kind := ""
	if err := object(schema, func(name string, value jsontext.Value) error {
		if name == "type" {
			kind, _ = text(value)
		}
		return nil
	}); err != nil {
		return fmt.Errorf("the field %s has no schema that is an object", visible(name, 60))
	}
	switch kind {
	case "string", "number", "integer", "boolean", "array":
		return nil
	}
	return fmt.Errorf("the field %s is neither a text, a number, a boolean nor a choice of several", visible(name, 60))
}

// wantsSecret reports whether a field is for what nobody should type into a form of somebody else's.
func wantsSecret(name string, schema jsontext.Value) bool {
	isPassword := false
	_ = object(schema, func(name string, value jsontext.Value) error {
		said, _ := text(value)
		isPassword = isPassword || name == "format" && said == "password"
		return nil
	})
	plain := strings.ToLower(strings.NewReplacer("_", "", "-", "", " ", "", ".", "").Replace(name))
	return isPassword || slices.ContainsFunc([]string{"password", "passwd", "passphrase", "secretkey", "apikey", "accesstoken", "privatekey", "clientsecret"},
		func(word string) bool { return strings.HasSuffix(plain, word) })
}

// hasReference reports whether an object anywhere in the schema refers to another place.
func hasReference(schema jsontext.Value) bool {
	if !strings.Contains(string(schema), "ef") {
		return false
	}
	switch schema.Kind() {
	case '{':
		found := false
		_ = object(schema, func(name string, value jsontext.Value) error {
			found = found || name == "$ref" || name == "$dynamicRef" || name == "$recursiveRef" || hasReference(value)
			return nil
		})
		return found
	case '[':
		all, _ := elements(schema, maxFormBytes)
		return slices.ContainsFunc(all, hasReference)
	}
	return false
}
