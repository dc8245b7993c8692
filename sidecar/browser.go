package sidecar

import (
	"context"
	"errors"
	"slices"
	"time"

	"pillion/editors"
	"pillion/mcp/host"
	"pillion/rpc"
	"pillion/rpc/message"
	"pillion/sidecar/core"
)

// browserSession is the session that is meant: a person's own is the window's, wherever they sit, and everybody else's is one of
// their connection.
func browserSession(caller *client, id message.SessionID) string {
	if id == "" && caller.caller.Kind != callerAgent {
		return ""
	}
	return caller.session(string(id))
}

func (s *Session) browser(ctx context.Context, params message.BrowserParams) (message.BrowserResult, error) {
	c, err := s.host(ctx)
	if err != nil {
		return message.BrowserResult{}, err
	}
	return BrowserMessage(c.Browser(ctx, browserSession(callerOf(ctx), params.SessionID)), params.SessionID), nil
}

func (s *Session) browserStart(ctx context.Context, params message.BrowserStartParams) (message.BrowserResult, error) {
	if err := params.Check(); err != nil {
		return message.BrowserResult{}, rpc.Errorf(rpc.CodeInvalidParams, "%s", err)
	}
	c, err := s.host(ctx)
	if err != nil {
		return message.BrowserResult{}, err
	}
	caller := callerOf(ctx)
	report := s.progressOf(ctx, params.WorkDoneToken, "Starting the browser", func() {})
	result, err := StartBrowser(ctx, c, params, browserSession(caller, params.SessionID), caller.caller)
	report.end(string(result.State))
	return result, err
}

// StartBrowser starts a session's browser, has it open what it is to open, and says how it stands then.
func StartBrowser(ctx context.Context, c *core.Core, params message.BrowserStartParams, session string, caller host.Caller) (message.BrowserResult, error) {
	var refused *host.RefusedError
	err := c.StartBrowser(ctx, session, string(params.CallID), caller)
	switch {
	case errors.As(err, &refused):
		result := BrowserMessage(c.Browser(ctx, session), params.SessionID)
		result.Message, result.Steps = refused.Message, refused.Steps
		return result, nil
	case err != nil:
		return message.BrowserResult{}, misuse(err)
	}
	now := c.Browser(ctx, session)
	result := BrowserMessage(now, params.SessionID)
	if now.State == core.BrowserRunning && params.URL != "" {
		call, err := c.OpenInBrowser(ctx, session, string(params.CallID), params.URL, caller)
		if err != nil {
			return message.BrowserResult{}, misuse(err)
		}
		result = BrowserMessage(c.Browser(ctx, session), params.SessionID)
		result.Call = new(ResultMessage(call, textAlone))
	}
	return result, nil
}

func textAlone(part message.CallPart) bool { return part == message.CallPartText }

func (s *Session) browserStop(ctx context.Context, params message.BrowserParams) (message.BrowserResult, error) {
	c, err := s.host(ctx)
	if err != nil {
		return message.BrowserResult{}, err
	}
	session := browserSession(callerOf(ctx), params.SessionID)
	if err := c.StopBrowser(ctx, session); err != nil {
		return message.BrowserResult{}, misuse(err)
	}
	return BrowserMessage(c.Browser(ctx, session), params.SessionID), nil
}

func (s *Session) browserAsk(ctx context.Context, params message.BrowserParams) (message.BrowserResult, error) {
	c, err := s.host(ctx)
	if err != nil {
		return message.BrowserResult{}, err
	}
	if err := c.SetBrowserAuto(ctx, false); err != nil {
		return message.BrowserResult{}, misuse(err)
	}
	return BrowserMessage(c.Browser(ctx, browserSession(callerOf(ctx), params.SessionID)), params.SessionID), nil
}

func (s *Session) browserPicture(ctx context.Context, params message.BrowserParams) (message.BrowserResult, error) {
	c, err := s.host(ctx)
	if err != nil {
		return message.BrowserResult{}, err
	}
	caller := callerOf(ctx)
	session := browserSession(caller, params.SessionID)
	now := c.Browser(ctx, session)
	if now.State != core.BrowserRunning {
		result := BrowserMessage(now, params.SessionID)
		result.Message = "the browser does not run, so there is nothing to take a picture of"
		return result, nil
	}
	call, err := c.BrowserPicture(ctx, session, caller.caller)
	if err != nil {
		return message.BrowserResult{}, misuse(err)
	}
	result := BrowserMessage(c.Browser(ctx, session), params.SessionID)
	result.Call = new(ResultMessage(call, textAlone))
	return result, nil
}

// BrowserMessage is a session's browser as it goes over the wire.
func BrowserMessage(now core.Browser, session message.SessionID) message.BrowserResult {
	wire := message.BrowserResult{
		SessionID: session, State: message.BrowserState(now.State), Provider: now.Provider, Because: now.Because,
		Connector: message.ConnectorID(now.Connector), Doing: now.Doing, Auto: now.IsAuto, PictureURI: fileURI(now.Picture),
	}
	if p := now.Problem; p != nil {
		wire.Problem = &message.ConnectorProblem{
			Kind: message.ProblemKind(p.Kind), Reason: p.Reason, Steps: slices.Clone(p.Steps), LogURI: fileURI(p.LogFile),
		}
		if wire.Problem.Steps == nil {
			wire.Problem.Steps = []string{}
		}
	}
	return wire
}

// startBrowser starts the window's browser in the background: the question may take its time (U21).
func (s *Session) startBrowser(ctx context.Context, _ message.Empty) (message.CommandStarted, error) {
	c, err := s.host(ctx)
	if err != nil {
		return message.CommandStarted{}, err
	}
	id := host.NewCallID()
	s.afterAnswer(func() {
		ctx, cancel := context.WithCancel(s.lifetime)
		defer cancel()
		report := s.progressOfOwn(ctx, "Starting the browser", cancel)
		result, err := StartBrowser(ctx, c, message.BrowserStartParams{CallID: message.CallID(id)}, "", s.own.caller)
		report.end("")
		switch {
		case err != nil:
			s.editor.showMessage(s, messageError, "Pillion: start the browser: "+err.Error())
		case result.Problem != nil:
			s.editor.showMessage(s, messageError, "Pillion: the browser does not run: "+editors.Visible(result.Problem.Reason))
		case result.State == message.BrowserRunning:
			s.editor.showMessage(s, messageInfo, "Pillion: the browser of this session is there.")
		}
	})
	return message.CommandStarted{CallID: message.CallID(id)}, nil
}

func (s *Session) stopBrowser(ctx context.Context, _ message.Empty) (message.CommandStarted, error) {
	c, err := s.host(ctx)
	if err != nil {
		return message.CommandStarted{}, err
	}
	s.afterAnswer(func() {
		if err := c.StopBrowser(s.lifetime, ""); err != nil {
			s.editor.showMessage(s, messageError, "Pillion: "+err.Error())
			return
		}
		s.editor.showMessage(s, messageInfo, "Pillion: the browser of this session has ended.")
	})
	return message.CommandStarted{}, nil
}

// browserTime bounds the look at a browser that changed.
const browserTime = 10 * time.Second

// browserChanged tells how a session's browser stands; it may be called with locks held.
func (s *Session) browserChanged(session string) {
	if s.lifetime.Err() != nil {
		return
	}
	s.inBackground(func() {
		if !s.hasStarted() || s.lifetime.Err() != nil {
			return
		}
		s.browserTelling.Lock() // what is looked at last is told last
		defer s.browserTelling.Unlock()
		ctx, cancel := context.WithTimeout(s.lifetime, browserTime)
		defer cancel()
		now := BrowserMessage(s.core.Browser(ctx, session), message.SessionID(session))
		if s.browserTold[session] == now.State && now.Doing == "" && now.PictureURI == "" {
			return
		}
		if s.browserTold[session] != now.State {
			s.happened(message.SessionEvent{Kind: message.EventBrowser, Browser: now.State, SessionID: message.SessionID(session)})
		}
		if s.browserTold == nil {
			s.browserTold = map[string]message.BrowserState{}
		}
		s.browserTold[session] = now.State
		if session != "" { // another caller's
			return
		}
		if s.isTold() {
			_ = rpc.Notify(s.conn, message.BrowserChanged, now)
		}
	})
}
