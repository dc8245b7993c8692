package connector

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

const (
	// maxRounds bounds how often a server may ask for something before it answers (MCP 2026-07-28 patterns/mrtr).
	maxRounds = 10
	// codeURLElicitation is what a server of the legacy era answers that wants pages visited first (MCP 2025-11-25).
	codeURLElicitation = -32042
	maxPagesAsked      = 5
	elicitationDone    = "notifications/elicitation/complete"
)

// DeclinedError says that a server asked for something before it answers, and did not get it; nothing more was sent.
type DeclinedError struct{ Reason string }

func (e *DeclinedError) Error() string { return e.Reason }

// canAsk reports whether the method is one whose answer may be a question (MCP 2026-07-28 patterns/mrtr).
func canAsk(method string) bool {
	return method == "tools/call" || method == "prompts/get" || method == "resources/read"
}

// nextRound returns the members that the request is sent with again: what the server asked for, and its own state untouched.
func (s *session) nextRound(ctx context.Context, r *running, result jsontext.Value) ([]member, error) {
	var asked, state jsontext.Value
	err := object(result, func(name string, value jsontext.Value) error {
		switch name {
		case "inputRequests":
			asked = value
		case "requestState":
			state = value
		}
		return nil
	})
	if err != nil || asked == nil && state == nil {
		return nil, &MalformedReplyError{Reason: "it asks for something, and does not say for what"}
	}
	var next []member
	if state != nil && state.Kind() != 'n' {
		next = append(next, member{"requestState", state.Clone()})
	}
	if asked.Kind() != '{' {
		if !sleep(ctx, s.connector.tuning.sync) { // it only wants to be asked again
			return nil, context.Cause(ctx)
		}
		return next, nil
	}
	responses, err := s.respond(ctx, r, asked)
	if err != nil {
		return nil, err
	}
	return append(next, member{"inputResponses", responses}), nil
}

// respond answers each of a set of requests, one after the other, in the order of their keys.
func (s *session) respond(ctx context.Context, r *running, asked jsontext.Value) ([]byte, error) {
	requests := map[string]inputRequest{}
	err := object(asked, func(key string, value jsontext.Value) error {
		if len(requests) == maxQuestions {
			return fmt.Errorf("it asks for more than %d things at once", maxQuestions)
		}
		request := inputRequest{}
		err := object(value, func(name string, value jsontext.Value) error {
			switch name {
			case "method":
				request.method, _ = text(value)
			case "params":
				request.params = value
			}
			return nil
		})
		if request.params == nil {
			request.params = jsontext.Value(`{}`)
		}
		requests[key] = request
		return err
	})
	if err != nil {
		return nil, &MalformedReplyError{Reason: "what it asks for cannot be read: " + visible(err.Error(), maxReasonBytes)}
	}
	if r.inquirer != nil {
		return s.respondBy(ctx, r, requests)
	}
	responses := []byte{'{'}
	for i, key := range slices.Sorted(maps.Keys(requests)) {
		request := requests[key]
		if refusal := s.mayInquire(request.method, request.params, s.offersTo(r)); refusal != nil {
			return nil, &DeclinedError{Reason: fmt.Sprintf("it asks for %s first, which it was not offered", visible(request.method, 60))}
		}
		result, refusal := s.inquire(ctx, request.method, request.params, r, r.id, []*running{r})
		switch {
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case refusal != nil:
			return nil, &DeclinedError{Reason: fmt.Sprintf("it asks for %s first: %s", visible(request.method, 60), refusal.Message)}
		}
		if i > 0 {
			responses = append(responses, ',')
		}
		responses, _ = jsontext.AppendQuote(responses, key)
		responses = append(append(responses, ':'), result...)
	}
	return append(responses, '}'), nil
}

type inputRequest struct {
	method string
	params jsontext.Value
}

// visitPages puts the pages to a person that a server wants visited first, and reports whether the request may be made again:
// all were opened, and the server says that it is done with them (MCP 2025-11-25 elicitation).
func (s *session) visitPages(ctx context.Context, r *running, refusal *ProtocolError) bool {
	var pages []jsontext.Value
	_ = object(refusal.Data, func(name string, value jsontext.Value) error {
		if name == "elicitations" {
			pages, _ = elements(value, maxPagesAsked)
		}
		return nil
	})
	var done []chan struct{}
	for _, page := range pages {
		id := ""
		_ = object(page, func(name string, value jsontext.Value) error {
			if name == "elicitationId" {
				id, _ = text(value)
			}
			return nil
		})
		if modeOf(page) != "url" || s.mayInquire(elicitMethod, page, s.offersTo(r)) != nil {
			return false
		}
		closed, forget := s.inquiries.awaitPage(id)
		defer forget()
		result, refused := s.inquire(ctx, elicitMethod, page, r, r.id, []*running{r})
		if refused != nil || string(result) != `{"action":"accept"}` {
			return false
		}
		done = append(done, closed)
	}
	r.clock.Pause()
	defer r.clock.Resume()
	timer := time.NewTimer(s.connector.tuning.page)
	defer timer.Stop()
	for _, closed := range done {
		select {
		case <-closed:
		case <-timer.C:
			return false
		case <-ctx.Done():
			return false
		}
	}
	return len(done) > 0
}

// awaitPage returns what is closed when the server says that it is done with a page.
func (q *inquiries) awaitPage(id string) (closed chan struct{}, forget func()) {
	q.mu.Lock()
	defer q.mu.Unlock()
	closed = make(chan struct{})
	if id != "" && q.pages[id] == nil {
		q.pages[id] = closed
	}
	return closed, func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		if q.pages[id] == closed {
			delete(q.pages, id)
		}
	}
}

// pageDone notes that the server is done with a page; one that nobody waits for is nobody's.
func (q *inquiries) pageDone(params jsontext.Value) {
	_ = object(params, func(name string, value jsontext.Value) error {
		if name != "elicitationId" {
			return nil
		}
		id, _ := text(value)
		q.mu.Lock()
		defer q.mu.Unlock()
		if closed := q.pages[id]; closed != nil {
			close(closed)
			delete(q.pages, id)
		}
		return nil
	})
}
