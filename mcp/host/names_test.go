package host

import (
	"regexp"
	"strings"
	"testing"
)

var servedForm = regexp.MustCompile(`^[A-Za-z0-9_-]{1,48}$`)

func TestC39_ServedNamesAreUniqueShortAndClean(t *testing.T) {
	long := strings.Repeat("x", 60)
	all := []identity{
		{"1", "linear", "save_issue"},
		{"1", "linear", "admin.tools.list"},
		{"1", "linear", "admin/tools/list"},
		{"1", "linear", "ü"},
		{"1", "linear", "two words"},
		{"1", "linear", long + "a"},
		{"1", "linear", long + "b"},
		{"2", "my server.v2", "search"},
		{"2", "my server.v2", strings.Repeat("y", 128)},
		{"3", "a__b", "c"},
		{"4", "a", "b__c"},
		{"5", "A", "b__c"},
	}
	seen := map[string]identity{}
	for id, name := range servedNames(all) {
		if !servedForm.MatchString(name) {
			t.Errorf("%v is served as %q", id, name)
		}
		if other, taken := seen[strings.ToLower(name)]; taken {
			t.Errorf("%v and %v are both served as %q", id, other, name)
		}
		seen[strings.ToLower(name)] = id
	}
	if got := servedNames(all)[all[0]]; got != "linear__save_issue" {
		t.Errorf("a plain name is served as %q", got)
	}
}

func TestC40_ServedNamesDoNotDependOnOrder(t *testing.T) {
	x, y := identity{"1", "s", "a-b"}, identity{"2", "s", "a-b"}
	forward, backward := servedNames([]identity{x, y}), servedNames([]identity{y, x})
	for _, id := range []identity{x, y} {
		if forward[id] != backward[id] {
			t.Errorf("%v is %q in one order and %q in the other", id, forward[id], backward[id])
		}
	}
	if forward[x] == forward[y] {
		t.Errorf("two tools are served as %q", forward[x])
	}
}

// A tool that is switched off goes by the name that it was served under.
func TestC39_AServedNameIsTheSameWithoutTheOthers(t *testing.T) {
	all := []identity{{"1", "linear", "save_issue"}, {"1", "linear", "admin/tools/list"}, {"2", "my server", "search"}, {"3", "a__b", strings.Repeat("x", 60)}}
	for id, name := range servedNames(all) {
		if alone := servedNameAlone(id); alone != name {
			t.Errorf("%v is served as %q, and alone as %q", id, name, alone)
		}
	}
}
