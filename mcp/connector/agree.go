package connector

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

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

// names are what the lists are called where it is said that nobody tells of their changes.
func (l lists) names() string {
	var names []string
	for _, one := range []struct {
		list lists
		name string
	}{{toolList, "tools"}, {resourceList, "resources"}, {promptList, "prompts"}} {
		if l&one.list != 0 {
			names = append(names, one.name)
		}
	}
	return strings.Join(names, " and ")
}
