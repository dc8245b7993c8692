package serve

//lint:file-ignore SA1019 clients want to hear what is logged until that is taken out of MCP (SEP-2577)

import (
	"cmp"
	"context"
	"errors"
	"runtime/debug"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"pillion/mcp/host"
)

// request is one request of a client, as far as it does not matter what is asked for.
type request struct {
	server   *Server
	session  *mcp.ServerSession
	isModern bool // MCP 2026-07-28 or later
	client   string
	can      *mcp.ClientCapabilities // as declared; nil for none
	level    string                  // at which it wants to hear what is logged; empty for not at all
	token    any                     // of its progress; nil where that is not wanted
	name     string                  // by which it is told of; empty where that is not wanted
}

// sdkRequest is what the SDK's requests of every kind have.
type sdkRequest interface {
	mcp.Request
	ClientInfo() *mcp.Implementation
	ClientCapabilities() *mcp.ClientCapabilities
}

// clientKey is where the context of a request has one that ends with the stream that it came by.
type clientKey struct{}

// receive takes the requests that are about connectors; the SDK answers the others.
func (s *Server) receive(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (_ mcp.Result, err error) {
		defer s.recovered(method, &err)
		ctx, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		defer s.cancelWithClient(ctx, cancel)()
		switch r := req.(type) {
		case *mcp.ServerRequest[*mcp.SetLoggingLevelParams]:
			s.levels.Store(r.Session, string(r.Params.Level))
		case *mcp.ListToolsRequest:
			return s.listTools(ctx, s.requestOf(r, paramsOf(r.Params)), cursorOf(r.Params))
		case *mcp.CallToolRequest:
			return s.callTool(ctx, s.requestOf(r, r.Params), r.Params)
		case *mcp.ListResourcesRequest:
			return s.listResources(ctx, s.requestOf(r, paramsOf(r.Params)), cursorOf(r.Params))
		case *mcp.ListResourceTemplatesRequest:
			return s.listTemplates(ctx, s.requestOf(r, paramsOf(r.Params)), cursorOf(r.Params))
		case *mcp.ReadResourceRequest:
			return s.readResource(ctx, s.requestOf(r, r.Params), r.Params)
		case *mcp.ListPromptsRequest:
			return s.listPrompts(ctx, s.requestOf(r, paramsOf(r.Params)), cursorOf(r.Params))
		case *mcp.GetPromptRequest:
			return s.getPrompt(ctx, s.requestOf(r, r.Params), r.Params)
		case *mcp.CompleteRequest:
			return s.complete(ctx, s.requestOf(r, r.Params), r.Params)
		case *mcp.SubscribeRequest:
			return s.subscribe(ctx, s.requestOf(r, r.Params), r, next)
		case *mcp.UnsubscribeRequest:
			return s.unsubscribe(ctx, s.requestOf(r, r.Params), r, next)
		case *mcp.SubscriptionsListenRequest:
			return s.listen(ctx, s.requestOf(r, r.Params), r, next)
		}
		return next(ctx, method, req)
	}
}

// recovered keeps a fault of Pillion's own in one request from ending the process, which may be an editor's window. It is deferred.
func (s *Server) recovered(method string, err *error) {
	if fault := recover(); fault != nil {
		s.log.Error("internal error", "method", method, "fault", fault, "stack", string(debug.Stack()))
		*err = &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "Pillion: internal error; its log says more"}
	}
}

// cancelWithClient ends a request with the stream that it came by, and with the server.
func (s *Server) cancelWithClient(ctx context.Context, cancel context.CancelCauseFunc) (stop func() bool) {
	client, isOne := ctx.Value(clientKey{}).(context.Context)
	if !isOne { // over HTTP it is the request's own that ends
		client = s.life
	}
	return context.AfterFunc(client, func() { cancel(context.Cause(client)) })
}

var errGone = errors.New("the client has gone")

// pageParams are those of a list.
type pageParams interface {
	comparable
	mcp.Params
}

// paramsOf are the params of a list, or nil: they may be left out.
func paramsOf[P pageParams](p P) mcp.Params {
	var none P
	if p == none {
		return nil
	}
	return p
}

func cursorOf[P pageParams](p P) string {
	var none P
	if p == none {
		return ""
	}
	switch p := any(p).(type) {
	case *mcp.ListToolsParams:
		return p.Cursor
	case *mcp.ListResourcesParams:
		return p.Cursor
	case *mcp.ListResourceTemplatesParams:
		return p.Cursor
	case *mcp.ListPromptsParams:
		return p.Cursor
	}
	return ""
}

func (s *Server) requestOf(r sdkRequest, params mcp.Params) *request {
	of := &request{server: s, can: r.ClientCapabilities()}
	of.session, _ = r.GetSession().(*mcp.ServerSession)
	if info := r.ClientInfo(); info != nil {
		of.client = cmp.Or(info.Title, info.Name)
	}
	if params == nil {
		return of
	}
	meta := params.GetMeta()
	_, of.isModern = meta[mcp.MetaKeyProtocolVersion].(string)
	of.token = meta["progressToken"]
	of.name, _ = meta[RequestKey].(string)
	if of.isModern {
		of.level, _ = meta[mcp.MetaKeyLogLevel].(string)
	} else if level, isSet := s.levels.Load(of.session); isSet {
		of.level, _ = level.(string)
	}
	return of
}

// caller is who the request is made for.
func (r *request) caller() host.Caller {
	caller := r.server.options.Caller
	caller.Name = cmp.Or(caller.Name, r.client)
	return caller
}

// sessionID is the session of the request's calls.
func (r *request) sessionID() string {
	return r.server.options.SessionID + r.server.sessionOf(r.session)
}

// hostRequest is the request as a host takes it, to one of its connectors.
func (r *request) hostRequest(connector string) host.Request {
	return host.Request{Connector: connector, CallID: host.NewCallID(), SessionID: r.sessionID(), Caller: r.caller()}
}

// misuse is the error of what the host could not make at all, as it is answered; one that is an answer already stays as it is.
func misuse(err error) error {
	var unknown *host.UnknownError
	var answer *jsonrpc.Error
	switch {
	case err == nil, errors.As(err, &answer):
		return err
	case errors.As(err, &unknown):
		return invalidParams(err.Error())
	}
	return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: err.Error()}
}
