package permission

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// writing is a call of a tool of a project's connector that may destroy things.
func writing() Subject {
	return Subject{
		Source: "project", Root: "/w", Connector: "c", DefinitionHash: "d1",
		Tool: "t", ToolHash: "h1", Destructive: true, SessionID: "s1",
	}
}

// reading is a call of a tool of the user's own connector that says it only reads.
func reading() Subject {
	s := writing()
	s.Source, s.ReadOnly, s.Trusted = SourceUser, true, true
	return s
}

// allow is a rule that allows the tool of writing.
func allow() Rule {
	return Rule{
		ID: "r", Source: "project", Root: "/w", Connector: "c", DefinitionHash: "d1",
		Tool: "t", ToolHashes: map[string]string{"t": "h1"}, Decision: RuleAllow, Scope: ScopeProject,
	}
}

// allowAll is a rule that allows every tool that was there.
func allowAll() Rule {
	r := allow()
	r.Tool, r.ToolHashes = "", map[string]string{"t": "h1", "u": "h2", "*": "h3"}
	return r
}

func subject(s Subject, change func(*Subject)) Subject {
	change(&s)
	return s
}

func rule(r Rule, change func(*Rule)) Rule {
	change(&r)
	return r
}

type judgement struct {
	name    string
	rules   []Rule
	mode    Mode
	subject Subject
	broken  bool // the store
	want    Decision
	by      string
	reason  string // part of it
}

func check(t *testing.T, tests []judgement) {
	t.Helper()
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			v := Judge(test.rules, test.mode, test.subject, !test.broken)
			if v.Decision != test.want || v.By != test.by || !strings.Contains(v.Reason, test.reason) {
				t.Errorf("got %s by %q: %q, want %s by %q: %q", v.Decision, v.By, v.Reason, test.want, test.by, test.reason)
			}
			if !strings.HasSuffix(v.Reason, ".") || strings.Count(v.Reason, ". ") > 0 {
				t.Errorf("%q is not one sentence", v.Reason)
			}
			if (v.Decision == Ask) != (len(v.Choices) > 0) || v.Decision == Ask && v.By != "" {
				t.Errorf("%s by %q with choices %q", v.Decision, v.By, v.Choices)
			}
		})
	}
}

func TestC73_ReadOnlyHintIsBelievedOfTrustedConnectorsAlone(t *testing.T) {
	t.Parallel()
	check(t, []judgement{
		{name: "trusted", subject: reading(), want: Auto, by: ByReadOnly, reason: "only reads"},
		{name: "trusted project", subject: subject(reading(), func(s *Subject) { s.Source = "project" }), want: Auto, by: ByReadOnly},
		{name: "untrusted", subject: subject(reading(), func(s *Subject) { s.Trusted = false }), want: Ask, reason: "neither added nor trust"},
		{name: "no hint", subject: subject(reading(), func(s *Subject) { s.ReadOnly = false }), want: Ask, reason: "change or delete"},
		{name: "no destructive hint", subject: subject(writing(), func(s *Subject) { s.Destructive = false }), want: Ask, reason: "It writes, and you have not allowed it yet."},
		{name: "destructive is moot where it only reads", subject: subject(reading(), func(s *Subject) { s.Destructive = false }), want: Auto, by: ByReadOnly},
	})
}

func TestS14_ReadingCanLeak(t *testing.T) {
	t.Parallel()
	open := subject(reading(), func(s *Subject) { s.OpenWorld = true })
	remote := subject(reading(), func(s *Subject) { s.HasRemoteURL = true })
	user := rule(allow(), func(r *Rule) { r.Source, r.Root, r.Scope = SourceUser, "", ScopeUser })
	readOnly := rule(allowAll(), func(r *Rule) { r.Source, r.ReadOnlyTools = SourceUser, true })
	check(t, []judgement{
		{name: "open world", subject: open, want: Ask, reason: "reaches outside this machine"},
		{name: "URL", subject: remote, want: Ask, reason: "an address outside this machine"},
		{name: "open world, tool allowed", rules: []Rule{user}, subject: open, want: Auto, by: ByRule},
		{name: "URL, tool allowed", rules: []Rule{user}, subject: remote, want: Auto, by: ByRule},
		{name: "open world, read-only tools allowed", rules: []Rule{readOnly}, subject: open, want: Ask},
		{name: "URL, read-only tools allowed", rules: []Rule{readOnly}, subject: remote, want: Ask},
		{name: "URL in plan mode", mode: ModePlan, subject: remote, want: Ask},
	})
}

func TestE2_DenyBeatsEverything(t *testing.T) {
	t.Parallel()
	deny := Rule{ID: "n", Source: SourceUser, Connector: "c", Tool: "t", Decision: RuleDeny, Scope: ScopeUser}
	all := rule(deny, func(r *Rule) { r.Tool = "" })
	inSession := rule(deny, func(r *Rule) { r.Scope, r.SessionID = ScopeSession, "s1" })
	allows := rule(allow(), func(r *Rule) { r.Source, r.Root, r.Scope = SourceUser, "", ScopeUser })
	for _, mode := range []Mode{"", ModeAsk, ModePlan, ModePaused} {
		check(t, []judgement{
			{name: "read-only tool in mode " + string(mode), mode: mode, rules: []Rule{deny}, subject: reading(), want: Deny, by: ByRule, reason: "blocked this tool"},
			{name: "allowed tool in mode " + string(mode), mode: mode, rules: []Rule{allows, deny}, subject: reading(), want: Deny, by: ByRule},
			{name: "connector in mode " + string(mode), mode: mode, rules: []Rule{allows, all}, subject: reading(), want: Deny, by: ByRule, reason: "blocked this connector"},
			{name: "for a session in mode " + string(mode), mode: mode, rules: []Rule{allows, inSession}, subject: reading(), want: Deny, by: ByRule},
		})
	}
	changed := subject(reading(), func(s *Subject) { s.ToolHash, s.DefinitionHash = "h9", "d9" })
	check(t, []judgement{
		{name: "changed tool and definition", rules: []Rule{deny}, subject: changed, want: Deny, by: ByRule},
		{name: "tool added later", rules: []Rule{all}, subject: subject(changed, func(s *Subject) { s.Tool = "new" }), want: Deny, by: ByRule},
		{name: "always-ask", rules: []Rule{deny}, subject: subject(reading(), func(s *Subject) { s.AlwaysAsk = true }), want: Deny, by: ByRule},
		{name: "unhealthy store", broken: true, rules: []Rule{deny}, subject: reading(), want: Deny, by: ByRule},
		{name: "of another tool", rules: []Rule{deny}, subject: subject(reading(), func(s *Subject) { s.Tool = "u" }), want: Auto, by: ByReadOnly},
		{name: "of another connector", rules: []Rule{all}, subject: subject(reading(), func(s *Subject) { s.Connector = "C" }), want: Auto, by: ByReadOnly},
		{name: "of another session", rules: []Rule{inSession}, subject: subject(reading(), func(s *Subject) { s.SessionID = "s2" }), want: Auto, by: ByReadOnly},
		{name: "in another case", rules: []Rule{rule(deny, func(r *Rule) { r.Decision = "Deny" })}, subject: subject(reading(), func(s *Subject) { s.ReadOnly = false }), want: Ask},
	})
}

func TestE2_Modes(t *testing.T) {
	t.Parallel()
	check(t, []judgement{
		{name: "plan, reads", mode: ModePlan, subject: reading(), want: Auto, by: ByReadOnly},
		{name: "plan, reads, untrusted", mode: ModePlan, subject: subject(reading(), func(s *Subject) { s.Trusted = false }), want: Ask},
		{name: "plan, writes", mode: ModePlan, subject: writing(), want: Deny, by: ByMode, reason: "plan mode"},
		{name: "plan, writes, allowed", mode: ModePlan, rules: []Rule{allow(), allowAll()}, subject: writing(), want: Deny, by: ByMode},
		{name: "plan, writes, unhealthy", mode: ModePlan, broken: true, subject: writing(), want: Deny, by: ByMode},
		{name: "paused, reads", mode: ModePaused, subject: reading(), want: Deny, by: ByMode, reason: "paused"},
		{name: "paused, allowed", mode: ModePaused, rules: []Rule{allow()}, subject: writing(), want: Deny, by: ByMode},
		{name: "unknown", mode: "Ask", subject: reading(), want: Deny, by: ByMode},
		{name: "none", subject: writing(), want: Ask},
	})
}

func TestS8_StandingPermissionsCoverWhatWasThere(t *testing.T) {
	t.Parallel()
	w := writing()
	session := rule(allow(), func(r *Rule) { r.Scope, r.SessionID = ScopeSession, "s1" })
	user := rule(allow(), func(r *Rule) { r.Source, r.Root, r.Scope = SourceUser, "", ScopeUser })
	ownWriting := subject(w, func(s *Subject) { s.Source = SourceUser })
	star := rule(allow(), func(r *Rule) { r.Tool, r.ToolHashes = "*", map[string]string{"*": "h1"} })
	readOnly := rule(allowAll(), func(r *Rule) { r.ReadOnlyTools = true })
	untrusted := subject(w, func(s *Subject) { s.ReadOnly = true })
	check(t, []judgement{
		{name: "tool", rules: []Rule{allow()}, subject: w, want: Auto, by: ByRule, reason: "You allowed this tool."},
		{name: "another tool", rules: []Rule{allow()}, subject: subject(w, func(s *Subject) { s.Tool = "u" }), want: Ask},
		{name: "tool in another case", rules: []Rule{allow()}, subject: subject(w, func(s *Subject) { s.Tool = "T" }), want: Ask},
		{name: "all", rules: []Rule{allowAll()}, subject: w, want: Auto, by: ByRule, reason: "tools of this connector"},
		{name: "all, another one", rules: []Rule{allowAll()}, subject: subject(w, func(s *Subject) { s.Tool, s.ToolHash = "u", "h2" }), want: Auto, by: ByRule},
		{name: "all, added later", rules: []Rule{allowAll()}, subject: subject(w, func(s *Subject) { s.Tool = "new" }), want: Ask, reason: "new since"},
		{name: "a tool named * is no pattern", rules: []Rule{star}, subject: w, want: Ask},
		{name: "a tool named *", rules: []Rule{star}, subject: subject(w, func(s *Subject) { s.Tool = "*" }), want: Auto, by: ByRule},
		{name: "all is not only *", rules: []Rule{allowAll()}, subject: subject(w, func(s *Subject) { s.Tool, s.ToolHash = "*", "h3" }), want: Auto, by: ByRule},
		{name: "session", rules: []Rule{session}, subject: w, want: Auto, by: BySession, reason: "for the session"},
		{name: "another session", rules: []Rule{session}, subject: subject(w, func(s *Subject) { s.SessionID = "s2" }), want: Ask},
		{name: "project", rules: []Rule{allow()}, subject: subject(w, func(s *Subject) { s.SessionID = "s2" }), want: Auto, by: ByRule},
		{name: "one name in two folders", rules: []Rule{allow()}, subject: subject(w, func(s *Subject) { s.Root = "/v" }), want: Ask},
		{name: "session, one name in two folders", rules: []Rule{session}, subject: subject(w, func(s *Subject) { s.Root = "/v" }), want: Ask},
		{name: "user", rules: []Rule{user}, subject: subject(ownWriting, func(s *Subject) { s.Root = "/anywhere" }), want: Auto, by: ByRule},
		{name: "user scope of a project's connector", rules: []Rule{rule(user, func(r *Rule) { r.Source = "project" })}, subject: w, want: Ask},
		{name: "the user's entry gone, the project's of that name", rules: []Rule{user}, subject: w, want: Ask},
		{name: "definition changed", rules: []Rule{allow()}, subject: subject(w, func(s *Subject) { s.DefinitionHash = "d2" }), want: Ask, reason: "defined otherwise"},
		{name: "no definition hash", rules: []Rule{rule(allow(), func(r *Rule) { r.DefinitionHash = "" })}, subject: subject(w, func(s *Subject) { s.DefinitionHash = "" }), want: Ask},
		{name: "no tool hash", rules: []Rule{rule(allow(), func(r *Rule) { r.ToolHashes = map[string]string{"t": ""} })}, subject: subject(w, func(s *Subject) { s.ToolHash = "" }), want: Ask},
		{name: "unknown scope", rules: []Rule{rule(allow(), func(r *Rule) { r.Scope = "Project" })}, subject: w, want: Ask},
		{name: "unknown decision", rules: []Rule{rule(allow(), func(r *Rule) { r.Decision = "Allow" })}, subject: w, want: Ask},
		{name: "read-only tools, reads", rules: []Rule{readOnly}, subject: untrusted, want: Auto, by: ByRule, reason: "only read"},
		{name: "read-only tools, writes", rules: []Rule{readOnly}, subject: w, want: Ask, reason: "change or delete"},
		{name: "read-only tools, added later", rules: []Rule{readOnly}, subject: subject(untrusted, func(s *Subject) { s.Tool = "new" }), want: Ask, reason: "new since"},
		{name: "read-only tools, a writing one added later", rules: []Rule{readOnly}, subject: subject(w, func(s *Subject) { s.Tool = "new" }), want: Ask, reason: "change or delete"},
	})
}

func TestC74_AChangedToolIsSuspendedAndOldTextRestoresIt(t *testing.T) {
	t.Parallel()
	w := writing()
	changed := subject(w, func(s *Subject) { s.ToolHash = "h2" })
	ownRule := rule(allow(), func(r *Rule) { r.Source = SourceUser })
	again := rule(allow(), func(r *Rule) { r.ToolHashes = map[string]string{"t": "h2"} })
	flipped := rule(allowAll(), func(r *Rule) { r.ReadOnlyTools = true })
	check(t, []judgement{
		{name: "changed", rules: []Rule{allow()}, subject: changed, want: Ask, reason: "has changed since"},
		{name: "changed, all allowed", rules: []Rule{allowAll()}, subject: changed, want: Ask, reason: "has changed since"},
		{name: "back", rules: []Rule{allow()}, subject: w, want: Auto, by: ByRule},
		{name: "other tools", rules: []Rule{allowAll()}, subject: subject(w, func(s *Subject) { s.Tool, s.ToolHash = "u", "h2" }), want: Auto, by: ByRule},
		{name: "allowed again", rules: []Rule{again, allow()}, subject: changed, want: Auto, by: ByRule},
		{name: "allowed again, then back", rules: []Rule{again, allow()}, subject: w, want: Auto, by: ByRule},
		{name: "the read-only pass too", rules: []Rule{ownRule}, subject: subject(reading(), func(s *Subject) { s.ToolHash = "h2" }), want: Ask, reason: "has changed since"},
		{name: "read-only hint flipped", rules: []Rule{flipped}, subject: changed, want: Ask, reason: "has changed since"},
	})
	if v := Judge([]Rule{allow()}, ModeAsk, changed, true); v.Rule != "r" {
		t.Errorf("the suspended rule is not named: %+v", v)
	}
}

func TestS9_AnotherVersionSuspends(t *testing.T) {
	t.Parallel()
	of := func(version string) func(*Rule) {
		return func(r *Rule) { r.ID, r.ServerVersion = "of "+version, version }
	}
	at := func(s Subject, version string) Subject {
		return subject(s, func(s *Subject) { s.ServerVersion = version })
	}
	own := rule(rule(allow(), of("1")), func(r *Rule) { r.Source, r.Scope, r.Root = SourceUser, ScopeUser, "" })
	read := subject(reading(), func(s *Subject) { s.ToolHash = "h1" })
	const reason = "of another version"
	check(t, []judgement{
		{name: "the same", rules: []Rule{rule(allow(), of("1"))}, subject: at(writing(), "1"), want: Auto, by: ByRule},
		{name: "another", rules: []Rule{rule(allow(), of("1"))}, subject: at(writing(), "2"), want: Ask, reason: reason},
		{name: "none is said any more", rules: []Rule{rule(allow(), of("1"))}, subject: writing(), want: Ask, reason: reason},
		{name: "none was kept", rules: []Rule{allow()}, subject: at(writing(), "2"), want: Auto, by: ByRule},
		{name: "all tools", rules: []Rule{rule(allowAll(), of("1"))}, subject: at(writing(), "2"), want: Ask, reason: reason},
		{name: "accepted anew", rules: []Rule{rule(allow(), of("2")), rule(allow(), of("1"))}, subject: at(writing(), "2"), want: Auto, by: ByRule},
		{name: "back to the old one", rules: []Rule{rule(allow(), of("2")), rule(allow(), of("1"))}, subject: at(writing(), "1"), want: Auto, by: ByRule},
		{name: "the read-only pass too", rules: []Rule{own}, subject: at(read, "2"), want: Ask, reason: reason},
		{name: "and the tool changed", rules: []Rule{rule(allow(), of("1"))}, subject: at(subject(writing(), func(s *Subject) { s.ToolHash = "h2" }), "2"), want: Ask, reason: "has changed since"},
	})
	if v := Judge([]Rule{rule(allow(), of("2")), rule(allow(), of("1"))}, ModeAsk, at(writing(), "3"), true); v.Rule != "of 2" {
		t.Errorf("the rule that was given last is not named: %+v", v)
	}
}

func TestS20_AnUnhealthyStoreAsks(t *testing.T) {
	t.Parallel()
	session := rule(allow(), func(r *Rule) { r.Scope, r.SessionID = ScopeSession, "s1" })
	own := subject(reading(), func(s *Subject) { s.NamesOwnFolder = true })
	ownRule := rule(allow(), func(r *Rule) { r.Source = SourceUser })
	check(t, []judgement{
		{name: "read-only", broken: true, subject: reading(), want: Ask, reason: "can't be relied on"},
		{name: "allowed", broken: true, rules: []Rule{allow(), allowAll(), session}, subject: writing(), want: Ask},
		{name: "own folder, read-only", subject: own, want: Ask, reason: "Pillion's own folders"},
		{name: "own folder, allowed", rules: []Rule{ownRule}, subject: own, want: Ask},
		{name: "always-ask, read-only", subject: subject(reading(), func(s *Subject) { s.AlwaysAsk = true }), want: Ask, reason: "every time"},
		{name: "always-ask, allowed", rules: []Rule{allow(), session}, subject: subject(writing(), func(s *Subject) { s.AlwaysAsk = true }), want: Ask},
		{name: "asking rule, allowed", rules: []Rule{allow(), {ID: "a", Source: "project", Root: "/w", Connector: "c", Tool: "t", Decision: RuleAsk, Scope: ScopeProject}}, subject: writing(), want: Ask, reason: "asked every time"},
		{name: "asking rule, read-only", rules: []Rule{{ID: "a", Source: SourceUser, Connector: "c", Decision: RuleAsk, Scope: ScopeUser}}, subject: reading(), want: Ask},
	})
	for _, s := range []Subject{own, subject(writing(), func(s *Subject) { s.AlwaysAsk = true })} {
		if v := Judge(nil, ModeAsk, s, true); !slices.Equal(v.Choices, []string{ChoiceDecline, ChoiceOnce}) || len(v.Scopes) > 0 {
			t.Errorf("offered %q for %q", v.Choices, v.Scopes)
		}
	}
	if v := Judge(nil, ModeAsk, writing(), false); !slices.Equal(v.Choices, []string{ChoiceDecline, ChoiceOnce}) {
		t.Errorf("offered %q", v.Choices)
	}
}

func TestU12_WhatMayBeAnswered(t *testing.T) {
	t.Parallel()
	once := []string{ChoiceDecline, ChoiceOnce}
	all := append(slices.Clone(once), ChoiceSession, ChoiceTool, ChoiceConnector)
	reads := append(slices.Clone(once), ChoiceSession, ChoiceReadOnly, ChoiceTool, ChoiceConnector)
	untrusted := subject(writing(), func(s *Subject) { s.ReadOnly = true })
	tests := []struct {
		name            string
		subject         Subject
		choices, scopes []string
	}{
		{"project's connector", writing(), all, []string{ScopeSession, ScopeProject}},
		{"project's connector that reads", untrusted, reads, []string{ScopeSession, ScopeProject}},
		{"reads with a URL", subject(untrusted, func(s *Subject) { s.HasRemoteURL = true }), all, []string{ScopeSession, ScopeProject}},
		{"reads the open world", subject(untrusted, func(s *Subject) { s.OpenWorld = true }), all, []string{ScopeSession, ScopeProject}},
		{"user's connector", subject(writing(), func(s *Subject) { s.Source = SourceUser }), all, []string{ScopeSession, ScopeProject, ScopeUser}},
		{"user's connector, no folder", subject(writing(), func(s *Subject) { s.Source, s.Root = SourceUser, "" }), all, []string{ScopeSession, ScopeUser}},
		{"built-in connector, no folder", subject(writing(), func(s *Subject) { s.Source, s.Root = "builtin", "" }), all, []string{ScopeSession}},
		{"no tool hash", subject(writing(), func(s *Subject) { s.ToolHash = "" }), once, nil},
		{"no definition hash", subject(writing(), func(s *Subject) { s.DefinitionHash = "" }), once, nil},
	}
	for _, test := range tests {
		v := Judge(nil, ModeAsk, test.subject, true)
		if v.Decision != Ask || !slices.Equal(v.Choices, test.choices) || !slices.Equal(v.Scopes, test.scopes) || v.Scopes == nil {
			t.Errorf("%s: %s, %q for %q, want %q for %q", test.name, v.Decision, v.Choices, v.Scopes, test.choices, test.scopes)
		}
	}
}

// TestS8_NothingRunsWithoutAReason tries calls and rules at random against what must hold of all of them.
func TestS8_NothingRunsWithoutAReason(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(1, 2))
	flip := func() bool { return rnd.IntN(2) == 0 }
	pick := func(of ...string) string { return of[rnd.IntN(len(of))] }
	for range 50000 {
		s := Subject{
			Source: pick("user", "project"), Root: pick("/w", "/v"), Connector: pick("c", "e"), DefinitionHash: pick("d1", "d2"),
			Tool: pick("t", "u"), ToolHash: pick("h1", "h2"), ReadOnly: flip(), Destructive: flip(), OpenWorld: flip(), Trusted: flip(),
			HasRemoteURL: flip(), NamesOwnFolder: rnd.IntN(8) == 0, SessionID: pick("s1", "s2"), AlwaysAsk: rnd.IntN(8) == 0,
		}
		var rules []Rule
		for range rnd.IntN(4) {
			rules = append(rules, Rule{
				ID: "r", Source: pick("user", "project"), Root: pick("/w", "/v"), Connector: pick("c", "e"), DefinitionHash: pick("d1", "d2"),
				Tool: pick("t", "u", ""), ToolHashes: map[string]string{pick("t", "u"): pick("h1", "h2")}, ReadOnlyTools: flip(),
				Decision: pick("allow", "allow", "allow", "ask", "deny"), Scope: pick("session", "project", "user"), SessionID: pick("s1", "s2"),
			})
		}
		mode, healthy := Mode(pick("ask", "ask", "plan", "paused")), rnd.IntN(8) > 0
		before := slices.Clone(rules)
		v := Judge(rules, mode, s, healthy)
		if v.Decision == Auto {
			if mode == ModePaused || mode == ModePlan && !s.ReadOnly || s.AlwaysAsk || s.NamesOwnFolder || !healthy {
				t.Fatalf("%+v in mode %s, healthy %v, runs: %+v", s, mode, healthy, v)
			}
			quiet := s.ReadOnly && s.Trusted && !s.OpenWorld && !s.HasRemoteURL
			granted := slices.ContainsFunc(rules, func(r Rule) bool {
				return r.Decision == "allow" && r.Connector == s.Connector && r.Source == s.Source && r.DefinitionHash == s.DefinitionHash &&
					r.ToolHashes[s.Tool] == s.ToolHash && (r.Tool == "" || r.Tool == s.Tool)
			})
			if !quiet && !granted {
				t.Fatalf("%+v with %+v runs: %+v", s, rules, v)
			}
		}
		for _, r := range rules {
			about := r.Connector == s.Connector && r.Source == s.Source && (r.Tool == "" || r.Tool == s.Tool) &&
				(r.Scope == "user" && s.Source == "user" || r.Scope == "project" && r.Root == s.Root)
			if about && r.Decision == "deny" && v.Decision != Deny || about && r.Decision == "ask" && v.Decision == Auto {
				t.Fatalf("%+v with %+v: %+v", s, r, v)
			}
		}
		if !slices.EqualFunc(rules, before, func(a, b Rule) bool { return a.ID == b.ID && a.Tool == b.Tool }) {
			t.Fatal("the rules were changed")
		}
	}
}

func TestS15_WhatAllowsAllOfAConnector(t *testing.T) {
	t.Parallel()
	asked := subject(writing(), func(s *Subject) { s.Tool, s.ToolHash, s.ReadOnly = "\x00prompts/get", "", true })
	for _, c := range []struct {
		name    string
		rules   []Rule
		mode    Mode
		subject Subject
		broken  bool
		want    bool
	}{
		{name: "all of it", rules: []Rule{allowAll()}, subject: asked, want: true},
		{name: "nothing", subject: asked},
		{name: "one tool", rules: []Rule{allow()}, subject: asked},
		{name: "those that only read", rules: []Rule{rule(allowAll(), func(r *Rule) { r.ReadOnlyTools = true })}, subject: asked},
		{name: "another definition", rules: []Rule{allowAll()}, subject: subject(asked, func(s *Subject) { s.DefinitionHash = "d2" })},
		{name: "no definition", rules: []Rule{rule(allowAll(), func(r *Rule) { r.DefinitionHash = "" })}, subject: subject(asked, func(s *Subject) { s.DefinitionHash = "" })},
		{name: "another version", rules: []Rule{rule(allowAll(), func(r *Rule) { r.ServerVersion = "1" })}, subject: subject(asked, func(s *Subject) { s.ServerVersion = "2" })},
		{name: "another folder", rules: []Rule{allowAll()}, subject: subject(asked, func(s *Subject) { s.Root = "/other" })},
		{name: "another session's", rules: []Rule{rule(allowAll(), func(r *Rule) { r.Scope, r.SessionID = ScopeSession, "s2" })}, subject: asked},
		{name: "its session's", rules: []Rule{rule(allowAll(), func(r *Rule) { r.Scope, r.SessionID = ScopeSession, "s1" })}, subject: asked, want: true},
		{name: "refused, too", rules: []Rule{allowAll(), rule(allowAll(), func(r *Rule) { r.Decision = RuleDeny })}, subject: asked},
		{name: "asked every time, too", rules: []Rule{allowAll(), rule(allowAll(), func(r *Rule) { r.Decision = RuleAsk })}, subject: asked},
		{name: "paused", rules: []Rule{allowAll()}, mode: ModePaused, subject: asked},
		{name: "a store that cannot be relied on", rules: []Rule{allowAll()}, subject: asked, broken: true},
		{name: "a folder of Pillion's own", rules: []Rule{allowAll()}, subject: subject(asked, func(s *Subject) { s.NamesOwnFolder = true })},
	} {
		if _, is := AllowsAll(c.rules, c.mode, c.subject, !c.broken); is != c.want {
			t.Errorf("%s: %v, want %v", c.name, is, c.want)
		}
	}
}
