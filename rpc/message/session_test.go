package message

import "testing"

func TestClientDeclaresWhatItAnswers(t *testing.T) {
	for _, test := range []struct {
		raw      string
		declared bool
		approval bool
	}{
		{``, false, false},
		{`null`, false, false},
		{`{}`, false, false},
		{`true`, false, false},
		{`{"pillion":null}`, false, false},
		{`{"pillion":true}`, false, false},
		{`{"pillion":{}}`, false, false},
		{`{"pillion":{"protocol":1,"asks":["approval"]}}`, false, false},
		{`{"pillion":{"protocol":[2],"asks":["approval"]}}`, false, false},
		{`{"Pillion":{"protocol":[1],"asks":["approval"]}}`, false, false},
		{`{"pillion":{"protocol":[1],"asks":null}}`, true, false},
		{`{"pillion":{"protocol":[1]}}`, true, false},
		{`{"pillion":{"protocol":[2,1],"asks":["consent","approval","quiz"],"events":true},"other":1}`, true, true},
		{`{"pillion":{"protocol":[1],"asks":["Approval"]}}`, true, false},
	} {
		c, declared := ParseClientCapability([]byte(test.raw))
		if declared != test.declared || c.Answers(AskApproval) != test.approval {
			t.Errorf("%s: %+v, %v", test.raw, c, declared)
		}
	}
}

// FuzzSession holds that nothing that an editor declares at initialize is a
// panic, and that what is refused says nothing.
func FuzzSession(f *testing.F) {
	f.Add([]byte(`{"pillion":{"protocol":[1],"asks":["consent"]}}`))
	f.Add([]byte(`{"trusted":`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		if c, ok := ParseClientCapability(raw); !ok && (c.Protocol != nil || c.Asks != nil) {
			t.Errorf("%q: refused and still says %+v", raw, c)
		}
	})
}
