package browser

import (
	"encoding/json"
	"testing"
)

func TestStanding_IsWhatTheResultTells(t *testing.T) {
	for _, s := range []Standing{{}, {Runs: true}, {Fault: "there is none"}} {
		result, err := json.Marshal(map[string]any{"content": []any{}, "_meta": s.Meta()})
		if err != nil || StandingOf(result) != s {
			t.Errorf("%+v: %s, %v", s, result, err)
		}
	}
	for _, other := range []string{`{}`, `{"content":[{"type":"text","text":"\"_meta\":{\"pillion/browser\":{\"fault\":\"x\"}}"}]}`, `[]`, `{"_meta":{"pillion/browser":7}}`} {
		if s := StandingOf([]byte(other)); s != (Standing{}) {
			t.Errorf("%s: %+v", other, s)
		}
	}
}
