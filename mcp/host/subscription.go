package host

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"pillion/mcp/connector"
)

// Update says that what stands at an address of a connector has changed, for those who subscribed to it.
type Update struct {
	Connector, URI string
	// Holders are those of [Host.Subscribe], each once.
	Holders []string
}

// maxHeld bounds how often one holder may subscribe to one address.
const maxHeld = 1000

// Subscribe has a holder told when what stands at an address changes, by [Event.Updates], until as many calls of
// [Host.Unsubscribe] or [Host.EndSubscriptions]. It starts the connector if it must, keeps it from going idle, and is renewed
// when it starts again. The outcome says why there is no subscription where its status is not StatusOK.
func (h *Host) Subscribe(ctx context.Context, request Request, uri, holder string) (Result, error) {
	_, outcome, err := h.answers(ctx, errand{
		Request: request, method: "resources/subscribe", what: "follow a resource that this connector does not list",
		isOfWindow: true, // it outlives sessions and calls
		arguments:  fmt.Appendf(nil, `{"uri":%s}`, quoted(uri)),
		isFree: func(s *slot) bool {
			return s.isListed() && slices.ContainsFunc(s.catalogue.Resources, func(r connector.Resource) bool { return r.URI == uri })
		},
		send: func(ctx context.Context, process *connector.Connector, _ connector.RequestOptions) (connector.CallReply, error) {
			reply := connector.CallReply{ResultType: connector.ResultComplete}
			err := process.Subscribe(ctx, uri)
			if errors.As(err, &reply.ProtocolError) {
				err = nil
			}
			return reply, err
		},
	})
	if err != nil || outcome.Status != StatusOK {
		return outcome, err
	}
	h.locked(func() {
		if s, findErr := h.findSlot(request.Connector); findErr == nil {
			s.hold(uri, holder)
			h.rearm(s)
		}
	})
	return outcome, nil
}

// Unsubscribe takes one subscription of a holder back; the connector is told once nobody is left who holds the address.
func (h *Host) Unsubscribe(ctx context.Context, idOrName, uri, holder string) error {
	h.mu.Lock()
	s, err := h.findSlot(idOrName)
	var process *connector.Connector
	if err == nil && s.release(uri, holder) {
		process = s.process
		h.rearm(s)
	}
	h.mu.Unlock()
	if process != nil {
		h.unsubscribe(ctx, process, uri)
	}
	return err
}

// EndSubscriptions takes back what a holder that has gone had subscribed to.
func (h *Host) EndSubscriptions(ctx context.Context, holder string) {
	type left struct {
		process *connector.Connector
		uri     string
	}
	var all []left
	h.locked(func() {
		for _, s := range h.slots {
			for _, uri := range slices.Collect(maps.Keys(s.subscriptions)) {
				for s.subscriptions[uri][holder] > 0 {
					if s.release(uri, holder) && s.process != nil {
						all = append(all, left{s.process, uri})
					}
				}
			}
			h.rearm(s)
		}
	})
	for _, one := range all {
		h.unsubscribe(ctx, one.process, one.uri)
	}
}

func (h *Host) unsubscribe(ctx context.Context, process *connector.Connector, uri string) {
	if err := process.Unsubscribe(ctx, uri); err != nil {
		h.log.Debug("not unsubscribed", "error", err) // what it goes on to tell is dropped
	}
}

// hold notes a subscription; Host.mu is held.
func (s *slot) hold(uri, holder string) {
	if s.subscriptions == nil {
		s.subscriptions = map[string]map[string]int{}
	}
	if s.subscriptions[uri] == nil {
		s.subscriptions[uri] = map[string]int{}
	}
	s.subscriptions[uri][holder] = min(s.subscriptions[uri][holder]+1, maxHeld)
	delete(s.lostSubscriptions, uri)
}

// release takes one back and reports whether it was the last of its address; Host.mu is held.
func (s *slot) release(uri, holder string) bool {
	held := s.subscriptions[uri]
	if held[holder] == 0 {
		return false
	}
	if held[holder]--; held[holder] == 0 {
		delete(held, holder)
	}
	if len(held) > 0 {
		return false
	}
	delete(s.subscriptions, uri)
	// Another name of the same process may hold it too.
	return s.share == nil || !slices.ContainsFunc(s.share.holders, func(other *slot) bool { return len(other.subscriptions[uri]) > 0 })
}

// updates are what is told of addresses that changed; Host.mu is held.
func (s *slot) updates(uris []string) []Update {
	var updates []Update
	for _, uri := range uris {
		if held := s.subscriptions[uri]; len(held) > 0 {
			updates = append(updates, Update{Connector: s.id, URI: uri, Holders: slices.Sorted(maps.Keys(held))})
		}
	}
	return updates
}

// resubscribe renews the subscriptions of a connector that has started again. One that cannot be renewed is given up and
// stands among the warnings (C51). h.mu is held.
func (h *Host) resubscribe(s *slot, process *connector.Connector) {
	uris := slices.Sorted(maps.Keys(s.subscriptions))
	if len(uris) == 0 || h.isClosing() {
		return
	}
	h.workers.Go(func() {
		for _, uri := range uris {
			err := process.Subscribe(h.lifetime, uri)
			if err == nil {
				continue
			}
			reason := h.redacted(err.Error())
			h.locked(func() {
				if s.process != process || process.Status().State != connector.StateReady {
					return // the next start tries again
				}
				delete(s.subscriptions, uri)
				if s.lostSubscriptions == nil {
					s.lostSubscriptions = map[string]string{}
				}
				s.lostSubscriptions[uri] = reason
				h.rearm(s)
			})
			h.log.Warn("subscription not renewed", "connector", s.id, "error", err)
		}
		// What changed meanwhile was not told.
		var event Event
		h.locked(func() { event = Event{Connectors: []string{s.id}, Updates: s.updates(uris)} })
		h.notify(event)
	})
}
