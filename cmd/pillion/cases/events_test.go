//go:build !windows

package cases

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pillion/editors/editortest"
	"pillion/rpc/message"
)

// N2: everything that happens is one stream, numbered without gaps, whose past is there for whoever comes late; what was seen
// is not told again; secrets are not in it; and who did not declare it is not told.
func TestN2_OneStreamOfEvents(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.environ = append(w.environ, "CANARY_TOKEN="+secretCanary)
	w.user(servers(map[string]entry{
		"mine": w.puppet("mine"),
		"dead": fake("stderr="+secretCanary+",exit=3", "API_TOKEN=${CANARY_TOKEN}"),
	}))
	e := w.edit(hearing)
	e.Connector("mine", message.ConnectorReady)
	e.Connector("dead", message.ConnectorFailed)
	past := editortest.Request(e, message.Events, message.EventsParams{})
	if !isAmong(past.Events, "files") || !isAmong(past.Events, "connector mine starting", "connector mine ready") || !isAmong(past.Events, "connector dead starting", "connector dead failed") {
		t.Errorf("%+v", past.Events)
	}
	if result := approved(t, e, "mine.write", `{"text":"x"}`, message.ApproveOnce); result.Status != message.CallOK {
		t.Errorf("%+v", result)
	}
	told := e.Events("the end of the call", func(e message.SessionEvent) bool {
		return e.Kind == message.EventCall && e.Call == message.CallFinished
	})
	// That a question is closed and that its call runs are told by two who do not wait for one another.
	if !isAmong(told, "call mine.write asking", "call mine.write running", "call mine.write finished ok") || !isAmong(told, "call mine.write asking", "ask approval", "askClosed answered") {
		t.Errorf("%+v", told)
	}
	whole := slices.Concat(past.Events, told)
	for i, event := range whole {
		if event.Seq != i+1 || event.Epoch != past.Epoch || event.At.IsZero() || event.Kind == message.EventGap {
			t.Errorf("event %d is %+v", i+1, event)
		}
		if strings.Contains(fmt.Sprintf("%+v", event), secretCanary) {
			t.Errorf("a secret in %+v", event)
		}
		if event.Kind == message.EventCall && (event.CallID == "" || event.Connector == "" || event.Asker != "editor") {
			t.Errorf("%+v", event)
		}
	}
	// Asked again, what was seen is not there; of another epoch, everything is.
	seen := whole[3]
	if again := editortest.Request(e, message.Events, message.EventsParams{Epoch: past.Epoch, Since: seen.Seq}).Events; len(again) < len(whole)-4 || again[0].Seq != seen.Seq+1 {
		t.Errorf("%+v", again)
	}
	if all := editortest.Request(e, message.Events, message.EventsParams{Epoch: "another", Since: seen.Seq}).Events; len(all) < len(whole) || all[0].Seq != 1 {
		t.Errorf("%+v", all)
	}
	if _, err := editortest.TryRequest(e, message.Events, message.EventsParams{Since: -1}); err == nil {
		t.Error("a negative number was taken")
	}

	quiet := w.edit()
	quiet.Connector("mine", message.ConnectorReady)
	if all := editortest.Request(quiet, message.Events, message.EventsParams{}); len(all.Events) == 0 || all.Epoch == past.Epoch {
		t.Errorf("%+v", all)
	}
	call(t, quiet, "mine.look", `{"text":"x"}`)
	editortest.Request(quiet, message.Connectors, message.Empty{})
	if n := quiet.EventCount(); n != 0 {
		t.Errorf("%d events were told to an editor that declared none", n)
	}
}

// N2: what is read and written ends in the stream as a call does, whatever came of it.
func TestN2_WhatIsReadEndsInTheStream(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.user(servers(map[string]entry{"mine": fake("fail=prompts/get:-32602", offersAll)}))
	e := w.edit(hearing)
	e.Connector("mine", message.ConnectorReady)
	editortest.Request(e, message.Events, message.EventsParams{})
	is := func(wanted string) func(message.SessionEvent) bool {
		return func(e message.SessionEvent) bool { return inBrief(e) == wanted }
	}
	read := editortest.Request(e, message.ResourceRead, message.ResourceReadParams{Connector: "mine", URI: "test://0"})
	if read.Status != message.CallOK {
		t.Errorf("%+v", read)
	}
	e.Events("the end of the reading", is("call mine: resources/read finished ok"))
	got := editortest.Request(e, message.PromptGet, message.PromptGetParams{Connector: "mine", Name: "p0"})
	if got.Status != message.CallConnectorError {
		t.Errorf("%+v", got)
	}
	e.Events("the end of the prompt", is("call mine: prompts/get finished connectorError"))
}
