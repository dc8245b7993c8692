package audit

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"strconv"
	"sync"
	"time"

	"pillion/mcp/state"
)

const (
	maxQueued      = 4096
	maxQueuedBytes = 8 << 20

	// linger is how long queued records wait for company: one write then does for a whole burst of calls.
	linger = 20 * time.Millisecond
	// rotateWait bounds the wait for another window that rotates or reads; the next write tries again.
	rotateWait = time.Second
)

// Options of a log.
type Options struct {
	Logger  *slog.Logger // nil: nowhere
	Window  string       // set in records that have none
	MaxSize int64        // of one file in bytes, 16 MiB where zero
	Keep    int          // older files kept, 5 where zero
}

// Log is the audit log of the state folder, audit.jsonl, shared by all windows. Its methods may be called at once.
type Log struct {
	folder *state.Folder
	o      Options
	wake   chan struct{}
	stop   chan struct{}
	done   chan struct{}

	mu      sync.Mutex
	queue   []Record
	bytes   int // of arguments in queue
	lost    int
	started bool
	closed  bool

	writing sync.Mutex // held before mu
	file    *os.File   // nil where not open
	info    fs.FileInfo
	size    int64
	full    int64 // the size at which the file is rotated
	torn    bool  // the file does not end with a line end
	failing bool
	buffer  []byte
}

var errClosed = errors.New("the audit log is closed")

// New returns the log in the folder. Nothing is opened yet.
func New(f *state.Folder, o Options) *Log {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.MaxSize <= 0 {
		o.MaxSize = 16 << 20
	}
	if o.Keep <= 0 {
		o.Keep = 5
	}
	return &Log{folder: f, o: o, full: o.MaxSize, wake: make(chan struct{}, 1), stop: make(chan struct{}), done: make(chan struct{})}
}

// Start begins to write what is queued, until Close.
func (l *Log) Start() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.started || l.closed {
		return
	}
	l.started = true
	go l.run()
}

func (l *Log) run() {
	defer close(l.done)
	for {
		select {
		case <-l.stop:
			return
		case <-l.wake:
		}
		select {
		case <-l.stop:
			return
		case <-time.After(linger):
		}
		l.writing.Lock()
		_ = l.write(nil) // it logs, and counts what was lost
		l.rotate()
		l.writing.Unlock()
	}
}

// Append queues a record and never blocks. What exceeds the queue is counted, and the count recorded.
func (l *Log) Append(r Record) {
	r = l.complete(r)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return
	}
	if len(l.queue) >= maxQueued || l.bytes+len(r.Arguments) > maxQueuedBytes {
		l.lost++
		return
	}
	l.queue = append(l.queue, r)
	l.bytes += len(r.Arguments)
	if len(l.queue) == 1 {
		l.wakeWriter()
	}
}

func (l *Log) wakeWriter() {
	select {
	case l.wake <- struct{}{}:
	default: // it is awake
	}
}

// AppendNow hands a record, and those queued before it, to the operating system before it returns: for what must be
// known after a crash of this process.
func (l *Log) AppendNow(r Record) error {
	r = l.complete(r)
	l.writing.Lock()
	defer l.writing.Unlock()
	if l.isClosed() {
		return errClosed
	}
	err := l.write(&r)
	if l.size >= l.full {
		l.wakeWriter() // which rotates; a call does not wait for that
	}
	return err
}

// Flush returns when everything queued so far is with the operating system.
func (l *Log) Flush(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	l.writing.Lock()
	defer l.writing.Unlock()
	return l.write(nil)
}

// Close writes what is queued and ends the log. Records appended later are dropped.
func (l *Log) Close() error {
	l.mu.Lock()
	closed, started := l.closed, l.started
	l.closed = true
	l.mu.Unlock()
	if closed {
		return nil
	}
	close(l.stop)
	if started {
		<-l.done
	}
	l.writing.Lock()
	defer l.writing.Unlock()
	err := l.write(nil)
	l.closeFile()
	return err
}

func (l *Log) isClosed() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.closed
}

func (l *Log) complete(r Record) Record {
	if r.At.IsZero() {
		r.At = time.Now().UTC()
	}
	if r.Window == "" {
		r.Window = l.o.Window
	}
	return r
}

// write writes the queue and then last, if any, with one call of the operating system: lines of several windows do not
// mix. l.writing is held.
func (l *Log) write(last *Record) error {
	l.mu.Lock()
	queue, lost := l.queue, l.lost
	l.queue, l.bytes, l.lost = nil, 0, 0
	l.mu.Unlock()
	if lost > 0 {
		queue = append(queue, l.complete(Record{Kind: KindLost, Count: lost}))
	}
	if last != nil {
		queue = append(queue, *last)
	}
	if len(queue) == 0 {
		return nil
	}
	err := l.open()
	if err == nil {
		err = l.writeLines(queue)
	}
	if err == nil {
		l.failing = false
		return nil
	}
	err = fmt.Errorf("write the audit log: %w", err)
	l.mu.Lock()
	l.lost += lost + len(queue) - min(lost, 1) // the record of the loss is none itself
	l.mu.Unlock()
	if !l.failing {
		l.o.Logger.Warn("audit log not written", "error", err)
	}
	l.failing = true
	return err
}

func (l *Log) writeLines(records []Record) error {
	b := l.buffer[:0]
	if l.torn {
		b = append(b, '\n')
	}
	for _, r := range records {
		b = r.appendLine(b)
	}
	n, err := l.file.Write(b)
	l.size += int64(n)
	l.torn = err != nil && (n > 0 && b[n-1] != '\n' || n == 0 && l.torn)
	if l.buffer = b; cap(b) > 1<<20 {
		l.buffer = nil
	}
	if !keepOpen {
		l.closeFile()
	}
	return err
}

// Path is the file that is written now.
func (l *Log) Path() string { return l.name(0) }

// name returns the path of the n-th older file, or of the current one.
func (l *Log) name(n int) string {
	if n == 0 {
		return l.folder.Path("audit.jsonl")
	}
	return l.folder.Path("audit." + strconv.Itoa(n) + ".jsonl")
}

// open makes l.file the current file, which another window may have rotated away.
func (l *Log) open() error {
	if l.file != nil {
		if info, err := os.Lstat(l.name(0)); err == nil && os.SameFile(info, l.info) {
			return nil
		}
		l.closeFile()
	}
	f, err := os.OpenFile(l.name(0), os.O_RDWR|os.O_APPEND|os.O_CREATE|openFlags, 0o600)
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is no regular file", l.name(0))
	}
	if err != nil {
		return errors.Join(err, f.Close())
	}
	l.file, l.info, l.size, l.torn = f, info, info.Size(), false
	if l.size > 0 { // a window that died may have left half a line
		end := []byte{'\n'}
		_, err := f.ReadAt(end, l.size-1)
		l.torn = err == nil && end[0] != '\n'
	}
	return nil
}

func (l *Log) closeFile() {
	if l.file != nil {
		_ = l.file.Close()
		l.file = nil
	}
}

// rotate makes the current file an older one once it is full. A window that has it open still may write its next lines
// there; none is lost. l.writing is held.
func (l *Log) rotate() {
	if l.size < l.full {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), rotateWait)
	defer cancel()
	unlock, err := l.folder.Lock(ctx, "audit.lock")
	if err != nil {
		return
	}
	defer unlock()
	l.closeFile()
	l.size, l.full = 0, l.o.MaxSize
	info, err := os.Lstat(l.name(0))
	if err != nil || info.Size() < l.o.MaxSize {
		return // another window was first
	}
	_ = os.Remove(l.name(l.o.Keep))
	for n := l.o.Keep - 1; n >= 0; n-- {
		if err := os.Rename(l.name(n), l.name(n+1)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			l.o.Logger.Warn("audit log not rotated", "error", err)
			l.full = info.Size() + l.o.MaxSize/16
			return // going on would write over an older file
		}
	}
}
