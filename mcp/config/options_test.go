package config

import (
	"reflect"
	"strings"
	"testing"
	"time"
)

func TestA6_Options(t *testing.T) {
	t.Parallel()
	e := entryOf(t, `{"command":"x","timeout":60000,"description":"outer","pillion":{"start":"eager","era":"legacy","startTimeout":"3m","callTimeout":1500,
		"idleTimeout":0,"maxConcurrent":4,"inheritEnv":["AWS_PROFILE"],"trustReadOnly":true,"tools":["get_*","/^list/"],"excludeTools":["get_secret"],
		"description":"inner"}}`)
	sound(t, e)
	if len(e.Findings) != 0 {
		t.Errorf("findings %v", e.Findings)
	}
	want := Options{Start: StartEager, Era: EraLegacy, StartTimeout: 3 * time.Minute, CallTimeout: 1500 * time.Millisecond, IdleTimeout: -1,
		MaxConcurrent: 4, InheritEnv: []string{"AWS_PROFILE"}, TrustReadOnly: true, Tools: []string{"get_*", "/^list/"},
		ExcludeTools: []string{"get_secret"}, Description: "outer"}
	if !reflect.DeepEqual(e.Options, want) {
		t.Errorf("got  %+v\nwant %+v", e.Options, want)
	}
	if e.Timeout != time.Minute {
		t.Errorf("timeout %v", e.Timeout)
	}
}

func TestA6_OptionFaultsHaveNoEffect(t *testing.T) {
	t.Parallel()
	tests := []struct {
		option, code string
		severity     Severity
	}{
		{`"start":"Eager"`, CodeValue, Warning},
		{`"start":true`, CodeValue, Warning},
		{`"era":"2025"`, CodeValue, Warning},
		{`"startTimeout":"5"`, CodeValue, Warning},
		{`"startTimeout":"-5s"`, CodeValue, Warning},
		{`"startTimeout":0`, CodeValue, Warning},
		{`"callTimeout":1e300`, CodeValue, Warning},
		{`"callTimeout":-1`, CodeValue, Warning},
		{`"callTimeout":[1]`, CodeType, Warning},
		{`"maxConcurrent":0`, CodeValue, Warning},
		{`"maxConcurrent":1.5`, CodeValue, Warning},
		{`"maxConcurrent":"4"`, CodeValue, Warning},
		{`"trustReadOnly":"true"`, CodeType, Warning},
		{`"description":1`, CodeType, Warning},
		{`"scope":"planet"`, CodeValue, Warning},
		{`"reconnect":{"tries":3}`, CodeValue, Warning},
		{`"toolTags":["a"]`, CodeType, Warning},
		{`"maxInstructionBytes":-1`, CodeValue, Warning},
		{`"stderrLevel":"loud"`, CodeValue, Warning},
		{`"seat":1`, CodeType, Warning},
		{`"colour":"red"`, CodeUnknownKey, Hint},
		{`"startTimout":"5s"`, CodeUnknownKey, Hint},
	}
	for _, test := range tests {
		e := entryOf(t, `{"command":"x","pillion":{`+test.option+`}}`)
		sound(t, e)
		if f := finding(t, e.Findings, test.code); f.Severity != test.severity || len(e.Findings) != 1 {
			t.Errorf("%s: %v", test.option, e.Findings)
		}
		if e.Options.DoubtReadOnly != strings.Contains(test.option, "trustReadOnly") {
			t.Errorf("%s: doubted %v (S4)", test.option, e.Options.DoubtReadOnly)
		}
		e.Options.DoubtReadOnly = false
		if !reflect.DeepEqual(e.Options, Options{}) {
			t.Errorf("%s: has an effect: %+v", test.option, e.Options)
		}
	}
}

func TestA6_UnclearToolListsStopTheEntry(t *testing.T) {
	t.Parallel()
	tests := []struct{ option, code string }{
		{`"excludeTools":"a"`, CodeType},
		{`"excludeTools":["a",1]`, CodeType},
		{`"excludeTools":["/(/"]`, CodeValue},
		{`"excludeTools":["[a"]`, CodeValue},
		{`"tools":[""]`, CodeValue},
		{`"tools":null`, CodeType},
		{`"excludeTool":["a"]`, CodeUnknownKey},
		{`"exclude_tools":["a"]`, CodeUnknownKey},
	}
	for _, test := range tests {
		fault(t, entryOf(t, `{"command":"x","pillion":{`+test.option+`}}`), test.code)
	}
}

func TestS4_TrustOptionsOfAProjectAreIgnored(t *testing.T) {
	t.Parallel()
	for _, option := range []string{`"inheritEnv":["A"]`, `"trustReadOnly":true`, `"seat":"browser"`} {
		e := projectEntryOf(t, `{"command":"x","pillion":{`+option+`}}`)
		sound(t, e)
		f := finding(t, e.Findings, CodeTrust)
		if f.Severity != Warning || !strings.HasPrefix(option, string(e.Text[f.Span.Start-e.Span.Start:f.Span.End-e.Span.Start])) {
			t.Errorf("%s: %+v", option, f)
		}
		if e.Options.TrustReadOnly || e.Options.InheritEnv != nil || e.Options.Seat != "" {
			t.Errorf("%s: has an effect: %+v", option, e.Options)
		}
	}
}

func TestA1_TimeoutInSeconds(t *testing.T) {
	t.Parallel()
	e := entryOf(t, `{"command":"x","timeout":60}`)
	if f := finding(t, e.Findings, CodeValue); f.Severity != Hint || f.Fix != `write "60s" if seconds are meant` || e.Timeout != 60*time.Millisecond {
		t.Errorf("%s, %v", f.Text(), e.Timeout)
	}
	if e := entryOf(t, `{"command":"x","timeout":"60s"}`); e.Timeout != time.Minute || len(e.Findings) != 0 {
		t.Errorf("%v %v", e.Timeout, e.Findings)
	}
	if e := entryOf(t, `{"command":"x","timeout":"soon"}`); e.Timeout != 0 || e.Fault != nil || len(e.Findings) != 1 {
		t.Errorf("%v %v", e.Timeout, e.Findings)
	}
}

func TestMatchesTool(t *testing.T) {
	t.Parallel()
	tests := []struct {
		pattern, tool string
		want          bool
	}{
		{"get_issue", "get_issue", true},
		{"get_issue", "get_issues", false},
		{"Get_issue", "get_issue", false},
		{"get_*", "get_issue", true},
		{"*", "a/b", true},
		{"delete*", "delete/all", true},
		{"get_?", "get_a", true},
		{"{get,list}_*", "list_a", true},
		{"[x]", "[x]", true},
		{"[x]", "x", true},
		{"/^get_/", "get_issue", true},
		{"/^get_/", "forget_it", false},
		{"/issue/", "get_issue", true},
		{"/(/", "(", false},
		{"[", "a", false},
		{"/", "/", true},
		{"//", "//", true},
	}
	for _, test := range tests {
		if got := MatchesTool(test.pattern, test.tool); got != test.want {
			t.Errorf("MatchesTool(%q, %q) = %v", test.pattern, test.tool, got)
		}
	}
}

func TestOptionsOffer(t *testing.T) {
	t.Parallel()
	tests := []struct {
		options Options
		tool    string
		want    bool
	}{
		{Options{}, "a", true},
		{Options{Tools: []string{"a"}}, "a", true},
		{Options{Tools: []string{"a"}}, "b", false},
		{Options{Tools: []string{}}, "a", false},
		{Options{ExcludeTools: []string{"a*"}}, "ab", false},
		{Options{Tools: []string{"*"}, ExcludeTools: []string{"a"}}, "a", false},
	}
	for _, test := range tests {
		if got := test.options.Offers(test.tool); got != test.want {
			t.Errorf("%+v offers %s: %v", test.options, test.tool, got)
		}
	}
}
