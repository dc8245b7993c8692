package sidecar

import (
	"bytes"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

func TestS29_TracesHoldNoValuesThatAreSet(t *testing.T) {
	t.Parallel()
	const canary = "canary-0123456789"
	for name, body := range map[string]string{
		"answer":         `{"jsonrpc":"2.0","id":1,"method":"pillion/ask/answer","params":{"askId":"a","answer":{"value":"canary-0123456789"}}}`,
		"method behind":  `{"id":1,"params":{"askId":"a","answer":{"value":"canary-0123456789"}},"method":"pillion/ask/answer"}`,
		"method escaped": `{"id":1,"method":"pillion\/ask\u002fanswer","params":{"answer":{"v\u0061lue":"canary-0123456789"}}}`,
		"set":            `{"id":1,"method":"pillion/secret/set","params":{"id":"a","source":"user","destination":"d","value":"canary-0123456789"}}`,
		"command":        `{"id":1,"method":"workspace/executeCommand","params":{"command":"pillion.server.ask.answer","arguments":[{"askId":"a","answer":{"value":"canary-0123456789"}}]}}`,
		"of wrong type":  `{"id":1,"method":"pillion/secret/set","params":{"value":{"a":["canary-0123456789"]}}}`,
		"twice":          `{"id":1,"method":"pillion/secret/set","params":{"value":"a","value":"canary-0123456789"}}`,
		"broken":         `{"id":1,"method":"pillion/secret/set","params":{"value":"canary-0123456789"`,
	} {
		clean := withoutValues([]byte(body))
		if strings.Contains(string(clean), canary) {
			t.Errorf("%s: %s", name, clean)
		}
		if name != "broken" && !jsontext.Value(clean).IsValid(jsontext.AllowDuplicateNames(true)) {
			t.Errorf("%s: it is no JSON any more: %s", name, clean)
		}
	}
	for _, body := range []string{
		`{"id":1,"method":"pillion/tool/call","params":{"arguments":{"value":"canary-0123456789","n":9007199254740993,"e":1.10}}}`,
		`{"id":1,"result":{"asks":[]}}`, `no frame`, ``, `[`, `{"method":"x"} {}`,
	} {
		if clean := withoutValues([]byte(body)); !bytes.Equal(clean, []byte(body)) {
			t.Errorf("%s became %s", body, clean)
		}
	}
}
