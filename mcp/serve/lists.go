package serve

import (
	"context"
	"crypto/sha256"
	"math"
	"slices"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"pillion/mcp/connector"
	"pillion/mcp/host"
)

// lists are what clients were told of last, by a digest of each list.
type lists struct {
	mu      sync.Mutex
	changed chan struct{}         // closed and replaced when the host has changed
	said    connector.SaidChanged // by connectors, and passed on to nobody yet
	updates []host.Update         // that nobody was told of yet
	told    [3][sha256.Size]byte  // tools, resources, prompts
}

// Observe is told what changed in the host; it does not block.
func (s *Server) Observe(e host.Event) {
	if e.Call != nil {
		return // how far a call has come changes no list
	}
	s.lists.mu.Lock()
	close(s.lists.changed)
	s.lists.changed = make(chan struct{})
	s.lists.updates = append(s.lists.updates, e.Updates...)
	for _, said := range e.Said {
		s.lists.said.Tools = s.lists.said.Tools || said.Tools
		s.lists.said.Resources = s.lists.said.Resources || said.Resources
		s.lists.said.Prompts = s.lists.said.Prompts || said.Prompts
	}
	s.lists.mu.Unlock()
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// watch begins to tell clients when a list is another one, once.
func (s *Server) watch() {
	s.watching.Do(func() {
		s.lists.told = s.digests()
		s.work(func() {
			for {
				select {
				case <-s.wake:
					s.tellChanges()
				case <-s.life.Done():
					return
				}
			}
		})
	})
}

// digests are those of the lists as they are served.
func (s *Server) digests() (digests [3][sha256.Size]byte) {
	resources, templates := s.servedResources()
	lists := [3][]entry{nil, append(resources, templates...), s.servedPrompts()}
	if s.options.Expose == All {
		for _, t := range s.servedTools() {
			lists[0] = append(lists[0], entry{t.name, t.entry()})
		}
	}
	for i, list := range lists {
		bodies, _, _ := page(list, "", len(list), math.MaxInt)
		digests[i] = sha256.Sum256(slices.Concat(bodies...))
	}
	return digests
}

// tellChanges tells clients of the lists that are others by now, or that connectors say are: what they hold is fetched yet. The SDK tells them when what it holds itself changes; it holds
// nothing that anybody is shown, so that anything will do.
func (s *Server) tellChanges() {
	now := s.digests()
	s.lists.mu.Lock()
	before, said, updates := s.lists.told, s.lists.said, s.lists.updates
	s.lists.told, s.lists.said, s.lists.updates = now, connector.SaidChanged{}, nil
	s.lists.mu.Unlock()
	s.tellUpdates(updates)
	if now[0] != before[0] || said.Tools && s.options.Expose == All {
		s.sdk.AddTool(&mcp.Tool{Name: "changed", InputSchema: map[string]any{"type": "object"}}, nil)
	}
	if now[1] != before[1] || said.Resources {
		s.sdk.AddResource(&mcp.Resource{Name: "changed", URI: "pillion:changed"}, nil)
	}
	if now[2] != before[2] || said.Prompts {
		s.sdk.AddPrompt(&mcp.Prompt{Name: "changed"}, nil)
	}
}

// settled waits until no connector is starting that was never listed, for a while: a list that is asked for once, and early, is whole.
func (s *Server) settled(ctx context.Context) {
	ctx, stop := context.WithTimeout(ctx, startTime)
	defer stop()
	for {
		s.lists.mu.Lock()
		changed := s.lists.changed
		s.lists.mu.Unlock()
		if !slices.ContainsFunc(s.host.Connectors(), isComing) {
			return
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return
		}
	}
}

// isComing reports whether a connector is on its way to its first list.
func isComing(c host.Connector) bool {
	return c.State == host.StateStarting && c.Generation == 0 && c.ListedAt.IsZero()
}
