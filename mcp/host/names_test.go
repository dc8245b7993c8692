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
	for i, name := range servedNames(all) {
		id := all[i]
		if !servedForm.MatchString(name) {
			t.Errorf("%v is served as %q", id, name)
		}
		if other, taken := seen[strings.ToLower(name)]; taken {
			t.Errorf("%v and %v are both served as %q", id, other, name)
		}
		seen[strings.ToLower(name)] = id
	}
	if got := servedNames(all)[0]; got != "linear__save_issue" {
		t.Errorf("a plain name is served as %q", got)
	}
}

func TestC40_ServedNamesDoNotDependOnOrder(t *testing.T) {
	x, y := identity{"1", "s", "a-b"}, identity{"2", "s", "a-b"}
	forward, backward := servedNames([]identity{x, y}), servedNames([]identity{y, x})
	if forward[0] != backward[1] || forward[1] != backward[0] {
		t.Errorf("served as %q in one order and as %q in the other", forward, backward)
	}
	if forward[0] == forward[1] {
		t.Errorf("two tools are served as %q", forward[0])
	}
}

// A tool that is switched off goes by the name that it was served under.
func TestC39_AServedNameIsTheSameWithoutTheOthers(t *testing.T) {
	all := []identity{{"1", "linear", "save_issue"}, {"1", "linear", "admin/tools/list"}, {"2", "my server", "search"}, {"3", "a__b", strings.Repeat("x", 60)}}
	for i, name := range servedNames(all) {
		id := all[i]
		if alone := servedNameAlone(id); alone != name {
			t.Errorf("%v is served as %q, and alone as %q", id, name, alone)
		}
	}
}
