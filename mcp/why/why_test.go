package why

import (
	"slices"
	"strings"
	"testing"

	"pillion/mcp/config"
)

var (
	entry   = Place{"/w/.mcp.json", config.Span{Start: 10, End: 18}}
	place   = Place{"/w/.mcp.json", config.Span{Start: 40, End: 60}}
	project = Place{"/v/.mcp.json", config.Span{}}
)

func connector(change func(*Connector)) Connector {
	c := Connector{Name: "notes", At: entry, State: Known, ApproveCommand: "pillion mcp approve notes", EnableCommand: "pillion mcp enable notes",
		RevokeCommand: "pillion mcp revoke notes"}
	if change != nil {
		change(&c)
	}
	return c
}

type want struct {
	kind Kind
	text string
	at   Place
}

func check(t *testing.T, name string, got []Reason, wants []want) {
	t.Helper()
	if len(got) != len(wants) {
		t.Errorf("%s: %d reasons, want %d: %+v", name, len(got), len(wants), got)
		return
	}
	for i, w := range wants {
		if got[i].Kind != w.kind || got[i].Text != w.text || got[i].At != w.at {
			t.Errorf("%s: reason %d is\n%+v, want\n%+v", name, i, got[i], w)
		}
	}
}

func TestD4_WhyAConnectorIsNotThere(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		change func(*Connector)
		want   []want
	}{
		{"it is", nil, nil},
		{"Pillion itself", func(c *Connector) { c.IsSelf = true },
			[]want{{Disabled, `The entry "notes" is Pillion itself, for other agents; it is not started here, and nothing has to be done.`, entry}}},
		{"shadowed", func(c *Connector) { c.UsedInstead = "/u/mcp.json" },
			[]want{{Shadowed, `The connector "notes" is not used because "/u/mcp.json" has one of that name; rename one of the two to use both.`, entry}}},
		{"off in its file", func(c *Connector) { c.OffInFile = &place },
			[]want{{Disabled, `The connector "notes" is switched off in its file; switch it on with ` + "`pillion mcp enable notes`" + `.`, place}}},
		{"off by a project", func(c *Connector) { c.OffByProject = &project },
			[]want{{Disabled, `The connector "notes" is switched off here by the project's file "/v/.mcp.json"; switch it on with ` + "`pillion mcp enable notes`" + `.`, project}}},
		{"off by the user", func(c *Connector) { c.IsOffByUser = true },
			[]want{{Disabled, `The connector "notes" was switched off by you, outside every file; switch it on with ` + "`pillion mcp enable notes`" + `.`, Place{}}}},
		{"another profile", func(c *Connector) { c.OffByProfile = &Profiles{"work", []string{"home", "play"}} },
			[]want{{Profile, `The connector "notes" is not in the profile "work" that is chosen here; choose one that it is in ("home", "play"), or none.`, entry}}},
		{"no profile", func(c *Connector) { c.OffByProfile = &Profiles{"", []string{"home"}} },
			[]want{{Profile, `The connector "notes" is on only in a profile, and none is chosen here; choose one that it is in ("home").`, entry}}},
		{"in no profile", func(c *Connector) { c.OffByProfile = &Profiles{} },
			[]want{{Profile, `The connector "notes" is on only where a profile says so, and it is in none; name a profile under "pillion" in its entry.`, entry}}},
		{"a fault", func(c *Connector) { c.Fault, c.FaultFix, c.FaultAt = "command is a number.", "write a string", place },
			[]want{{Problem, `The connector "notes" cannot run as it is written: command is a number; write a string.`, place}}},
		{"a fault comes before the yes that it leaves no use for", func(c *Connector) {
			c.Fault, c.FaultFix, c.FaultAt, c.IsWaiting, c.IsUntrusted, c.State = "remote connectors are not supported yet", "Use a program.", entry, true, true, NotStarted
		}, []want{{Problem, `The connector "notes" cannot run as it is written: remote connectors are not supported yet; use a program.`, entry}}},
		{"a fault that may pass", func(c *Connector) {
			c.Fault, c.FaultAt, c.IsFaultPassing, c.IsWaiting = "variable T is not set", place, true, true
		}, []want{
			{Problem, `The connector "notes" cannot run as it is written: variable T is not set.`, place},
			{Permission, `The connector "notes" needs permission; review it with ` + "`pillion mcp approve notes`" + `.`, entry},
		}},
		{"off, with a fault", func(c *Connector) {
			c.OffInFile, c.Fault, c.FaultAt, c.IsWaiting = &place, "command is a number", entry, true
		}, []want{
			{Disabled, `The connector "notes" is switched off in its file; switch it on with ` + "`pillion mcp enable notes`" + `.`, place},
			{Problem, `The connector "notes" cannot run as it is written: command is a number.`, entry},
		}},
		{"Pillion itself, whatever else there is", func(c *Connector) { c.IsSelf, c.Fault, c.IsWaiting = true, "this is Pillion", true },
			[]want{{Disabled, `The entry "notes" is Pillion itself, for other agents; it is not started here, and nothing has to be done.`, entry}}},
		{"blocked", func(c *Connector) { c.IsBlocked = true },
			[]want{{Permission, `The connector "notes" is blocked by you in this folder; take that back with ` + "`pillion mcp revoke notes`" + `.`, entry}}},
		{"waiting", func(c *Connector) { c.IsWaiting = true },
			[]want{{Permission, `The connector "notes" needs permission; review it with ` + "`pillion mcp approve notes`" + `.`, entry}}},
		{"changed", func(c *Connector) { c.IsWaiting, c.IsChanged = true, true },
			[]want{{Permission, `The connector "notes" needs permission again because its definition, or the code that it runs, changed since you allowed it; review it with ` + "`pillion mcp approve notes`" + `.`, entry}}},
		{"untrusted", func(c *Connector) { c.IsUntrusted = true },
			[]want{{Permission, `The connector "notes" waits because the editor does not trust this workspace; trust the workspace in the editor.`, Place{}}}},
		{"no decision counts", func(c *Connector) { c.IsWaiting, c.StoreFault = true, "/s/consents.json is broken" }, []want{
			{Permission, `The connector "notes" waits because no earlier decision counts (/s/consents.json is broken); see ` + "`pillion pending`" + `.`, Place{}},
			{Permission, `The connector "notes" needs permission; review it with ` + "`pillion mcp approve notes`" + `.`, entry},
		}},
		{"failed", func(c *Connector) { c.State, c.Problem, c.Step = Failed, "exit code 1", "Install it." },
			[]want{{Problem, `The connector "notes" does not run: exit code 1; install it.`, entry}}},
		{"starting", func(c *Connector) { c.State = Starting },
			[]want{{NeverListed, `The connector "notes" is still starting; wait until it has listed its tools.`, entry}}},
		{"never started", func(c *Connector) { c.State = NotStarted },
			[]want{{NeverListed, "The connector \"notes\" is not running, and its tools are not known here; start it once, in the editor or with `pillion refresh`.", entry}}},
		{"several, and never started", func(c *Connector) {
			c.UsedInstead, c.IsOffByUser, c.IsWaiting, c.State = "/u/mcp.json", true, true, NotStarted
		}, []want{
			{Shadowed, `The connector "notes" is not used because "/u/mcp.json" has one of that name; rename one of the two to use both.`, entry},
			{Disabled, `The connector "notes" was switched off by you, outside every file; switch it on with ` + "`pillion mcp enable notes`" + `.`, Place{}},
			{Permission, `The connector "notes" needs permission; review it with ` + "`pillion mcp approve notes`" + `.`, entry},
		}},
	} {
		check(t, test.name, connector(test.change).Reasons(), test.want)
	}
}

func TestD4_WhyAToolIsNotThere(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		change func(*Tool)
		want   []want
	}{
		{"it is", nil, nil},
		{"malformed", func(x *Tool) { x.IsListed, x.Malformed = false, "inputSchema is a number" },
			[]want{{Quarantined, `The tool "notes.add" is left out because its definition is malformed (inputSchema is a number); its connector has to mend it.`, entry}}},
		{"never listed", func(x *Tool) { x.IsListed = false },
			[]want{{NeverListed, `The connector "notes" lists no tool "add"; look at what it does list.`, entry}}},
		{"never listed, but nearly", func(x *Tool) { x.IsListed, x.Nearest = false, []string{"notes.ad", "notes.adds"} },
			[]want{{NeverListed, `The connector "notes" lists no tool "add"; did you mean "notes.ad" or "notes.adds"?`, entry}}},
		{"not among the tools", func(x *Tool) { x.NotAmong = &place },
			[]want{{Filtered, `The tool "notes.add" is not among the "tools" that the entry offers; add its name there.`, place}}},
		{"excluded", func(x *Tool) { x.Excluded = &place },
			[]want{{Filtered, `The tool "notes.add" is left out by "excludeTools" of the entry; take it out of that list.`, place}}},
		{"excluded by a project", func(x *Tool) { x.ExcludedByProject = &project },
			[]want{{Filtered, `The tool "notes.add" is left out here by "excludeTools" of the project's file "/v/.mcp.json"; take it out of that list.`, project}}},
		{"off by the user", func(x *Tool) { x.IsOffByUser = true },
			[]want{{Disabled, `The tool "notes.add" was switched off by you, outside every file; switch it on with ` + "`pillion tools on notes.add`" + `.`, Place{}}}},
		{"denied", func(x *Tool) { x.Refusal = "You blocked this tool." },
			[]want{{Denied, `The tool "notes.add" may not be called because a standing rule of yours refuses it (You blocked this tool); remove the rule: ` + "`pillion permissions`" + ` lists it.`, Place{}}}},
		{"the mode", func(x *Tool) { x.Mode = "Pillion is paused." },
			[]want{{Mode, `The tool "notes.add" may not be called in the window's mode (Pillion is paused); change the mode back to "ask".`, Place{}}}},
		{"its connector waits and was never started", func(x *Tool) {
			x.IsListed, x.Connector.IsWaiting, x.Connector.State, x.Excluded, x.IsOffByUser, x.Mode = false, true, NotStarted, &place, true, "Paused"
		}, []want{
			{Permission, `The connector "notes" needs permission; review it with ` + "`pillion mcp approve notes`" + `.`, entry},
			{Filtered, `The tool "notes.add" is left out by "excludeTools" of the entry; take it out of that list.`, place},
			{Disabled, `The tool "notes.add" was switched off by you, outside every file; switch it on with ` + "`pillion tools on notes.add`" + `.`, Place{}},
			{Mode, `The tool "notes.add" may not be called in the window's mode (Paused); change the mode back to "ask".`, Place{}},
		}},
	} {
		tool := Tool{Name: "add", Label: "notes.add", Connector: connector(nil), IsListed: true, OnCommand: "pillion tools on notes.add"}
		if test.change != nil {
			test.change(&tool)
		}
		check(t, test.name, tool.Reasons(), test.want)
	}
}

func TestD4_WhichOneIsMeant(t *testing.T) {
	t.Parallel()
	check(t, "two connectors", Ambiguous("connector", "notes", []Candidate{{"1", "1", entry}, {"2", "2", project}}), []want{
		{Collision, `The name "notes" could mean 2 connectors; use "1" for the one of "/w/.mcp.json".`, entry},
		{Collision, `The name "notes" could mean 2 connectors; use "2" for the one of "/v/.mcp.json".`, project},
	})
}

func TestD4_NearMisses(t *testing.T) {
	t.Parallel()
	known := []string{"github.create_issue", "github.list_issues", "linear.save_issue", "github", "linear", "x"}
	for name, want := range map[string]string{
		"githb":               "github",
		"GitHub.createIssue":  "github.create_issue",
		"github.create_isue":  "github.create_issue",
		"linear__save_issue":  "linear.save_issue",
		"save_issue":          "linear.save_issue",
		"Linear":              "linear",
		"github.list_issuess": "github.list_issues",
	} {
		if near := Near(name, known); len(near) == 0 || near[0] != want || len(near) > maxNear {
			t.Errorf("%s: %q, want %q first", name, near, want)
		}
	}
	for _, name := range []string{"", "...", "postgres", "zzzzzz", "é"} {
		if near := Near(name, known); len(near) > 0 {
			t.Errorf("%q is near %q", name, near)
		}
	}
	if listed := Listed([]string{"a\nb", "c"}); strings.Contains(listed, "\n") || !strings.Contains(listed, " or ") {
		t.Errorf("%q", listed)
	}
	if !slices.IsSorted(Near("issues", []string{"issues b", "issues a"})) {
		t.Error("the order of what is equally near is not fixed")
	}
}
