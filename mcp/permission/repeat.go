package permission

import (
	"container/list"
	"crypto/sha256"

	"github.com/go-json-experiment/json/jsontext"
)

// Ending is how an earlier call ended, as far as a repetition must know.
type Ending int

// The endings. One that failed may be made again.
const (
	EndedFailed   Ending = iota
	EndedAnswered        // the tool answered
	EndedDeclined        // a person said no
)

// Earlier is what is known of the last call of the same tool with the same arguments in one turn.
type Earlier struct {
	IsKnown bool
	Ending  Ending
	// IsChanged says that since it was made a call was sent that may have changed something, or the tool is another by now.
	IsChanged bool
	// InARow is how often it was made without any other call of the turn between.
	InARow int
}

// Repeatable is what is known of a tool whose call is repeated.
type Repeatable struct {
	ReadOnly, Idempotent bool // as it says of itself
	IsStateful           bool // its connector: the same call may do something else each time
}

// Repetition is what becomes of a call that was made before.
type Repetition int

// The repetitions.
const (
	RunAgain Repetition = iota
	AnswerAgain
	IsLoop
)

// maxInARow is how often the same call that changes the state of a connector may follow itself.
const maxInARow = 5

// Repeat says whether a call of a turn is made again or gets the answer of the earlier one (E5). It is pure.
func Repeat(e Earlier, r Repeatable) Repetition {
	switch {
	case !e.IsKnown:
		return RunAgain
	case e.Ending == EndedDeclined:
		return AnswerAgain
	case r.IsStateful && !r.ReadOnly && e.InARow >= maxInARow:
		return IsLoop
	case e.Ending == EndedFailed, r.IsStateful:
		return RunAgain
	case (r.ReadOnly || r.Idempotent) && e.IsChanged:
		return RunAgain
	}
	return AnswerAgain
}

// The bounds of what is remembered of turns.
const (
	maxTurns        = 64
	maxCallsPerTurn = 256
	maxAnswerBytes  = 16 << 20 // of all turns
)

// TurnCall is a call of a turn that has ended, A being an answer.
type TurnCall[A any] struct {
	Key      CallKey
	ToolHash string // of the tool as it was
	Sent     int    // what Now or Changed returned when it was sent
	Ending   Ending
	Answer   A
	Bytes    int // that the answer takes
}

// Turns remembers what the calls of turns ended in: the last 64 turns, the last 256 calls of each, 16 MiB of answers. It may
// not be used at once; the zero value is ready.
type Turns[A any] struct {
	bytes int
	order list.List // of *turn[A], the last used first
	turns map[turnKey]*list.Element
	// changes counts the calls that may have changed something, of whatever turn.
	changes int
}

type turnKey struct{ session, turn string }

type turn[A any] struct {
	key    turnKey
	calls  map[CallKey]TurnCall[A]
	order  []CallKey // oldest first
	last   CallKey   // the call that was made last
	inARow int
}

// CallKey is one tool with arguments, whatever the order of their members.
type CallKey [sha256.Size]byte

// KeyOf returns the key of a call; arguments are as CheckArguments returns them. Digits count as they are spelt.
func KeyOf(tool string, arguments []byte) CallKey {
	ordered := append(jsontext.Value(nil), arguments...)
	if ordered.Format(jsontext.ReorderRawObjects(true), jsontext.CanonicalizeRawInts(false), jsontext.CanonicalizeRawFloats(false)) != nil {
		ordered = arguments
	}
	hash := sha256.New()
	_, _ = hash.Write([]byte(tool)) // never fails
	_, _ = hash.Write([]byte{0})
	_, _ = hash.Write(ordered)
	return CallKey(hash.Sum(nil))
}

// Earlier returns what is known of the last such call in a turn, and its answer. hash is that of the tool as it is now.
func (t *Turns[A]) Earlier(session, id string, call CallKey, hash string) (Earlier, A) {
	var none A
	element := t.turns[turnKey{session, id}]
	if element == nil {
		return Earlier{}, none
	}
	within := element.Value.(*turn[A])
	r, isKnown := within.calls[call]
	if !isKnown {
		return Earlier{}, none
	}
	e := Earlier{IsKnown: true, Ending: r.Ending, IsChanged: r.Sent != t.changes || r.ToolHash != hash}
	if within.last == call {
		e.InARow = within.inARow
	}
	return e, r.Answer
}

// Now is the moment at which a call is sent that changes nothing; Record takes it.
func (t *Turns[A]) Now() int { return t.changes }

// Changed is the moment at which a call is sent that may change something: a change to every call that was sent before.
func (t *Turns[A]) Changed() int {
	t.changes++
	return t.changes
}

// Record remembers a call of a turn, in the place of the last such one.
func (t *Turns[A]) Record(session, id string, call TurnCall[A]) {
	within := t.turn(turnKey{session, id})
	if before, isKnown := within.calls[call.Key]; isKnown {
		t.bytes -= before.Bytes
	} else {
		if len(within.order) >= maxCallsPerTurn {
			t.forget(within)
		}
		within.order = append(within.order, call.Key)
	}
	within.calls[call.Key] = call
	t.bytes += call.Bytes
	if within.last != call.Key {
		within.inARow = 0
	}
	within.last = call.Key
	within.inARow++
	for t.bytes > maxAnswerBytes {
		oldest := t.order.Back().Value.(*turn[A])
		if oldest != within {
			t.end(oldest)
			continue
		}
		t.forget(within)
	}
}

// forget drops the oldest call of a turn.
func (t *Turns[A]) forget(within *turn[A]) {
	oldest := within.order[0]
	t.bytes -= within.calls[oldest].Bytes
	delete(within.calls, oldest)
	within.order = within.order[1:]
}

// end drops a turn.
func (t *Turns[A]) end(ended *turn[A]) {
	for len(ended.order) > 0 {
		t.forget(ended)
	}
	t.order.Remove(t.turns[ended.key])
	delete(t.turns, ended.key)
}

func (t *Turns[A]) turn(key turnKey) *turn[A] {
	if element := t.turns[key]; element != nil {
		t.order.MoveToFront(element)
		return element.Value.(*turn[A])
	}
	if t.turns == nil {
		t.turns = map[turnKey]*list.Element{}
	}
	if t.order.Len() >= maxTurns {
		t.end(t.order.Back().Value.(*turn[A]))
	}
	fresh := &turn[A]{key: key, calls: map[CallKey]TurnCall[A]{}}
	t.turns[key] = t.order.PushFront(fresh)
	return fresh
}
