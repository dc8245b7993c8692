package permission

import (
	"fmt"
	"testing"
)

func TestE5_WhatIsMadeAgain(t *testing.T) {
	t.Parallel()
	writes, reads, idempotent := Repeatable{}, Repeatable{ReadOnly: true}, Repeatable{Idempotent: true}
	page, snapshot := Repeatable{IsStateful: true}, Repeatable{IsStateful: true, ReadOnly: true}
	known := func(ending Ending, isChanged bool, inARow int) Earlier {
		return Earlier{true, ending, isChanged, inARow}
	}
	for _, test := range []struct {
		name    string
		earlier Earlier
		tool    Repeatable
		want    Repetition
	}{
		{"first", Earlier{}, writes, RunAgain},
		{"answered", known(EndedAnswered, false, 1), writes, AnswerAgain},
		{"answered, something changed", known(EndedAnswered, true, 1), writes, AnswerAgain},
		{"answered, reads", known(EndedAnswered, false, 1), reads, AnswerAgain},
		{"answered, reads, something changed", known(EndedAnswered, true, 1), reads, RunAgain},
		{"answered, idempotent", known(EndedAnswered, false, 1), idempotent, AnswerAgain},
		{"answered, idempotent, something changed", known(EndedAnswered, true, 1), idempotent, RunAgain},
		{"answered, stateful", known(EndedAnswered, false, 1), page, RunAgain},
		{"answered, stateful, reads", known(EndedAnswered, false, 1), snapshot, RunAgain},
		{"failed", known(EndedFailed, false, 1), writes, RunAgain},
		{"failed, reads", known(EndedFailed, false, 99), reads, RunAgain},
		{"declined", known(EndedDeclined, false, 1), writes, AnswerAgain},
		{"declined, something changed", known(EndedDeclined, true, 1), reads, AnswerAgain},
		{"declined, stateful", known(EndedDeclined, true, 1), page, AnswerAgain},
		{"five times", known(EndedAnswered, false, 4), page, RunAgain},
		{"more than five times", known(EndedAnswered, false, 5), page, IsLoop},
		{"more than five failures", known(EndedFailed, false, 5), page, IsLoop},
		{"more than five looks", known(EndedAnswered, false, 5), snapshot, RunAgain},
		{"more than five times, not in a row", known(EndedAnswered, false, 0), page, RunAgain},
	} {
		if got := Repeat(test.earlier, test.tool); got != test.want {
			t.Errorf("%s: %d, want %d", test.name, got, test.want)
		}
	}
}

func TestE5_TurnsAreKeptApart(t *testing.T) {
	t.Parallel()
	var turns Turns[string]
	read, write := KeyOf("t", []byte(`{"a":1}`)), KeyOf("t", []byte(`{"a":2}`))
	turns.Record("s", "1", TurnCall[string]{Key: read, ToolHash: "h", Sent: turns.Now(), Ending: EndedAnswered, Answer: "first"})
	if e, answer := turns.Earlier("s", "1", read, "h"); e != (Earlier{true, EndedAnswered, false, 1}) || answer != "first" {
		t.Errorf("%+v %q", e, answer)
	}
	for _, other := range [][2]string{{"s", "2"}, {"r", "1"}, {"", "1"}} {
		if e, _ := turns.Earlier(other[0], other[1], read, "h"); e.IsKnown {
			t.Errorf("in %q: %+v", other, e)
		}
	}
	if e, _ := turns.Earlier("s", "1", read, "another"); !e.IsChanged {
		t.Errorf("of a tool that was redefined: %+v", e)
	}
	turns.Record("s", "1", TurnCall[string]{Key: write, ToolHash: "h", Sent: turns.Changed(), Ending: EndedAnswered, Answer: "second"})
	if e, _ := turns.Earlier("s", "1", read, "h"); !e.IsChanged || e.InARow != 0 {
		t.Errorf("after a change: %+v", e)
	}
	if e, _ := turns.Earlier("s", "1", write, "h"); e.IsChanged || e.InARow != 1 {
		t.Errorf("a call is a change to itself: %+v", e)
	}
	for n := 2; n < 4; n++ {
		turns.Record("s", "1", TurnCall[string]{Key: write, ToolHash: "h", Sent: turns.Changed(), Ending: EndedAnswered, Answer: ""})
		if e, _ := turns.Earlier("s", "1", write, "h"); e.InARow != n {
			t.Errorf("%d in a row: %+v", n, e)
		}
	}
	// What was sent before a change and ends after it has not seen it.
	sent := turns.Now()
	turns.Changed()
	turns.Record("s", "1", TurnCall[string]{Key: read, ToolHash: "h", Sent: sent, Ending: EndedAnswered, Answer: ""})
	if e, _ := turns.Earlier("s", "1", read, "h"); !e.IsChanged {
		t.Errorf("%+v", e)
	}
}

func TestE5_MemoryIsBounded(t *testing.T) {
	t.Parallel()
	var turns Turns[int]
	for i := range 3 * maxTurns {
		for j := range 2 {
			turns.Record("s", fmt.Sprint(i), TurnCall[int]{Key: KeyOf("t", fmt.Append(nil, j)), ToolHash: "h", Sent: 0, Ending: EndedAnswered, Answer: j})
		}
	}
	for i := range 3 * maxCallsPerTurn {
		turns.Record("s", "long", TurnCall[int]{Key: KeyOf("t", fmt.Append(nil, i)), ToolHash: "h", Sent: 0, Ending: EndedAnswered, Answer: i})
	}
	if len(turns.turns) != maxTurns || turns.order.Len() != maxTurns {
		t.Errorf("%d and %d turns", len(turns.turns), turns.order.Len())
	}
	long := turns.turns[turnKey{"s", "long"}].Value.(*turn[int])
	if len(long.calls) != maxCallsPerTurn || len(long.order) != maxCallsPerTurn {
		t.Errorf("%d and %d calls", len(long.calls), len(long.order))
	}
	for i := range 100 {
		turns.Record("s", fmt.Sprint(i), TurnCall[int]{Key: KeyOf("t", nil), Bytes: maxAnswerBytes / 10})
		turns.Record("s", "large", TurnCall[int]{Key: KeyOf("t", fmt.Append(nil, i)), Bytes: maxAnswerBytes / 10})
		if turns.bytes > maxAnswerBytes {
			t.Fatalf("%d bytes", turns.bytes)
		}
	}
	turns.Record("s", "huge", TurnCall[int]{Key: KeyOf("t", nil), Bytes: 2 * maxAnswerBytes})
	if turns.bytes != 0 || turns.order.Len() != 1 {
		t.Errorf("%d bytes in %d turns", turns.bytes, turns.order.Len())
	}
	if e, _ := turns.Earlier("s", "huge", KeyOf("t", nil), ""); e.IsKnown {
		t.Error("an answer that is too large is kept")
	}
}

func TestE5_TheLastCallIsKept(t *testing.T) {
	t.Parallel()
	var turns Turns[int]
	for i := range 3 * maxCallsPerTurn {
		turns.Record("s", "long", TurnCall[int]{Key: KeyOf("t", fmt.Append(nil, i))})
	}
	if e, _ := turns.Earlier("s", "long", KeyOf("t", fmt.Append(nil, 3*maxCallsPerTurn-1)), "h"); !e.IsKnown {
		t.Error("the last call is forgotten")
	}
}

func TestE5_WhichCallsAreTheSame(t *testing.T) {
	t.Parallel()
	key := func(tool, arguments string) CallKey { return KeyOf(tool, []byte(arguments)) }
	one := key("t", `{"a":1,"b":{"c":"x","d":[1,2]}}`)
	for _, same := range []string{`{"b":{"d":[1,2],"c":"x"},"a":1}`, `{"a":1,"b":{"c":"\u0078","d":[1,2]}}`} {
		if key("t", same) != one {
			t.Errorf("%s is another call", same)
		}
	}
	for _, other := range []string{`{"a":1.0,"b":{"c":"x","d":[1,2]}}`, `{"a":1,"b":{"c":"x","d":[2,1]}}`, `{}`} {
		if key("t", other) == one {
			t.Errorf("%s is the same call", other)
		}
	}
	if key("t", `{"n":9007199254740993}`) == key("t", `{"n":9007199254740992}`) || key("u", `{}`) == key("t", `{}`) {
		t.Error("different calls are one")
	}
}
