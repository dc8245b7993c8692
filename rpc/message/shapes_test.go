package message

import (
	"bytes"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"pillion/rpc"
)

// TestShapesStayAsTheyAre holds the names of the wire: members may be added at
// the end, none may be renamed or become optional.
func TestShapesStayAsTheyAre(t *testing.T) {
	for _, test := range []struct {
		shape   any
		members string
	}{
		{Connector{}, "id name root? state source uri? range? hash? transport tools resources prompts tokens generation stale? listedAt? server? processes shadowedBy? aliasOf? profiles? problem? phase? warnings? pinned? disabledBy? logUri?"},
		{ServerIdentity{}, "name version protocolVersion instructions?"},
		{ConnectorProcess{}, "pid sessionId? startedAt"},
		{ConnectorProblem{}, "kind reason steps logUri?"},
		{ConnectorsResult{}, "rev connectors"},
		{ConnectorParams{}, "connector sessionId? workDoneToken?"},
		{ConnectorResult{}, "connector"},
		{ConnectorAddParams{}, "name definitionText scope root? force?"},
		{ConnectorAddResult{}, "connector warnings"},
		{ConnectorRemoveParams{}, "connector"},
		{ConnectorsChangedParams{}, "rev changed removed"},
		{ConsentsResult{}, "records"},
		{ConsentRecord{}, "root connector name hash decision at definitionText"},
		{ConsentRevokeParams{}, "root connector"},
		{Tool{}, "id label servedName connector name title? summary description? inputSchemaText? outputSchemaText? annotations? tags? tokens permission hash changed? state? foundBy?"},
		{Change{}, "path before after"},
		{ConnectorSetParams{}, "connector enabled? profile? pinned?"},
		{ToolSetParams{}, "tool state scope?"},
		{ToolSetResult{}, "tool"},
		{WorkspaceSetParams{}, "root profile? env?"},
		{WorkspaceSetResult{}, "root profile env"},
		{ToolsParams{}, "connector? query? tag? limit? cursor? detail? explain? all?"},
		{ToolsResult{}, "tools total partial? nextCursor? why?"},
		{ToolParams{}, "tool"},
		{ToolResult{}, "tool typescript"},
		{ToolsChangedParams{}, "connector generation added? removed? changed? all?"},
		{WhyParams{}, "connector? tool?"},
		{WhyResult{}, "reasons"},
		{Reason{}, "kind text uri? range?"},
		{ToolCallParams{}, "tool argumentsText? arguments? callId? sessionId? parentSessionId? turnId? timeoutMs? include? workDoneToken?"},
		{CallResult{}, "callId tool status text? truncated? fullTextUri? redacted? contentText? structuredText? attachments error? errors? message? steps? advice? mayHaveRun taskId? allowed? durationMs"},
		{Attachment{}, "uri mimeType bytes name?"},
		{CallError{}, "code message"},
		{ArgumentFault{}, "path message"},
		{Allowance{}, "by rule?"},
		{CallsResult{}, "calls"},
		{CallSummary{}, "callId tool state at"},
		{CallParams{}, "callId"},
		{CallDetailResult{}, "state result?"},
		{ResultReadParams{}, "callId offset limit"},
		{ResultReadResult{}, "text nextOffset?"},
		{Ask{}, "askId kind at deadline? callId? sessionId? asker body"},
		{Asker{}, "kind name? program? pid?"},
		{ConsentBody{}, "items"},
		{ConsentItem{}, "root connector name uri hash reason definitionText shown changes? warnings secrets?"},
		{ShownDefinition{}, "command? args? cwd? env? url? headers? reads files"},
		{NamedFile{}, "path sha256 changed steers?"},
		{ApprovalBody{}, "tool method? argumentsText reason choices scopes"},
		{ElicitationBody{}, "connector name message schemaText? url?"},
		{SamplingBody{}, "connector name paramsText"},
		{InputBody{}, "connector? id description secret options? default? destination"},
		{SecretsResult{}, "secrets"},
		{Secret{}, "id source root? destination set"},
		{SecretSetParams{}, "id source root? destination value"},
		{SecretRemoveParams{}, "id source root? destination"},
		{JoinBody{}, "program pid parent claimedName"},
		{StoreBody{}, "file setAside? reason unsealed?"},
		{AsksResult{}, "rev asks"},
		{AsksChangedParams{}, "rev opened closed"},
		{ClosedAsk{}, "askId how by?"},
		{AskAnswerParams{}, "askId answer"},
		{AskAnswerResult{}, "accepted reason?"},
		{AskShowParams{}, "connector? change?"},
		{WidenBody{}, "change connector? name? uri? tool? scope? root? where? now then hash definitionText? reads? tools?"},
		{WidenAnswer{}, "decision"},
		{WantedChange{}, "rule? removeRule? connector? tool? toolScope? mode?"},
		{PermissionRemoveResult{}, "askId?"},
		{ModeSetResult{}, "mode askId?"},
		{ConnectorSetResult{}, "connector askId?"},
		{AskShowResult{}, "askId"},
		{ConsentAnswer{}, "decisions secrets?"},
		{ApprovalAnswer{}, "decision scope? text? argumentsText? where?"},
		{ElicitationAnswer{}, "action contentText?"},
		{SamplingAnswer{}, "resultText? declined?"},
		{InputAnswer{}, "value? cancelled?"},
		{JoinAnswer{}, "decision"},
		{StoreAnswer{}, "decision"},
		{PermissionsResult{}, "rules"},
		{PermissionRule{}, "id connector tool decision scope sessionId? hash? where? at label name source root? by? suspended?"},
		{Condition{}, "path equals? glob? under?"},
		{PermissionSetParams{}, "connector tool decision scope hash? where?"},
		{PermissionRemoveParams{}, "id"},
		{ModeParams{}, "mode"},
		{ModeResult{}, "mode"},
		{TrustChangedParams{}, "trusted"},
		{ClientCapability{}, "protocol asks events?"},
		{ServerCapability{}, "protocol version window attach"},
		{AttachEndpoint{}, "socket"},
		{WindowDescriptor{}, "window roots pid editor focusedAt? socket"},
		{AttachChallengeParams{}, "nonce"},
		{AttachChallengeResult{}, "proof nonce"},
		{AttachParams{}, "role name proof expose? unprefixed?"},
		{CommandStarted{}, "callId"},
		{SessionEvent{}, "epoch seq at kind callId? connector? name? state? browser? sessionId? problem? generation? uri? tool? call? status? mayHaveRun? durationMs? asker? askId? ask? how? by? level? text? missed?"},
		{BrowserParams{}, "sessionId?"},
		{BrowserStartParams{}, "sessionId? url? callId? workDoneToken?"},
		{BrowserResult{}, "sessionId? state provider because connector doing? problem? auto pictureUri? message? steps? call?"},
		{EventsParams{}, "epoch? since?"},
		{EventsResult{}, "epoch events"},
		{DoctorParams{}, "sections?"},
		{DoctorResult{}, "rows"},
		{DoctorRow{}, "section level subject text steps path? connector? version? pid? bytes?"},
	} {
		typ := reflect.TypeOf(test.shape)
		if got := strings.Join(members(typ), " "); got != test.members {
			t.Errorf("%s:\n got %s\nwant %s", typ.Name(), got, test.members)
		}
	}
}

func members(typ reflect.Type) []string {
	var names []string
	for i := range typ.NumField() {
		name, option, _ := strings.Cut(typ.Field(i).Tag.Get("json"), ",")
		if option == "omitzero" {
			name += "?"
		}
		names = append(names, name)
	}
	return names
}

// TestNoEmptyListIsNull holds the trap of Go's nil slices for every shape that
// is sent.
func TestNoEmptyListIsNull(t *testing.T) {
	for _, shape := range []any{
		ConnectorsResult{}, ConnectorsChangedParams{}, ConnectorResult{}, ConnectorAddResult{}, ConsentsResult{}, ToolsResult{}, ToolResult{},
		NewToolsChanged("c", 1, nil, nil, nil), WhyResult{}, CallResult{}, CallsResult{}, AsksResult{}, AsksChangedParams{}, ConsentBody{},
		ConsentItem{}, ApprovalBody{}, PermissionsResult{}, ClientCapability{}, AttachResult{}, WindowDescriptor{}, ConnectorProblem{},
	} {
		text, err := rpc.Marshal(shape)
		if err != nil {
			t.Errorf("%T: %v", shape, err)
		} else if bytes.Contains(text, []byte("null")) {
			t.Errorf("%T: %s", shape, text)
		}
	}
}

func TestNullIsWrittenWhereItMeansSomething(t *testing.T) {
	for _, test := range []struct {
		shape any
		want  string
	}{
		{AskShowResult{}, `{"askId":null}`},
		{PermissionSetParams{Connector: "c", Tool: AllTools(), Decision: PermissionDeny, Scope: PermissionSession},
			`{"connector":"c","tool":null,"decision":"deny","scope":"session"}`},
		{PermissionSetParams{Connector: "c", Tool: OneTool(`a"b`), Decision: PermissionDeny, Scope: PermissionSession},
			`{"connector":"c","tool":"a\"b","decision":"deny","scope":"session"}`},
		{InputAnswer{Cancelled: true}, `{"cancelled":true}`},
		{Empty{}, `{}`},
	} {
		if text, err := rpc.Marshal(test.shape); err != nil || string(text) != test.want {
			t.Errorf("%T: %s, %v, want %s", test.shape, text, err, test.want)
		}
	}
}

func TestTimesAreRFC3339(t *testing.T) {
	at := time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC)
	text, err := rpc.Marshal(Ask{AskID: "a", Kind: AskStore, At: at, Asker: Asker{Kind: AskerEditor}, Body: jsontext.Value(`{}`)})
	want := `{"askId":"a","kind":"store","at":"2026-02-03T04:05:06Z","asker":{"kind":"editor"},"body":{}}`
	if err != nil || string(text) != want {
		t.Errorf("%s, %v, want %s", text, err, want)
	}
}

func TestAskCarriesEveryBody(t *testing.T) {
	bodies := []AskBody{
		ConsentBody{Items: []ConsentItem{{Name: "github", Root: "file:///w", URI: "file:///w/.mcp.json", Warnings: []string{},
			Shown: ShownDefinition{Env: map[string]string{"T": "${T}"}, Reads: []string{"T"}, Files: []NamedFile{}}}}},
		ApprovalBody{Tool: Tool{ID: "t"}, ArgumentsText: `{"n":9007199254740993}`, Choices: []ApprovalChoice{ApproveDecline}, Scopes: []PermissionScope{}},
		ElicitationBody{Message: "name?", SchemaText: "{}"},
		ElicitationBody{Message: "sign", URL: "https://example.com/"},
		SamplingBody{ParamsText: "{}"},
		InputBody{ID: "token", Secret: true},
		JoinBody{Program: "/bin/agent", PID: 7},
		StoreBody{File: "/s/consent.json", Reason: "newer"},
		WidenBody{Change: WidenRule, Name: "github", Tool: "push", Scope: PermissionUser, Where: []Condition{{Path: "/branch", Glob: "docs/*"}},
			Now: []string{"refuse github.push"}, Then: "allow github.push", Hash: "ab", Reads: []string{"TOKEN"}},
	}
	kinds := map[AskKind]bool{}
	for _, body := range bodies {
		var ask, received Ask
		if err := ask.SetBody(body); err != nil {
			t.Fatal(err)
		}
		kinds[ask.Kind] = true
		text, err := rpc.Marshal(ask)
		if err != nil {
			t.Fatal(err)
		}
		if err := rpc.Unmarshal(text, &received); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if got, err := received.ParseBody(); err != nil || !reflect.DeepEqual(got, body) {
			t.Errorf("%s: %+v, %v, want %+v", ask.Kind, got, err, body)
		}
	}
	for kind := range parsers() {
		if !kinds[kind] {
			t.Errorf("no body was tried for %s", kind)
		}
	}
}

func TestAskBodyMustBeOfItsKind(t *testing.T) {
	for _, ask := range []Ask{
		{Kind: "quiz", Body: jsontext.Value(`{}`)},
		{Kind: AskConsent},
		{Kind: AskConsent, Body: jsontext.Value(`[]`)},
		{Kind: AskURL, Body: jsontext.Value(`{"message":"no page"}`)},
		{Kind: AskElicitation, Body: jsontext.Value(`{"url":"https://example.com/"}`)},
	} {
		if body, err := ask.ParseBody(); err == nil {
			t.Errorf("%s %s: %+v", ask.Kind, ask.Body, body)
		}
	}
}

func TestManyToolChangesAreNotListed(t *testing.T) {
	ids := make([]ToolID, 201)
	for _, test := range []struct {
		added, removed, changed []ToolID
		all                     bool
	}{
		{nil, nil, nil, false},
		{ids[:200], nil, nil, false},
		{ids[:100], ids[:50], ids[:50], false},
		{ids[:100], ids[:50], ids[:51], true},
		{nil, nil, ids, true},
	} {
		p := NewToolsChanged("c", 3, test.added, test.removed, test.changed)
		if p.All != test.all || (p.Added == nil) != test.all || (p.Removed == nil) != test.all || (p.Changed == nil) != test.all {
			t.Errorf("%d, %d, %d: %+v", len(test.added), len(test.removed), len(test.changed), p)
		}
	}
}
