package host

import (
	"context"
	"sync"

	"github.com/go-json-experiment/json"

	"pillion/mcp/config"
	"pillion/mcp/permission"
)

// repeats holds the calls of agents' turns against each other (E5). Its methods may be called at once.
type repeats struct {
	mu    sync.Mutex
	turns permission.Turns[Result]
	open  map[turnCall]chan struct{} // closed when the call has ended
}

// turnCall is one tool with arguments in one turn of one session.
type turnCall struct {
	session, turn string
	call          permission.CallKey
}

// inTurn is a call's own place in its turn.
type inTurn struct {
	key  turnCall
	hash string // of the tool
	sent int
	// isDeclined says that a person said no.
	isDeclined bool
	hasWaited  bool // for the same call, which was under way
	done       chan struct{}
}

// repeated ends a call of a turn that was made before and is not to be made again; otherwise the call has its place in the turn
// until [repeats.end]. One that is under way is waited for. What is refused is judged anew instead: the answer is the same as
// long as the refusal stands.
func (c *call) repeated(ctx context.Context, at target) *Result {
	if c.request.TurnID == "" {
		return nil
	}
	if denied := c.denied(at); denied != nil {
		return denied
	}
	place := &inTurn{
		key:  turnCall{c.request.SessionID, c.request.TurnID, permission.KeyOf(at.tool.ID, c.arguments)},
		hash: at.tool.Hash, done: make(chan struct{}),
	}
	earlier, repetition, err := c.host.repeats.begin(ctx, place, repeatable(at))
	if place.hasWaited {
		c.waited()
	}
	switch {
	case err != nil:
		return c.cancelled(ctx)
	case repetition == permission.AnswerAgain:
		return c.answeredBefore(earlier)
	case repetition == permission.IsLoop:
		loop := c.ended(StatusRepeat, "the same call was made five times in a row in this turn, which looks like a loop; it was not made again")
		loop.Steps = []string{"Look at what the earlier calls changed, and do something else."}
		return &loop
	}
	c.place = place
	return nil
}

// answeredBefore is the earlier answer, as that of a call that did nothing.
func (c *call) answeredBefore(earlier Result) *Result {
	again := c.ended(StatusRepeat, "the same call was made before in this turn: this is its answer; nothing ran again")
	again.Projection = earlier.Projection
	if earlier.Status == StatusDeclined {
		again.Status, again.Message = StatusDeclined, earlier.Message+"; it was declined before in this turn and is not asked about again"
	}
	return &again
}

func repeatable(at target) permission.Repeatable {
	var hints struct {
		Idempotent bool `json:"idempotentHint"`
	}
	if len(at.tool.Annotations) > 0 && json.Unmarshal(at.tool.Annotations, &hints) != nil {
		hints.Idempotent = false // an odd hint is none
	}
	return permission.Repeatable{ReadOnly: at.tool.ReadOnly, Idempotent: hints.Idempotent, IsStateful: isStateful(at.entry)}
}

// isStateful reports whether a connector does one thing at a time, as only those must whose calls depend on each other (A6).
func isStateful(entry *config.Entry) bool {
	return entry.Options.MaxConcurrent == 1 || entry.Options.Seat != ""
}

// begin enters a call into its turn; the error is that of ctx.
func (r *repeats) begin(ctx context.Context, place *inTurn, tool permission.Repeatable) (earlier Result, is permission.Repetition, err error) {
	for {
		r.mu.Lock()
		before := r.open[place.key]
		if before == nil {
			defer r.mu.Unlock()
			known, answer := r.turns.Earlier(place.key.session, place.key.turn, place.key.call, place.hash)
			is = permission.Repeat(known, tool)
			if is == permission.RunAgain {
				if r.open == nil {
					r.open = map[turnCall]chan struct{}{}
				}
				r.open[place.key] = place.done
			}
			return answer, is, nil
		}
		r.mu.Unlock()
		place.hasWaited = true
		select {
		case <-before:
		case <-ctx.Done():
			return Result{}, permission.RunAgain, ctx.Err()
		}
	}
}

// sent takes notice of a call that leaves; place is nil for one of no turn.
func (r *repeats) sent(place *inTurn, mayChange bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.turns.Now()
	if mayChange {
		now = r.turns.Changed()
	}
	if place != nil {
		place.sent = now
	}
}

// end remembers what came of a call of a turn.
func (r *repeats) end(place *inTurn, outcome Result) {
	ending := permission.EndedFailed
	switch {
	case place.isDeclined:
		ending = permission.EndedDeclined
	case outcome.Status == StatusOK || outcome.Status == StatusTask:
		ending = permission.EndedAnswered
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.open, place.key)
	close(place.done)
	p := outcome.Projection
	size := len(p.Text) + len(p.Content) + len(p.Structured) + len(outcome.Message)
	r.turns.Record(place.key.session, place.key.turn, permission.TurnCall[Result]{
		Key: place.key.call, ToolHash: place.hash, Sent: place.sent, Ending: ending, Answer: outcome, Bytes: size,
	})
}
