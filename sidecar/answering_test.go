package sidecar

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

// What a command leads to is shown a moment after its answer, and never waits for anything else.
func TestU21_NothingIsShownWithTheAnswerOfACommand(t *testing.T) {
	t.Parallel()
	waited := func(a *answering, ctx context.Context) time.Duration {
		began := time.Now()
		a.wait(ctx)
		return time.Since(began)
	}
	synctest.Test(t, func(t *testing.T) {
		var a answering
		if d := waited(&a, t.Context()); d != 0 {
			t.Errorf("without a command it waited %s", d)
		}
		a.begin()
		a.begin()
		go func() {
			time.Sleep(time.Second)
			a.end()
			time.Sleep(time.Second)
			a.end()
		}()
		if d := waited(&a, t.Context()); d != 2*time.Second+answerMoment {
			t.Errorf("beside two commands it waited %s", d)
		}
		a.begin()
		a.end()
		time.Sleep(answerMoment / 2)
		if d := waited(&a, t.Context()); d != answerMoment/2 {
			t.Errorf("half a moment later it waited %s", d)
		}
		a.begin()
		ended, end := context.WithTimeout(t.Context(), time.Second)
		defer end()
		if d := waited(&a, ended); d != time.Second {
			t.Errorf("at the end of the session it waited %s", d)
		}
		a.end()
	})
}
