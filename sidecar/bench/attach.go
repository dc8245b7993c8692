package main

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"pillion/rpc"
	"pillion/rpc/message"
)

// attachLimit is what an agent's call through the editor's window may cost against one through a proxy without a policy.
const attachLimit = 1.25

// measureAttach measures a call of an agent through the window of an editor, by `pillion serve --attach`, against one through the
// SDK's server and client in one process. The way by the window has one process more, which `pillion serve` by itself has not.
func measureAttach(ctx context.Context, r *report, p *programs, n plan) error {
	figures, err := compareWays(ctx, p, n, openAttached, openProxy, openDirect, openServe)
	if err != nil {
		return err
	}
	r.line("a call of 32 B, 1 at a time, of an agent through the editor's window, p50")
	r.figure("serve --attach", figures[0], times)
	r.figure("serve, without a window", figures[3], times)
	r.figure("SDK proxy", figures[1], times)
	r.figure("bare SDK", figures[2], times)
	r.figure("serve --attach/serve", figures[0].over(figures[3]), ratio)
	r.limited("serve --attach/SDK proxy", figures[0].over(figures[1]), ratio, attachLimit)
	return nil
}

// agentWay is an agent's call of a server.
type agentWay struct {
	session *mcp.ClientSession
	tool    string
	editor  *editor // of the window; nil for none
}

func openProxy(ctx context.Context, p *programs) (way, error) {
	session, err := openAgent(ctx, exec.Command(p.proxy, p.echo))
	return agentWay{session, "echo", nil}, err
}

func openServe(ctx context.Context, p *programs) (way, error) {
	home, err := newHome(p.folder, 1, p.echo)
	if err != nil {
		return nil, err
	}
	command := exec.Command(p.pillion, "serve", "--expose", "all")
	command.Dir, command.Env = home.workspace, home.environ()
	session, err := openAgent(ctx, command)
	if err != nil {
		return nil, err
	}
	_, err = session.ListTools(ctx, nil) // it waits for the connector
	return agentWay{session, connectorName(0) + "__echo", nil}, err
}

func openAgent(ctx context.Context, command *exec.Cmd) (*mcp.ClientSession, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	client := mcp.NewClient(&mcp.Implementation{Name: "bench", Version: "0"}, nil)
	return client.Connect(ctx, &mcp.CommandTransport{Command: command}, &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
}

func openAttached(ctx context.Context, p *programs) (way, error) {
	home, err := newHome(p.folder, 1, p.echo)
	if err != nil {
		return nil, err
	}
	e, err := openEditor(home.environ(), p.pillion, "--stdio")
	if err != nil {
		return nil, err
	}
	if err := e.connect(ctx, home.workspace, 1); err != nil {
		return nil, errors.Join(err, e.leave())
	}
	joined := make(chan error, 1)
	go func() { joined <- e.letJoin(ctx) }()
	command := exec.Command(p.pillion, "serve", "--attach", "--expose", "all")
	command.Dir, command.Env = home.workspace, home.environ()
	session, err := openAgent(ctx, command)
	if err = errors.Join(err, <-joined); err != nil {
		return nil, errors.Join(err, e.leave())
	}
	return agentWay{session, connectorName(0) + "__echo", e}, nil
}

// letJoin answers the question whether the agent may join with yes, when it is asked.
func (e *editor) letJoin(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		text, err := e.wire.call(ctx, message.Asks.Method, []byte("{}"))
		if err != nil {
			return err
		}
		var asked message.AsksResult
		if err := rpc.Unmarshal(text, &asked); err != nil {
			return err
		}
		if len(asked.Asks) > 0 {
			answer := fmt.Appendf(nil, `{"askId":%q,"answer":{"decision":"session"}}`, asked.Asks[0].AskID)
			_, err := e.wire.call(ctx, message.AskAnswer.Method, answer)
			return err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (w agentWay) prepare(text string) call {
	params := &mcp.CallToolParams{Name: w.tool, Arguments: arguments(text)}
	return func(ctx context.Context) error {
		result, err := w.session.CallTool(ctx, params)
		if err == nil && (result.IsError || len(result.Content) != 1) {
			err = fmt.Errorf("the call brought %+v", result)
		}
		return err
	}
}

func (w agentWay) close() error {
	err := w.session.Close()
	if w.editor != nil {
		err = errors.Join(err, w.editor.leave())
	}
	return err
}
