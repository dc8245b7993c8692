package core

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"pillion/browser"
	"pillion/browser/policy"
	"pillion/mcp/host"
	"pillion/mcp/mcptest"
	"pillion/mcp/permission"
	"pillion/mcp/settings"
)

// fakeBrowser is a provider whose browser is a connector of the test kit.
type fakeBrowser struct {
	isHolding bool
	problem   *browser.Problem
}

const fakeTools = `[{"name":"open","inputSchema":{"type":"object"},"annotations":{"openWorldHint":true}},` +
	`{"name":"evaluate","inputSchema":{"type":"object"}},{"name":"run_code_unsafe","inputSchema":{"type":"object"}}]`

func (fakeBrowser) Name() browser.Name                                           { return browser.Native }
func (f fakeBrowser) Check(context.Context, browser.Machine) *browser.Problem    { return f.problem }
func (fakeBrowser) IsPrepared(browser.Machine) bool                              { return true }
func (fakeBrowser) Prepare(context.Context, browser.Machine, func(string)) error { return nil }
func (f fakeBrowser) HoldsRequests() bool                                        { return f.isHolding }
func (fakeBrowser) Rewrite(tool string, result []byte, output *os.Root) []byte {
	if note, err := output.ReadFile("note"); err == nil {
		return []byte(`{"content":[{"type":"text","text":"` + tool + " read " + string(note) + `"}]}`)
	}
	return result
}

func (fakeBrowser) Rule(tool string) browser.Rule {
	return map[string]browser.Rule{"open": browser.Free, "evaluate": browser.Ask}[tool]
}

func (fakeBrowser) Destinations(_ string, arguments []byte) []string {
	_, rest, _ := strings.Cut(string(arguments), `"url":"`)
	url, _, isThere := strings.Cut(rest, `"`)
	if !isThere {
		return nil
	}
	return []string{url}
}

func (fakeBrowser) Definition(_ browser.Machine, output string) (browser.Definition, error) {
	path, _, env := mcptest.Command("dump")
	variables := map[string]string{mcptest.ToolsVar: fakeTools, "OUTPUT": output}
	for _, variable := range env {
		name, value, _ := strings.Cut(variable, "=")
		variables[name] = value
	}
	return browser.Definition{Program: path, Env: variables}, nil
}

// person answers the questions that come up, one after the other, and keeps them.
type person struct {
	host.Asker
	mu      sync.Mutex
	asked   []host.Approval
	answers []host.ApprovalAnswer // the last one goes on holding; none is nobody
}

func (p *person) Abilities() host.Abilities { return host.Abilities{} }

func (p *person) Approve(_ context.Context, a host.Approval) (host.ApprovalAnswer, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.answers) == 0 {
		return host.ApprovalAnswer{}, host.ErrNobody
	}
	p.asked = append(p.asked, a)
	answer := p.answers[0]
	if len(p.answers) > 1 {
		p.answers = p.answers[1:]
	}
	return answer, nil
}

func (p *person) questions() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var all []string
	for _, a := range p.asked {
		all = append(all, a.Tool.Label)
	}
	return all
}

func session() host.ApprovalAnswer { return host.ApprovalAnswer{Decision: host.DecideSession} }

// cored is a core with a fake browser.
func cored(t *testing.T, who *person, f fakeBrowser) *Core {
	t.Helper()
	dir := t.TempDir()
	environ := []string{
		"HOME=" + dir, "PATH=" + os.Getenv("PATH"), "XDG_CONFIG_HOME=" + filepath.Join(dir, "config"),
		"XDG_STATE_HOME=" + filepath.Join(dir, "state"), "XDG_CACHE_HOME=" + filepath.Join(dir, "cache"), "XDG_RUNTIME_DIR=" + filepath.Join(dir, "run"),
	}
	own, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c, err := Open(Options{
		Logger: slog.New(slog.DiscardHandler), Version: "test", Environ: environ, Executable: own, Window: NewWindow(),
		Settings: NewSettings(environ, nil), Asker: who,
	})
	if err != nil {
		t.Fatal(err)
	}
	c.browsers.providers = []browser.Provider{f}
	c.Start()
	t.Cleanup(func() { c.Close(context.Background()) })
	return c
}

func (c *Core) opens(t *testing.T, session, arguments string) host.Result {
	t.Helper()
	result, err := c.Call(t.Context(), host.CallRequest{Tool: "browser.open", SessionID: session, Arguments: []byte(arguments), Caller: host.Caller{Kind: "agent"}})
	if err != nil {
		t.Fatal(err)
	}
	return result
}

func TestH1_OffUntilTheFirstUseAndAskedOnce(t *testing.T) {
	t.Parallel()
	who := &person{answers: []host.ApprovalAnswer{session()}}
	c := cored(t, who, fakeBrowser{isHolding: true})
	if all := c.Connectors(); len(all) != 0 || c.Browser(t.Context(), "").State != BrowserOff {
		t.Fatalf("before its use: %+v, %+v", all, c.Browser(t.Context(), ""))
	}
	var calls sync.WaitGroup
	for range 4 {
		calls.Go(func() {
			if r := c.opens(t, "", `{}`); r.Status != host.StatusOK || r.AllowedBy != permission.BySession {
				t.Errorf("%s by %q: %s", r.Status, r.AllowedBy, r.Message)
			}
		})
	}
	calls.Wait()
	if asked := who.questions(); len(asked) != 1 || asked[0] != "browser.start" {
		t.Errorf("asked: %q", asked)
	}
	if all := c.Connectors(); len(all) != 1 || all[0].Name != BrowserName || all[0].Tools != 2 || c.Browser(t.Context(), "").State != BrowserRunning {
		t.Errorf("in use: %+v, %+v", all, c.Browser(t.Context(), ""))
	}
	if err := c.StopBrowser(t.Context(), ""); err != nil || c.Browser(t.Context(), "").State != BrowserOff || len(c.Connectors()[0].Processes) != 0 {
		t.Errorf("stopped: %v, %+v", err, c.Browser(t.Context(), ""))
	}
	if r := c.opens(t, "", `{}`); r.Status != host.StatusOK || len(who.questions()) != 2 {
		t.Errorf("after a stop: %s, asked %q", r.Status, who.questions())
	}
}

func TestH1_ANoHoldsForTheSession(t *testing.T) {
	t.Parallel()
	who := &person{answers: []host.ApprovalAnswer{{Decision: host.DecideDecline, Text: "read the code"}, session()}}
	c := cored(t, who, fakeBrowser{isHolding: true})
	for range 2 {
		if r := c.opens(t, "a", `{}`); r.Status != host.StatusDeclined || !strings.Contains(r.Message, "read the code") || r.MayHaveRun {
			t.Errorf("%s: %s", r.Status, r.Message)
		}
	}
	var refused *host.RefusedError
	if err := c.StartBrowser(t.Context(), "a", "", host.Caller{Kind: "agent"}); !errors.As(err, &refused) {
		t.Errorf("an agent starts it after a no: %v", err)
	}
	if len(who.questions()) != 1 || c.Browser(t.Context(), "a").State != BrowserRefused || len(c.Connectors()) != 0 {
		t.Errorf("asked %q, %+v", who.questions(), c.Browser(t.Context(), "a"))
	}
	if err := c.StartBrowser(t.Context(), "a", "", host.Caller{Kind: "editor"}); err != nil || c.Browser(t.Context(), "a").State != BrowserRunning {
		t.Errorf("a person starts it after a no: %v, %+v", err, c.Browser(t.Context(), "a"))
	}
}

func TestH1_AlwaysIsASettingOfTheUser(t *testing.T) {
	t.Parallel()
	who := &person{answers: []host.ApprovalAnswer{{Decision: host.DecideConnector, Scope: permission.ScopeUser}}}
	c := cored(t, who, fakeBrowser{isHolding: true})
	if err := os.MkdirAll(filepath.Dir(c.Folders.Settings), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(c.Folders.Settings, []byte("{\n  \"ask\": \"prompt\" // mine\n}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c.Reload()
	for _, session := range []string{"a", "b"} {
		if r := c.opens(t, session, `{}`); r.Status != host.StatusOK {
			t.Errorf("%s: %s", r.Status, r.Message)
		}
	}
	text, _ := os.ReadFile(c.Folders.Settings)
	if len(who.questions()) != 1 || !c.Browser(t.Context(), "c").IsAuto || !strings.Contains(string(text), "// mine") {
		t.Errorf("asked %q, %s", who.questions(), text)
	}
	if err := c.SetBrowserAuto(t.Context(), false); err != nil || c.Browser(t.Context(), "c").IsAuto {
		t.Errorf("taken back: %v", err)
	}
}

func TestH1_NobodyToAskIsANo(t *testing.T) {
	t.Parallel()
	c := cored(t, &person{}, fakeBrowser{})
	if r := c.opens(t, "", `{}`); r.Status != host.StatusDeclined || len(r.Steps) == 0 || c.Browser(t.Context(), "").State != BrowserOff {
		t.Errorf("%s: %s", r.Status, r.Message)
	}
}

func TestH3_WhatAsksThoughTheBrowserWasAllowed(t *testing.T) {
	t.Parallel()
	no := host.ApprovalAnswer{Decision: host.DecideDecline}
	once := host.ApprovalAnswer{Decision: host.DecideOnce}
	who := &person{answers: []host.ApprovalAnswer{session(), no, once, no, session(), no}}
	c := cored(t, who, fakeBrowser{})
	call := func(tool, arguments string) host.Status {
		r, err := c.Call(t.Context(), host.CallRequest{Tool: "browser." + tool, Arguments: []byte(arguments)})
		if err != nil {
			return host.Status(err.Error())
		}
		return r.Status
	}
	for i, step := range []struct {
		tool, arguments string
		want            host.Status
		asked           int
	}{
		{"open", `{"url":"http://localhost:3000/"}`, host.StatusOK, 1},
		{"open", `{"url":"https://new.example/x"}`, host.StatusDeclined, 2},
		{"open", `{"url":"https://new.example/x"}`, host.StatusOK, 3},
		{"open", `{"url":"https://new.example/y"}`, host.StatusOK, 3}, // the origin is allowed by now
		{"open", `{"url":"https://new.example:8443/"}`, host.StatusDeclined, 4},
		{"open", `{"url":"http://169.254.169.254/latest"}`, host.StatusDenied, 4},
		{"open", `{"url":"file:///etc/passwd"}`, host.StatusDenied, 4},
		{"evaluate", `{}`, host.StatusOK, 5}, // for the session
		{"evaluate", `{}`, host.StatusOK, 5},
		{"open", `{}`, host.StatusOK, 5},
	} {
		if got := call(step.tool, step.arguments); got != step.want || len(who.questions()) != step.asked {
			t.Fatalf("%d: %s %s: %s, asked %q", i, step.tool, step.arguments, got, who.questions())
		}
	}
	if got := call("run_code_unsafe", `{}`); !strings.Contains(string(got), "switched off") {
		t.Errorf("a tool that runs code outside of the page: %s", got)
	}
}

func TestH3_ModesAndRulesAreStronger(t *testing.T) {
	t.Parallel()
	c := cored(t, &person{answers: []host.ApprovalAnswer{session()}}, fakeBrowser{isHolding: true})
	c.opens(t, "", `{}`)
	for _, tool := range c.Tools() {
		if want := map[string]string{"open": "auto", "evaluate": "ask"}[tool.Name]; tool.Permission != want {
			t.Errorf("%s is listed as %q", tool.Name, tool.Permission)
		}
	}
	c.SetMode(permission.ModePlan)
	if r := c.opens(t, "", `{}`); r.Status != host.StatusDenied {
		t.Errorf("in plan mode: %s", r.Status)
	}
	c.SetMode(permission.ModePaused)
	if r := c.opens(t, "other", `{}`); r.Status != host.StatusDenied || c.Browser(t.Context(), "other").State != BrowserOff {
		t.Errorf("paused: %s", r.Status)
	}
}

func TestH5_SessionsHaveTheirOwn(t *testing.T) {
	t.Parallel()
	who := &person{answers: []host.ApprovalAnswer{session()}}
	c := cored(t, who, fakeBrowser{isHolding: true})
	a, b := c.opens(t, "a", `{}`), c.opens(t, "b", `{}`)
	if a.Projection.Text == b.Projection.Text || len(who.questions()) != 2 {
		t.Fatalf("asked %q, %q and %q", who.questions(), a.Projection.Text, b.Projection.Text)
	}
	if err := os.WriteFile(filepath.Join(c.browsers.output("a"), "note"), []byte("a note"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := c.opens(t, "a", `{}`).Projection.Text; got != "open read a note" {
		t.Errorf("%q is the result of the session with the file", got)
	}
	if got := c.opens(t, "b", `{}`).Projection.Text; strings.Contains(got, "note") {
		t.Errorf("%q is the result of the session without", got)
	}
	if r, err := c.Call(t.Context(), host.CallRequest{Tool: "browser.open", SessionID: "c", Joined: "a"}); err != nil || r.Status != host.StatusDenied {
		t.Errorf("another session borrows it: %s, %v", r.Status, err)
	}
	c.EndSessions(func(session string) bool { return session == "a" })
	if _, err := os.Stat(c.browsers.output("a")); !os.IsNotExist(err) || c.Browser(t.Context(), "a").State != BrowserOff {
		t.Errorf("after the end: %v", err)
	}
	if r := c.opens(t, "b", `{}`); r.Status != host.StatusOK {
		t.Errorf("the other session: %s", r.Status)
	}
	if err := c.StopBrowser(t.Context(), "b"); err != nil {
		t.Fatal(err)
	}
	if found, _ := c.Connector(BrowserName); len(found.Processes) != 0 {
		t.Errorf("left: %+v", found.Processes)
	}
}

func TestH2_AMissingBrowserSaysWhatToDoAndTheRestGoesOn(t *testing.T) {
	t.Parallel()
	missing := &browser.Problem{Reason: "there is no browser", Steps: []string{"Install one."}}
	c := cored(t, &person{answers: []host.ApprovalAnswer{session()}}, fakeBrowser{problem: missing})
	if now := c.Browser(t.Context(), ""); now.State != BrowserOff || now.Problem == nil {
		t.Errorf("before: %+v", now)
	}
	r := c.opens(t, "", `{}`)
	if now := c.Browser(t.Context(), ""); r.Status != host.StatusConnectorDown || len(r.Steps) == 0 || r.Steps[0] != "Install one." || now.State != BrowserFailed {
		t.Errorf("%s %q: %s; %+v", r.Status, r.Steps, r.Message, now)
	}
}

// A provider that runs is no browser that does.
func TestH1_ABrowserThatDoesNotComeUpIsNotRunning(t *testing.T) {
	c := cored(t, &person{answers: []host.ApprovalAnswer{session()}}, fakeBrowser{})
	c.opens(t, "a", "{}")
	for _, step := range []struct {
		result string
		want   BrowserState
		reason string
	}{
		{`{"content":[],"_meta":{"pillion/browser":{"fault":"no sandbox"}}}`, BrowserFailed, "no sandbox"},
		{`{"content":[]}`, BrowserFailed, "no sandbox"}, // says nothing of it
		{`{"content":[],"_meta":{"pillion/browser":{"runs":true}}}`, BrowserRunning, ""},
	} {
		c.browsers.rewrite("a", "open", []byte(step.result))
		now := c.Browser(t.Context(), "a")
		if now.State != step.want || (now.Problem != nil) != (step.reason != "") || now.Problem != nil && now.Problem.Reason != step.reason {
			t.Errorf("%s: %s, %+v", step.result, now.State, now.Problem)
		}
	}
	c.browsers.rewrite("a", "open", []byte(`{"_meta":{"pillion/browser":{"fault":"gone"}}}`))
	if err := c.StopBrowser(t.Context(), "a"); err != nil || c.Browser(t.Context(), "a").State != BrowserOff {
		t.Errorf("stopped: %v, %+v", err, c.Browser(t.Context(), "a"))
	}
}

// The user's own browser is asked about in every session, whatever stands, and the yes is to that address.
func TestH2_AttachingIsAskedInEverySession(t *testing.T) {
	who := &person{answers: []host.ApprovalAnswer{{Decision: host.DecideConnector, Scope: permission.ScopeUser}, session()}}
	c := cored(t, who, fakeBrowser{})
	if err := c.setSetting(t.Context(), settings.BrowserAttach, `"127.0.0.1:9222"`); err != nil {
		t.Fatal(err)
	}
	if err := c.SetBrowserAuto(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	if c.opens(t, "a", "{}").Status == host.StatusOK {
		t.Error("an answer that is not offered counts")
	}
	c.opens(t, "b", "{}")
	c.opens(t, "c", "{}")
	if asked := who.questions(); len(asked) != 3 {
		t.Fatalf("asked %v", asked)
	}
	question := who.asked[1]
	if string(question.Arguments) != `{"provider":"native","attachesTo":"127.0.0.1:9222"}` || !strings.Contains(question.Tool.Description, "127.0.0.1:9222") ||
		!strings.Contains(question.Tool.Description, "logins") || !slices.Equal(question.Choices, []string{host.DecideDecline, host.DecideSession}) {
		t.Errorf("%+v", question)
	}
	if now := c.Browser(t.Context(), "b"); now.State != BrowserRunning || now.IsAuto || !strings.Contains(now.Because, "127.0.0.1:9222") {
		t.Errorf("%+v", now)
	}
	if err := c.setSetting(t.Context(), settings.BrowserAttach, `"127.0.0.1:9333"`); err != nil {
		t.Fatal(err)
	}
	if got := c.browsers.seats["b"].attach; got != "127.0.0.1:9222" {
		t.Errorf("the yes was to %s", got)
	}
}

func TestDestinations(t *testing.T) {
	t.Parallel()
	for url, want := range map[string]permission.Decision{
		"http://localhost/": "", "https://a.example/": permission.Ask, "http://10.0.0.1/": permission.Deny, "javascript:1": permission.Deny,
		"https://user@a.example/": permission.Deny,
	} {
		if got := destinations([]string{url}, &policy.Allowed{}); got.Decision != want || want == permission.Ask && !got.IsOnce {
			t.Errorf("%s: %+v", url, got)
		}
	}
}
