package catalog

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestJ2_Words(t *testing.T) {
	for name, want := range map[string]string{
		"create_issue": "create issue", "createIssue": "create issue", "CreateIssue": "create issue", "create-issue.now": "create issue now",
		"HTTPServer": "http server", "getHTTP2": "get http 2", "a": "a", "": "", "__x__": "x", "naïveÄpfel": "naïve äpfel", "v2": "v 2",
	} {
		if got := strings.Join(wordsOf(name), " "); got != want {
			t.Errorf("wordsOf(%q) = %q, want %q", name, got, want)
		}
	}
}

func TestJ2_Stems(t *testing.T) {
	for _, group := range []string{
		"search searches searching searched searcher", "query queries querying queried", "create creates creating created creation",
		"delete deletes deleting deleted deletion", "issue issues", "file files", "run running", "list lists listing listed", "repository repositories",
	} {
		words := strings.Fields(group)
		for _, word := range words[1:] {
			if stem(word) != stem(words[0]) {
				t.Errorf("stem(%q) = %q, stem(%q) = %q", word, stem(word), words[0], stem(words[0]))
			}
		}
	}
	if stem("class") != "class" || stem("as") != "as" || stem("this") == "" {
		t.Error("a stem is cut too short")
	}
}

func TestJ2_AStemIsHowItsWordBegins(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringMatching(`[a-z]{0,12}`).Draw(t, "word")
		if got := stem(word); !strings.HasPrefix(word, got) || len(word) >= leastStem && len(got) < leastStem {
			t.Fatalf("stem(%q) = %q", word, got)
		}
	})
}

// tracker are entries that a query tells apart by one field each.
var tracker = []Entry{
	{Connector: "linear", Name: "list_teams", ServedName: "linear__list_teams", Description: "Lists the teams that may own an issue."},
	{Connector: "linear", Name: "save_issue", ServedName: "linear__save_issue", Description: "Creates or changes one."},
	{Connector: "linear", Name: "issue", ServedName: "linear__issue"},
	{Connector: "linear", Name: "issue_labels", ServedName: "linear__issue_labels"},
	{Connector: "github", Name: "comment", ServedName: "github__comment", Tags: []string{"Issue"}},
	{Connector: "issues", Name: "ping", ServedName: "issues__ping"},
	{Connector: "github", Name: "searchCode", ServedName: "github__searchCode", Title: "Find code", Description: "Searches the code of repositories."},
	{Connector: "github", Name: "create_pull_request", ServedName: "github__create_pull_request", Description: "Opens a pull request."},
}

func names(x *Index, entries []Entry, query string) (found []string, isPartial bool) {
	hits, isPartial := x.Search(query, nil)
	for _, hit := range hits {
		found = append(found, entries[hit.At].Connector+"."+entries[hit.At].Name)
	}
	return found, isPartial
}

func TestJ2_Ranking(t *testing.T) {
	x := NewIndex(tracker)
	for query, want := range map[string]string{
		"issue":                "linear.issue linear.issue_labels github.comment linear.save_issue issues.ping linear.list_teams",
		"ISSUE":                "linear.issue linear.issue_labels github.comment linear.save_issue issues.ping linear.list_teams",
		"save issue":           "linear.save_issue",
		"issue save":           "linear.save_issue",
		"saving":               "linear.save_issue",
		"linear.save_issue":    "linear.save_issue",
		"linear__save_issue":   "linear.save_issue",
		"linear.save":          "linear.save_issue",
		"repository code":      "github.searchCode",
		"searching code":       "github.searchCode",
		"find":                 "github.searchCode",
		"create pull requests": "github.create_pull_request",
		"pull, request!":       "github.create_pull_request",
		"nothingofthatkind":    "",
		"":                     "",
		"github":               "github.comment github.searchCode github.create_pull_request",
		"list":                 "linear.list_teams",
	} {
		if got, isPartial := names(x, tracker, query); strings.Join(got, " ") != want || isPartial {
			t.Errorf("%q finds %q (partial %t), want %q", query, got, isPartial, want)
		}
	}
}

func TestJ2_AnyWordWhereNothingHasAll(t *testing.T) {
	x := NewIndex(tracker)
	got, isPartial := names(x, tracker, "label zebra")
	if !isPartial || strings.Join(got, " ") != "linear.issue_labels" {
		t.Errorf("%q, partial %t", got, isPartial)
	}
	if got, isPartial := names(x, tracker, "issue label"); isPartial || len(got) != 1 {
		t.Errorf("what has one word is found beside what has both: %q, %t", got, isPartial)
	}
	got, isPartial = names(x, tracker, "pull label request zebra")
	if !isPartial || got[0] != "github.create_pull_request" || !slices.Contains(got, "linear.issue_labels") {
		t.Errorf("%q, partial %t", got, isPartial)
	}
}

func TestJ2_Explained(t *testing.T) {
	hits, _ := NewIndex(tracker).Search("saves issue linear", nil)
	if len(hits) != 1 || fmt.Sprint(hits[0].Found) != "[{saves word} {issue substring} {linear connector}]" {
		t.Errorf("%+v", hits)
	}
}

// Property: every word of what is found whole stands in it, the order is that of the scores, and nothing is found twice.
func TestJ2_WhatIsFoundIsThere(t *testing.T) {
	word := rapid.SampledFrom([]string{"get", "list", "issue", "file", "read", "run"})
	rapid.Check(t, func(t *rapid.T) {
		entries := rapid.SliceOf(rapid.Custom(func(t *rapid.T) Entry {
			name := strings.Join(rapid.SliceOfN(word, 1, 3).Draw(t, "name"), "_")
			return Entry{Connector: word.Draw(t, "connector"), Name: name, Description: strings.Join(rapid.SliceOf(word).Draw(t, "text"), " ")}
		})).Draw(t, "entries")
		terms := rapid.SliceOfN(word, 1, 3).Draw(t, "query")
		has := func(e Entry) (n int) {
			for _, term := range termsOf(strings.Join(terms, " ")) {
				if strings.Contains(e.Connector+" "+e.Name+" "+e.Description, term.text) {
					n++
				}
			}
			return n
		}
		hits, isPartial := NewIndex(entries).Search(strings.Join(terms, " "), nil)
		seen, all := map[int]bool{}, len(termsOf(strings.Join(terms, " ")))
		for i, hit := range hits {
			n := has(entries[hit.At])
			if seen[hit.At] || n == 0 || !isPartial && n != all || i > 0 && hit.Score > hits[i-1].Score && len(hit.Found) == len(hits[i-1].Found) {
				t.Fatalf("hit %d %+v of %+v", i, hit, entries[hit.At])
			}
			seen[hit.At] = true
		}
		for at, e := range entries {
			if has(e) == all && !seen[at] {
				t.Fatalf("%+v is not found", e)
			}
		}
	})
}

// many are entries with descriptions of the usual length.
func many(count int) []Entry {
	verbs, things := strings.Fields("get list create update delete search send read write run"), strings.Fields("issue file page branch user message event query table note")
	entries := make([]Entry, count)
	for i := range entries {
		verb, thing := verbs[i%10], things[i/10%10]
		entries[i] = Entry{
			Connector: fmt.Sprintf("server%d", i/40), Name: fmt.Sprintf("%s_%s_%d", verb, thing, i), ServedName: fmt.Sprintf("server%d__%s_%s_%d", i/40, verb, thing, i),
			Description: fmt.Sprintf("Use this to %s one %s of the project. It takes the id of the %s and answers with what came of it, number %d. ", verb, thing, thing, i) +
				strings.Repeat("Further words that say when to use it and when another tool serves better. ", 3),
		}
	}
	return entries
}

var queries = []string{"issue", "create issue", "searching tables", "server17 note", "what came of it", "zebra", "get_file_120", "updating the message of a user", "zebra create giraffe"}

func BenchmarkSearch(b *testing.B) {
	x := NewIndex(many(10_000))
	for i := 0; b.Loop(); i++ {
		x.Search(queries[i%len(queries)], nil)
	}
}

// BenchmarkSearchP99 is the slowest of a hundred searches in 10,000 tools against one pass that takes the same text apart.
func BenchmarkSearchP99(b *testing.B) {
	entries := many(10_000)
	x := NewIndex(entries)
	var worst, pass time.Duration
	for b.Loop() {
		times := make([]time.Duration, 0, 100)
		for i := range 100 {
			begun := time.Now()
			x.Search(queries[i%len(queries)], nil)
			times = append(times, time.Since(begun))
		}
		slices.Sort(times)
		worst += times[98]
		begun := time.Now()
		words := 0
		for i := range entries {
			e := &entries[i]
			words += len(strings.FieldsFunc(strings.ToLower(e.Connector+" "+e.Name+" "+e.Title+" "+e.Description), func(r rune) bool { return r < '0' || r > '9' && r < 'a' || r > 'z' && r < 0x80 }))
		}
		pass += time.Since(begun)
		if words == 0 {
			b.Fatal("nothing was taken apart")
		}
	}
	b.ReportMetric(float64(worst.Microseconds())/float64(b.N), "p99-µs")
	b.ReportMetric(float64(pass.Microseconds())/float64(b.N), "pass-µs")
	b.ReportMetric(float64(worst)/float64(pass), "p99/pass")
}
