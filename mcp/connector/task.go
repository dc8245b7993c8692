package connector

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// taskFeatures say which calls a server goes on with in the background.
type taskFeatures struct {
	// hasCalls is set for a server of MCP 2025-11-25 that takes calls of tools as tasks; canCancel for one that ends them.
	hasCalls, canCancel bool
	// isExtension is set for one of the modern era that has the extension.
	isExtension bool
}

func (f *taskFeatures) read(name string, value jsontext.Value) {
	_ = object(value, func(member string, value jsontext.Value) error {
		isThere := value.Kind() == '{' || value.Kind() == 't'
		switch {
		case name == "extensions":
			f.isExtension = f.isExtension || member == tasksExtension && isThere
		case member == "cancel":
			f.canCancel = isThere
		case member == "requests":
			return object(value, func(member string, value jsontext.Value) error {
				if member == "tools" {
					_ = object(value, func(member string, value jsontext.Value) error {
						f.hasCalls = f.hasCalls || member == "call" && (value.Kind() == '{' || value.Kind() == 't')
						return nil
					})
				}
				return nil
			})
		}
		return nil
	})
}

// The states of a task, in the words of MCP.
const (
	TaskWorking       = "working"
	TaskInputRequired = "input_required"
	TaskCompleted     = "completed"
	TaskFailed        = "failed"
	TaskCancelled     = "cancelled"
)

const (
	minPoll = 100 * time.Millisecond
	maxPoll = time.Minute
	// taskTTL is how long a server of MCP 2025-11-25 is asked to keep a task and its result.
	taskTTL       = 24 * time.Hour
	maxTaskIDSize = 1 << 10
)

// Task is a call that a server goes on with in the background, as the server last said.
type Task struct {
	ID      string
	Status  string
	Message string // the server's own words; may be empty
	// PollAfter is when the server wants to be asked again; zero where it does not say.
	PollAfter time.Duration
}

func (t Task) isOver() bool {
	return t.Status == TaskCompleted || t.Status == TaskFailed || t.Status == TaskCancelled
}

// taskState is what a server says of a task, with what came of it.
type taskState struct {
	Task
	result, err, asked jsontext.Value
}

// readTask reads a task, flat or as the member "task"; ok is false for what is none.
func readTask(raw jsontext.Value) (t taskState, ok bool) {
	var inner jsontext.Value
	err := object(raw, func(name string, value jsontext.Value) error {
		switch name {
		case "task":
			inner = value
		case "taskId":
			t.ID, _ = text(value)
		case "status":
			t.Status, _ = text(value)
		case "statusMessage":
			shownText(&t.Message, value, maxShownBytes)
		case "pollInterval", "pollIntervalMs":
			if ms, isNumber := number(value); isNumber && ms > 0 {
				t.PollAfter = time.Duration(min(ms, float64(maxPoll/time.Millisecond))) * time.Millisecond
			}
		case "result":
			t.result = value.Clone()
		case "error":
			t.err = value.Clone()
		case "inputRequests":
			t.asked = value.Clone()
		}
		return nil
	})
	if inner.Kind() == '{' && t.ID == "" {
		return readTask(inner)
	}
	return t, err == nil && t.ID != "" && len(t.ID) <= maxTaskIDSize
}

// taskMembers say in a call of MCP 2025-11-25 that it is to go on as a task: only where the tool takes no other calls, and the
// server tasks at all.
func (s *session) taskMembers(tool string) []member {
	if s.answer.era != EraLegacy || !s.answer.features.tasks.hasCalls || !s.connector.offers().FollowsTasks {
		return nil
	}
	c := s.connector
	c.mu.Lock()
	catalogue := c.catalogue
	c.mu.Unlock()
	if catalogue == nil || !slices.ContainsFunc(catalogue.Tools, func(t Tool) bool { return t.Name == tool && t.TaskSupport == "required" }) {
		return nil
	}
	return []member{{"task", fmt.Appendf(nil, `{"ttl":%d}`, taskTTL.Milliseconds())}}
}

// asTask marks the reply to a call that became a task, in whichever era.
func (s *session) asTask(reply CallReply, wasAsked bool) CallReply {
	if reply.Result == nil || reply.ResultType != ResultTask && !wasAsked {
		return reply
	}
	if task, ok := readTask(reply.Result); ok {
		reply.ResultType, reply.Task = ResultTask, &task.Task
	}
	return reply
}

// taskParams are those of the requests about tasks, which the SDK does not know.
type taskParams struct {
	mcp.ParamsBase
	TaskID string `json:"taskId"`
}

type taskResult struct{ mcp.ResultBase }

func taskMethods() []string {
	return []string{"tasks/get", "tasks/result", "tasks/update", "tasks/cancel"}
}

func addTaskMethods(client *mcp.Client) error {
	for _, method := range taskMethods() {
		if err := mcp.AddSendingCustomMethod[*taskParams, *taskResult](client, method); err != nil {
			return err
		}
	}
	return nil
}

// aboutTask runs one request about a task.
func (s *session) aboutTask(ctx context.Context, method, id string, members []member, o RequestOptions) (CallReply, error) {
	return s.run(ctx, errand{
		method: method, members: members, options: o,
		send: func(ctx context.Context, client *mcp.ClientSession, meta mcp.Meta) error {
			params := &taskParams{ParamsBase: mcp.ParamsBase{Meta: meta}, TaskID: id}
			_, err := mcp.CallCustomMethod[*taskParams, *taskResult](ctx, client, method, params)
			return err
		},
	})
}

// Follow waits for the end of a task and returns what came of it, as [Connector.Call] would have. What the server asks for
// meanwhile it gets like in a call. onState, which may be nil, is told each state that differs from the one before; it must
// not block. The end of ctx asks the server to cancel the task, which it need not do. A task that the server has cancelled
// itself is a *TaskCancelledError.
func (c *Connector) Follow(ctx context.Context, task Task, o RequestOptions, onState func(Task)) (CallReply, error) {
	begun := time.Now()
	s, err := c.ready()
	if err != nil {
		return CallReply{MayHaveRun: true}, err
	}
	reply, err := s.follow(ctx, task, o, onState)
	if ctx.Err() != nil {
		s.cancelTask(task.ID)
	}
	reply.Duration, reply.MayHaveRun = time.Since(begun), true
	return reply, err
}

// TaskCancelledError says that a task ended without a result because it was cancelled.
type TaskCancelledError struct{ Message string }

func (e *TaskCancelledError) Error() string { return "the task was cancelled" }

func (s *session) follow(ctx context.Context, task Task, o RequestOptions, onState func(Task)) (CallReply, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(s.ctx, func() { cancel(context.Cause(s.ctx)) })()
	r := &running{id: o.ID, task: task.ID, clock: &Clock{}, ctx: ctx, inquirer: o.Inquirer}
	defer s.inquiries.during(r)()
	woken, leave := s.followed.begin(task.ID)
	defer leave()
	defer s.listenToTask(task.ID)()
	answered := map[string]bool{}
	state, told := taskState{Task: task}, Task{}
	for {
		if onState != nil && (state.Status != told.Status || state.Message != told.Message) {
			told = state.Task
			onState(told)
		}
		switch {
		case state.Status == TaskCancelled:
			return CallReply{}, &TaskCancelledError{Message: state.Message}
		case s.answer.era == EraLegacy && (state.isOver() || state.Status == TaskInputRequired):
			// This is where a server of MCP 2025-11-25 asks, and where it gives the result.
			return s.aboutTask(ctx, "tasks/result", task.ID, nil, RequestOptions{ID: o.ID, Timeout: s.connector.definition.CallCap, OnProgress: o.OnProgress})
		case state.isOver():
			return state.reply()
		case state.Status == TaskInputRequired:
			if err := s.updateTask(ctx, r, task.ID, state.asked, answered); err != nil {
				return CallReply{}, err
			}
		}
		if !sleepUntil(ctx, woken, min(max(firstOf(state.PollAfter, s.connector.tuning.poll), minPoll), maxPoll)) {
			return CallReply{}, s.ended(ctx)
		}
		reply, err := s.aboutTask(ctx, "tasks/get", task.ID, nil, RequestOptions{ID: o.ID})
		if err != nil || reply.ProtocolError != nil {
			return reply, err
		}
		next, ok := readTask(reply.Result)
		if !ok {
			return CallReply{}, &MalformedReplyError{Reason: "it says nothing of the task"}
		}
		state = next
	}
}

// ended is why waiting ended, as an error of a call.
func (s *session) ended(ctx context.Context) error {
	var problem *Problem
	switch cause := context.Cause(ctx); {
	case errors.As(cause, &problem):
		return &LostError{Name: s.connector.definition.Name, Reason: problem.Reason, Problem: problem, MayHaveRun: true}
	case errors.Is(cause, errStopped):
		return &LostError{Name: s.connector.definition.Name, Reason: errStopped.Error(), MayHaveRun: true}
	default:
		return cause
	}
}

// reply is what came of a task of the modern era.
func (t taskState) reply() (CallReply, error) {
	reply := CallReply{ResultType: ResultComplete, MayHaveRun: true}
	switch {
	case t.Status == TaskFailed && t.err != nil:
		reply.ProtocolError = protocolError(t.err)
	case t.Status == TaskFailed:
		reply.ProtocolError = &ProtocolError{Message: firstText(t.Message, "the task failed")}
	case t.result.Kind() != '{' || isTooDeep(t.result, maxDepth):
		return reply, &MalformedReplyError{Reason: "the task is completed, and has no result that can be read"}
	default:
		reply.Result = t.result
	}
	return reply, nil
}

func firstText(texts ...string) string {
	for _, text := range texts {
		if text != "" {
			return text
		}
	}
	return ""
}

// updateTask gives a task of the modern era what it asks for, each thing once.
func (s *session) updateTask(ctx context.Context, r *running, id string, asked jsontext.Value, answered map[string]bool) error {
	fresh := []byte{'{'}
	err := object(asked, func(key string, value jsontext.Value) error {
		if answered[key] || len(answered) >= maxQuestions*maxRounds {
			return nil
		}
		answered[key] = true
		if len(fresh) > 1 {
			fresh = append(fresh, ',')
		}
		fresh, _ = jsontext.AppendQuote(fresh, key)
		fresh = append(append(fresh, ':'), value...)
		return nil
	})
	if err != nil {
		return &MalformedReplyError{Reason: "the task asks for something, and does not say for what"}
	}
	if len(fresh) == 1 {
		return nil // all of it was answered before
	}
	responses, err := s.respond(ctx, r, append(fresh, '}'))
	if err != nil {
		return err
	}
	reply, err := s.aboutTask(ctx, "tasks/update", id, []member{{"inputResponses", responses}}, RequestOptions{ID: r.id})
	if err == nil && reply.ProtocolError != nil {
		s.connector.warn("task input", "did not take the answer to what its task asked for: "+visible(reply.ProtocolError.Error(), maxReasonBytes))
	}
	return err
}

// cancelTask asks the server to end a task, by the one way that there is for tasks. It does not wait.
func (s *session) cancelTask(id string) {
	if s.ctx.Err() != nil || s.answer.era == EraLegacy && !s.answer.features.tasks.canCancel {
		return
	}
	s.connector.mu.Lock()
	defer s.connector.mu.Unlock()
	if s.connector.state != StateReady || s.connector.session != s {
		return
	}
	s.workers.Go(func() { // under the lock: nobody waits for the workers of one that is ready
		ctx, cancel := context.WithTimeout(s.ctx, s.connector.definition.StartTimeout)
		defer cancel()
		if _, err := s.aboutTask(ctx, "tasks/cancel", id, nil, RequestOptions{}); err != nil {
			s.connector.log.Debug("task not cancelled", "error", err)
		}
	})
}
