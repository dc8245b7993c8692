package serve

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"pillion/mcp/host"
)

// sessionOf is what the sessions of several clients are told apart by; empty where there is one alone. What a client proves its
// session with is not to be read in logs.
func (s *Server) sessionOf(session *mcp.ServerSession) string {
	if session == nil || session.ID() == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(session.ID()))
	return " " + hex.EncodeToString(sum[:6])
}

// holder is who holds the subscriptions of a session.
func (s *Server) holder(session *mcp.ServerSession) string {
	return fmt.Sprintf("serve %p %p", s, session)
}

// subscribe follows an address for a client of the legacy era; the SDK knows who is to be told.
func (s *Server) subscribe(ctx context.Context, r *request, req *mcp.SubscribeRequest, next mcp.MethodHandler) (mcp.Result, error) {
	if err := s.follow(ctx, r, req.Params.URI); err != nil {
		return nil, err
	}
	return next(ctx, "resources/subscribe", req)
}

// follow has the host follow an address for the client of a request.
func (s *Server) follow(ctx context.Context, r *request, served string) error {
	connector, uri, isKnown := s.addresses().owner(served)
	if !isKnown {
		return r.noResource(served)
	}
	outcome, err := s.host.Subscribe(ctx, r.hostRequest(connector), uri, s.holder(r.session))
	switch {
	case err != nil:
		return misuse(err)
	case outcome.Status != host.StatusOK:
		return refusal(outcome)
	}
	return nil
}

func (s *Server) unsubscribe(ctx context.Context, r *request, req *mcp.UnsubscribeRequest, next mcp.MethodHandler) (mcp.Result, error) {
	connector, uri, isKnown := s.addresses().owner(req.Params.URI)
	if isKnown {
		_ = s.host.Unsubscribe(ctx, connector, uri, s.holder(r.session)) // what is gone is followed no more
	}
	return next(ctx, "resources/unsubscribe", req)
}

// listen follows what a client of the modern era wants to be told of, as long as it listens. What cannot be followed is not among
// what is acknowledged (MCP 2026-07-28 subscriptions).
func (s *Server) listen(ctx context.Context, r *request, req *mcp.SubscriptionsListenRequest, next mcp.MethodHandler) (mcp.Result, error) {
	if wanted := req.Params.Notifications; wanted != nil {
		var followed []string
		for _, served := range wanted.ResourceSubscriptions {
			if err := s.follow(ctx, r, served); err != nil {
				s.log.Info("a resource is not followed", "error", err)
				continue
			}
			followed = append(followed, served)
			defer func() {
				if connector, uri, isKnown := s.addresses().owner(served); isKnown {
					_ = s.host.Unsubscribe(context.WithoutCancel(ctx), connector, uri, s.holder(r.session))
				}
			}()
		}
		wanted.ResourceSubscriptions = followed
	}
	return next(ctx, "subscriptions/listen", req)
}

// tellUpdates tells clients that something they follow has changed.
func (s *Server) tellUpdates(updates []host.Update) {
	if len(updates) == 0 {
		return
	}
	book := s.addresses()
	for _, update := range updates {
		uri := book.served(update.Connector, update.URI)
		_ = s.sdk.ResourceUpdated(context.Background(), &mcp.ResourceUpdatedNotificationParams{URI: uri}) // who is gone is not told
	}
}
