package serve

import (
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// TestL1_WhatIsAMessageIsTakenAsTheSDKTakesIt has the SDK's own reader beside ours.
func TestL1_WhatIsAMessageIsTakenAsTheSDKTakesIt(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"ping"}`,
		`{"jsonrpc":"2.0","id":"a<\u00e9","method":"tools\/call","params":{"n":9007199254740993,"s":[1.50]}}`,
		`{"method":"notifications/initialized","jsonrpc":"2.0","params":null}`,
		`{"jsonrpc":"2.0","id":-3,"method":"","other":{}}`,
		`{"jsonrpc":"2.0","id":7,"result":{"a":1.0}}`,
		`{"jsonrpc":"2.0","id":7,"error":{"code":-32601,"message":"none","data":[1]}}`,
	} {
		want, err := jsonrpc.DecodeMessage([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		got, fault := messageOf([]byte(text))
		if fault != "" {
			t.Errorf("%s is answered with %s", text, fault)
			continue
		}
		wantText, _ := jsonrpc.EncodeMessage(want)
		gotText, _ := jsonrpc.EncodeMessage(got)
		if string(gotText) != string(wantText) {
			t.Errorf("%s is taken for\n%s, want\n%s", text, gotText, wantText)
		}
	}
}

func TestL1_WhatIsNoMessageSaysSo(t *testing.T) {
	t.Parallel()
	const none = `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"this is no message of JSON-RPC 2.0"}}`
	for text, want := range map[string]string{
		`{`: noJSON,
		`{"jsonrpc":"2.0","id":1,"method":"ping"} x`: noJSON,
		`{"jsonrpc":"2.0" "id":1}`:                   noJSON,
		`nothing`:                                    noJSON,
		`1`:                                          none,
		`{}`:                                         none,
		`{"jsonrpc":"2.0","method":1}`:               none,
		`{"jsonrpc":"1.0","method":"a"}`:             none,
		`{"jsonrpc":"2.0","result":{}}`:              none,
		`{"jsonrpc":"2.0","id":null,"method":"ping"}`:            none,
		`{"jsonrpc":"2.0","id":1.5,"method":"ping"}`:             none,
		`{"jsonrpc":"2.0","id":1,"method":"a","result":{}}`:      `{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"this is no message of JSON-RPC 2.0"}}`,
		`{"jsonrpc":"2.0","id":"b","error":"x"}`:                 `{"jsonrpc":"2.0","id":"b","error":{"code":-32600,"message":"this is no message of JSON-RPC 2.0"}}`,
		`{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}`:        twice,
		`{"jsonrpc":"2.0","id":1,"x":1,"method":"a","\u0078":2}`: twice,
		// It would be answered under another one, and the client would wait for ever.
		`{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}`: `{"jsonrpc":"2.0","id":9007199254740993,"error":{"code":-32600,"message":"the id is a number that JSON's readers round: use a smaller one, or a text"}}`,
	} {
		if got, fault := messageOf([]byte(text)); fault != want {
			t.Errorf("%s is taken for %v, and answered with %s; want %s", text, got, fault, want)
		}
	}
}
