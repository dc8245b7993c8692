package connector

import (
	"context"
	"sync"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// followed are the tasks that somebody follows: who is to look again when the server says that there is news.
type followed struct {
	mu    sync.Mutex
	woken map[string][]chan struct{} // capacity 1
}

func newFollowed() *followed { return &followed{woken: map[string][]chan struct{}{}} }

// begin returns what is sent to when there is news of a task, until leave is called.
func (f *followed) begin(id string) (woken chan struct{}, leave func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	woken = make(chan struct{}, 1)
	f.woken[id] = append(f.woken[id], woken)
	return woken, func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		left := f.woken[id][:0:0]
		for _, other := range f.woken[id] {
			if other != woken {
				left = append(left, other)
			}
		}
		if f.woken[id] = left; len(left) == 0 {
			delete(f.woken, id)
		}
	}
}

// told wakes those who follow the task of a notice; it never blocks. What the notice says is not believed: the task is looked at.
func (f *followed) told(params jsontext.Value) {
	id := ""
	_ = object(params, func(name string, value jsontext.Value) error {
		if name == "taskId" {
			id, _ = text(value)
		}
		return nil
	})
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, woken := range f.woken[id] {
		signal(woken)
	}
}

// listenToTask asks a server of the modern era to tell of a task, until the returned func is called. It need not: the task is
// looked at all the same.
func (s *session) listenToTask(id string) (end func()) {
	if s.answer.era != EraModern || !s.answer.features.tasks.isExtension {
		return func() {}
	}
	task := topic{aboutTask, id}
	if err := s.listen(task); err != nil {
		s.connector.log.Debug("task not listened to", "error", err)
		return func() {}
	}
	return func() { _ = s.unlisten(task) }
}

// sleepUntil is sleep, cut short by news, but for a pause that no flood of them shortens.
func sleepUntil(ctx context.Context, woken <-chan struct{}, d time.Duration) bool {
	timer := time.NewTimer(max(d-minPoll, 0))
	defer timer.Stop()
	if !sleep(ctx, minPoll) {
		return false
	}
	select {
	case <-timer.C:
		return true
	case <-woken:
		return true
	case <-ctx.Done():
		return false
	}
}
