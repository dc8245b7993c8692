package connector

import (
	"context"
	"errors"
	"strings"
	"testing"

	"pillion/mcp/mcptest"
)

// taskEras are fakes of both eras whose tool is only to be called as a task.
func taskEras(t *testing.T, mode string, test func(t *testing.T, f *fixture)) {
	for name, era := range map[string]string{"modern": "modern,", "legacy": ""} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := started(t, era+mode,
				environment(mcptest.CapabilitiesVar+`={"tools":{},"tasks":{"cancel":{},"requests":{"tools":{"call":{}}}},"extensions":{"io.modelcontextprotocol/tasks":{}}}`,
					mcptest.ToolsVar+`=[{"name":"a","inputSchema":{"type":"object"},"execution":{"taskSupport":"required"}}]`),
				offering(func(q Elicitation) ElicitationAnswer {
					if q.CallID != "c" {
						t.Errorf("%+v", q)
					}
					return ElicitationAnswer{Action: ElicitAccept, Content: []byte(`{"n":"x"}`)}
				}),
				func(_ *Definition, o *Options, _ *tuning) { o.Offers.FollowsTasks = true })
			test(t, f)
		})
	}
}

func TestF5_ATaskIsFollowedToItsEnd(t *testing.T) {
	t.Parallel()
	for mode, want := range map[string]string{
		"task=3": "done ", "task=1,taskask": `done {"action":"accept","content":{"n":"x"}}`, "task=2,taskend=failed": "it broke",
	} {
		t.Run(mode, func(t *testing.T) {
			taskEras(t, mode, func(t *testing.T, f *fixture) {
				reply, err := f.Call(t.Context(), CallRequest{ID: "c", Tool: "a"})
				if err != nil || reply.ResultType != ResultTask || reply.Task == nil || reply.Task.ID != "t-1" {
					t.Fatalf("%+v, %v", reply, err)
				}
				var states []string
				reply, err = f.Follow(t.Context(), *reply.Task, RequestOptions{ID: "c"}, func(task Task) { states = append(states, task.Status) })
				got := ""
				if reply.ProtocolError != nil {
					got = reply.ProtocolError.Message
				} else if err == nil {
					got = said(t, reply)
				}
				if got != want || err != nil || !reply.MayHaveRun || states[0] != TaskWorking || len(states) < 2 {
					t.Errorf("%q, %+v, %v, states %q", got, reply, err, states)
				}
				if asked := len(f.received("tasks/update")); asked > 1 {
					t.Errorf("answered %d times", asked)
				}
			})
		})
	}
}

func TestF5_CancelledByTheOneWayForTasks(t *testing.T) {
	t.Parallel()
	taskEras(t, "task=100000", func(t *testing.T, f *fixture) {
		reply, err := f.Call(t.Context(), CallRequest{ID: "c", Tool: "a"})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		_, err = f.Follow(ctx, *reply.Task, RequestOptions{}, func(task Task) {
			if task.Message != "" {
				cancel()
			}
		})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%v", err)
		}
		f.eventually("the server is told", func() bool { return len(f.received("tasks/cancel")) == 1 })
		_, err = f.Follow(t.Context(), *reply.Task, RequestOptions{}, nil)
		var cancelled *TaskCancelledError
		if !errors.As(err, &cancelled) {
			t.Errorf("%v", err)
		}
	})
}

func TestF5_ATaskThatIsGone(t *testing.T) {
	t.Parallel()
	taskEras(t, "task=1", func(t *testing.T, f *fixture) {
		reply, err := f.Follow(t.Context(), Task{ID: "t-9", Status: TaskWorking}, RequestOptions{}, nil)
		if err != nil || reply.ProtocolError == nil || !strings.Contains(reply.ProtocolError.Message, "no such task") {
			t.Errorf("%+v, %v", reply, err)
		}
	})
}
