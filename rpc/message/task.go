package message

import (
	"errors"

	"pillion/rpc"
)

//pillion:section 46 Tasks
//
// A connector may go on with a call in the background: the call is answered
// with the status task, stays open, and is known by its own id. Its end is
// waited for, or looked at, and pillion/call/cancel cancels it too.

// TaskStatus is where a task is. One that is not known reads as working.
type TaskStatus string

const (
	TaskWorking       TaskStatus = "working"       // it goes on
	TaskInputRequired TaskStatus = "inputRequired" // the connector asks for something, which is a question
	TaskCompleted     TaskStatus = "completed"     // there is a result
	TaskFailed        TaskStatus = "failed"        // it ended without one
	TaskCancelled     TaskStatus = "cancelled"     // it was cancelled
)

// TaskParams names the call that became a task.
type TaskParams struct {
	CallID        CallID        `json:"callId"`
	WorkDoneToken ProgressToken `json:"workDoneToken,omitzero"`
}

// Check returns what is wrong with the params, as a sentence for -32602.
func (p TaskParams) Check() error {
	if p.CallID == "" {
		return errors.New("callId is missing")
	}
	return nil
}

// TaskState is where a task is.
type TaskState struct {
	CallID  CallID      `json:"callId"`
	TaskID  string      `json:"taskId"` // the connector's own id of it
	Status  TaskStatus  `json:"status"`
	Message string      `json:"message,omitzero"` // the connector's own words
	Result  *CallResult `json:"result,omitzero"`  // what came of it, once it has ended
}

// TaskGet tells where a task is. It asks the connector nothing: what it last
// said is known.
var TaskGet = rpc.Request[TaskParams, TaskState]{Method: "pillion/task/get"}

// TaskResult waits for the end of a task and answers with what came of the
// call. To cancel the request ends the waiting, not the task.
var TaskResult = rpc.Request[TaskParams, CallResult]{Method: "pillion/task/result"}

// TaskCancel asks the connector to end a task, and answers at once. The
// connector need not: then the call ends as cancelled all the same, and may
// have run.
var TaskCancel = rpc.Request[TaskParams, Empty]{Method: "pillion/task/cancel"}
