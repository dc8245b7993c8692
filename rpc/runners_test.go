package rpc

import (
	"context"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
)

func TestRunners_EveryRequestRunsAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		r := newRunners()
		for range 3 { // the later rounds find goroutines that wait
			release := make(chan struct{})
			var all sync.WaitGroup
			all.Add(10)
			for range 10 {
				r.run(ctx, func() {
					<-release
					all.Done()
				})
			}
			r.run(ctx, runtime.Goexit) // takes its goroutine along, and nothing else
			synctest.Wait()            // all of them wait for the release, none for another
			close(release)
			all.Wait()
			synctest.Wait()
			if idle := len(r.idle); idle != maxIdleRunners {
				t.Errorf("%d wait for more", idle)
			}
		}
		cancel() // ends those that wait, or the bubble would not end
	})
}
