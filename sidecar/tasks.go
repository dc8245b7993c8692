package sidecar

import (
	"context"

	"pillion/mcp/connector"
	"pillion/mcp/host"
	"pillion/rpc"
	"pillion/rpc/message"
)

func (s *Session) taskGet(ctx context.Context, params message.TaskParams) (message.TaskState, error) {
	task, _, err := s.task(ctx, params)
	if err != nil {
		return message.TaskState{}, err
	}
	wire := message.TaskState{
		CallID: message.CallID(task.CallID), TaskID: task.TaskID, Status: wireTaskStatus(task.Status), Message: task.Message,
	}
	if task.Result != nil {
		result := ResultMessage(*task.Result, isText)
		wire.Result = &result
	}
	return wire, nil
}

// task finds the task that a call became.
func (s *Session) task(ctx context.Context, params message.TaskParams) (host.Task, *host.Host, error) {
	if err := params.Check(); err != nil {
		return host.Task{}, nil, rpc.Errorf(rpc.CodeInvalidParams, "%s", err)
	}
	c, err := s.host(ctx)
	if err != nil {
		return host.Task{}, nil, err
	}
	task, err := c.Task(string(params.CallID))
	return task, c.Host, misuse(err)
}

func isText(part message.CallPart) bool { return part == message.CallPartText }

func wireTaskStatus(status string) message.TaskStatus {
	if status == connector.TaskInputRequired {
		return message.TaskInputRequired
	}
	return message.TaskStatus(status)
}

func (s *Session) taskResult(ctx context.Context, params message.TaskParams) (message.CallResult, error) {
	_, h, err := s.task(ctx, params)
	if err != nil {
		return message.CallResult{}, err
	}
	report := s.progressOf(ctx, params.WorkDoneToken, "Waiting for a task", func() { h.CancelCall(string(params.CallID)) })
	outcome, err := h.TaskResult(ctx, string(params.CallID), func(t host.Task) { report.progress(connector.Progress{Message: taskWords(t)}) })
	report.end(string(outcome.Status))
	if err != nil {
		return message.CallResult{}, misuse(err)
	}
	return ResultMessage(outcome, isText), nil
}

// taskWords are what is said of a task that goes on.
func taskWords(t host.Task) string {
	if t.Message != "" {
		return t.Message
	}
	return string(wireTaskStatus(t.Status))
}

func (s *Session) taskCancel(ctx context.Context, params message.TaskParams) (message.Empty, error) {
	_, h, err := s.task(ctx, params)
	if err == nil {
		h.CancelCall(string(params.CallID)) // one that has ended needs none
	}
	return message.Empty{}, err
}
