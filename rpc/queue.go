package rpc

import (
	"context"
	"fmt"
	"io"
	"sync"
)

const (
	// batchBytes is how much the writer joins into one write.
	batchBytes = 64 << 10
	// joinedBytes is the largest frame that is worth copying to be joined.
	joinedBytes = 16 << 10
)

// queue holds frames until its one writer has written them, so that nobody but the
// writer waits for the peer. It bounds what waits, not what is written.
type queue struct {
	out      io.Writer
	maxBytes int64
	trace    Tracer
	pool     *framePool
	failed   chan struct{} // closed by the first failure
	done     chan struct{} // closed when the writer has ended

	mu      sync.Mutex
	wake    sync.Cond
	waiting []*outFrame
	spare   []*outFrame
	batch   []byte // joined frames; of who is writing
	writing bool   // somebody is, until nothing waits
	bytes   int64  // queued and not yet written
	pushed  uint64
	written uint64
	flushes []flush
	closed  bool
	err     error
}

// flush is somebody waiting for the first target frames to be written.
type flush struct {
	target uint64
	done   chan struct{}
}

func newQueue(out io.Writer, maxBytes int64, trace Tracer, pool *framePool) *queue {
	q := &queue{out: out, maxBytes: maxBytes, trace: trace, pool: pool, failed: make(chan struct{}), done: make(chan struct{})}
	q.wake.L = &q.mu
	return q
}

// push queues f, which belongs to the queue from then on. It never blocks: above
// the bound it fails the queue, since dropping one frame would leave the peer with
// a session that is wrong without anybody knowing.
func (q *queue) push(f *outFrame) error {
	size := f.seal()
	q.mu.Lock()
	defer q.mu.Unlock()
	if err := q.putLocked(f, size); err != nil {
		return err
	}
	if len(q.waiting) == 1 && !q.writing {
		q.wake.Signal()
	}
	return nil
}

// put is push for who calls help next: nobody else is woken to write.
func (q *queue) put(f *outFrame) error {
	size := f.seal()
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.putLocked(f, size)
}

func (q *queue) putLocked(f *outFrame, size int64) error {
	if q.closed || q.err != nil {
		q.pool.put(f)
		return ErrClosed
	}
	if q.bytes > 0 && q.bytes+size > q.maxBytes {
		q.failLocked(fmt.Errorf("write to the editor: it does not read, %d bytes are waiting", q.bytes))
		q.pool.put(f)
		return ErrClosed
	}
	q.bytes += size
	q.pushed++
	q.waiting = append(q.waiting, f)
	return nil
}

// help writes what waits, unless somebody does already. It is for a goroutine that has nothing else to do: it blocks while
// the peer does not read.
func (q *queue) help() {
	if frames := q.take(false); frames != nil {
		q.writeAll(frames)
	}
}

// fail ends the queue with err; what waits is dropped. Later failures are ignored.
func (q *queue) fail(err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.failLocked(err)
}

func (q *queue) failLocked(err error) {
	if q.err != nil {
		return
	}
	q.err = err
	q.waiting = nil
	close(q.failed)
	q.wakeAllLocked()
}

// close lets the writer end once everything queued is written.
func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.wake.Broadcast()
}

// failure returns why the queue failed, or nil.
func (q *queue) failure() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.err
}

// flush waits until everything queued before the call is written.
func (q *queue) flush(ctx context.Context) error {
	q.mu.Lock()
	if q.err != nil || q.written == q.pushed {
		err := q.err
		q.mu.Unlock()
		return err
	}
	f := flush{q.pushed, make(chan struct{})}
	q.flushes = append(q.flushes, f)
	q.mu.Unlock()
	select {
	case <-f.done:
		return q.failure()
	case <-ctx.Done():
		return ctx.Err()
	case <-q.done:
		return ErrClosed
	}
}

// run writes until the queue is closed and empty or has failed.
func (q *queue) run() {
	defer close(q.done)
	for frames := q.take(true); frames != nil; frames = q.take(true) {
		q.writeAll(frames)
	}
}

// writeAll writes the frames, and what comes to wait meanwhile; the caller has them from take.
func (q *queue) writeAll(frames []*outFrame) {
	for frames != nil {
		var err error
		if q.batch, err = q.write(frames, q.batch[:0]); err != nil {
			q.fail(fmt.Errorf("write to the editor: %w", err))
		} else {
			q.wrote(frames)
		}
		frames = q.more()
	}
}

// take waits, if it is to, until there are frames and nobody writes. It returns all of them, and the caller is who writes
// then; nil at the end, or without waiting.
func (q *queue) take(isPatient bool) []*outFrame {
	q.mu.Lock()
	defer q.mu.Unlock()
	for q.writing || len(q.waiting) == 0 {
		if !isPatient || !q.writing && (q.closed || q.err != nil) {
			return nil
		}
		q.wake.Wait()
	}
	q.writing = true
	return q.takeLocked()
}

func (q *queue) takeLocked() []*outFrame {
	frames := q.waiting
	q.waiting, q.spare = q.spare[:0], nil
	return frames
}

// more returns what came to wait while the caller wrote; with nil the caller writes no more.
func (q *queue) more() []*outFrame {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.waiting) > 0 {
		return q.takeLocked()
	}
	q.writing = false
	if q.closed || q.err != nil {
		q.wake.Signal()
	}
	return nil
}

// write writes frames in order, small ones joined in batch.
func (q *queue) write(frames []*outFrame, batch []byte) ([]byte, error) {
	for _, f := range frames {
		if q.trace != nil {
			q.trace.Frame('<', f.body())
		}
		if len(frames) > 1 && f.size() <= joinedBytes {
			batch = f.appendTo(batch)
			if len(batch) < batchBytes {
				continue
			}
			f = nil
		}
		if len(batch) > 0 {
			if _, err := q.out.Write(batch); err != nil {
				return batch, err
			}
			batch = batch[:0]
		}
		if f != nil {
			if err := f.writeTo(q.out); err != nil {
				return batch, err
			}
		}
	}
	if len(batch) == 0 {
		return batch, nil
	}
	_, err := q.out.Write(batch)
	return batch, err
}

// wrote accounts for written frames and releases who waited for them.
func (q *queue) wrote(frames []*outFrame) {
	var size int64
	for i, f := range frames {
		size += int64(f.size())
		q.pool.put(f)
		frames[i] = nil
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.bytes -= size
	q.written += uint64(len(frames))
	q.spare = frames[:0]
	q.wakeFlushesLocked()
}

// wakeFlushesLocked releases the flushes that are satisfied.
func (q *queue) wakeFlushesLocked() {
	left := q.flushes[:0]
	for _, f := range q.flushes {
		if f.target <= q.written {
			close(f.done)
		} else {
			left = append(left, f)
		}
	}
	q.flushes = left
}

// wakeAllLocked releases the writer and every flush.
func (q *queue) wakeAllLocked() {
	for _, f := range q.flushes {
		close(f.done)
	}
	q.flushes = nil
	q.wake.Broadcast()
}
