package message

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// parsers is one function for each kind of question: what the answer is, or why
// it is none.
func parsers() map[AskKind]func([]byte) (any, error) {
	return map[AskKind]func([]byte) (any, error){
		AskConsent:     func(raw []byte) (any, error) { return ParseConsentAnswer(raw) },
		AskApproval:    func(raw []byte) (any, error) { return ParseApprovalAnswer(raw) },
		AskElicitation: func(raw []byte) (any, error) { return ParseElicitationAnswer(raw) },
		AskURL:         func(raw []byte) (any, error) { return ParseElicitationAnswer(raw) },
		AskSampling:    func(raw []byte) (any, error) { return ParseSamplingAnswer(raw) },
		AskInput:       func(raw []byte) (any, error) { return ParseInputAnswer(raw) },
		AskJoin:        func(raw []byte) (any, error) { return ParseJoinAnswer(raw) },
		AskStore:       func(raw []byte) (any, error) { return ParseStoreAnswer(raw) },
		AskWiden:       func(raw []byte) (any, error) { return ParseWidenAnswer(raw) },
	}
}

func TestS16_ExactAnswersAreTaken(t *testing.T) {
	value, empty := "x", ""
	for _, test := range []struct {
		kind AskKind
		raw  string
		want any
	}{
		{AskConsent, `{"decisions":{"c1":"allow","c2":"allowFollow","c3":"later","c4":"never"}}`,
			ConsentAnswer{Decisions: map[ConnectorID]ConsentDecision{"c1": ConsentAllow, "c2": ConsentAllowFollow, "c3": ConsentLater, "c4": ConsentNever}}},
		{AskApproval, `{"decision":"decline"}`, ApprovalAnswer{Decision: ApproveDecline}},
		{AskApproval, `{"decision":"decline","text":"not on main"}`, ApprovalAnswer{Decision: ApproveDecline, Text: "not on main"}},
		{AskApproval, `{"decision":"once","text":""}`, ApprovalAnswer{Decision: ApproveOnce}},
		{AskApproval, `{"decision":"once","argumentsText":"{\"n\":9007199254740993}"}`,
			ApprovalAnswer{Decision: ApproveOnce, ArgumentsText: `{"n":9007199254740993}`}},
		{AskApproval, `{"decision":"session"}`, ApprovalAnswer{Decision: ApproveSession}},
		{AskApproval, `{"decision":"tool","where":[{"path":"/n","equals":9007199254740993},{"path":"/p","under":"/w"}]}`,
			ApprovalAnswer{Decision: ApproveTool, Where: []Condition{{Path: "/n", Equals: jsontext.Value("9007199254740993")}, {Path: "/p", Under: "/w"}}}},
		{AskApproval, ` { "scope" : "project" , "decision" : "tool" } `, ApprovalAnswer{Decision: ApproveTool, Scope: PermissionProject}},
		{AskApproval, `{"decision":"readOnly","scope":"session"}`, ApprovalAnswer{Decision: ApproveReadOnly, Scope: PermissionSession}},
		{AskApproval, `{"decision":"connector","scope":"user"}`, ApprovalAnswer{Decision: ApproveConnector, Scope: PermissionUser}},
		{AskElicitation, `{"action":"accept","contentText":"{\"n\":1}"}`, ElicitationAnswer{Action: ElicitAccept, ContentText: `{"n":1}`}},
		{AskElicitation, `{"action":"decline"}`, ElicitationAnswer{Action: ElicitDecline}},
		{AskURL, `{"action":"accept"}`, ElicitationAnswer{Action: ElicitAccept}},
		{AskURL, `{"action":"cancel"}`, ElicitationAnswer{Action: ElicitCancel}},
		{AskSampling, `{"resultText":"{}"}`, SamplingAnswer{ResultText: "{}"}},
		{AskSampling, `{"declined":true}`, SamplingAnswer{Declined: true}},
		{AskInput, `{"value":"x"}`, InputAnswer{Value: &value}},
		{AskInput, `{"value":""}`, InputAnswer{Value: &empty}},
		{AskInput, `{"cancelled":true}`, InputAnswer{Cancelled: true}},
		{AskJoin, `{"decision":"allow"}`, JoinAnswer{Decision: JoinAllow}},
		{AskJoin, `{"decision":"session"}`, JoinAnswer{Decision: JoinSession}},
		{AskJoin, `{"decision":"never"}`, JoinAnswer{Decision: JoinNever}},
		{AskJoin, `{"decision":"decline"}`, JoinAnswer{Decision: JoinDecline}},
		{AskStore, `{"decision":"confirm"}`, StoreAnswer{Decision: StoreConfirm}},
		{AskStore, `{"decision":"later"}`, StoreAnswer{Decision: StoreLater}},
		{AskWiden, `{"decision":"keep"}`, WidenAnswer{Decision: WidenKeep}},
		{AskWiden, `{"decision":"make"}`, WidenAnswer{Decision: WidenMake}},
	} {
		got, err := parsers()[test.kind]([]byte(test.raw))
		if err != nil {
			t.Errorf("%s %s: %v", test.kind, test.raw, err)
		} else if !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s %s: %+v, want %+v", test.kind, test.raw, got, test.want)
		}
	}
}

func TestS16_NothingElseIsAnAnswer(t *testing.T) {
	// What is no answer to any question.
	anywhere := []string{
		``, ` `, `null`, `{}`, `[]`, `true`, `1`, `"allow"`, `"yes"`, `{`, `{"decision"`, "\xff",
		`{"Decision":"allow"}`, `{"DECISION":"once"}`, `{"decision":null}`, `{"decision":true}`, `{"decision":1}`,
		`{"decision":["allow"]}`, `{"decision":{"value":"once"}}`, `{"decision":"Allow"}`, `{"decision":"ALLOW"}`,
		`{"decision":" allow"}`, `{"decision":"allow "}`, `{"decision":"yes"}`, `{"decision":""}`,
		`{"decision":"allow","decision":"decline"}`, `{"decision":"confirm"} {}`,
		`{"decision":"allow","extra":1}`, `{"decision":"once","where":[]}`, `{"answer":{"decision":"allow"}}`,
		`{"decisions":{}}`, `{"decisions":null}`, `{"decisions":[]}`, `{"Decisions":{"c1":"allow"}}`,
		`{"decisions":{"c1":"Allow"}}`, `{"decisions":{"c1":null}}`, `{"decisions":{"c1":true}}`,
		`{"decisions":{"c1":"allow","c2":"maybe"}}`, `{"decisions":{"c1":"later","c1":"allow"}}`,
		`{"decisions":{"c1":"allow"},"scope":"user"}`,
		`{"action":"Accept"}`, `{"action":null}`, `{"action":"accept","contentText":null}`,
		`{"declined":false}`, `{"declined":"true"}`, `{"resultText":""}`, `{"cancelled":false}`, `{"value":null}`,
	}
	for kind, parse := range parsers() {
		for _, raw := range anywhere {
			if got, err := parse([]byte(raw)); err == nil {
				t.Errorf("%s %s: taken as %+v", kind, raw, got)
			}
		}
	}
	for _, test := range []struct {
		kind AskKind
		raw  string
	}{
		{AskApproval, `{"decision":"allow"}`},
		{AskApproval, `{"decision":"tool","scope":"global"}`},
		{AskApproval, `{"decision":"tool","scope":""}`},
		{AskApproval, `{"decision":"tool","scope":null}`},
		{AskApproval, `{"decision":"once","scope":"user"}`},
		{AskApproval, `{"decision":"decline","scope":"session"}`},
		{AskApproval, `{"decision":"session","scope":"user"}`},
		{AskApproval, `{"decision":"once","text":"but only on main"}`},
		{AskApproval, `{"decision":"once","argumentsText":""}`},
		{AskApproval, `{"decision":"once","argumentsText":{}}`},
		{AskApproval, `{"decision":"tool","where":[]}`},
		{AskApproval, `{"decision":"tool","where":null}`},
		{AskApproval, `{"decision":"tool","where":[{"path":"/a"}]}`},
		{AskApproval, `{"decision":"tool","where":[{"path":"/a","glob":"*","unless":"x"}]}`},
		{AskApproval, `{"decision":"tool","where":[{"path":"/a","glob":"*","equals":"x"}]}`},
		{AskApproval, `{"decision":"once","where":[{"path":"/a","glob":"*"}]}`},
		{AskApproval, `{"decision":"session","where":[{"path":"/a","glob":"*"}]}`},
		{AskApproval, `{"decision":"connector","where":[{"path":"/a","glob":"*"}]}`},
		{AskElicitation, `{"action":"decline","contentText":"{}"}`},
		{AskElicitation, `{"action":"accept","contentText":"[]"}`},
		{AskElicitation, `{"action":"accept","contentText":"{\"a\":1,\"a\":2}"}`},
		{AskElicitation, `{"action":"accept","contentText":"{"}`},
		{AskElicitation, `{"action":"accept","contentText":""}`},
		{AskSampling, `{"resultText":"{}","declined":true}`},
		{AskSampling, `{"resultText":"no"}`},
		{AskInput, `{"value":"x","cancelled":true}`},
		{AskInput, `{"value":1}`},
		{AskInput, `{"value":"x","cancelled":false}`},
		{AskInput, `{"value":"a\u0000b"}`},
		{AskInput, `{"value":"` + strings.Repeat("x", maxInputBytes+1) + `"}`},
		{AskJoin, `{"decision":"once"}`},
		{AskStore, `{"decision":"allow"}`},
		{AskWiden, `{"decision":"allow"}`},
		{AskWiden, `{"decision":"make","scope":"user"}`},
		{AskWiden, `{"decision":"Make"}`},
	} {
		if got, err := parsers()[test.kind]([]byte(test.raw)); err == nil {
			t.Errorf("%s %s: taken as %+v", test.kind, test.raw, got)
		}
	}
}

func TestS10_EditedArgumentsAllowOnceOnly(t *testing.T) {
	for _, choice := range approvalOrder() {
		raw := fmt.Sprintf(`{"decision":%q,"argumentsText":"{}"}`, choice)
		_, err := ParseApprovalAnswer([]byte(raw))
		if taken := err == nil; taken != (choice == ApproveOnce) {
			t.Errorf("%s with edited arguments: error %v", choice, err)
		}
	}
}

func TestAnswerMustFitItsQuestion(t *testing.T) {
	consent := ConsentBody{Items: []ConsentItem{{Connector: "c1"}, {Connector: "c2"}}}
	approval := ApprovalBody{
		Choices: []ApprovalChoice{ApproveDecline, ApproveOnce, ApproveTool},
		Scopes:  []PermissionScope{PermissionSession, PermissionProject},
	}
	form := ElicitationBody{SchemaText: "{}"}
	page := ElicitationBody{URL: "https://example.com/"}
	value := "v"
	decide := func(connector ConnectorID) ConsentAnswer {
		return ConsentAnswer{Decisions: map[ConnectorID]ConsentDecision{connector: ConsentAllow}}
	}
	for _, test := range []struct {
		name string
		err  error
		fits bool
	}{
		{"one of two definitions", consent.Accepts(decide("c2")), true},
		{"a definition that was not asked about", consent.Accepts(decide("c3")), false},
		{"an offered choice", approval.Accepts(ApprovalAnswer{Decision: ApproveOnce}), true},
		{"an offered scope", approval.Accepts(ApprovalAnswer{Decision: ApproveTool, Scope: PermissionProject}), true},
		{"a choice that was not offered", approval.Accepts(ApprovalAnswer{Decision: ApproveConnector}), false},
		{"a scope that was not offered", approval.Accepts(ApprovalAnswer{Decision: ApproveTool, Scope: PermissionUser}), false},
		{"a filled form", form.Accepts(ElicitationAnswer{Action: ElicitAccept, ContentText: "{}"}), true},
		{"a form without values", form.Accepts(ElicitationAnswer{Action: ElicitAccept}), false},
		{"a declined form", form.Accepts(ElicitationAnswer{Action: ElicitDecline}), true},
		{"an opened page", page.Accepts(ElicitationAnswer{Action: ElicitAccept}), true},
		{"a value that may be anything", InputBody{}.Accepts(InputAnswer{Value: &value}), true},
		{"a value of several", InputBody{Options: []string{"u", "v"}}.Accepts(InputAnswer{Value: &value}), true},
		{"a value that is none of several", InputBody{Options: []string{"u"}}.Accepts(InputAnswer{Value: &value}), false},
		{"no value", InputBody{Options: []string{"u"}}.Accepts(InputAnswer{Cancelled: true}), true},
		{"a page with values", page.Accepts(ElicitationAnswer{Action: ElicitAccept, ContentText: "{}"}), false},
	} {
		if fits := test.err == nil; fits != test.fits {
			t.Errorf("%s: error %v", test.name, test.err)
		}
	}
}

// FuzzAnswers holds that nothing but a written-out yes becomes one, and that no
// input is a panic.
func FuzzAnswers(f *testing.F) {
	for _, seed := range []string{
		`{"decisions":{"c":"allow"}}`, `{"decision":"once","argumentsText":"{}"}`, `{"decision":"tool","scope":"user"}`,
		`{"action":"accept","contentText":"{}"}`, `{"resultText":"{}"}`, `{"value":"x"}`, `{"decision":"confirm"}`, `null`, `{}`,
		`{"decision":"allow"}`, `{"deci\u0073ion":"once"}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		for kind, parse := range parsers() {
			got, err := parse(raw)
			if err != nil {
				if !reflect.ValueOf(got).IsZero() {
					t.Errorf("%s: %q is refused and still says %+v", kind, raw, got)
				}
				continue
			}
			text := string(raw)
			if !strings.Contains(text, "{") || !strings.Contains(text, "}") {
				t.Errorf("%s: %q is taken as %+v", kind, raw, got)
			}
			if a, ok := got.(ApprovalAnswer); ok && (!a.Decision.Known() || a.Scope != "" && !a.Scope.Known()) {
				t.Errorf("%q is taken as %+v", raw, a)
			}
			if a, ok := got.(ConsentAnswer); ok && len(a.Decisions) == 0 {
				t.Errorf("%q is taken and decides nothing", raw)
			}
		}
	})
}

// What is wrong with a value is said without it: the words go into logs.
func TestS29_RefusalsOfValuesDoNotHoldThem(t *testing.T) {
	const canary = "canary-0123456789"
	long := canary + strings.Repeat("x", maxInputBytes)
	holed := canary + "\x00"
	value := canary
	for _, err := range []error{
		CheckInputValue(long), CheckInputValue(holed), InputBody{Options: []string{"a"}}.Accepts(InputAnswer{Value: &value}),
		SecretSetParams{ID: "a", Source: "user", Destination: "d", Value: holed}.Check(),
		SecretSetParams{Source: "user", Destination: "d", Value: canary}.Check(),
		SecretSetParams{ID: "a", Destination: "d", Value: canary}.Check(),
		SecretSetParams{ID: "a", Source: "user", Value: canary}.Check(),
	} {
		if err == nil || strings.Contains(err.Error(), canary) {
			t.Errorf("%v", err)
		}
	}
}
