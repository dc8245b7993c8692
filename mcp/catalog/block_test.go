package catalog

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func listed(connectors, tools int) []Listed {
	var all []Listed
	for c := range connectors {
		for i := range tools {
			all = append(all, Listed{fmt.Sprintf("server%d", c), fmt.Sprintf("get_thing_%d", i), "Gets a thing of the project, by its id."})
		}
	}
	return all
}

func TestJ4_TheBudgetHolds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tools := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Listed {
			return Listed{
				rapid.SampledFrom([]string{"a", "linear", "x y"}).Draw(t, "connector"), rapid.StringMatching(`[a-zA-Z_]{1,30}`).Draw(t, "name"),
				strings.Join(strings.Fields(rapid.String().Draw(t, "summary")), " "),
			}
		}), 0, 40).Draw(t, "tools")
		budget := rapid.IntRange(0, 800).Draw(t, "budget")
		block := NewBlock(tools, budget, rapid.SampledFrom([]string{"", "get", "linear thing"}).Draw(t, "bias"))
		if block.Tokens > budget && len(tools) > 0 || block.Tokens != Tokens(block.Text) || block.Shown > len(tools) {
			t.Fatalf("%d tokens of %d: %q", block.Tokens, budget, block.Text)
		}
		if budget == 800 && len(tools) < 5 && block.Shown < len(tools) {
			t.Logf("not all of few are named: %q", block.Text)
		}
	})
}

func TestJ4_AllWhereTheyFitAndAFairShareWhereNot(t *testing.T) {
	few := NewBlock(listed(2, 2), 1000, "")
	if few.Shown != 4 || !strings.Contains(few.Text, "# server1\nserver1.get_thing_0: Gets a thing") {
		t.Errorf("%d: %s", few.Shown, few.Text)
	}
	many := NewBlock(listed(30, 40), 2000, "")
	for c := range 30 {
		if name := fmt.Sprintf("server%d.get_thing_0:", c); !strings.Contains(many.Text, name) {
			t.Errorf("%s is not named", name)
		}
	}
	if many.Shown < 60 || many.Tokens < 1900 || !strings.Contains(many.Text, "of 1200 named") {
		t.Errorf("%d tools in %d tokens", many.Shown, many.Tokens)
	}
}

func TestJ4_WhatTheBiasFindsComesFirst(t *testing.T) {
	tools := append(listed(10, 40), Listed{"notes", "write_note", "Writes a note."})
	block := NewBlock(tools, 200, "writing notes")
	if !strings.Contains(block.Text, "notes.write_note") {
		t.Errorf("%s", block.Text)
	}
}

func TestJ4_NoTools(t *testing.T) {
	if block := NewBlock(nil, 100, ""); block.Text != "There are no tools.\n" || block.Shown != 0 {
		t.Errorf("%+v", block)
	}
}
