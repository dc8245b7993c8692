package message

import (
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

func values(texts ...string) []jsontext.Value {
	var raw []jsontext.Value
	for _, text := range texts {
		raw = append(raw, jsontext.Value(text))
	}
	return raw
}

// TestU16_CommandsWorkWithoutArguments holds what a client sends that cannot
// send arguments.
func TestU16_CommandsWorkWithoutArguments(t *testing.T) {
	for _, raw := range [][]jsontext.Value{nil, {}, values("null"), values("null", "null")} {
		if got, err := CommandConnectorStart.ParseArguments(raw); err != nil || got.Connector != "" {
			t.Errorf("start %s: %+v, %v", raw, got, err)
		}
		got, err := CommandToolCall.ParseArguments(raw)
		if err != nil || got.Tool != "" || string(got.ArgumentBytes()) != "{}" {
			t.Errorf("call %s: %+v, %v", raw, got, err)
		}
		if got, err := CommandAskAnswer.ParseArguments(raw); err != nil || got.Check() == nil {
			t.Errorf("answer %s: %+v, %v", raw, got, err)
		}
	}
}

func TestCommandArgumentsStandInOrder(t *testing.T) {
	got, err := CommandToolCall.ParseArguments(values(`"a.b"`, `{"n":12345678901234567890}`, `"more"`))
	if err != nil || got.Tool != "a.b" || string(got.ArgumentBytes()) != `{"n":12345678901234567890}` {
		t.Errorf("%+v, %v", got, err)
	}
	for _, raw := range [][]jsontext.Value{values(`1`), values(`{"connector":"c"}`), values(`["c"]`), values(`true`)} {
		if got, err := CommandConnectorStop.ParseArguments(raw); err == nil {
			t.Errorf("%s: %+v", raw, got)
		}
	}
}

func TestCommandArgumentsComeBack(t *testing.T) {
	sent := AskAnswerArguments{AskID: "a1", Answer: jsontext.Value(`{"decisions":{"c":"allow"}}`), Hash: "h"}
	raw, err := CommandAskAnswer.FormatArguments(sent)
	if err != nil || len(raw) != 3 {
		t.Fatalf("%s, %v", raw, err)
	}
	got, err := CommandAskAnswer.ParseArguments(raw)
	if err != nil || got.AskID != sent.AskID || string(got.Answer) != string(sent.Answer) || got.Hash != sent.Hash {
		t.Errorf("%+v, %v", got, err)
	}
	if raw, err := CommandConnectorStart.FormatArguments(ConnectorArguments{Connector: "c"}); err != nil || string(raw[0]) != `"c"` {
		t.Errorf("%s, %v", raw, err)
	}
}
