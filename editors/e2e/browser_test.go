//go:build e2e

package e2e

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"pillion/editors/editortest"
	"pillion/rpc/message"
)

// publicAddress is one of the network that nobody has here: it is this machine's for the time of the run, which is cut off.
const publicAddress = "93.184.216.34"

// places is a site of this machine with a link to one of the world, and a record of who was asked for what.
type places struct {
	local, world string // without a slash at the end

	mu   sync.Mutex
	seen []string
}

func newPlaces(t *testing.T) *places {
	t.Helper()
	p := &places{}
	world := httptest.NewUnstartedServer(p)
	listener, err := net.Listen("tcp", publicAddress+":0")
	if err != nil {
		t.Fatalf("a place that is not of this machine: %v", err)
	}
	_ = world.Listener.Close()
	world.Listener = listener
	world.Start()
	local := httptest.NewServer(p)
	t.Cleanup(local.Close)
	t.Cleanup(world.Close)
	p.local, p.world = local.URL, world.URL
	return p
}

func (p *places) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	p.seen = append(p.seen, r.Host+r.URL.Path)
	p.mu.Unlock()
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	fmt.Fprintf(w, `<!doctype html><html><head><link rel=icon href=data:,><title>The shop</title></head><body><h1>The shop %s</h1>
<button onclick="this.textContent='bought';console.error('no such stock')">Buy</button> <a href="%s/by-link">Elsewhere</a></body></html>`, r.URL.Path, p.world)
}

// reached reports whether the place in the world was asked for anything.
func (p *places) reached() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.ContainsFunc(p.seen, func(one string) bool { return strings.HasPrefix(one, publicAddress) })
}

// browsing is the repository in an editor, with a real browser on this machine.
func browsing(t *testing.T) (*editortest.Editor, *sandbox) {
	t.Helper()
	if os.Getenv("PILLION_HERMETIC") == "" {
		t.Skip("NOT HERMETIC: this needs an address of the world of its own")
	}
	if out, err := exec.Command("ip", "address", "replace", publicAddress+"/32", "dev", "lo").CombinedOutput(); err != nil {
		t.Fatalf("take the address: %v: %s", err, out)
	}
	s := newSandbox(t, pillion(t))
	settings := filepath.Join(s.home, ".config", "pillion", "settings.json")
	if err := os.MkdirAll(filepath.Dir(settings), 0o700); err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf(`{"browserProvider": "native", "browserSandbox": %v}`, os.Getuid() != 0)
	if err := os.WriteFile(settings, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return editsHere(t, s), s
}

func editsHere(t *testing.T, s *sandbox) *editortest.Editor {
	t.Helper()
	return editortest.Start(t, editortest.Options{
		Command: []string{filepath.Join(s.bin, "pillion"), "--stdio"}, Environ: s.environment(), Roots: []string{s.repository},
	})
}

// uses calls a tool of the browser.
func uses(e *editortest.Editor, tool, arguments string) message.CallResult {
	return editortest.Request(e, message.ToolCall, message.ToolCallParams{Tool: message.ToolRef("browser." + tool), ArgumentsText: arguments})
}

// startsBrowser starts the window's own, and allows it for the session.
func startsBrowser(t *testing.T, e *editortest.Editor) {
	t.Helper()
	started := editortest.Go(context.Background(), e, message.BrowserStart, message.BrowserStartParams{})
	e.Ask(message.AskApproval)
	e.BrowserStates(message.BrowserAsking)
	ask := e.Approve(message.ApproveSession)
	if body, err := ask.ParseBody(); err != nil || body.(message.ApprovalBody).Tool.Label != "browser.start" {
		t.Errorf("asked: %s, %v", ask.Body, err)
	}
	e.Closed(ask.AskID)
	if outcome := <-started; outcome.Err != nil || outcome.Result.State != message.BrowserRunning {
		t.Fatalf("started: %+v", outcome)
	}
}

// refOf is how the last snapshot names an element.
func refOf(t *testing.T, text, element string) string {
	t.Helper()
	found := regexp.MustCompile(regexp.QuoteMeta(element) + `.*?\b(s\d+e\d+)\b`).FindStringSubmatch(text)
	if found == nil {
		t.Fatalf("no %s in %s", element, text)
	}
	return found[1]
}

func TestBrowser_H3_APageOfThisMachine(t *testing.T) {
	e, _ := browsing(t)
	site := newPlaces(t)
	if now := editortest.Request(e, message.Browser, message.BrowserParams{}); now.State != message.BrowserOff || now.Problem != nil || now.Provider != "native" {
		t.Fatalf("before: %+v", now)
	}
	if all := editortest.Request(e, message.Connectors, message.Empty{}).Connectors; slices.ContainsFunc(all, func(c message.Connector) bool { return c.Name == "browser" }) {
		t.Errorf("listed before its use: %+v", all)
	}
	startsBrowser(t, e)
	e.BrowserStates(message.BrowserRunning)
	opened := uses(e, "browser_navigate", fmt.Sprintf(`{"url":%q}`, site.local+"/front"))
	if opened.Status != message.CallOK || !strings.Contains(opened.Text, "The shop /front") || !strings.Contains(opened.Text, "words of the page") {
		t.Fatalf("opened: %s, %s", opened.Status, opened.Text)
	}
	clicked := uses(e, "browser_click", fmt.Sprintf(`{"target":%q}`, refOf(t, opened.Text, `button "Buy"`)))
	if clicked.Status != message.CallOK || !strings.Contains(clicked.Text, "bought") {
		t.Errorf("clicked: %s, %s", clicked.Status, clicked.Text)
	}
	if console := uses(e, "browser_console_messages", `{}`); !strings.Contains(console.Text, "no such stock") {
		t.Errorf("the console: %s", console.Text)
	}
	pictured := editortest.Request(e, message.BrowserPicture, message.BrowserParams{})
	if pictured.Call == nil || len(pictured.Call.Attachments) != 1 || pictured.Call.Attachments[0].MIMEType != "image/png" || pictured.PictureURI != pictured.Call.Attachments[0].URI {
		t.Errorf("the picture: %+v", pictured)
	}
	asked := editortest.Go(context.Background(), e, message.ToolCall, message.ToolCallParams{Tool: "browser.browser_evaluate", ArgumentsText: `{"function":"() => 6 * 7"}`})
	e.Approve(message.ApproveOnce)
	if outcome := <-asked; !strings.Contains(outcome.Result.Text, "42") {
		t.Errorf("a script: %+v", outcome)
	}
	if stopped := editortest.Request(e, message.BrowserStop, message.BrowserParams{}); stopped.State != message.BrowserOff {
		t.Errorf("stopped: %+v", stopped)
	}
	e.End()
}

// TestBrowser_S14_ANewOriginAsks by the agent and by a link, and nothing of it is asked for before the answer.
func TestBrowser_S14_ANewOriginAsks(t *testing.T) {
	e, _ := browsing(t)
	site := newPlaces(t)
	startsBrowser(t, e)
	opened := uses(e, "browser_navigate", fmt.Sprintf(`{"url":%q}`, site.local+"/front"))
	link := fmt.Sprintf(`{"target":%q}`, refOf(t, opened.Text, `link "Elsewhere"`))
	leave := func(tool, arguments, address, answer string) message.CallResult {
		t.Helper()
		called := editortest.Go(context.Background(), e, message.ToolCall, message.ToolCallParams{Tool: message.ToolRef("browser." + tool), ArgumentsText: arguments})
		ask := e.Ask(message.AskElicitation)
		body, err := ask.ParseBody()
		if err != nil || !strings.Contains(body.(message.ElicitationBody).Message, address) {
			t.Errorf("asked: %s, %v", ask.Body, err)
		}
		if site.reached() {
			t.Errorf("it was reached before the answer")
		}
		if taken := e.Answer(ask.AskID, answer); !taken.Accepted {
			t.Fatalf("%+v", taken)
		}
		e.Closed(ask.AskID)
		return (<-called).Result
	}
	no := `{"action":"accept","contentText":"{\"decision\":\"decline\"}"}`
	leave("browser_click", link, site.world+"/by-link", no)
	if refused := leave("browser_navigate", fmt.Sprintf(`{"url":%q}`, site.world+"/front"), site.world+"/front", no); refused.Status != message.CallToolError {
		t.Errorf("refused: %s, %s", refused.Status, refused.Text)
	}
	if site.reached() {
		t.Error("it was reached after a no")
	}
	yes := `{"action":"accept","contentText":"{\"decision\":\"allow\"}"}`
	if allowed := leave("browser_navigate", fmt.Sprintf(`{"url":%q}`, site.world+"/front"), site.world+"/front", yes); allowed.Status != message.CallOK || !site.reached() {
		t.Errorf("allowed: %s, %s", allowed.Status, allowed.Text)
	}
	if again := uses(e, "browser_navigate", fmt.Sprintf(`{"url":%q}`, site.world+"/again")); again.Status != message.CallOK {
		t.Errorf("once more: %s, %s", again.Status, again.Text)
	}
	e.End()
}

func TestBrowser_H5_SessionsNeverSeeEachOther(t *testing.T) {
	e, _ := browsing(t)
	site := newPlaces(t)
	open := func(session message.SessionID, page string) message.CallResult {
		params := message.ToolCallParams{Tool: "browser.browser_navigate", SessionID: session, ArgumentsText: fmt.Sprintf(`{"url":%q}`, site.local+page)}
		called := editortest.Go(context.Background(), e, message.ToolCall, params)
		e.Closed(e.Approve(message.ApproveSession).AskID)
		return (<-called).Result
	}
	for _, session := range []message.SessionID{"one", "two"} {
		if opened := open(session, "/of-"+string(session)); opened.Status != message.CallOK || !strings.Contains(opened.Text, "Tab 1 of 1") {
			t.Errorf("%s: %s, %s", session, opened.Status, opened.Text)
		}
	}
	tabs := editortest.Request(e, message.ToolCall, message.ToolCallParams{Tool: "browser.browser_tabs", SessionID: "two", ArgumentsText: `{"action":"list"}`})
	if !strings.Contains(tabs.Text, "/of-two") || strings.Contains(tabs.Text, "/of-one") {
		t.Errorf("the tabs of the second: %s", tabs.Text)
	}
	editortest.Request(e, message.BrowserStop, message.BrowserParams{SessionID: "one"})
	if on := editortest.Request(e, message.Browser, message.BrowserParams{SessionID: "two"}); on.State != message.BrowserRunning {
		t.Errorf("the second after the end of the first: %+v", on)
	}
	e.End()
}

// TestBrowser_C21_NothingIsLeft after Pillion was killed, in the middle of a call too.
func TestBrowser_C21_NothingIsLeft(t *testing.T) {
	e, s := browsing(t)
	site := newPlaces(t)
	startsBrowser(t, e)
	if opened := uses(e, "browser_navigate", fmt.Sprintf(`{"url":%q}`, site.local+"/front")); opened.Status != message.CallOK {
		t.Fatalf("opened: %s, %s", opened.Status, opened.Text)
	}
	editortest.Go(context.Background(), e, message.ToolCall, message.ToolCallParams{Tool: "browser.browser_wait_for", ArgumentsText: `{"text":"never there"}`})
	if len(browsersHere()) == 0 {
		t.Fatal("no browser runs")
	}
	e.Kill()
	if !await(func() bool { return len(browsersHere()) == 0 }) {
		t.Errorf("left: %v", browsersHere())
	}
	for _, folder := range []string{s.temporary, s.runtime} {
		if !await(func() bool {
			left, _ := filepath.Glob(filepath.Join(folder, "pillion-browser-*"))
			return len(left) == 0
		}) {
			t.Errorf("its profile is left in %s", folder)
		}
	}
}

// TestBrowser_C22_TwoWindows have one each.
func TestBrowser_C22_TwoWindows(t *testing.T) {
	first, s := browsing(t)
	site := newPlaces(t)
	second := editsHere(t, s)
	for _, e := range []*editortest.Editor{first, second} {
		startsBrowser(t, e)
		if opened := uses(e, "browser_navigate", fmt.Sprintf(`{"url":%q}`, site.local+"/front")); opened.Status != message.CallOK {
			t.Errorf("%s, %s", opened.Status, opened.Text)
		}
	}
	first.End()
	second.End()
}

// TestBrowser_H5_AWedgedOneIsStartedAnewAlone: Pillion, its driver and the other session go on.
func TestBrowser_H5_AWedgedOneIsStartedAnewAlone(t *testing.T) {
	e, _ := browsing(t)
	site := newPlaces(t)
	startsBrowser(t, e)
	uses(e, "browser_navigate", fmt.Sprintf(`{"url":%q}`, site.local+"/front"))
	before := e.Connector("browser", message.ConnectorReady).Processes[0].PID
	for pid := range browsersHere() {
		if process, err := os.FindProcess(pid); err == nil {
			_ = process.Kill()
		}
	}
	again := uses(e, "browser_navigate", fmt.Sprintf(`{"url":%q}`, site.local+"/again"))
	if again.Status == message.CallToolError { // it was in the middle of noticing
		again = uses(e, "browser_navigate", fmt.Sprintf(`{"url":%q}`, site.local+"/again"))
	}
	if again.Status != message.CallOK || !strings.Contains(again.Text, "The shop /again") {
		t.Errorf("%s, %s", again.Status, again.Text)
	}
	if after := e.Connector("browser", message.ConnectorReady).Processes[0].PID; after != before {
		t.Errorf("the driver was %d and is %d", before, after)
	}
	e.End()
}

// TestBrowser_H5_OneThatHangsIsStartedAnewAlone stops one so that it does nothing any more, and is there all the same.
func TestBrowser_H5_OneThatHangsIsStartedAnewAlone(t *testing.T) {
	e, _ := browsing(t)
	site := newPlaces(t)
	startsBrowser(t, e)
	uses(e, "browser_navigate", fmt.Sprintf(`{"url":%q}`, site.local+"/front"))
	before := e.Connector("browser", message.ConnectorReady).Processes[0].PID
	hanging := browsersHere()
	if len(hanging) == 0 {
		t.Fatal("there is no browser")
	}
	for pid := range hanging {
		if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
			t.Logf("stop %d: %v", pid, err)
		}
	}
	begun := time.Now()
	again := uses(e, "browser_navigate", fmt.Sprintf(`{"url":%q}`, site.local+"/again"))
	if again.Status != message.CallOK || !strings.Contains(again.Text, "The shop /again") || !strings.Contains(again.Text, "started anew") {
		t.Errorf("%s, %s", again.Status, again.Text)
	}
	t.Logf("it took %s", time.Since(begun).Round(time.Millisecond))
	if after := e.Connector("browser", message.ConnectorReady).Processes[0].PID; after != before {
		t.Errorf("the driver was %d and is %d", before, after)
	}
	for pid := range browsersHere() {
		if _, isOld := hanging[pid]; isOld {
			t.Errorf("process %d of the one that hung is left", pid)
		}
	}
	e.End()
}

// TestBrowser_H2_OneThatDoesNotComeUp says so where it stands, and a second try works.
func TestBrowser_H2_OneThatDoesNotComeUp(t *testing.T) {
	e, s := browsing(t)
	site := newPlaces(t)
	program := filepath.Join(s.bin, "odd-browser")
	writes(t, program, "#!/bin/sh\necho 'it cannot be' >&2\nexit 1\n", 0o755)
	settings := filepath.Join(s.home, ".config", "pillion", "settings.json")
	writes(t, settings, fmt.Sprintf(`{"browserProvider": "native", "browserSandbox": %v, "browserProgram": %q}`, os.Getuid() != 0, program), 0o600)
	e.End()
	e = editsHere(t, s)
	started := editortest.Go(context.Background(), e, message.BrowserStart, message.BrowserStartParams{})
	e.Ask(message.AskApproval)
	e.Approve(message.ApproveSession)
	outcome := <-started
	if outcome.Err != nil || outcome.Result.State != message.BrowserFailed || outcome.Result.Problem == nil || !strings.Contains(outcome.Result.Problem.Reason, "it cannot be") {
		t.Fatalf("started: %+v", outcome)
	}
	found, err := exec.LookPath("chromium-headless-shell")
	if err != nil {
		t.Fatal(err)
	}
	writes(t, program, fmt.Sprintf("#!/bin/sh\nexec %q \"$@\"\n", found), 0o755)
	again := uses(e, "browser_navigate", fmt.Sprintf(`{"url":%q}`, site.local+"/again"))
	if now := editortest.Request(e, message.Browser, message.BrowserParams{}); again.Status != message.CallOK || now.State != message.BrowserRunning {
		t.Errorf("%s, %s; %+v", again.Status, again.Text, now)
	}
	e.End()
}

// TestBrowser_H2_InTheBrowserOfTheUser asks though no session has to, works there in tabs of its own, and leaves it running.
func TestBrowser_H2_InTheBrowserOfTheUser(t *testing.T) {
	e, s := browsing(t)
	site := newPlaces(t)
	profile := t.TempDir()
	args := []string{"--headless", "--remote-debugging-port=0", "--user-data-dir=" + profile, "--disable-gpu", "about:blank"}
	if os.Getuid() == 0 {
		args = append(args, "--no-sandbox")
	}
	theirs := exec.Command("chromium-headless-shell", args...)
	theirs.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := theirs.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		_ = theirs.Wait()
		close(ended)
	}()
	t.Cleanup(func() {
		_ = syscall.Kill(-theirs.Process.Pid, syscall.SIGKILL)
		<-ended
	})
	var address string
	if !await(func() bool {
		text, _ := os.ReadFile(filepath.Join(profile, "DevToolsActivePort"))
		port, _, isWhole := strings.Cut(string(text), "\n")
		address = "127.0.0.1:" + port
		return isWhole
	}) {
		t.Fatal("the browser of the user has no port")
	}
	writes(t, filepath.Join(s.home, ".config", "pillion", "settings.json"), fmt.Sprintf(`{"browserAuto": true, "browserAttach": %q}`, address), 0o600)
	e.End()
	e = editsHere(t, s)
	started := editortest.Go(context.Background(), e, message.BrowserStart, message.BrowserStartParams{})
	ask := e.Ask(message.AskApproval)
	if body, err := ask.ParseBody(); err != nil || !strings.Contains(body.(message.ApprovalBody).ArgumentsText, address) {
		t.Errorf("asked: %s, %v", ask.Body, err)
	}
	e.Approve(message.ApproveSession)
	if outcome := <-started; outcome.Err != nil || outcome.Result.State != message.BrowserRunning {
		t.Fatalf("started: %+v", outcome)
	}
	page := uses(e, "browser_navigate", fmt.Sprintf(`{"url":%q}`, site.local+"/front"))
	if page.Status != message.CallOK || !strings.Contains(page.Text, "The shop /front") || !strings.Contains(page.Text, "Tab 1 of 1") {
		t.Errorf("%s, %s", page.Status, page.Text)
	}
	if stopped := editortest.Request(e, message.BrowserStop, message.BrowserParams{}); stopped.State != message.BrowserOff {
		t.Errorf("stopped: %+v", stopped)
	}
	e.End()
	select {
	case <-ended:
		t.Error("the browser of the user was ended")
	default:
	}
}

func writes(t *testing.T, path, text string, mode os.FileMode) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

// TestBrowser_K2_InATerminal works in the window's browser.
func TestBrowser_K2_InATerminal(t *testing.T) {
	e, s := browsing(t)
	site := newPlaces(t)
	startsBrowser(t, e)
	run := func(want string, arguments ...string) {
		t.Helper()
		ctx, cancel := context.WithTimeout(context.Background(), 3*patience)
		defer cancel()
		command := exec.CommandContext(ctx, filepath.Join(s.bin, "pillion"), arguments...)
		command.Env, command.Dir, command.WaitDelay = s.environment(), s.repository, time.Second
		if out, err := command.CombinedOutput(); err != nil || !strings.Contains(string(out), want) {
			t.Errorf("pillion %v: %v: %s", arguments, err, out)
		}
	}
	run("running", "browser")
	run("The shop /terminal", "browser", "open", site.local+"/terminal")
	run(`"state":"running"`, "browser", "status", "--json")
	run("has ended", "browser", "stop")
	run("asks before it starts", "browser", "status")
	run("drives the browser of a session", "doctor", "browser")
	e.End()
}

// browsersHere are the processes of browsers, by id.
func browsersHere() map[int]string {
	found := map[int]string{}
	for pid, command := range processes() {
		program, _, _ := strings.Cut(command, " ")
		if strings.Contains(filepath.Base(program), "chrom") {
			found[pid] = command
		}
	}
	return found
}
