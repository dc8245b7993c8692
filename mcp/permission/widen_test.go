package permission

import "testing"

func TestS6_WhatGivesMore(t *testing.T) {
	t.Parallel()
	deny := Rule{Connector: "c", Decision: RuleDeny}
	for _, test := range []struct {
		name  string
		rules []Rule
		draft Rule
		want  bool
	}{
		{"an allowance", nil, Rule{Connector: "c", Decision: RuleAllow}, true},
		{"a refusal", []Rule{deny}, Rule{Connector: "c", Decision: RuleDeny}, false},
		{"always asking", nil, Rule{Connector: "c", Decision: RuleAsk}, false},
		{"always asking in the place of a refusal", []Rule{deny}, Rule{Connector: "c", Decision: RuleAsk}, true},
		{"always asking beside another's refusal", []Rule{deny}, Rule{Connector: "d", Decision: RuleAsk}, false},
	} {
		if got := Widens(test.rules, test.draft); got != test.want {
			t.Errorf("%s: %v", test.name, got)
		}
	}
	for decision, want := range map[string]bool{RuleAllow: false, RuleAsk: true, RuleDeny: true} {
		if got := (Rule{Decision: decision}).Limits(); got != want {
			t.Errorf("%s limits: %v", decision, got)
		}
	}
}
