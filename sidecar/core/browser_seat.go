package core

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"pillion/browser"
	"pillion/browser/policy"
	"pillion/mcp/host"
	"pillion/mcp/permission"
	"pillion/mcp/settings"
)

// enter implements host.Builtin: the first use in a session asks, once, and a no holds for the session (H1).
func (b *browsers) enter(ctx context.Context, e host.Entering) error {
	for {
		b.mu.Lock()
		s := b.seat(e.Session)
		switch {
		case s.isAllowed:
			b.mu.Unlock()
			return nil
		case s.isRefused:
			b.mu.Unlock()
			return refusedBrowser(s.refusal)
		case s.asking == nil && b.isAuto():
			s.isAllowed, s.attach = true, ""
			b.mu.Unlock()
			b.tell(e.Session)
			return nil
		case s.asking == nil:
			s.asking = make(chan struct{})
			b.mu.Unlock()
			return b.ask(ctx, e, s)
		}
		asking := s.asking
		b.mu.Unlock()
		if e.Asking != nil {
			e.Asking()
		}
		select {
		case <-asking:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

func (b *browsers) attach() string {
	return b.core.settings.Resolved().Value(settings.BrowserAttach).Text()
}

// isAuto reports whether nobody is asked before a session has a browser. One of the user's own is always asked about (H2).
func (b *browsers) isAuto() bool {
	return b.attach() == "" && b.core.settings.Resolved().Bool(settings.BrowserAuto)
}

// ask puts the question, and lets everybody know who waits for its answer.
func (b *browsers) ask(ctx context.Context, e host.Entering, s *browserSeat) error {
	b.tell(e.Session)
	if e.Asking != nil {
		e.Asking()
	}
	attach := b.attach()
	answer, err := b.approve(ctx, e, attach)
	isYes, isAlways := err == nil && answer.Decision == host.DecideSession, err == nil && answer.Decision == host.DecideConnector && attach == ""
	b.mu.Lock()
	close(s.asking)
	s.asking = nil
	switch {
	case isYes, isAlways:
		s.isAllowed, s.attach = true, attach
	case err == nil:
		s.isRefused, s.refusal = true, answer.Text
	}
	b.mu.Unlock()
	if isAlways && answer.Scope == permission.ScopeUser {
		if err := b.core.SetBrowserAuto(ctx, true); err != nil {
			b.core.logger.Warn("the answer was not kept", "error", err)
		}
	}
	b.tell(e.Session)
	switch {
	case isYes, isAlways:
		return nil
	case err == nil:
		return refusedBrowser(answer.Text)
	case errors.Is(err, host.ErrNobody):
		return &host.RefusedError{
			Status: host.StatusDeclined, Message: "the browser needs a person's permission and nobody can be asked here; nothing ran",
			Steps: []string{
				"Open the project in an editor that runs Pillion, or run this in a terminal, and answer the question there.",
				"Or allow it for every session: pillion browser auto on",
			},
		}
	}
	return err
}

func refusedBrowser(words string) error {
	message := "the user wants no browser in this session"
	if words != "" {
		message += ", and says: " + words
	}
	return &host.RefusedError{Status: host.StatusDeclined, Message: message + "; nothing ran", Steps: []string{
		"Go on without a browser. Who wants one after all starts it in the editor, or with: pillion browser start",
	}}
}

// What is asked for, in the words of the editor protocol: a browser, or the one that the user started.
const (
	browserStartMethod  = "pillion/browser/start"
	browserAttachMethod = "pillion/browser/attach"
)

// approve asks whether the session may have a browser.
func (b *browsers) approve(ctx context.Context, e host.Entering, attach string) (host.ApprovalAnswer, error) {
	if b.asker == nil {
		return host.ApprovalAnswer{}, host.ErrNobody
	}
	m := b.machine()
	m.Attach = attach
	p, _ := b.choose(m)
	id := host.BuiltinID(BrowserName)
	arguments, _ := jsontext.AppendQuote([]byte(`{"provider":`), string(p.Name()))
	question := host.Approval{
		CallID: e.CallID, SessionID: e.Session, Caller: e.Caller, Method: browserStartMethod,
		Tool: host.Tool{
			ID: host.ToolID(id, "start"), Label: host.Label(BrowserName, "start"), ServedName: BrowserName + "__start", Connector: id,
			ConnectorName: BrowserName, Name: "start", Title: "Start a browser for this session", Summary: "Starts a browser without a window for this session.",
			Description: "The browser has no window and a profile in memory: no cookies, passwords or extensions of yours. " +
				"Once it is there its tools run without a question on pages of this machine. " +
				"Every other origin is asked about, with its whole address, before anything is sent there; so is each script in a page. " +
				"It ends with the session.",
			Hash: "browser",
		},
		Arguments: append(arguments, '}'),
		Reason:    "Nobody has allowed a browser in this session yet. Always allowing it counts for every session: it sets browserAuto in your own settings.",
		Choices:   []string{host.DecideDecline, host.DecideSession, host.DecideConnector},
		Scopes:    []string{permission.ScopeUser},
	}
	if attach != "" {
		b.askToAttach(&question, attach)
	}
	return b.asker.Approve(ctx, question)
}

// askToAttach makes it the question whether the session may work in a browser that the user started, which no setting answers (H2).
func (b *browsers) askToAttach(question *host.Approval, attach string) {
	at, _ := jsontext.AppendQuote([]byte(`{"provider":"native","attachesTo":`), attach)
	question.Arguments, question.Method = append(at, '}'), browserAttachMethod
	question.Tool.Title, question.Tool.Summary = "Work in the browser that you started", "Works in the browser that you started, with your own logins."
	question.Tool.Description = "The session gets tabs of its own in the browser that you started, at " + attach + ", as browserAttach in your settings says. " +
		"Your own logins hold there: whatever a page that you are logged in to lets you do, the session can do. " +
		"Its tools run without a question on pages of this machine; every other origin is asked about, with its whole address, before anything is sent there; " +
		"so is each script in a page. It sees and closes no tab but its own, and they are closed with the session."
	question.Reason = "Nobody has allowed this session to work in your own browser yet. Every session asks, whatever browserAuto says."
	question.Choices, question.Scopes = []string{host.DecideDecline, host.DecideSession}, []string{}
}

// judge implements host.Builtin (H3).
func (b *browsers) judge(c host.BuiltinCall) permission.Ruling {
	p := b.providerFor(c.Session)
	rule := p.Rule(c.Tool)
	b.mu.Lock()
	defer b.mu.Unlock()
	s := b.seats[c.Session]
	switch {
	case rule == browser.Never:
		return permission.Ruling{Decision: permission.Deny, Reason: "This tool reaches your files, or runs code outside of pages, and so is never offered."}
	case c.CallID != "" && (s == nil || !s.isAllowed):
		return permission.Ruling{Decision: permission.Deny, Reason: "This session has no browser."}
	case rule == browser.Ask:
		return permission.Ruling{Decision: permission.Ask, Reason: "It runs a script in the page, which can do whatever the page can."}
	}
	if s != nil && !p.HoldsRequests() {
		if ruling := destinations(p.Destinations(c.Tool, c.Arguments), &s.origins); ruling.Decision != "" {
			return ruling
		}
	}
	return permission.Ruling{Decision: permission.Auto, Reason: "You allowed the browser for this session."}
}

// destinations is the ruling where a call leads to an origin that was not allowed; the zero value says nothing.
func destinations(urls []string, allowed *policy.Allowed) permission.Ruling {
	ask := permission.Ruling{}
	for _, url := range urls {
		if _, err := policy.Destination(url); err != nil {
			return permission.Ruling{Decision: permission.Deny, Reason: "The address " + strconv.QuoteToASCII(url) + " cannot be opened: " + err.Error() + "."}
		}
		switch verdict, reason := policy.Judge(policy.Request{URL: url, By: policy.Agent, Document: true}, allowed); verdict {
		case policy.Refuse:
			return permission.Ruling{Decision: permission.Deny, Reason: "The address " + strconv.QuoteToASCII(url) + " cannot be opened: " + string(reason) + "."}
		case policy.Ask:
			ask = permission.Ruling{Decision: permission.Ask, IsOnce: true, Reason: "It leads to an origin that was not allowed in this session yet: " + strconv.QuoteToASCII(url)}
		}
	}
	return ask
}

// allowed implements host.Builtin: a yes to a call is one to the origins that it leads to, for the session.
func (b *browsers) allowed(c host.BuiltinCall) {
	p := b.providerFor(c.Session)
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, url := range p.Destinations(c.Tool, c.Arguments) {
		if origin, err := policy.OriginOf(url); err == nil {
			b.seat(c.Session).origins.Allow(origin)
		}
	}
}

// end forgets the browsers of sessions that are over, and removes what they wrote.
func (b *browsers) end(isOver func(session string) bool) {
	b.mu.Lock()
	var gone []string
	for session := range b.seats {
		if session != "" && isOver(session) {
			gone = append(gone, session)
			delete(b.seats, session)
		}
	}
	b.mu.Unlock()
	for _, session := range gone {
		_ = os.RemoveAll(b.output(session))
	}
}

// EndSessions is [host.Host.EndSessions]; their browsers end, too.
func (c *Core) EndSessions(isOver func(session string) bool) {
	c.Host.EndSessions(isOver)
	c.browsers.end(isOver)
}

// Browser is a session's browser as it stands; "" is the window's own session.
func (c *Core) Browser(ctx context.Context, session string) Browser {
	b := c.browsers
	m := b.machine()
	b.mu.Lock()
	if allowed := b.seat(session); allowed.isAllowed {
		m.Attach = allowed.attach
	}
	b.mu.Unlock()
	chosen, reason := b.choose(m)
	now := Browser{State: BrowserOff, Connector: host.BuiltinID(BrowserName), Provider: string(chosen.Name()), Because: reason, IsAuto: b.isAuto()}
	b.mu.Lock()
	s := *b.seat(session)
	b.mu.Unlock()
	now.Picture = s.picture
	state, problem := c.SessionState(now.Connector, session)
	if s.provider != nil && (state == host.StateReady || state == host.StateStarting) && s.provider.Name() != chosen.Name() {
		now.Provider, now.Because = string(s.provider.Name()), "it runs already"
	}
	switch {
	case s.asking != nil:
		now.State = BrowserAsking
	case s.isRefused:
		now.State = BrowserRefused
	case !s.isAllowed:
	case state == host.StateStarting:
		now.State, now.Doing = BrowserStarting, s.doing
	case state == host.StateReady && s.fault != "":
		now.State, now.Problem = BrowserFailed, &host.Problem{Kind: "program", Reason: s.fault}
	case state == host.StateReady:
		now.State = BrowserRunning
	case state == host.StateFailed:
		now.State, now.Problem = BrowserFailed, problem
	}
	if now.State == BrowserOff {
		if missing := chosen.Check(ctx, m); missing != nil {
			now.Problem = browserProblem(missing)
		}
	}
	return now
}

// StartBrowser starts a session's browser, asking first where that was not allowed. What was refused is asked about again where a
// person wants it. The error is a [*host.RefusedError], or that of ctx.
func (c *Core) StartBrowser(ctx context.Context, session, callID string, caller host.Caller) error {
	b := c.browsers
	if caller.Kind != callerAgent {
		b.mu.Lock()
		b.seat(session).isRefused = false
		b.mu.Unlock()
	}
	id := host.BuiltinID(BrowserName)
	if err := c.EnterBuiltin(ctx, host.Entering{Connector: id, CallID: callID, Session: session, Caller: caller}); err != nil {
		return err
	}
	if err := c.StartIn(ctx, id, session); err != nil {
		return fmt.Errorf("start the browser: %w", err)
	}
	// What drives it has a browser only once a page is wanted; who starts it wants to know that there is one.
	look := c.browserTool("browser_snapshot", "take_snapshot")
	if _, isKnown := c.Known(look); isKnown {
		if _, err := c.Call(ctx, host.CallRequest{Tool: look, SessionID: session, Caller: caller}); err != nil {
			return fmt.Errorf("start the browser: %w", err)
		}
	}
	return nil
}

// callerAgent is the kind of a caller that no person is at.
const callerAgent = "agent"

// OpenInBrowser has a session's browser open an address, as a call of the tool that does.
func (c *Core) OpenInBrowser(ctx context.Context, session, callID, url string, caller host.Caller) (host.Result, error) {
	quoted, err := jsontext.AppendQuote([]byte(`{"url":`), url)
	if err != nil {
		return host.Result{}, fmt.Errorf("open an address in the browser: %w", err)
	}
	return c.Call(ctx, host.CallRequest{
		CallID: callID, Tool: c.browserTool("browser_navigate", "navigate_page"), Arguments: append(quoted, '}'), SessionID: session, Caller: caller,
	})
}

// BrowserPicture takes a picture of what a session's browser shows.
func (c *Core) BrowserPicture(ctx context.Context, session string, caller host.Caller) (host.Result, error) {
	return c.Call(ctx, host.CallRequest{Tool: c.browserTool("browser_take_screenshot", "take_screenshot"), SessionID: session, Caller: caller})
}

// browserTool is the first of these tools that the browser has.
func (c *Core) browserTool(names ...string) string {
	id := host.BuiltinID(BrowserName)
	for _, name := range names {
		if _, isKnown := c.Known(host.ToolID(id, name)); isKnown {
			return host.ToolID(id, name)
		}
	}
	return host.Label(BrowserName, names[0])
}

// Call is [host.Host.Call]; the last picture of each browser is remembered.
func (c *Core) Call(ctx context.Context, request host.CallRequest) (host.Result, error) {
	result, err := c.Host.Call(ctx, request)
	if err != nil || len(result.Projection.Attachments) == 0 {
		return result, err
	}
	if tool, unknown := c.Tool(result.Tool); unknown == nil && tool.Connector == host.BuiltinID(BrowserName) {
		for _, one := range result.Projection.Attachments {
			if strings.HasPrefix(one.MIMEType, "image/") {
				c.browsers.pictured(request.SessionID, one.Path)
			}
		}
	}
	return result, err
}

func (b *browsers) pictured(session, path string) {
	b.mu.Lock()
	b.seat(session).picture = path
	b.mu.Unlock()
	b.tell(session)
}

// StopBrowser ends a session's browser and returns when nothing of it is left; the next use asks again.
func (c *Core) StopBrowser(ctx context.Context, session string) error {
	b := c.browsers
	b.mu.Lock()
	s := b.seat(session)
	s.isAllowed, s.origins, s.fault = false, policy.Allowed{}, ""
	isUsed := false
	for _, other := range b.seats {
		isUsed = isUsed || other.isAllowed
	}
	b.mu.Unlock()
	err := c.StopIn(ctx, host.BuiltinID(BrowserName), session)
	if err == nil && !isUsed && session != "" { // what listed the tools has nobody to list them for
		err = c.StopIn(ctx, host.BuiltinID(BrowserName), "")
	}
	b.tell(session)
	if err != nil {
		return fmt.Errorf("stop the browser: %w", err)
	}
	return nil
}

// SetBrowserAuto writes into the user's own settings whether a session has a browser without a question.
func (c *Core) SetBrowserAuto(ctx context.Context, isAuto bool) error {
	return c.setSetting(ctx, settings.BrowserAuto, strconv.FormatBool(isAuto))
}
