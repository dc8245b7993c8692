package connector

import (
	"fmt"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// acknowledged takes note of what a server agrees to tell, which it says first on every subscription. Of one that does not say which
// it is about it is the oldest that has no answer.
func (f *filter) acknowledged(params jsontext.Value) {
	var granted jsontext.Value
	var id int64
	hasID := false
	_ = object(params, func(name string, value jsontext.Value) error {
		switch name {
		case "notifications":
			granted = value
		case "_meta":
			return object(value, func(name string, value jsontext.Value) error {
				if name == "io.modelcontextprotocol/subscriptionId" {
					id, _, hasID = integer(value)
				}
				return nil
			})
		}
		return nil
	})
	if granted.Kind() != '{' {
		granted = jsontext.Value(`{}`)
	}
	if x := f.listening(id, hasID); x != nil {
		f.onAcknowledged(x.asked, granted)
	}
}

// listening is the subscription of an id, or the oldest that was not acknowledged; nil where there is none.
func (f *filter) listening(id int64, hasID bool) *exchange {
	f.mu.Lock()
	defer f.mu.Unlock()
	found := f.pending[id]
	if !hasID {
		found = nil
		for _, x := range f.pending {
			if x.listens != nil && !x.isAcknowledged && (found == nil || x.wireID < found.wireID) {
				found = x
			}
		}
	}
	if found == nil || found.listens == nil {
		return nil
	}
	found.isAcknowledged = true
	return found
}

// notificationsIn is what the params of subscriptions/listen ask to be told of.
func notificationsIn(params jsontext.Value) (asked jsontext.Value) {
	_ = object(params, func(name string, value jsontext.Value) error {
		if name == "notifications" {
			asked = value
		}
		return nil
	})
	return asked
}

// told is what somebody asks to be told of, or is.
type told struct {
	lists lists
	uris  []string
}

func readTold(notifications jsontext.Value) (t told) {
	flags := map[string]lists{"toolsListChanged": toolList, "promptsListChanged": promptList, "resourcesListChanged": resourceList | templateList}
	_ = object(notifications, func(name string, value jsontext.Value) error {
		if value.Kind() == 't' {
			t.lists |= flags[name]
		}
		if name == "resourceSubscriptions" {
			all, _ := elements(value, maxSubscriptions)
			for _, one := range all {
				uri, _ := text(one)
				t.uris = append(t.uris, uri)
			}
		}
		return nil
	})
	return t
}

// agreed compares what a server was asked to tell with what it will (MCP 2026-07-28 subscriptions): the lists that it does not tell of
// are looked at when they are used, and of an address nobody is left to believe that he would be told. Without anything granted the
// subscription is over, and there is nothing to say.
func (s *session) agreed(asked, granted jsontext.Value) {
	want, have := readTold(asked), readTold(granted)
	s.dirtyMu.Lock()
	s.fresh.watched = s.fresh.watched&^want.lists | want.lists&have.lists
	s.dirtyMu.Unlock()
	if granted == nil {
		return
	}
	if missing := want.lists &^ have.lists; missing != 0 {
		s.connector.warn("unwatched "+missing.names(), fmt.Sprintf("does not tell when its %s change: they are listed again when they are used", missing.names()))
	}
	for _, uri := range want.uris {
		if !slices.Contains(have.uris, uri) {
			s.connector.warn("unwatched "+uri, fmt.Sprintf("does not tell when %s changes, though it was asked to", visible(uri, 100)))
		}
	}
}
