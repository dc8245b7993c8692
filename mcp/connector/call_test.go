package connector

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestS10_BytesApprovedAreBytesSent(t *testing.T) {
	t.Parallel()
	for _, arguments := range []string{
		`{}`,
		`{"b":1,"a":9007199254740993,"c":1.50,"d":1E400}`,
		`{ "spaced" : [ 1 , 2 ] ,"html":"<a href='&amp;'>"}`,
		`{"escapes":"\u003c\/\u2028 ` + "\u2028" + ` é\u00e9\ud83d\ude00"}`,
		`{"arguments":{"arguments":"}},\"id\":7"},"name":"other","_meta":null}`,
	} {
		for _, mode := range []string{"echo", "echo,modern"} {
			f := started(t, mode)
			if text := f.say(arguments); text != arguments {
				t.Errorf("%s: the server got %s, want %s", mode, text, arguments)
			}
			if sent := f.received("tools/call"); len(sent) != 1 || !strings.Contains(sent[0], `"arguments":`+arguments) {
				t.Errorf("%s: sent %q", mode, sent)
			}
			f.Stop(t.Context())
		}
	}
}

func TestS10_WhatIsNotOneObjectIsNotSent(t *testing.T) {
	t.Parallel()
	f := started(t, "")
	for _, arguments := range []string{
		`[]`, `"x"`, `null`, `{`, `{}}`, `{} {}`, `{}},"method":"evil"`, `{"a":1,"a":2}`, `{"o":{"a":1,"a":2}}`,
		"{\n}", "{\"a\":\r1}", "{\"a\":\"\xff\"}", `{"a":"\ud83d"}`,
	} {
		reply, err := f.Call(t.Context(), CallRequest{Tool: "a", Arguments: []byte(arguments)})
		var refused *ArgumentsError
		if !errors.As(err, &refused) || reply.MayHaveRun {
			t.Errorf("%q: %+v, %v", arguments, reply, err)
		}
	}
	if got := len(f.received("tools/call")); got != 0 {
		t.Errorf("%d calls were sent", got)
	}
}

func TestCall_ProtocolErrorsAreAnswers(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		mode string
		want ProtocolError
	}{
		{"fail=tools/call:-32602", ProtocolError{Code: -32602, Message: "told to fail"}},
		// The SDK would take these three for its own: a lost connection, a rejection by the transport.
		{"fail=tools/call:-32003", ProtocolError{Code: -32003, Message: "told to fail"}},
		{"fail=tools/call:-32004", ProtocolError{Code: -32004, Message: "told to fail"}},
		{"fail=tools/call:-32005", ProtocolError{Code: -32005, Message: "told to fail"}},
		{"errorobject=string", ProtocolError{Code: 0, Message: "it broke"}},
		{"errorobject=float", ProtocolError{Code: 0, Message: "it broke"}},
		{"errorobject=nocode", ProtocolError{Code: 0, Message: "it broke"}},
		{"errorobject=empty", ProtocolError{Code: 0, Message: "{}"}},
	} {
		t.Run(test.mode, func(t *testing.T) {
			t.Parallel()
			f := started(t, test.mode)
			for range 2 {
				reply, err := f.Call(t.Context(), CallRequest{Tool: "a"})
				if err != nil || reply.ProtocolError == nil || reply.ProtocolError.Code != test.want.Code || reply.ProtocolError.Message != test.want.Message || !reply.MayHaveRun {
					t.Errorf("reply %+v, error %v", reply, err)
				}
			}
		})
	}
}

func TestC25_DeathUnderACallEndsItAtOnce(t *testing.T) {
	t.Parallel()
	f := started(t, "exiton=tools/call:3,stderr=bye")
	begun := time.Now()
	reply, err := f.Call(t.Context(), CallRequest{Tool: "a", Timeout: 10 * time.Minute})
	var lost *LostError
	if !errors.As(err, &lost) || lost.Reason != "server exited (3): bye" || !lost.MayHaveRun || !reply.MayHaveRun {
		t.Errorf("reply %+v, error %v", reply, err)
	}
	if took := time.Since(begun); took > 5*time.Second {
		t.Errorf("it took %s", took)
	}
	_, err = f.Call(t.Context(), CallRequest{Tool: "a"})
	var notReady *NotReadyError
	if !errors.As(err, &notReady) {
		t.Errorf("the second call: %v", err)
	}
	if got := len(f.received("tools/call")); got != 1 {
		t.Errorf("%d calls were sent", got)
	}
}

func TestC25_StdoutClosedUnderACall(t *testing.T) {
	t.Parallel()
	f := started(t, "closeon=tools/call")
	_, err := f.Call(t.Context(), CallRequest{Tool: "a", Timeout: 10 * time.Minute})
	var lost *LostError
	if !errors.As(err, &lost) || lost.Reason != "closed its stdout but is still running" {
		t.Errorf("error %v", err)
	}
}

func TestC26_CancelledOnceWhateverTheReason(t *testing.T) {
	t.Parallel()
	f := started(t, "late")
	ctx, cancel := context.WithCancel(t.Context())
	result := make(chan error, 1)
	go func() {
		_, err := f.Call(ctx, CallRequest{Tool: "a"})
		result <- err
	}()
	f.eventually("the call is sent", func() bool { return len(f.received("tools/call")) == 1 })
	cancel()
	if err := <-result; !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled call: %v", err)
	}
	reply, err := f.Call(t.Context(), CallRequest{Tool: "a", Timeout: 100 * time.Millisecond})
	var timeout *TimeoutError
	if !errors.As(err, &timeout) || timeout.After != 100*time.Millisecond || !reply.MayHaveRun {
		t.Errorf("timed-out call: %+v, %v", reply, err)
	}
	f.eventually("both are cancelled", func() bool { return len(f.received(cancelledNotification)) == 2 })
	f.eventually("the foreign result came", func() bool { return f.warned("a request that was never sent") })
	for i, line := range f.received(cancelledNotification) {
		want := fmt.Sprintf(`"params":{"requestId":%d,`, idOf(t, f.received("tools/call")[i]))
		if !strings.Contains(line, want) || strings.Contains(line, "context") {
			t.Errorf("notification %s, want %s", line, want)
		}
	}
	// The next call is unaffected by the late results; it is answered once it is cancelled too, as this fake does.
	if _, err := f.Call(t.Context(), CallRequest{Tool: "a", Timeout: 50 * time.Millisecond}); !errors.As(err, &timeout) {
		t.Errorf("the next call: %v", err)
	}
	f.eventually("the third is cancelled", func() bool { return len(f.received(cancelledNotification)) == 3 })
}

func idOf(t *testing.T, line string) int {
	t.Helper()
	var request struct {
		ID int `json:"id"`
	}
	if err := json.Unmarshal([]byte(line), &request); err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	return request.ID
}

func TestC26_HandshakeIsNeverCancelled(t *testing.T) {
	t.Parallel()
	f := fake(t, "silent=initialize", define(func(d *Definition) { d.StartTimeout = 300 * time.Millisecond }))
	if f.Start(t.Context()) == nil {
		t.Fatal("it started")
	}
	if got := len(f.received("initialize")); got != 1 {
		t.Errorf("%d times initialize", got)
	}
	if got := f.received(cancelledNotification); len(got) > 0 {
		t.Errorf("cancelled: %q", got)
	}
}

func TestC27_ProgressKeepsACallAlive(t *testing.T) {
	t.Parallel()
	f := started(t, "progress=50ms:600ms")
	var steps []float64
	reply, err := f.Call(t.Context(), CallRequest{Tool: "a", Timeout: 400 * time.Millisecond, OnProgress: func(p Progress) {
		steps = append(steps, p.Progress) // Call returns after the last
		if p.Total != 100 || p.Message != fmt.Sprintf("step %v", p.Progress) {
			t.Errorf("progress %+v", p)
		}
	}})
	if err != nil || said(t, reply) != "ok" {
		t.Errorf("reply %+v, error %v", reply, err)
	}
	for i, step := range steps {
		if step != float64(i+1) {
			t.Errorf("steps %v", steps)
			break
		}
	}
	if len(steps) < 2 || len(steps) != int(steps[len(steps)-1]) {
		t.Errorf("steps %v", steps)
	}
	if line := f.received("tools/call")[0]; !strings.Contains(line, `"_meta":{"progressToken":`) {
		t.Errorf("sent %s", line)
	}
}

func TestC27_ForeignTokenKeepsNothingAlive(t *testing.T) {
	t.Parallel()
	f := started(t, "foreignprogress=50ms:1h")
	_, err := f.Call(t.Context(), CallRequest{Tool: "a", Timeout: 300 * time.Millisecond, OnProgress: func(p Progress) { t.Errorf("progress %+v", p) }})
	var timeout *TimeoutError
	if !errors.As(err, &timeout) || timeout.IsCap {
		t.Errorf("error %v", err)
	}
}

func TestC27_ProgressForEverMeetsTheCap(t *testing.T) {
	t.Parallel()
	f := started(t, "progress=20ms:forever", define(func(d *Definition) { d.CallCap = time.Second }))
	_, err := f.Call(t.Context(), CallRequest{Tool: "a", Timeout: 500 * time.Millisecond})
	var timeout *TimeoutError
	if !errors.As(err, &timeout) || !timeout.IsCap || timeout.After != time.Second {
		t.Errorf("error %v", err)
	}
}

func TestE8_ClockHaltsWhileAQuestionIsOpen(t *testing.T) {
	t.Parallel()
	gate, open := gated(t)
	f := started(t, "gate=tools/call:"+gate)
	var clock Clock
	clock.Pause()
	time.AfterFunc(600*time.Millisecond, open)
	reply, err := f.Call(t.Context(), CallRequest{Tool: "a", Timeout: 200 * time.Millisecond, Clock: &clock})
	if err != nil || said(t, reply) != "ok" {
		t.Errorf("reply %+v, error %v", reply, err)
	}
}

func TestC9_SlowCallsBlockNobodyBelowTheBound(t *testing.T) {
	t.Parallel()
	f := started(t, "silent=tools/call,storm", define(func(d *Definition) { d.MaxConcurrent = 2 }))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var calls sync.WaitGroup
	for range 2 {
		calls.Go(func() { _, _ = f.Call(ctx, CallRequest{Tool: "a"}) })
	}
	f.eventually("both are sent", func() bool { return len(f.received("tools/call")) == 2 })
	// Listing goes on, and a third call waits without having been sent; its cancellation says that nothing ran.
	f.eventually("listed again", func() bool { return len(f.received("tools/list")) > 1 })
	third, giveUp := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer giveUp()
	wasWritten := false
	reply, err := f.Call(third, CallRequest{Tool: "a", OnWritten: func() { wasWritten = true }})
	if !errors.Is(err, context.DeadlineExceeded) || reply.MayHaveRun || wasWritten {
		t.Errorf("the queued call: %+v, %v, written %v", reply, err, wasWritten)
	}
	cancel()
	calls.Wait()
	if got := len(f.received("tools/call")); got != 2 {
		t.Errorf("%d calls were sent", got)
	}
}

func TestC9_QueuedCallsAllComeThrough(t *testing.T) {
	t.Parallel()
	f := started(t, "echo,delay=tools/call:5ms", define(func(d *Definition) { d.MaxConcurrent = 1 }))
	var calls sync.WaitGroup
	for i := range 10 {
		calls.Go(func() {
			want := fmt.Sprintf(`{"n":%d}`, i)
			reply, err := f.Call(t.Context(), CallRequest{Tool: "a", Arguments: []byte(want)})
			if err != nil || said(t, reply) != want {
				t.Errorf("%s: %+v, %v", want, reply, err)
			}
		})
	}
	calls.Wait()
}

func TestC61_IDsAreUniqueAndAnswersMayComeInAnyOrder(t *testing.T) {
	t.Parallel()
	f := started(t, "echo,reverse")
	for range 50 {
		var pair sync.WaitGroup
		for i := range 2 {
			pair.Go(func() {
				want := fmt.Sprintf(`{"n":%d}`, i)
				reply, err := f.Call(t.Context(), CallRequest{Tool: "a", Arguments: []byte(want)})
				if err != nil || said(t, reply) != want {
					t.Errorf("call %d: %+v, %v", i, reply, err)
				}
			})
		}
		pair.Wait()
	}
	seen := map[int]bool{}
	for _, line := range f.received("tools/call") {
		id := idOf(t, line)
		if seen[id] {
			t.Errorf("id %d twice", id)
		}
		seen[id] = true
	}
}

func TestCall_ServerThatDoesNotRead(t *testing.T) {
	t.Parallel()
	f := started(t, "stopreading", tune(func(t *tuning) { t.stall = 700 * time.Millisecond }))
	large := fmt.Appendf(nil, `{"x":"%s"}`, strings.Repeat("x", 4<<20))
	s, err := f.ready()
	if err != nil {
		t.Fatal(err)
	}
	to := s.filter.wire.(*program).writer
	before, stuck := to.advanced.Load(), make(chan error, 1)
	go func() {
		_, err := f.Call(context.Background(), CallRequest{Tool: "a", Arguments: large})
		stuck <- err
	}()
	f.eventually("it is being written", func() bool { return to.advanced.Load() > before })
	// What waits behind it provably never leaves, and knows; nor does all of the other.
	wasWritten := false
	reply, err := f.Call(t.Context(), CallRequest{Tool: "a", Timeout: 100 * time.Millisecond, OnWritten: func() { wasWritten = true }})
	if err == nil || reply.MayHaveRun || !wasWritten {
		t.Errorf("the call behind it: %+v, %v", reply, err)
	}
	f.eventually("killed", func() bool { return f.Status().State == StateFailed })
	var lost *LostError
	if err := <-stuck; !errors.As(err, &lost) || lost.MayHaveRun {
		t.Errorf("the stuck call: %v", err)
	}
	if p := f.Status().Problem; p.Kind != ProblemTimeout || p.Reason != "did not read its stdin for 700ms and was ended" {
		t.Errorf("problem %+v", p)
	}
}

func TestCall_BusyServerIsNotKilled(t *testing.T) {
	t.Parallel()
	f := started(t, "stopreading,stderrspin", tune(func(t *tuning) { t.stall = 1500 * time.Millisecond }))
	large := fmt.Appendf(nil, `{"x":"%s"}`, strings.Repeat("x", 4<<20))
	_, err := f.Call(t.Context(), CallRequest{Tool: "a", Arguments: large, Timeout: 2500 * time.Millisecond})
	var timeout *TimeoutError
	if !errors.As(err, &timeout) || f.Status().State != StateReady {
		t.Errorf("error %v, state %s", err, f.Status().State)
	}
}

func TestCall_StopUnderCallsLosesThem(t *testing.T) {
	t.Parallel()
	f := started(t, "silent=tools/call,ignoreeof")
	result := make(chan error, 1)
	go func() {
		_, err := f.Call(context.Background(), CallRequest{Tool: "a"})
		result <- err
	}()
	f.eventually("the call is sent", func() bool { return len(f.received("tools/call")) == 1 })
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		f.Stop(context.Background())
	}()
	err := <-result
	var lost *LostError
	if !errors.As(err, &lost) || !lost.MayHaveRun {
		t.Errorf("error %v", err)
	}
	<-stopped
}

func TestCall_ResultsOfAnotherKindAreMarked(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"resulttype=task", "resulttype=task,modern", "resulttype=weird"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			f := started(t, mode)
			reply, err := f.Call(t.Context(), CallRequest{Tool: "a"})
			kind, _, _ := strings.Cut(strings.TrimPrefix(mode, "resulttype="), ",")
			if err != nil || reply.ResultType != kind || !strings.Contains(string(reply.Result), `"taskId":"t-1"`) {
				t.Errorf("type %q, result %s, error %v", reply.ResultType, reply.Result, err)
			}
		})
	}
}

func TestServerRequests_GetTheirAnswerAtOnce(t *testing.T) {
	t.Parallel()
	const cyclic = `{"message":"?","requestedSchema":{"type":"object","properties":{"x":{"type":"string"}},"$ref":"#"}}`
	for _, test := range []struct{ method, params, want string }{
		{"ping", `{}`, `{}`},
		{"roots/list", `{}`, `{"code":-32601,"message":"not supported by this client: roots/list"}`},
		{"sampling/createMessage", `{"messages":[],"maxTokens":1}`, `{"code":-32601,"message":"not supported by this client: sampling/createMessage"}`},
		{"elicitation/create", cyclic, `{"code":-32601,"message":"not supported by this client: elicitation/create"}`},
		{"some/thing", `[1]`, `{"code":-32601,"message":"not supported by this client: some/thing"}`},
	} {
		t.Run(strings.ReplaceAll(test.method, "/", " "), func(t *testing.T) {
			t.Parallel()
			f := started(t, "ask="+test.method, environment("PILLION_FAKE_ASK_PARAMS="+test.params))
			for range 2 {
				if text := f.say(`{}`); text != test.want {
					t.Errorf("the server got %s, want %s", text, test.want)
				}
			}
			if isPing := test.method == "ping"; isPing == f.warned("asked for "+test.method) {
				t.Errorf("warnings %q", f.Status().Warnings)
			}
		})
	}
}

func TestServerRequests_AreNotAnsweredInTheModernEra(t *testing.T) {
	t.Parallel()
	f := started(t, "modern,ask=ping")
	_, err := f.Call(t.Context(), CallRequest{Tool: "a", Timeout: 200 * time.Millisecond})
	var timeout *TimeoutError
	if !errors.As(err, &timeout) || !f.warned("sent a request (ping), which this protocol revision does not allow") {
		t.Errorf("error %v, warnings %q", err, f.Status().Warnings)
	}
}

func TestHandshake_OffersNothing(t *testing.T) {
	t.Parallel()
	f := started(t, "")
	if line := f.received("initialize")[0]; !strings.Contains(line, `"capabilities":{}`) {
		t.Errorf("initialize: %s", line)
	}
	g := started(t, "modern")
	g.say(`{}`)
	for _, method := range []string{"server/discover", "tools/list", "tools/call"} {
		if line := g.received(method)[0]; !strings.Contains(line, `"io.modelcontextprotocol/clientCapabilities":{}`) {
			t.Errorf("%s: %s", method, line)
		}
	}
}
