package mcptest

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

const taskForm = `{"message":"name?","requestedSchema":{"type":"object","properties":{"n":{"type":"string"}}}}`

// task is the one task of a fake.
type task struct {
	polls       int
	got         string // answer to what it asked for
	isCancelled bool
}

func (f *fake) isModern() bool { return f.mode().has("modern") || f.mode().has("modernonly") }

// becomesTask answers a call of mode task and reports whether it did: in the older era only one that wants to be one.
func (f *fake) becomesTask(r request) bool {
	if !f.mode().has("task") || !f.isModern() && !strings.Contains(string(r.Params), `"task":{`) {
		return false
	}
	f.mu.Lock()
	f.running = &task{}
	f.mu.Unlock()
	if f.isModern() {
		f.result(r.ID, fmt.Sprintf(`{"resultType":"task","taskId":"t-1","status":"working","ttlMs":60000,"pollIntervalMs":%d}`, f.pollMS()))
		return true
	}
	f.result(r.ID, fmt.Sprintf(`{"task":{"taskId":"t-1","status":"working","ttl":60000,"pollInterval":%d}}`, f.pollMS()))
	if f.mode().has("tasktell") {
		f.working.Go(func() {
			for range 20 { // whoever follows may not have begun to
				f.notify("notifications/tasks/status", f.taskAs("working", ""))
				time.Sleep(50 * time.Millisecond)
			}
		})
	}
	return true
}

// pollMS is how often a task wants to be looked at.
func (f *fake) pollMS() int {
	if f.mode().has("tasktell") {
		return 60_000
	}
	return 100
}

// tasks answers the requests about the task.
func (f *fake) tasks(r request) {
	var params struct {
		TaskID         string                     `json:"taskId"`
		InputResponses map[string]json.RawMessage `json:"inputResponses"`
	}
	_ = json.Unmarshal(r.Params, &params)
	f.mu.Lock()
	t := f.running
	if t == nil || params.TaskID != "t-1" {
		f.mu.Unlock()
		f.fail(r.ID, "-32602", "no such task")
		return
	}
	switch r.Method {
	case "tasks/get":
		t.polls++
	case "tasks/cancel":
		t.isCancelled = true
	case "tasks/update":
		t.got = string(params.InputResponses["q"])
	}
	status, got := f.statusOf(t), t.got
	f.mu.Unlock()
	switch r.Method {
	case "tasks/get":
		f.result(r.ID, f.taskAs(status, got))
	case "tasks/result":
		f.working.Go(func() { f.taskResult(r) })
	default:
		f.result(r.ID, `{}`)
	}
}

// statusOf is called with f.mu held.
func (f *fake) statusOf(t *task) string {
	switch done := t.polls >= f.mode().number("task"); {
	case t.isCancelled:
		return "cancelled"
	case f.mode().has("taskask") && t.got == "" && t.polls > 0:
		return "input_required"
	case !done:
		return "working"
	case f.mode().has("taskend"):
		return f.mode()["taskend"]
	}
	return "completed"
}

func (f *fake) taskAs(status, got string) string {
	if !f.isModern() {
		return fmt.Sprintf(`{"taskId":"t-1","status":%q,"statusMessage":"at it","ttl":60000,"pollInterval":%d}`, status, f.pollMS())
	}
	more := ""
	switch status {
	case "completed":
		more = `,"result":` + textResult("done "+got)
	case "failed":
		more = `,"error":{"code":-32603,"message":"it broke"}`
	case "input_required":
		more = `,"inputRequests":{"q":{"method":"elicitation/create","params":` + taskForm + `}}`
	}
	return fmt.Sprintf(`{"resultType":"complete","taskId":"t-1","status":%q,"statusMessage":"at it","ttlMs":60000,"pollIntervalMs":%d%s}`, status, f.pollMS(), more)
}

// taskResult answers tasks/result of the older era, where a task asks too.
func (f *fake) taskResult(r request) {
	got := ""
	if f.mode().has("taskask") {
		got = string(f.ask(`"task-ask"`, "elicitation/create", taskForm))
	}
	if f.mode()["taskend"] == "failed" {
		f.fail(r.ID, "-32603", "it broke")
		return
	}
	f.result(r.ID, textResult("done "+got))
}
