package connector

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"pillion/mcp/mcptest"
)

func TestE8_WhoseQuestionItIs(t *testing.T) {
	t.Parallel()
	one, two, nobody, task := &running{id: "1"}, &running{id: "2"}, &running{}, &running{id: "1", task: "t"}
	for name, test := range map[string]struct {
		running []*running
		of      *exchange
		task    string
		id      string
		charged *running // nil for the connector itself
		all     int
	}{
		"the only one":                       {running: []*running{one}, id: "1", charged: one, all: 1},
		"one of several":                     {running: []*running{one, two}, all: 2},
		"that whose stream it came by":       {running: []*running{one, two}, of: &exchange{cause: one}, id: "1", charged: one, all: 1},
		"of a stream and another's task":     {running: []*running{task, two}, of: &exchange{cause: two}, task: "t", id: "2", charged: two, all: 1},
		"of a task by a stream that is over": {running: []*running{two, task}, of: &exchange{cause: one}, task: "t", id: "1", charged: task, all: 1},
		"that of the task that it names":     {running: []*running{two, task}, task: "t", id: "1", charged: task, all: 1},
		"of a task that nobody follows":      {running: []*running{one, two}, task: "u", all: 2},
		"of a stream about a task":           {running: []*running{two, task, one}, of: &exchange{cause: one}, id: "1", charged: task, all: 2},
		"of a task that is asked about":      {running: []*running{two, task, one}, task: "t", id: "1", charged: task, all: 2},
		"several of one call":                {running: []*running{task, one}, id: "1", charged: task, all: 2},
		"several without a name":             {running: []*running{nobody, {}}, all: 2},
	} {
		q := newInquiries()
		for _, r := range test.running {
			q.during(r)
		}
		want := test.charged
		if want == nil {
			want = q.shared
		}
		if charged, id, all := q.cause(test.of, test.task); charged != want || id != test.id || len(all) != test.all {
			t.Errorf("%s: %+v, %q, %d", name, charged, id, len(all))
		}
	}
	for name, of := range map[string]*exchange{"of a stream whose call is over": {cause: two}, "of a stream that nobody waits for": {}} {
		q := newInquiries()
		q.during(one)
		if charged, id, all := q.cause(of, ""); charged != nil || id != "" || len(all) != 0 {
			t.Errorf("%s: %+v, %q, %v", name, charged, id, all)
		}
	}
	if charged, _, all := newInquiries().cause(nil, ""); charged != nil || len(all) != 0 {
		t.Errorf("outside of any call: %+v, %v", charged, all)
	}
	if id := relatedTask(jsontext.Value(`{"_meta":{"io.modelcontextprotocol/related-task":{"taskId":"t-1"}}}`)); id != "t-1" {
		t.Errorf("related to %q", id)
	}
}

// Questions of two calls at once: by HTTP each came by the stream of its own, on one pipe nobody can tell.
func TestE8_QuestionsOfTwoCallsAtOnce(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"http": "c2", "stdio": ""} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			asked, answer := make(chan string, 2), make(chan struct{})
			offer := func(_ *Definition, o *Options, _ *tuning) {
				o.Offers = Offers{HasForms: true, Elicit: func(ctx context.Context, q Elicitation) ElicitationAnswer {
					asked <- q.CallID
					<-answer
					return ElicitationAnswer{Action: ElicitDecline}
				}}
			}
			var f *fixture
			if name == "http" {
				f = remoteStarted(t, "sse", offer).fixture
			} else {
				f = started(t, "", offer)
			}
			ended := make(chan error, 2)
			for _, test := range []struct{ call, want string }{{"c1", "c1"}, {"c2", want}} {
				go func() {
					_, err := f.Call(t.Context(), CallRequest{ID: test.call, Tool: "a", Arguments: []byte(`{"ask":[` + form + `]}`)})
					ended <- err
				}()
				if id := <-asked; id != test.want {
					t.Errorf("the question of %s is said to be of %q", test.call, id)
				}
			}
			close(answer)
			for range 2 {
				if err := <-ended; err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// A text is completed with each key: a server that asks during that asks outside of any call.
func TestS30_NothingIsAskedWhileATextIsCompleted(t *testing.T) {
	t.Parallel()
	f := started(t, "")
	for method, mayAsk := range map[string]bool{"completion/complete": false, "prompts/get": true, "resources/read": true} {
		_, _ = f.session.run(t.Context(), errand{method: method, send: func(context.Context, *mcp.ClientSession, mcp.Meta) error {
			if charged, _, _ := f.session.inquiries.cause(nil, ""); (charged != nil) != mayAsk {
				t.Errorf("%s: charged is %v", method, charged)
			}
			return errors.New("not sent")
		}})
	}
}

// A question by the stream of a call that is over is put to nobody, least of all in the name of the call beside it.
func TestE8_AQuestionOfACallThatIsOverIsNobodys(t *testing.T) {
	t.Parallel()
	f := started(t, "silent=tools/call", func(_ *Definition, o *Options, _ *tuning) {
		o.Offers = Offers{HasForms: true, Elicit: func(_ context.Context, q Elicitation) ElicitationAnswer {
			t.Errorf("it is put in the name of %q", q.CallID)
			return ElicitationAnswer{Action: ElicitDecline}
		}}
	})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, _ = f.Call(ctx, CallRequest{ID: "beside", Tool: "a"})
	}()
	f.eventually("a call is under way", func() bool { return len(f.received("tools/call")) == 1 })
	params := jsontext.Value(`{"message":"?","requestedSchema":{"type":"object","properties":{}}}`)
	f.session.serve(&exchange{cause: &running{id: "over"}}, elicitMethod, jsontext.Value(`"q"`), params)
	f.eventually("it is refused", func() bool {
		return slices.ContainsFunc(mcptest.Received(t, f.log), func(line string) bool { return strings.Contains(line, "is over") })
	})
	if f.warned("outside of any call") {
		t.Error("the server is blamed for it")
	}
	cancel()
	<-ended
}
