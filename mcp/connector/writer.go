package connector

import (
	"errors"
	"io"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// writeChunkBytes is how much is written before progress is noted.
	writeChunkBytes = 64 << 10
	// maxAnswersQueued bounds the answers to requests of a server that does not read them.
	maxAnswersQueued = 1000
)

var errWriterClosed = errors.New("the connection is closed")

// outgoing is one message on its way to the server.
type outgoing struct {
	frame []byte // with the newline
	// position is that of the exchange, or of its own.
	position *atomic.Int32
	// exchange is that of a request; nil for anything else.
	exchange *exchange
	// method is that of a notification.
	method string
	// isAnswer is set for an answer to a request of the server.
	isAnswer bool
}

// writer writes messages one after the other, so that nobody who sends one ever waits for a server that does not read.
type writer struct {
	to    io.Writer
	stall time.Duration
	// onStall is called when for the time of stall a write did not advance and alive stayed the same.
	onStall func()
	// alive counts the bytes read from the server; one that still talks is busy, not wedged.
	alive *atomic.Int64

	advanced atomic.Int64 // bytes written

	mu       sync.Mutex
	queue    []outgoing
	answers  int
	isClosed bool
	wake     chan struct{}
}

func newWriter(to io.Writer, alive *atomic.Int64, stall time.Duration, onStall func()) *writer {
	return &writer{to: to, alive: alive, stall: stall, onStall: onStall, wake: make(chan struct{}, 1)}
}

// send queues a message; it never blocks.
func (w *writer) send(o outgoing) error {
	if o.position == nil {
		o.position = new(atomic.Int32)
	}
	// Withdrawn before it was queued is as good as after.
	if !o.position.CompareAndSwap(unsent, queued) {
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.isClosed {
		o.position.CompareAndSwap(queued, withdrawn)
		return errWriterClosed
	}
	w.queue = append(w.queue, o)
	w.poke()
	return nil
}

// answer queues an answer to a request of the server and reports whether there was room.
func (w *writer) answer(frame []byte) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.isClosed || w.answers >= maxAnswersQueued {
		return false
	}
	w.answers++
	position := new(atomic.Int32)
	position.Store(queued)
	w.queue = append(w.queue, outgoing{frame: frame, position: position})
	w.poke()
	return true
}

// poke is called with mu held.
func (w *writer) poke() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// close makes run return; what is queued is not written.
func (w *writer) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.isClosed = true
	w.poke()
}

// run writes until close, or until the server's stdin fails.
func (w *writer) run() {
	defer w.abandon()
	var buffer []byte
	for {
		batch, isClosed := w.take()
		if isClosed {
			return
		}
		if len(batch) == 0 {
			<-w.wake
			continue
		}
		frame := batch[0].frame
		if len(batch) > 1 {
			buffer = buffer[:0]
			for _, o := range batch {
				buffer = append(buffer, o.frame...)
			}
			frame = buffer
		}
		n, err := w.write(frame)
		for _, o := range batch {
			if n >= len(o.frame) {
				o.position.Store(written)
			} else {
				o.position.Store(broken)
			}
			n = max(n-len(o.frame), 0)
		}
		if err != nil {
			return
		}
	}
}

// take returns the messages to write next, several when they are small.
func (w *writer) take() (batch []outgoing, isClosed bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.isClosed {
		return nil, true
	}
	bytes := 0
	for len(w.queue) > 0 {
		o := w.queue[0]
		if len(batch) > 0 && bytes+len(o.frame) > writeChunkBytes {
			break
		}
		w.queue[0] = outgoing{}
		w.queue = w.queue[1:]
		if o.position.CompareAndSwap(queued, leaving) {
			batch = append(batch, o)
			bytes += len(o.frame)
		}
	}
	if len(w.queue) == 0 {
		w.answers, w.queue = 0, nil
	}
	return batch, false
}

// write writes the frame, watched, and returns how many bytes of it left.
func (w *writer) write(frame []byte) (int, error) {
	watch := w.watch()
	defer watch()
	done := 0
	for done < len(frame) {
		n, err := w.to.Write(frame[done:min(done+writeChunkBytes, len(frame))])
		done += n
		w.advanced.Add(int64(n))
		if err != nil {
			return done, err
		}
	}
	return done, nil
}

// watch calls onStall when the server neither reads nor talks; the returned func ends the watch.
func (w *writer) watch() (stop func()) {
	var mu sync.Mutex
	var timer *time.Timer
	isOver := false
	advanced, alive := w.advanced.Load(), w.alive.Load()
	check := func() {
		mu.Lock()
		defer mu.Unlock()
		if isOver {
			return
		}
		nowAdvanced, nowAlive := w.advanced.Load(), w.alive.Load()
		if nowAdvanced == advanced && nowAlive == alive {
			w.onStall()
			return
		}
		advanced, alive = nowAdvanced, nowAlive
		timer.Reset(w.stall)
	}
	mu.Lock()
	timer = time.AfterFunc(w.stall, check)
	mu.Unlock()
	return func() {
		mu.Lock()
		defer mu.Unlock()
		isOver = true
		timer.Stop()
	}
}

// abandon marks what will never be written.
func (w *writer) abandon() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.isClosed = true
	for _, o := range w.queue {
		o.position.CompareAndSwap(queued, withdrawn)
	}
	w.queue = nil
}
