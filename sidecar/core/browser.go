package core

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"pillion/browser"
	"pillion/browser/install"
	"pillion/browser/native"
	"pillion/browser/node"
	"pillion/browser/policy"
	"pillion/mcp/config"
	"pillion/mcp/host"
	"pillion/mcp/process"
	"pillion/mcp/settings"
)

// BrowserName is the name of the connector that is a session's browser.
const BrowserName = config.ReservedName

// seatBrowser is the seat that it has, and that a connector of the user's may have in its place.
const seatBrowser = "browser"

// maxBrowsers bounds how many sessions have one at once.
const maxBrowsers = 16

// BrowserState is what a session's browser does.
type BrowserState string

// The states, in the words of the editor protocol.
const (
	BrowserOff      BrowserState = "off"
	BrowserAsking   BrowserState = "asking"
	BrowserStarting BrowserState = "starting"
	BrowserRunning  BrowserState = "running"
	BrowserRefused  BrowserState = "refused" // until the session ends, or a person starts it all the same
	BrowserFailed   BrowserState = "failed"
)

// Browser is a session's browser as it stands.
type Browser struct {
	State BrowserState
	// Connector is its id.
	Connector string
	// Provider drives it, or would; Because says why it is that one, a clause.
	Provider, Because string
	// Doing is what a start is about, where there is more to say than that it starts.
	Doing string
	// Problem is why it does not run, or would not.
	Problem *host.Problem
	// Picture is the path of the last picture that was taken of it.
	Picture string
	// IsAuto says that a session has one without a question.
	IsAuto bool
}

// browsers are the browsers of a core's sessions. All methods may be called at once.
type browsers struct {
	core      *Core
	asker     host.Asker
	providers []browser.Provider
	changed   func(session string) // nil is told nothing; see [Options.BrowserChanged]
	environ   []string
	own       string // Pillion's own program

	mu    sync.Mutex
	seats map[string]*browserSeat // by session
}

// browserSeat is what holds of a session's browser.
type browserSeat struct {
	isAllowed bool
	attach    string // address of the user's own browser that the yes was for; "" is one of Pillion's
	refusal   string // why nobody is asked any more, with the words of who said no; "" for no refusal
	isRefused bool
	asking    chan struct{} // closed when the question is over; nil while there is none
	doing     string        // of a start
	picture   string        // path of the last one
	fault     string        // why what drives it has no browser; "" where it has one, or was not asked for one
	provider  browser.Provider
	origins   policy.Allowed // what was allowed to a provider that does not ask by itself
}

// providersOf are all that there are.
func providersOf() []browser.Provider {
	all := []browser.Provider{native.Provider{Argument: BrowserCommand}}
	for _, kind := range install.Kinds() {
		all = append(all, node.Provider{Kind: kind, Argument: BrowserCommand})
	}
	return all
}

// seat is that of a session; b.mu is held.
func (b *browsers) seat(session string) *browserSeat {
	if b.seats[session] == nil {
		b.seats[session] = &browserSeat{}
	}
	return b.seats[session]
}

// allowedSessions are those that have a browser, or may.
func (b *browsers) allowedSessions() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	var all []string
	for session, s := range b.seats {
		if s.isAllowed {
			all = append(all, session)
		}
	}
	return all
}

func (b *browsers) tell(session string) {
	if b.changed != nil {
		b.changed(session)
	}
}

// builtin is the connector.
func (b *browsers) builtin() host.Builtin {
	return host.Builtin{
		Name: BrowserName, Description: "A browser without a window, of this session alone.",
		Command: "pillion " + BrowserCommand,
		Options: config.Options{Seat: seatBrowser, MaxConcurrent: 1, Max: maxBrowsers, IdleTimeout: -1},
		Enter:   b.enter, Launch: b.launch, Offers: b.offers, Judge: b.judge, Allowed: b.allowed, Rewrite: b.rewrite,
	}
}

// machine is what providers see of this one.
func (b *browsers) machine() browser.Machine {
	look, resolved := lookup(b.environ), b.core.settings.Resolved()
	path, _ := look("PATH")
	m := browser.Machine{
		Environ: b.environ, Path: outsideOf(path, b.core.Roots()), Outside: b.core.Roots(), Executable: b.own,
		Attach:  resolved.Value(settings.BrowserAttach).Text(),
		Program: resolved.Value(settings.BrowserProgram).Text(), IsWithoutSandbox: !resolved.Bool(settings.BrowserSandbox),
		Proxy: firstSet(look, "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"),
	}
	if b.core.Folders.Cache != "" {
		m.Folder = filepath.Join(b.core.Folders.Cache, "browser")
	}
	return m
}

// outsideOf are the folders of a PATH that are absolute and in no workspace folder (S1).
func outsideOf(path string, roots []string) string {
	var kept []string
	for _, folder := range filepath.SplitList(path) {
		isInside := false
		for _, root := range roots {
			isInside = isInside || outside(folder, root) != nil
		}
		if filepath.IsAbs(folder) && !isInside {
			kept = append(kept, folder)
		}
	}
	return strings.Join(kept, string(filepath.ListSeparator))
}

// choose takes the provider that counts for the next browser that is started.
func (b *browsers) choose(m browser.Machine) (browser.Provider, string) {
	if m.Attach != "" {
		return b.providers[0], "it works in the browser that you started, at " + m.Attach
	}
	_, err := process.Resolver{Path: m.Path}.Look("node", "")
	facts := browser.Facts{HasNode: err == nil, IsInstalled: map[browser.Name]bool{}}
	for _, p := range b.providers {
		facts.IsInstalled[p.Name()] = p.IsPrepared(m)
	}
	name, reason := browser.Choose(browser.Name(b.core.settings.Resolved().Word(settings.BrowserProvider)), facts)
	for _, p := range b.providers {
		if p.Name() == name {
			return p, reason
		}
	}
	return b.providers[0], "this Pillion has no " + string(name)
}

// output is the private folder of a session's browser.
func (b *browsers) output(session string) string {
	sum := sha256.Sum256([]byte(session))
	return filepath.Join(b.core.Results, "browser", hex.EncodeToString(sum[:8]))
}

// launch says what runs for a session.
func (b *browsers) launch(ctx context.Context, session string) (host.Launch, *host.Problem) {
	m := b.machine()
	b.mu.Lock()
	m.Attach = b.seat(session).attach // as it was allowed, whatever the settings say by now
	b.mu.Unlock()
	p, _ := b.choose(m)
	if problem := p.Check(ctx, m); problem != nil {
		return host.Launch{}, browserProblem(problem)
	}
	defer b.doing(session, "")
	if err := p.Prepare(ctx, m, func(doing string) { b.doing(session, doing) }); err != nil {
		return host.Launch{}, browserProblem(err)
	}
	output := b.output(session)
	if err := os.MkdirAll(output, 0o700); err != nil {
		return host.Launch{}, browserProblem(fmt.Errorf("make the folder of the session's browser: %w", err))
	}
	made, err := p.Definition(m, output)
	if err != nil {
		return host.Launch{}, browserProblem(err)
	}
	b.mu.Lock()
	b.seat(session).provider, b.seat(session).fault = p, ""
	b.mu.Unlock()
	return host.Launch{Program: made.Program, Args: made.Args, Env: made.Env}, nil
}

func (b *browsers) doing(session, doing string) {
	b.mu.Lock()
	s := b.seat(session)
	isNew := s.doing != doing
	s.doing = doing
	b.mu.Unlock()
	if isNew {
		b.tell(session)
	}
}

// browserProblem is why a browser does not run, with what to do about it where that is known.
func browserProblem(err error) *host.Problem {
	problem := &host.Problem{Kind: "program", Reason: err.Error()}
	if known, isKnown := err.(*browser.Problem); isKnown { //nolint:errorlint // nothing wraps it on its way here
		problem.Steps = known.Steps
	}
	return problem
}

// providerFor drives the session's browser: what was started last, or what would be started.
func (b *browsers) providerFor(session string) browser.Provider {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, s := range []*browserSeat{b.seats[session], b.seats[""]} {
		if s != nil && s.provider != nil {
			return s.provider
		}
	}
	return b.providers[0]
}

func (b *browsers) offers(tool string) bool {
	return b.providerFor("").Rule(tool) != browser.Never
}

// stands keeps how the browser itself stands: what drives it is there before it is, and without it.
func (b *browsers) stands(session string, now browser.Standing) {
	if now == (browser.Standing{}) {
		return
	}
	b.mu.Lock()
	s := b.seat(session)
	isNew := s.fault != now.Fault
	s.fault = now.Fault
	b.mu.Unlock()
	if isNew {
		b.tell(session)
	}
}

// rewrite puts what the provider wrote to the session's folder into a result.
func (b *browsers) rewrite(session, tool string, result []byte) []byte {
	b.stands(session, browser.StandingOf(result))
	folder, err := os.OpenRoot(b.output(session))
	if err != nil {
		return result
	}
	defer folder.Close()
	return b.providerFor(session).Rewrite(tool, result, folder)
}
