package rpc

import "context"

// maxIdleRunners is how many goroutines wait for another request: as many as a caller who waits for each answer needs.
const maxIdleRunners = 2

// runners run requests, each on a goroutine of its own for as long as it takes. One that is done waits for another request,
// with a stack that has grown already: to grow it anew was a tenth of what a small call cost.
type runners struct {
	next chan func()   // to one that waits
	idle chan struct{} // as many as wait
}

func newRunners() runners {
	return runners{next: make(chan func()), idle: make(chan struct{}, maxIdleRunners)}
}

// run starts do and returns at once. What waits for more ends with ctx.
func (r runners) run(ctx context.Context, do func()) {
	select {
	case r.next <- do:
	default:
		go r.keepRunning(ctx, do)
	}
}

func (r runners) keepRunning(ctx context.Context, do func()) {
	for {
		do()
		select {
		case r.idle <- struct{}{}:
		default:
			return
		}
		select {
		case do = <-r.next:
			<-r.idle
		case <-ctx.Done():
			return
		}
	}
}
