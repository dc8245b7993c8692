package message

import "testing"

func TestInitializationOptionsNeverWiden(t *testing.T) {
	for _, test := range []struct {
		raw     string
		trusted bool
		ask     AskManner
		level   NotificationLevel
		faults  int
	}{
		{``, true, AskOnCommand, NotifyQuestions, 0},
		{`null`, true, AskOnCommand, NotifyQuestions, 0},
		{`{}`, true, AskOnCommand, NotifyQuestions, 0},
		{`{"other":{"tool":1}}`, true, AskOnCommand, NotifyQuestions, 0},
		{`{"trusted":true,"ask":"prompt","notifications":"none"}`, true, AskByPrompt, NotifyNone, 0},
		{`{"trusted":false,"ask":"command","notifications":"all"}`, false, AskOnCommand, NotifyAll, 0},
		{`{"trusted":null,"ask":null,"notifications":null}`, true, AskOnCommand, NotifyQuestions, 0},
		{`{"trusted":"false"}`, false, AskOnCommand, NotifyQuestions, 1},
		{`{"trusted":"true"}`, false, AskOnCommand, NotifyQuestions, 1},
		{`{"trusted":1}`, false, AskOnCommand, NotifyQuestions, 1},
		{`{"Trusted":false}`, true, AskOnCommand, NotifyQuestions, 0},
		{`{"ask":"Prompt","notifications":3}`, true, AskOnCommand, NotifyQuestions, 2},
		{`{"ask":["prompt"]}`, true, AskOnCommand, NotifyQuestions, 1},
		{`[]`, false, AskOnCommand, NotifyQuestions, 1},
		{`"trusted"`, false, AskOnCommand, NotifyQuestions, 1},
		{`{"trusted":false,"trusted":true}`, false, AskOnCommand, NotifyQuestions, 1},
		{`{`, false, AskOnCommand, NotifyQuestions, 1},
	} {
		o, faults := ParseInitializationOptions([]byte(test.raw))
		if o.IsTrusted() != test.trusted || o.Ask != test.ask || o.Notifications != test.level || len(faults) != test.faults {
			t.Errorf("%s: trusted %v, %+v, faults %v", test.raw, o.IsTrusted(), o.Settings(), faults)
		}
	}
}

func TestSettingsTakeSafeValues(t *testing.T) {
	for _, test := range []struct {
		raw    string
		want   Settings
		faults int
	}{
		{``, Settings{AskOnCommand, NotifyQuestions}, 0},
		{`null`, Settings{AskOnCommand, NotifyQuestions}, 0},
		{`{"ask":"prompt"}`, Settings{AskByPrompt, NotifyQuestions}, 0},
		{`{"notifications":"none","trusted":true}`, Settings{AskOnCommand, NotifyNone}, 0},
		{`{"ask":"always"}`, Settings{AskOnCommand, NotifyQuestions}, 1},
		{`7`, Settings{AskOnCommand, NotifyQuestions}, 1},
	} {
		if got, faults := ParseSettings([]byte(test.raw)); got != test.want || len(faults) != test.faults {
			t.Errorf("%s: %+v, faults %v", test.raw, got, faults)
		}
	}
}

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

// FuzzSession holds that nothing that an editor sends at initialize is a panic,
// and that every setting ends as a known value.
func FuzzSession(f *testing.F) {
	f.Add([]byte(`{"trusted":false,"ask":"prompt","notifications":"all"}`))
	f.Add([]byte(`{"pillion":{"protocol":[1],"asks":["consent"]}}`))
	f.Add([]byte(`{"trusted":`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		o, faults := ParseInitializationOptions(raw)
		if o.Ask != AskOnCommand && o.Ask != AskByPrompt {
			t.Errorf("%q: ask is %q", raw, o.Ask)
		}
		if len(faults) > 0 && o.Ask == AskByPrompt && o.Notifications == NotifyAll && o.IsTrusted() {
			t.Errorf("%q: faults %v and nothing takes its safe value", raw, faults)
		}
		if c, ok := ParseClientCapability(raw); !ok && (c.Protocol != nil || c.Asks != nil) {
			t.Errorf("%q: refused and still says %+v", raw, c)
		}
	})
}
