package connector

import (
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// topic is what a subscription of the modern era is about (MCP 2026-07-28 subscriptions).
type topic struct {
	kind topicKind
	name string // the address of a resource, or the id of a task
}

type topicKind byte

const (
	aboutLists    topicKind = 'l'
	aboutResource topicKind = 'r'
	aboutTask     topicKind = 't'
)

// key is what the SDK takes for the address of a resource, the one thing that it can be made to listen to. It is never sent: each
// subscription that is asked of the SDK has one, so that no address can be taken for another kind.
func (t topic) key() string { return string([]byte{byte(t.kind)}) + t.name }

// topicOf is the topic that has the key.
func topicOf(key string) topic {
	if key == "" {
		return topic{kind: aboutLists}
	}
	return topic{topicKind(key[0]), key[1:]}
}

// listened is what the params of subscriptions/listen are about, and whether the SDK was asked for it here: it listens to the
// lists of its own accord when it begins.
func listened(params jsontext.Value) (about topic, isAsked bool) {
	about.kind = aboutLists
	_ = object(notificationsIn(params), func(name string, value jsontext.Value) error {
		if name != "resourceSubscriptions" {
			return nil
		}
		keys, err := elements(value, 1) // one for each time that the SDK is asked
		for _, one := range keys {
			key, _ := text(one)
			about, isAsked = topicOf(key), true
		}
		return err
	})
	return about, isAsked
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

// notifications is what is asked for on the wire, of a server with these features.
func (t topic) notifications(f features) jsontext.Value {
	quoted, _ := jsontext.AppendQuote(nil, t.name)
	switch t.kind {
	case aboutTask:
		return fmt.Appendf(nil, `{"taskIds":[%s]}`, quoted)
	case aboutResource:
		return fmt.Appendf(nil, `{"resourceSubscriptions":[%s]}`, quoted)
	}
	return f.listFlags()
}

// listFlags are what subscriptions/listen asks for where it is about the lists.
func (f features) listFlags() []byte {
	flags := []byte{'{'}
	for _, one := range []struct {
		name string
		is   bool
	}{{"toolsListChanged", f.tools.isListChanged}, {"promptsListChanged", f.prompts.isListChanged}, {"resourcesListChanged", f.resources.isListChanged}} {
		if !one.is {
			continue
		}
		if len(flags) > 1 {
			flags = append(flags, ',')
		}
		flags = fmt.Appendf(flags, "%q:true", one.name)
	}
	return append(flags, '}')
}

// listens notes what a subscription is about, and puts in what is sent of it.
func (f *filter) listens(x *exchange, params jsontext.Value) {
	about, isAsked := listened(params)
	x.listens = &about
	if !isAsked {
		x.asked = notificationsIn(params).Clone()
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	x.asked = about.notifications(f.answer.features)
	x.members = []member{{"notifications", x.asked}}
}

// listen has the SDK subscribe to a topic, which only begins to listen.
func (s *session) listen(to topic) error {
	return s.client.Subscribe(s.ctx, &mcp.SubscribeParams{URI: to.key()})
}

// unlisten takes it back, if it is listened to.
func (s *session) unlisten(to topic) error {
	return s.client.Unsubscribe(s.ctx, &mcp.UnsubscribeParams{URI: to.key()})
}

// listenAgain listens again to what the server has stopped to tell of, ever more rarely the shorter it tells (MCP 2026-07-28,
// subscriptions: a server may end them at any time).
func (s *session) listenAgain(to topic) {
	s.workers.Go(func() {
		if !sleep(s.ctx, s.pauseBeforeListening()) {
			return
		}
		select {
		case <-s.connected: // a server may end what it was just asked, while the SDK still begins
		case <-s.ctx.Done():
			return
		}
		if to.kind == aboutResource && !s.subscriptions.has(to.name) {
			return
		}
		if err := errors.Join(s.unlisten(to), s.listen(to)); err != nil && s.ctx.Err() == nil {
			s.connector.warn("listen", "ended a subscription, which could not be renewed: "+visible(err.Error(), maxReasonBytes))
		}
		// What changed meanwhile was not told.
		s.markChanged(s.announced())
		if to.kind == aboutResource {
			s.subscriptions.update(to.name)
		}
	})
}

// listenToListsAgain asks once more to be told of the lists, after another subscription of the same stream was taken back: servers
// that are made with the Go SDK (v1.8.0) keep one subscription to the lists for each stream, and drop it with any that ends there.
// They drop it in their own time, so that what is asked for at once may go with it.
func (s *session) listenToListsAgain() {
	if s.connector.definition.URL != "" || string(s.answer.features.listFlags()) == "{}" {
		return
	}
	s.listening.mu.Lock()
	defer s.listening.mu.Unlock()
	if s.listening.isDue {
		return
	}
	s.listening.isDue = true
	before := s.listening.lists
	s.listening.lists++
	now := s.listening.lists
	s.workers.Go(func() {
		if before > 0 {
			_ = s.unlisten(topic{aboutLists, strconv.Itoa(before)})
		}
		if !sleep(s.ctx, s.connector.tuning.sync) {
			return
		}
		s.listening.mu.Lock()
		s.listening.isDue = false
		s.listening.mu.Unlock()
		if err := s.listen(topic{aboutLists, strconv.Itoa(now)}); err != nil && s.ctx.Err() == nil {
			s.connector.warn("listen", "could not be asked again to tell of its lists: "+visible(err.Error(), maxReasonBytes))
		}
		s.markChanged(s.announced()) // what changed meanwhile was not told
	})
}

// pauseBeforeListening doubles from one end of a subscription to the next, unless they are far apart.
func (s *session) pauseBeforeListening() time.Duration {
	t := s.connector.tuning
	s.listening.mu.Lock()
	defer s.listening.mu.Unlock()
	now := time.Now()
	if s.listening.pause == 0 || now.Sub(s.listening.last) > 2*t.maxSync {
		s.listening.pause = t.sync
	} else {
		s.listening.pause = min(2*s.listening.pause, t.maxSync)
	}
	s.listening.last = now
	return s.listening.pause
}

// listening is when a subscription of the modern era last ended, and how often the lists were asked for again.
type listening struct {
	mu    sync.Mutex
	lists int
	isDue bool
	last  time.Time
	pause time.Duration
}
