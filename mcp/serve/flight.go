package serve

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"pillion/mcp/connector"
	"pillion/mcp/host"
)

const (
	// roundTime is how long a client may take to come back with what it was asked for.
	roundTime = 10 * time.Minute
	// maxFlights bounds how many requests wait for their clients; the one that has waited longest goes first.
	maxFlights = 64
)

// flights are the requests of the modern era that are under way. One that has asked its client for something goes on between two
// requests: what it waits in is a call of a connector, which is not made twice.
type flights struct {
	mu   sync.Mutex
	open map[string]*flight
	seal seal
}

// flight is one request over all its rounds.
type flight struct {
	id     string
	about  []byte // of the request: what its next round must be about, too
	cancel context.CancelCauseFunc
	asked  chan []byte // what the client is to be asked for
	given  chan []byte // what it came back with
	done   chan struct{}
	result mcp.Result
	err    error

	mu      sync.Mutex
	telling *telling // of the round that is under way; nil between two
	round   int
	since   time.Time // when it began to wait for its client
	timer   *time.Timer
}

// rounds are what a request says of its rounds.
type rounds struct {
	responses mcp.InputResponseMap
	state     string
}

// progress is told to the round that is under way.
func (f *flight) progress(p connector.Progress) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.telling != nil {
		f.telling.progress(p)
	}
}

// state is told to the round that is under way.
func (f *flight) state(state host.CallState) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.telling != nil {
		f.telling.state(state)
	}
}

// logs is told to the round that is under way.
func (f *flight) logs(params []byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.telling != nil {
		f.telling.logs(params)
	}
}

// hearing is what a client hears and is asked while its request runs.
type hearing struct {
	answering *host.Answering // nil for one that is not asked
	progress  func(connector.Progress)
	state     func(host.CallState)
	logs      func(params []byte)
	level     string
}

// of has the client told whose every question is.
func (h hearing) of(connectorName string) hearing {
	h.answering = naming(h.answering, connectorName)
	if h.level == "" {
		h.logs = nil
	}
	return h
}

// fly makes a request that may have to ask its client for something. Of the legacy era the client is asked while the request is
// open; of the modern one it ends with what it asks for, and goes on with the one that brings the answers. run is called once.
func (s *Server) fly(ctx context.Context, r *request, about []byte, of rounds, run func(context.Context, hearing) (mcp.Result, error)) (mcp.Result, error) {
	if !r.isModern || !s.options.AsksClient {
		telling := r.tell(ctx)
		defer telling.end()
		return run(ctx, hearing{r.answering(r.askInCall(ctx)), telling.progress, telling.state, telling.logs, r.level})
	}
	responses, err := json.Marshal(of.responses)
	if err != nil {
		return nil, invalidParams("inputResponses cannot be read: " + err.Error())
	}
	if of.responses == nil {
		responses = nil
	} else {
		responses = carriedAll(responses)
	}
	about = slices.Concat([]byte(r.sessionID()+"\x00"), about)
	sum := sha256.Sum256(about)
	f, err := s.flights.come(of.state, sum[:], responses)
	if err != nil {
		return nil, invalidParams(err.Error())
	}
	if f == nil {
		f = s.take(ctx, r, sum[:], responses, run)
	} else {
		f.goOn(r.tell(ctx), responses)
	}
	return s.await(ctx, r, f)
}

// take begins a flight. It outlives the request that began it, and not the server.
func (s *Server) take(ctx context.Context, r *request, about, given []byte, run func(context.Context, hearing) (mcp.Result, error)) *flight {
	f := &flight{id: rand.Text(), about: about, asked: make(chan []byte), given: make(chan []byte), done: make(chan struct{}), telling: r.tell(ctx)}
	own, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	f.cancel = cancel
	answering := r.answering(f.ask)
	answering.Given = given
	fly := func() {
		defer close(f.done)
		defer cancel(nil)
		defer s.recovered("of several rounds", &f.err)
		f.result, f.err = run(own, hearing{answering, f.progress, f.state, f.logs, r.level})
	}
	if !s.work(fly) {
		f.err = misuse(host.ErrClosed)
		close(f.done)
	}
	return f
}

// ask hands what a connector asks for to whichever round is under way, and waits for the next one.
func (f *flight) ask(ctx context.Context, requests []byte) ([]byte, error) {
	select {
	case f.asked <- requests:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	select {
	case given := <-f.given:
		return given, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// goOn lets a flight go on with what its client came back with.
func (f *flight) goOn(t *telling, responses []byte) {
	f.mu.Lock()
	f.telling = t
	f.mu.Unlock()
	if len(responses) == 0 {
		responses = []byte(`{}`)
	}
	select {
	case f.given <- responses:
	case <-f.done:
	}
}

// await waits for the end of a flight, or of its round. With the request the flight is over.
func (s *Server) await(ctx context.Context, r *request, f *flight) (mcp.Result, error) {
	defer func() {
		f.mu.Lock()
		telling := f.telling
		f.telling = nil
		f.mu.Unlock()
		telling.end()
	}()
	select {
	case requests := <-f.asked:
		return s.flights.wait(r, f, requests)
	case <-f.done:
		return f.result, f.err
	case <-ctx.Done():
		f.cancel(context.Cause(ctx))
		<-f.done
		return f.result, f.err
	}
}

// come is the flight that a state leads to, which has one round more then; nil where there is no state.
func (all *flights) come(state string, about, _ []byte) (*flight, error) {
	if state == "" {
		return nil, nil
	}
	t, err := all.seal.open(state, about, time.Now())
	if err != nil {
		return nil, err
	}
	all.mu.Lock()
	defer all.mu.Unlock()
	f := all.open[t.Flight]
	if f == nil || f.round != t.Round {
		return nil, errState
	}
	f.timer.Stop()
	delete(all.open, f.id)
	return f, nil
}

// wait ends a round with what the client is asked for, and keeps the flight for the next one.
func (all *flights) wait(r *request, f *flight, requests []byte) (mcp.Result, error) {
	all.mu.Lock()
	defer all.mu.Unlock()
	f.round++
	state, err := all.seal.close(ticket{Flight: f.id, Round: f.round, Until: time.Now().Add(roundTime)}, f.about)
	if err != nil {
		f.cancel(err)
		return nil, misuse(fmt.Errorf("seal the state of a request: %w", err))
	}
	f.since = time.Now()
	f.timer = time.AfterFunc(roundTime, func() { all.giveUp(f) })
	all.open[f.id] = f
	if len(all.open) > maxFlights {
		all.open[all.oldest()].cancel(errUnanswered)
		delete(all.open, all.oldest())
	}
	meta := objectOf(member{mcp.MetaKeyServerInfo, r.server.identity()})
	return &raw{body: objectOf(member{resultTypeMember, text("input_required")}, member{"inputRequests", requests}, member{"requestState", text(state)}, member{metaMember, meta})}, nil
}

var errUnanswered = errors.New("the client did not come back with what it was asked for")

// giveUp ends a flight whose client did not come back.
func (all *flights) giveUp(f *flight) {
	all.mu.Lock()
	defer all.mu.Unlock()
	if all.open[f.id] == f {
		delete(all.open, f.id)
		f.cancel(errUnanswered)
	}
}

// oldest is the one that has waited longest; mu is held.
func (all *flights) oldest() (id string) {
	for other, f := range all.open {
		if id == "" || f.since.Before(all.open[id].since) {
			id = other
		}
	}
	return id
}

// close ends all that wait.
func (all *flights) close() {
	all.mu.Lock()
	defer all.mu.Unlock()
	for id, f := range all.open {
		f.timer.Stop()
		f.cancel(host.ErrClosed)
		delete(all.open, id)
	}
}

// aboutOf is what a request is about: the same in each of its rounds, however its client spells it.
func aboutOf(method string, params ...[]byte) []byte {
	about := []byte(method)
	for _, p := range params {
		value := jsontext.Value(slices.Clone(p))
		_ = value.Canonicalize() // what cannot be is the same as it stands
		about = append(append(about, 0), value...)
	}
	return about
}
