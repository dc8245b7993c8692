package sidecar

import (
	"context"
	"time"

	"pillion/editors"
	"pillion/mcp/host"
	"pillion/rpc"
	"pillion/rpc/message"
	"pillion/sidecar/core"
)

// toolCall answers with what came of the call; a cancelled request is answered by a result too.
func (s *Session) toolCall(ctx context.Context, params message.ToolCallParams) (message.CallResult, error) {
	if err := params.Check(); err != nil {
		return message.CallResult{}, rpc.Errorf(rpc.CodeInvalidParams, "%s", err)
	}
	c, err := s.host(ctx)
	if err != nil {
		return message.CallResult{}, err
	}
	caller := callerOf(ctx)
	if params.CallID == "" {
		params.CallID = message.CallID(host.NewCallID())
	}
	report := s.progressOf(ctx, params.WorkDoneToken, "Calling "+toolLabel(c, params.Tool), func() { c.CancelCall(string(params.CallID)) })
	session := sessionOf(caller, params.SessionID, params.ParentSessionID)
	outcome, err := c.Call(ctx, host.CallRequest{
		CallID: string(params.CallID), Tool: string(params.Tool), Arguments: params.ArgumentBytes(),
		SessionID: session.id, ParentSessionID: session.parent, Joined: session.joined, IsReadOnly: session.isReadOnly,
		TurnID: params.TurnID, Caller: caller.caller,
		Timeout: time.Duration(params.TimeoutMS) * time.Millisecond, OnProgress: report.progress,
		IsWithoutText: !params.Includes(message.CallPartText),
	})
	if err != nil {
		report.end("")
		return message.CallResult{}, misuse(err)
	}
	report.end(string(outcome.Status))
	return ResultMessage(outcome, params.Includes), nil
}

// toolLabel is a tool for people, who are not shown ids: what the caller named where it is not known yet.
func toolLabel(c *core.Core, ref message.ToolRef) string {
	if tool, isKnown := c.Known(string(ref)); isKnown {
		return editors.Visible(tool.Label)
	}
	return editors.Visible(string(ref))
}

// callSession is whose a call is.
type callSession struct {
	id, parent, joined string
	isReadOnly         bool
}

// sessionOf is that of the caller's own, but for one that it has joined: it uses the processes of that, and nothing that was
// allowed to it.
func sessionOf(caller *client, session, parent message.SessionID) callSession {
	id := string(session)
	if isJoined, isDriving := caller.joinedTo(id); isJoined {
		return callSession{id: caller.session("joined " + id), joined: id, isReadOnly: !isDriving}
	}
	return callSession{id: caller.session(id), parent: caller.parent(string(parent))}
}
