package connector

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	resourceUpdated = "notifications/resources/updated"

	// maxSubscriptions bounds the addresses of one connector that somebody wants to be told of.
	maxSubscriptions = 1000
)

// UnsupportedError says that the server does not offer what was asked of it; nothing was sent.
type UnsupportedError struct {
	Name string
	What string
}

func (e *UnsupportedError) Error() string {
	return fmt.Sprintf("connector %q offers no %s", e.Name, e.What)
}

// errManySubscriptions refuses one subscription too many.
var errManySubscriptions = fmt.Errorf("more than %d addresses are subscribed to already", maxSubscriptions)

// subscriptions are the addresses that a session is told of when they change.
type subscriptions struct {
	mu      sync.Mutex
	wanted  map[string]bool
	updated []string      // and not told yet, each once
	wake    chan struct{} // capacity 1
}

func newSubscriptions() *subscriptions {
	return &subscriptions{wanted: map[string]bool{}, wake: make(chan struct{}, 1)}
}

func (s *subscriptions) add(uri string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.wanted) >= maxSubscriptions && !s.wanted[uri] {
		return errManySubscriptions
	}
	s.wanted[uri] = true
	return nil
}

func (s *subscriptions) remove(uri string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.wanted, uri)
}

func (s *subscriptions) has(uri string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.wanted[uri]
}

// update notes that one changed, if anybody wants to know; it never blocks, and a flood of them is one.
func (s *subscriptions) update(uri string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.wanted[uri] || slices.Contains(s.updated, uri) {
		return
	}
	s.updated = append(s.updated, uri)
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

func (s *subscriptions) all() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Keys(s.wanted))
}

func (s *subscriptions) take() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	taken := s.updated
	s.updated = nil
	return taken
}

// Subscribe asks to be told when what stands at an address changes, by [Change.Updated], until [Connector.Unsubscribe] or
// the end of the process. To subscribe twice is to subscribe once. The error is *UnsupportedError, the server's own
// *ProtocolError, or one of [Connector.Call].
func (c *Connector) Subscribe(ctx context.Context, uri string) error {
	s, err := c.ready()
	switch {
	case err != nil:
		return err
	case !s.answer.features.canSubscribe:
		return &UnsupportedError{Name: c.definition.Name, What: "subscriptions to resources"}
	case s.subscriptions.has(uri):
		return nil
	}
	if err := s.subscriptions.add(uri); err != nil { // first: an update may overtake the answer
		return err
	}
	if err = s.subscribe(ctx, uri); err != nil {
		s.subscriptions.remove(uri)
	}
	return err
}

func (s *session) subscribe(ctx context.Context, uri string) error {
	if s.answer.era == EraModern {
		return s.listen(topic{aboutResource, uri})
	}
	return s.acknowledged(ctx, errand{method: "resources/subscribe", send: func(ctx context.Context, client *mcp.ClientSession, _ mcp.Meta) error {
		return client.Subscribe(ctx, &mcp.SubscribeParams{URI: uri})
	}})
}

// Unsubscribe takes a subscription back; the errors are those of [Connector.Subscribe].
func (c *Connector) Unsubscribe(ctx context.Context, uri string) error {
	s, err := c.ready()
	if err != nil || !s.subscriptions.has(uri) {
		return err
	}
	s.subscriptions.remove(uri)
	if s.answer.era == EraModern {
		err := s.unlisten(topic{aboutResource, uri})
		s.listenToListsAgain()
		return err
	}
	return s.acknowledged(ctx, errand{method: "resources/unsubscribe", send: func(ctx context.Context, client *mcp.ClientSession, _ mcp.Meta) error {
		return client.Unsubscribe(ctx, &mcp.UnsubscribeParams{URI: uri})
	}})
}

// subscribeAgain renews the subscriptions in a session that took the place of another (C54).
func (s *session) subscribeAgain() {
	if s.answer.era == EraModern {
		return // where each is a request of its own that goes on
	}
	for _, uri := range s.subscriptions.all() {
		if err := s.subscribe(s.ctx, uri); err != nil && s.ctx.Err() == nil {
			s.connector.warn("subscription "+uri, fmt.Sprintf("does not tell of %s any more: %s", visible(uri, 100), visible(err.Error(), maxReasonBytes)))
		}
		s.subscriptions.update(uri) // what changed meanwhile was not told
	}
}

// acknowledged runs an errand whose result says nothing.
func (s *session) acknowledged(ctx context.Context, e errand) error {
	reply, err := s.run(ctx, e)
	if err == nil && reply.ProtocolError != nil {
		return reply.ProtocolError
	}
	return err
}

// keepUpdated tells of what changed, several at a time.
func (s *session) keepUpdated() {
	for {
		select {
		case <-s.ctx.Done():
			return
		case <-s.subscriptions.wake:
		}
		if !sleep(s.ctx, s.connector.tuning.updates) {
			return
		}
		if uris := s.subscriptions.take(); len(uris) > 0 {
			s.connector.updated(uris)
		}
	}
}

func (c *Connector) updated(uris []string) {
	c.mu.Lock()
	c.changes.add(Change{State: c.state, Phase: c.phase, Updated: uris})
	c.mu.Unlock()
	c.changes.flush()
}

// uriOf is the address in the params of an update.
func uriOf(params jsontext.Value) string {
	var uri string
	_ = object(params, func(name string, value jsontext.Value) error {
		if name == "uri" {
			uri, _ = text(value)
		}
		return nil
	})
	return uri
}
