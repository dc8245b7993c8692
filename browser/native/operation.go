package native

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"pillion/browser/policy"
)

const (
	maxQuestions = 5 // in one call; a page that leads from one new origin to the next gets no further
	maxHeld      = 100
)

// question is what a person must answer before requests go where nobody was asked about.
type question struct {
	url     string
	origins []policy.Origin // the first is that of url
	byPage  string          // the page that leads there; "" is the agent itself
	held    []held
	done    chan struct{} // closed by the answer
	answer  answer        // valid once done is closed
}

// answer is what a person said. The zero value is a no.
type answer struct {
	allows    bool
	withParts bool // the pages of the first origin load their parts from every public place
}

// text is what the person reads: whole addresses, each on a line of its own, as escaped strings (S17).
func (q *question) text() string {
	var text strings.Builder
	if q.byPage == "" {
		text.WriteString("The agent asks to open a page of an origin that was not allowed in this session yet.\n")
	} else {
		text.WriteString("A page leads to an origin that was not allowed in this session yet. Nothing was sent there.\n")
		fmt.Fprintf(&text, "From: %s\n", quote(q.byPage))
	}
	fmt.Fprintf(&text, "URL: %s\n", quote(q.url))
	fmt.Fprintf(&text, "Origin: %s\n", quote(q.origins[0].String()))
	for _, origin := range q.origins[1:] {
		fmt.Fprintf(&text, "Its pages would also load from: %s\n", quote(origin.String()))
	}
	return text.String()
}

// operation is one call at work. Questions that come up are put to asks; the driver's lock guards the rest.
type operation struct {
	asks    chan *question
	open    []*question
	asked   int
	isOver  bool
	hasAsk  bool // somebody can be asked
	origins func(held) string
}

func newOperation(hasAsk bool) *operation {
	return &operation{asks: make(chan *question, maxQuestions), hasAsk: hasAsk}
}

// takes puts a held request into a question and reports whether it could; the driver's lock is held.
func (o *operation) takes(h held) bool {
	for _, q := range o.open {
		if q.origins[0] == h.origin && len(q.held) < maxHeld {
			q.held = append(q.held, h)
			return true
		}
	}
	byPage := "a page"
	if o.origins != nil {
		byPage = o.origins(h)
	}
	return o.put(&question{url: h.url, origins: []policy.Origin{h.origin}, byPage: byPage, held: []held{h}, done: make(chan struct{})})
}

func (o *operation) put(q *question) bool {
	if o.isOver || !o.hasAsk || o.asked >= maxQuestions {
		return false
	}
	o.asked++
	o.open = append(o.open, q)
	o.asks <- q // there is room for all that may be asked
	return true
}

var errNobody = errors.New("nobody can be asked here, and only loopback is reached without asking")

// ask puts the question and waits for the answer.
func (d *driver) ask(ctx context.Context, o *operation, q *question) (answer, error) {
	q.done = make(chan struct{})
	d.mu.Lock()
	ok := o.put(q)
	d.mu.Unlock()
	if !ok {
		return answer{}, errNobody
	}
	select {
	case <-q.done:
		return q.answer, nil
	case <-ctx.Done():
		return answer{}, context.Cause(ctx)
	}
}

// begin makes the call the one that questions are put in.
func (d *driver) begin(o *operation) {
	d.mu.Lock()
	defer d.mu.Unlock()
	o.origins = func(h held) string {
		if f := d.frames[h.frame]; f != nil {
			if f.url == "" || f.url == "about:blank" {
				return "a new tab"
			}
			return f.url
		}
		return "a page"
	}
	d.asking = o
}

// end refuses whatever is still held for the call.
func (d *driver) end(o *operation) {
	d.mu.Lock()
	open := slices.Clone(o.open)
	o.isOver = true
	if d.asking == o {
		d.asking = nil
	}
	d.mu.Unlock()
	for _, q := range open {
		d.settle(o, q, answer{})
	}
}

// settle gives a question its answer, once.
func (d *driver) settle(o *operation, q *question, a answer) {
	d.mu.Lock()
	i := slices.Index(o.open, q)
	if i < 0 {
		d.mu.Unlock()
		return
	}
	o.open = slices.Delete(o.open, i, i+1)
	d.mu.Unlock()
	q.answer = a
	d.answer(q, a)
	close(q.done)
}
