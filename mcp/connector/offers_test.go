package connector

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"pillion/mcp/mcptest"
)

func TestS17_FormsAndPagesThatAreNotPut(t *testing.T) {
	t.Parallel()
	for schema, want := range map[string]string{
		`{"type":"object","properties":{"x":{"type":"string"}}}`:                                                                     "",
		`{"type":"object","properties":{"x":{"type":"array","items":{"enum":["a"]}},"n":{"type":"integer"},"b":{"type":"boolean"}}}`: "",
		// A cycle that a validator without a guard follows until the process dies (measured).
		`{"type":"object","properties":{"x":{"type":"string"}},"$ref":"#"}`:                      "references",
		`{"type":"object","properties":{"x":{"$ref":"#/properties/x"}}}`:                         "references",
		`{"type":"object","properties":{"x":{"type":"string","anyOf":[{"$dynamicRef":"#x"}]}}}`:  "references",
		`{"type":"object","properties":{"x":{"type":"string"}},"$defs":{"a":{"\u0024ref":"#"}}}`: "references",
		`{"type":"object","properties":{"password":{"type":"string"}}}`:                          "secret",
		`{"type":"object","properties":{"db_Password":{"type":"string"}}}`:                       "secret",
		`{"type":"object","properties":{"x":{"type":"string","format":"password"}}}`:             "secret",
		`{"type":"object","properties":{"x":{"type":"object"}}}`:                                 "error",
		`{"type":"object","properties":{"x":true}}`:                                              "error",
		`{"type":"string"}`: "error", `null`: "error", `[]`: "error", `{"properties":{}}`: "error",
		`{"type":"object","a":` + strings.Repeat("[", 40) + strings.Repeat("]", 40) + `}`: "large",
		`{"type":"object","a":{"b":1,"b":2}}`:                                             "twice",
	} {
		reason, err := checkForm(jsontext.Value(schema))
		switch {
		case want == "error" && err == nil, want != "error" && err != nil, want == "" && reason != "", want != "error" && !strings.Contains(reason, want):
			t.Errorf("%s: %q, %v", schema, reason, err)
		}
	}
	for _, address := range []string{
		"", "http://x.example/", "javascript:alert(1)", "https://user@x.example/", "https://user:word@x.example/", "https:x", "https:///x",
		"https://\u0430pple.example/", "https://x.example/\u202e", "https://x.example/ a", "file:///etc/passwd", "https://x.example/" + strings.Repeat("a", maxURIBytes),
	} {
		if checkPage(address) == nil {
			t.Errorf("%q was taken for a page", address)
		}
	}
	if err := checkPage("https://x.example:8443/a?b=c#d"); err != nil {
		t.Error(err)
	}
}

// asking calls the fake's tool, which asks for something first, and returns the answers that it got.
func asking(t *testing.T, f *fixture, requests ...string) []string {
	t.Helper()
	reply, err := f.Call(t.Context(), CallRequest{ID: "c", Tool: "a", Arguments: []byte(`{"ask":[` + strings.Join(requests, ",") + `]}`)})
	if err != nil {
		t.Fatal(err)
	}
	var answers []json.RawMessage
	if err := json.Unmarshal([]byte(said(t, reply)), &answers); err != nil {
		t.Fatal(err)
	}
	texts := make([]string, len(answers))
	for i, answer := range answers {
		texts[i] = string(answer)
	}
	return texts
}

const form = `{"method":"elicitation/create","params":{"message":"name?","requestedSchema":{"type":"object","properties":{"n":{"type":"string"}}}}}`

func TestC47_EachModeByItself(t *testing.T) {
	t.Parallel()
	accept := func(_ context.Context, q Elicitation) ElicitationAnswer {
		if q.URL != "" {
			return ElicitationAnswer{Action: ElicitAccept}
		}
		return ElicitationAnswer{Action: ElicitAccept, Content: []byte(`{"n":"x"}`)}
	}
	page := `{"method":"elicitation/create","params":{"mode":"url","message":"sign in","url":"https://x.example/","elicitationId":"1"}}`
	other := `{"method":"elicitation/create","params":{"mode":"voice","message":"?"}}`
	for _, test := range []struct {
		name              string
		offers            Offers
		announced         string
		form, page, other string
	}{
		{"nothing", Offers{}, `"capabilities":{}`, "-32601", "-32601", "-32601"},
		{"forms", Offers{HasForms: true}, `"elicitation":{"form":{}}`, `{"action":"accept","content":{"n":"x"}}`, "-32602", "-32602"},
		{"pages", Offers{HasPages: true}, `"elicitation":{"url":{}}`, "-32602", `{"action":"accept"}`, "-32602"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			test.offers.Elicit = accept
			f := started(t, "", func(_ *Definition, o *Options, _ *tuning) { o.Offers = test.offers })
			if sent := f.received("initialize"); len(sent) != 1 || !strings.Contains(sent[0], test.announced) {
				t.Errorf("announced %q", sent)
			}
			got := asking(t, f, form, page, other)
			for i, want := range []string{test.form, test.page, test.other} {
				if !strings.Contains(got[i], want) {
					t.Errorf("%d: %s, want %s", i, got[i], want)
				}
			}
		})
	}
}

func TestS30_SamplingIsBoundedAndWithoutContext(t *testing.T) {
	t.Parallel()
	seen := make(chan string, 20)
	f := started(t, "", func(_ *Definition, o *Options, _ *tuning) {
		o.Offers.HasModel = true
		o.Offers.Sample = func(_ context.Context, r Sampling) ([]byte, error) {
			seen <- string(r.Params)
			return []byte(`{"role":"assistant","content":{"type":"text","text":"hi"},"model":"m"}`), nil
		}
	})
	one := `{"method":"sampling/createMessage","params":{"messages":[{"role":"user","content":{"type":"text","text":"?"}}],"maxTokens":5,"includeContext":"allServers"}}`
	got := asking(t, f, one, one, one, one, one, one, `{"method":"sampling/createMessage","params":{"messages":[]}}`)
	for i, answer := range got {
		if isAnswered := strings.Contains(answer, `"text":"hi"`); isAnswered != (i < maxSamplings) {
			t.Errorf("%d: %s", i, answer)
		}
	}
	if params := <-seen; !strings.Contains(params, `"includeContext":"none"`) || strings.Contains(params, "allServers") || len(seen) != maxSamplings-1 {
		t.Errorf("%s, and %d more", params, len(seen))
	}
}

// What is asked outside of a call nobody is asked.
func TestS30_NothingIsAskedOutsideOfACall(t *testing.T) {
	t.Parallel()
	f := started(t, "askafter=elicitation/create", environment(mcptest.AskParamsVar+`={"message":"?","requestedSchema":{"type":"object","properties":{}}}`), offering(func(Elicitation) ElicitationAnswer {
		t.Error("somebody was asked")
		return ElicitationAnswer{}
	}))
	f.eventually("it is refused", func() bool {
		return strings.Contains(strings.Join(mcptest.Received(t, f.log), "\n"), `"code":-32602,"message":"this may be asked for during a call alone"`)
	})
}

func TestE8_AQuestionTakesNoTimeFromItsCall(t *testing.T) {
	t.Parallel()
	clock := &Clock{}
	isHalted := func() bool {
		clock.mu.Lock()
		defer clock.mu.Unlock()
		return clock.paused > 0
	}
	f := started(t, "", offering(func(Elicitation) ElicitationAnswer {
		if !isHalted() {
			t.Error("the time of the call goes on")
		}
		return ElicitationAnswer{Action: ElicitDecline}
	}))
	reply, err := f.Call(t.Context(), CallRequest{Tool: "a", Clock: clock, Arguments: []byte(`{"ask":[` + form + `]}`)})
	if err != nil || said(t, reply) != `[{"action":"decline"}]` || isHalted() {
		t.Errorf("%+v, %v, halted %v", reply, err, isHalted())
	}
}

// A question ends with the call that it was asked in.
func TestC48_ACancelledCallTakesItsQuestionAlong(t *testing.T) {
	t.Parallel()
	asked, ended, returned := make(chan struct{}), make(chan struct{}), make(chan struct{})
	f := started(t, "", func(_ *Definition, o *Options, _ *tuning) {
		o.Offers = Offers{HasForms: true, Elicit: func(ctx context.Context, _ Elicitation) ElicitationAnswer {
			close(asked)
			<-ctx.Done()
			close(ended)
			<-returned // or the server might answer before the call has noticed
			return ElicitationAnswer{}
		}}
	})
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-asked
		cancel()
	}()
	if _, err := f.Call(ctx, CallRequest{Tool: "a", Arguments: []byte(`{"ask":[` + form + `]}`)}); err == nil {
		t.Error("the call was answered")
	}
	<-ended
	close(returned)
	f.eventually("the server is told", func() bool {
		return strings.Contains(strings.Join(mcptest.Received(t, f.log), "\n"), `"action":"cancel"`)
	})
}

// A server is told of its own folder alone, so that one which is added is no news to it (S30).
func TestC50_RootsAreToldAtOnce(t *testing.T) {
	t.Parallel()
	f := started(t, "", func(_ *Definition, o *Options, _ *tuning) { o.Offers.Roots = []Root{{URI: "file:///a", Name: "a"}} })
	got := asking(t, f, `{"method":"roots/list"}`)
	if got[0] != `{"roots":[{"uri":"file:///a","name":"a"}]}` {
		t.Errorf("%s", got)
	}
	if said := f.received("initialize"); len(said) != 1 || !strings.Contains(said[0], `"roots":{}`) {
		t.Errorf("%s", said)
	}
}

// MCP 2025-11-25: the pages that an error names are visited, and the request is made again once.
func TestC48_PagesThatAnErrorNames(t *testing.T) {
	t.Parallel()
	for name, action := range map[string]string{"accepted": ElicitAccept, "declined": ElicitDecline} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := started(t, "pagefirst", offering(func(q Elicitation) ElicitationAnswer {
				if q.URL != "https://x.example/sign-in" || q.CallID != "c" {
					t.Errorf("%+v", q)
				}
				return ElicitationAnswer{Action: action}
			}))
			reply, err := f.Call(t.Context(), CallRequest{ID: "c", Tool: "a"})
			isOK := err == nil && reply.ProtocolError == nil
			if calls := len(f.received("tools/call")); isOK != (name == "accepted") || calls != map[bool]int{true: 2, false: 1}[isOK] {
				t.Errorf("%+v, %v, after %d calls", reply, err, calls)
			}
		})
	}
}

func TestF4_LogMessagesAtTheirLevel(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "log")
	f := started(t, "", func(_ *Definition, o *Options, _ *tuning) { o.LogFile = file }, environment(mcptest.CapabilitiesVar+`={"tools":{},"logging":{}}`), define(func(d *Definition) { d.LogLevel = "warning" }))
	f.eventually("the level is chosen", func() bool { return len(f.received("logging/setLevel")) == 1 })
	message := `{"method":"notifications/message","params":{"level":%q,"logger":"db","data":%s}}`
	f.say(`{"notify":[` + fmt.Sprintf(message, "info", `"quiet"`) + "," + fmt.Sprintf(message, "error", `{"what":"broke"}`) + `]}`)
	f.eventually("the message is in the log", func() bool {
		log, _ := os.ReadFile(file)
		if strings.Contains(string(log), "quiet") {
			t.Fatalf("%s", log)
		}
		return strings.Contains(string(log), `error db: {"what":"broke"}`)
	})
}

func FuzzForm(f *testing.F) {
	f.Add([]byte(`{"type":"object","properties":{"x":{"type":"string","$ref":"#"}}}`))
	f.Fuzz(func(t *testing.T, schema []byte) {
		if !jsontext.Value(schema).IsValid(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) {
			t.Skip()
		}
		if reason, err := checkForm(schema); reason == "" && err == nil && strings.Contains(string(schema), `"$ref":`) {
			var value any
			if json.Unmarshal(schema, &value) == nil && refers(value) {
				t.Errorf("%s was taken", schema)
			}
		}
	})
}

func refers(value any) bool {
	switch v := value.(type) {
	case map[string]any:
		for name, inner := range v {
			if name == "$ref" || refers(inner) {
				return true
			}
		}
	case []any:
		for _, inner := range v {
			if refers(inner) {
				return true
			}
		}
	}
	return false
}

// MCP 2026-07-28: what is refused for its headers is made again after the tools were listed anew, unless its tool is another.
func TestH10_RefusedForItsHeaders(t *testing.T) {
	t.Parallel()
	for mode, want := range map[string]struct{ calls, lists int }{
		"modern,failonce=tools/call:-32020": {2, 2}, "modern,fail=tools/call:-32020": {2, 2}, "failonce=tools/call:-32020": {1, 1},
	} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			f := started(t, mode)
			reply, err := f.Call(t.Context(), CallRequest{Tool: "a"})
			isOK := err == nil && reply.ProtocolError == nil
			if isOK != (mode == "modern,failonce=tools/call:-32020") || len(f.received("tools/call")) != want.calls || len(f.received("tools/list")) != want.lists {
				t.Errorf("%+v, %v, after %d calls and %d lists", reply, err, len(f.received("tools/call")), len(f.received("tools/list")))
			}
		})
	}
}

// A subscription that the server ends is renewed, with what changed meanwhile (MCP 2026-07-28 subscriptions).
func TestSU2_ListenedToAgain(t *testing.T) {
	t.Parallel()
	f := started(t, "modern,endlisten", environment(mcptest.CapabilitiesVar+`={"tools":{"listChanged":true},"resources":{"subscribe":true,"listChanged":true}}`),
		tune(func(t *tuning) { t.sync = 10 * time.Millisecond }))
	f.eventually("the lists are listened to again", func() bool { return len(f.received("subscriptions/listen")) >= 2 })
	if again := f.received("subscriptions/listen")[1]; !strings.Contains(again, `"notifications":{"toolsListChanged":true,"resourcesListChanged":true}`) || strings.Contains(again, "resourceSubscriptions") {
		t.Errorf("%s", again)
	}
	if err := f.Subscribe(t.Context(), "x://1"); err != nil {
		t.Fatal(err)
	}
	f.eventually("the resource is", func() bool {
		return strings.Count(strings.Join(f.received("subscriptions/listen"), "\n"), `"resourceSubscriptions":["x://1"]`) >= 2
	})
	f.eventually("the resource is told to have changed", func() bool {
		f.mu.Lock()
		defer f.mu.Unlock()
		for _, change := range f.changes {
			if len(change.Updated) == 1 && change.Updated[0] == "x://1" {
				return true
			}
		}
		return false
	})
}
