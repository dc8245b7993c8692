package editors

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"slices"
	"sync"
	"time"

	"pillion/rpc/message"
)

// Question is one question to be put.
type Question struct {
	Body      message.AskBody
	CallID    message.CallID
	SessionID message.SessionID
	Asker     message.Asker
	// Deadline is when it expires by itself; zero means never. Whoever put it sees to that.
	Deadline time.Time
	// Accept acts on an answer that fits the question. It is called at most once, by whoever answers; by says who that is.
	// Its error leaves the question open.
	Accept func(answer message.Answer, by string) error
}

// Change says which questions are new and which have ended; Rev counts the changes.
type Change struct {
	Rev    int
	Opened []message.Ask
	Closed []message.ClosedAsk
}

// maxClosedQuestions is how many ended questions are remembered, to tell a late answer who answered first (U18).
const maxClosedQuestions = 256

// Questions are the questions of one window.
// All methods may be called at once.
type Questions struct {
	observe func(Change)

	mu     sync.Mutex
	rev    int
	open   []*openQuestion // oldest first
	closed []message.ClosedAsk
}

type openQuestion struct {
	Question
	ask        message.Ask
	isAnswered bool // somebody's answer is being acted on
	isGone     bool // it was withdrawn meanwhile: unless that answer is accepted
}

// NewQuestions returns an empty set; observe, if not nil, is told every change in order and must not call back.
func NewQuestions(observe func(Change)) *Questions {
	if observe == nil {
		observe = func(Change) {}
	}
	return &Questions{observe: observe}
}

// Open puts a question and returns it as it is shown.
func (q *Questions) Open(question Question) (message.Ask, error) {
	ask := message.Ask{
		AskID: newAskID(), At: time.Now().UTC().Truncate(time.Millisecond),
		CallID: question.CallID, SessionID: question.SessionID, Asker: question.Asker,
	}
	if !question.Deadline.IsZero() {
		ask.Deadline = question.Deadline.UTC().Truncate(time.Millisecond)
	}
	if err := ask.SetBody(question.Body); err != nil {
		return message.Ask{}, fmt.Errorf("open a question: %w", err)
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.open = append(q.open, &openQuestion{Question: question, ask: ask})
	q.rev++
	q.observe(Change{Rev: q.rev, Opened: []message.Ask{ask}})
	return ask, nil
}

// Answer takes an answer or refuses it, whole. Only the exact answer counts (S16).
func (q *Questions) Answer(id message.AskID, raw []byte, by string) message.AskAnswerResult {
	question, refusal := q.claim(id, raw)
	if refusal != "" {
		return message.AskAnswerResult{Reason: refusal}
	}
	answer, err := parseAnswer(question.ask.Kind, question.Body, raw)
	if err == nil {
		err = question.Accept(answer, by)
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if err != nil {
		question.isAnswered = false
		if question.isGone {
			q.remove(question, message.ClosedAsk{AskID: id, How: message.AskWithdrawn})
		}
		return message.AskAnswerResult{Reason: err.Error()}
	}
	q.remove(question, message.ClosedAsk{AskID: id, How: message.AskAnswered, By: by})
	return message.AskAnswerResult{Accepted: true}
}

// claim keeps a second answer away while the first is acted on.
func (q *Questions) claim(id message.AskID, raw []byte) (*openQuestion, string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	at := slices.IndexFunc(q.open, func(o *openQuestion) bool { return o.ask.AskID == id })
	if at < 0 {
		return nil, q.ending(id)
	}
	question := q.open[at]
	if question.isAnswered {
		return nil, "somebody else is answering this question"
	}
	if _, err := parseAnswer(question.ask.Kind, question.Body, raw); err != nil {
		return nil, err.Error()
	}
	question.isAnswered = true
	return question, ""
}

// ending says how a question ended that is not open.
func (q *Questions) ending(id message.AskID) string {
	for _, closed := range q.closed {
		if closed.AskID != id {
			continue
		}
		switch {
		case closed.How == message.AskAnswered && closed.By != "":
			return "the question was answered by " + closed.By
		case closed.How == message.AskExpired:
			return "the question has expired"
		default:
			return "the question was withdrawn: what it was about has changed, has gone or was decided elsewhere"
		}
	}
	return "there is no such question"
}

// Withdraw ends a question that nobody answered; what it was about has gone. An answer that is being acted on may still be
// accepted; refused, it leaves the question withdrawn.
func (q *Questions) Withdraw(id message.AskID) { q.end(id, message.AskWithdrawn) }

// Expire is Withdraw for a question whose deadline has passed.
func (q *Questions) Expire(id message.AskID) { q.end(id, message.AskExpired) }

func (q *Questions) end(id message.AskID, how message.AskClosing) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, question := range q.open {
		if question.ask.AskID != id {
			continue
		}
		if question.isGone = true; !question.isAnswered {
			q.remove(question, message.ClosedAsk{AskID: id, How: how})
		}
		return
	}
}

func (q *Questions) remove(question *openQuestion, closed message.ClosedAsk) {
	at := slices.Index(q.open, question)
	if at < 0 {
		return
	}
	q.open = slices.Delete(q.open, at, at+1)
	q.closed = append(q.closed, closed)
	if surplus := len(q.closed) - maxClosedQuestions; surplus > 0 {
		q.closed = slices.Delete(q.closed, 0, surplus)
	}
	q.rev++
	q.observe(Change{Rev: q.rev, Closed: []message.ClosedAsk{closed}})
}

// Asks returns the open questions, the oldest first, and the revision that the list is of.
func (q *Questions) Asks() ([]message.Ask, int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	asks := make([]message.Ask, len(q.open))
	for i, question := range q.open {
		asks[i] = question.ask
	}
	return asks, q.rev
}

// Ask returns one open question.
func (q *Questions) Ask(id message.AskID) (message.Ask, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, question := range q.open {
		if question.ask.AskID == id {
			return question.ask, true
		}
	}
	return message.Ask{}, false
}

// Ending says how a question that is not open ended, as a sentence without its full stop.
func (q *Questions) Ending(id message.AskID) string {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.ending(id)
}

func newAskID() message.AskID {
	var random [9]byte
	_, _ = rand.Read(random[:])
	return message.AskID(hex.EncodeToString(random[:]))
}

// parseAnswer returns the answer that raw is, if it fits the question.
func parseAnswer(kind message.AskKind, body message.AskBody, raw []byte) (message.Answer, error) {
	switch b := body.(type) {
	case message.ConsentBody:
		return fitting(message.ParseConsentAnswer, b.Accepts, raw)
	case message.ApprovalBody:
		return fitting(message.ParseApprovalAnswer, b.Accepts, raw)
	case message.ElicitationBody:
		return fitting(message.ParseElicitationAnswer, b.Accepts, raw)
	case message.SamplingBody:
		return fitting(message.ParseSamplingAnswer, anyAnswer[message.SamplingAnswer], raw)
	case message.InputBody:
		return fitting(message.ParseInputAnswer, b.Accepts, raw)
	case message.JoinBody:
		return fitting(message.ParseJoinAnswer, anyAnswer[message.JoinAnswer], raw)
	case message.StoreBody:
		return fitting(message.ParseStoreAnswer, anyAnswer[message.StoreAnswer], raw)
	case message.WidenBody:
		return fitting(message.ParseWidenAnswer, anyAnswer[message.WidenAnswer], raw)
	}
	return nil, fmt.Errorf("a question of the kind %q cannot be answered here", kind)
}

func fitting[A message.Answer](parse func([]byte) (A, error), accepts func(A) error, raw []byte) (message.Answer, error) {
	answer, err := parse(raw)
	if err != nil {
		return nil, err
	}
	if err := accepts(answer); err != nil {
		return nil, err
	}
	return answer, nil
}

func anyAnswer[A message.Answer](A) error { return nil }
