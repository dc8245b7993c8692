package host

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"pillion/mcp/connector"
)

// Task is a call that its connector goes on with in the background.
type Task struct {
	CallID, TaskID string
	Status         string // in the words of MCP
	Message        string // the connector's own words
	// Result is what came of it; nil while it goes on.
	Result *Result
}

// maxEndedTasks is how many tasks that ended are kept for those who ask later.
const maxEndedTasks = 200

// taskBook knows the tasks of this session. Its methods may be called at once.
type taskBook struct {
	mu    sync.Mutex
	tasks map[string]*openTask // by call id
	ended []string             // oldest first
}

type openTask struct {
	Task
	changed chan struct{} // closed and replaced at every change
}

func newTaskBook() *taskBook { return &taskBook{tasks: map[string]*openTask{}} }

func (b *taskBook) begin(t Task) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.tasks[t.CallID] = &openTask{Task: t, changed: make(chan struct{})}
}

func (b *taskBook) update(callID string, change func(*Task)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	t := b.tasks[callID]
	if t == nil {
		return
	}
	change(&t.Task)
	close(t.changed)
	t.changed = make(chan struct{})
	if t.Result == nil {
		return
	}
	b.ended = append(b.ended, callID)
	if len(b.ended) > maxEndedTasks {
		delete(b.tasks, b.ended[0])
		b.ended = b.ended[1:]
	}
}

func (b *taskBook) find(callID string) (t Task, changed <-chan struct{}, isKnown bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	found := b.tasks[callID]
	if found == nil {
		return Task{}, nil, false
	}
	return found.Task, found.changed, true
}

// Task returns the task that a call became, of this session; the error is an [*UnknownError].
func (h *Host) Task(callID string) (Task, error) {
	t, _, isKnown := h.tasks.find(callID)
	if !isKnown {
		return Task{}, &UnknownError{What: "task of a call", Name: callID}
	}
	return t, nil
}

// TaskResult waits for the end of the task that a call became and returns what came of it. onState, which may be nil, is told
// what the connector says of it meanwhile; it must not block. The end of ctx ends the waiting, not the task. The error is an
// [*UnknownError] or that of ctx.
func (h *Host) TaskResult(ctx context.Context, callID string, onState func(Task)) (Result, error) {
	said := ""
	for {
		t, changed, isKnown := h.tasks.find(callID)
		switch {
		case !isKnown:
			return Result{}, &UnknownError{What: "task of a call", Name: callID}
		case t.Result != nil:
			return *t.Result, nil
		case onState != nil && t.Status+t.Message != said:
			said = t.Status + t.Message
			onState(t)
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return Result{}, ctx.Err()
		}
	}
}

// isFollowed has a task followed and makes the outcome say so.
func (c *call) isFollowed(at target, task *connector.Task, outcome *Result) bool {
	outcome.Status, outcome.TaskID = StatusTask, task.ID
	outcome.Message = fmt.Sprintf("the connector %q goes on with this call in the background", at.tool.ConnectorName)
	c.hasGoneOn = c.goesOn(at, task)
	return c.hasGoneOn
}

// goesOn follows a call that its connector goes on with in the background, and reports whether it does: it is open until the
// task has ended, and cancelled by [Host.CancelCall].
func (c *call) goesOn(at target, task *connector.Task) bool {
	h := c.host
	ctx, cancel := context.WithCancelCause(h.lifetime)
	isOpen := false
	h.locked(func() {
		if isOpen = !h.isClosing(); isOpen {
			h.workers.Add(1)
		}
	})
	if !isOpen || !h.calls.goOn(c.request.CallID, cancel) {
		if isOpen {
			h.workers.Done()
		}
		cancel(nil)
		return false
	}
	id := c.request.CallID
	h.tasks.begin(Task{CallID: id, TaskID: task.ID, Status: task.Status, Message: h.redacted(task.Message)})
	h.busy(at.slot, 1)
	leased := c.leased // the task has it from now on
	c.leased = nil
	go func() {
		defer h.workers.Done()
		defer func() {
			if leased != nil {
				h.release(leased)
			}
		}()
		defer h.busy(at.slot, -1)
		defer cancel(nil)
		reply, err := at.process.Follow(ctx, *task, connector.RequestOptions{ID: id, OnProgress: c.request.OnProgress, Inquirer: c.request.Answering.inquirer()}, func(now connector.Task) {
			h.tasks.update(id, func(t *Task) { t.Status, t.Message = now.Status, h.redacted(now.Message) })
		})
		final := c.ofTask(ctx, at, reply, err)
		final.CallID, final.TaskID = id, task.ID
		h.calls.end(id, final)
		c.changed(CallFinished, &final)
		h.record(c.endRecord(final))
		h.tasks.update(id, func(t *Task) { t.Status, t.Result = taskStatus(final), &final })
	}()
	return true
}

// ofTask is the result of a call that went on as a task.
func (c *call) ofTask(ctx context.Context, at target, reply connector.CallReply, err error) Result {
	var cancelled *connector.TaskCancelledError
	switch {
	case errors.As(err, &cancelled):
		outcome := c.ended(StatusCancelled, fmt.Sprintf("the connector %q cancelled the task; the tool may have run", at.tool.ConnectorName))
		outcome.MayHaveRun, outcome.AllowedBy, outcome.Rule, outcome.Duration = true, c.allowedBy, c.rule, reply.Duration
		return outcome
	case err != nil:
		return c.unanswered(ctx, at, reply, err)
	}
	reply.ResultType = connector.ResultComplete
	return c.replied(at, reply)
}

// taskStatus is the state of a task that ended, in the words of MCP.
func taskStatus(r Result) string {
	switch r.Status {
	case StatusOK, StatusToolError:
		return connector.TaskCompleted
	case StatusCancelled:
		return connector.TaskCancelled
	}
	return connector.TaskFailed
}
