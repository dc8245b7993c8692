package host

import (
	"context"
	"errors"
	"io/fs"
	"iter"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"pillion/mcp/catalog"
	"pillion/mcp/connector"
	"pillion/mcp/parts"
	"pillion/mcp/redact"
	"pillion/mcp/state"
)

// What a connector listed is kept for later sessions, so that it is known before anything runs (C3, J1). What is recalled is shown,
// found and described; nothing is decided by it: a call waits for the live list (S9), and a permission is given on that alone.

// Depth is how much is read of what is kept.
type Depth int

// The depths.
const (
	// Whole is everything.
	Whole Depth = iota
	// Words is without schemas, resources and prompts, which are not known then.
	Words
	// Counts is how many tools there are and what they cost; which they are is not known then.
	Counts
)

// otherLists is what else was listed than tools.
type otherLists struct {
	Resources         []connector.Resource
	ResourceTemplates []connector.ResourceTemplate
	Prompts           []connector.Prompt
	Quarantined       []connector.Quarantined
}

// unkept is a list that is to be kept, with the secrets that must not be in it.
type unkept struct {
	catalogue *connector.Catalogue
	server    Server
	secrets   *redact.Set
}

// worthReads is how many looks at the disk are worth a goroutine.
const worthReads = 8

// keepTime bounds the wait for another window that writes.
const keepTime = 2 * time.Second

// recalls reports whether a slot's list may be among those that are kept and nobody has looked; h.mu is held.
func (s *slot) recalls() bool {
	return s.main == nil && s.builtin == nil && !s.isListed() && s.recalledKey != s.key() && s.standing.mayRun()
}

// listKey names what is kept of a slot's definition; Host.mu is held.
func (s *slot) listKey() string {
	return catalog.Key(s.hash, s.entry.Name, s.ground.project, s.ground.rootID)
}

// recall looks at what is kept for those of some slots that have listed nothing, and returns what is to be told of it.
func (h *Host) recall(slots iter.Seq[*slot]) (event Event) {
	if h.lists == nil {
		return event
	}
	type wanted struct {
		slot      *slot
		key, kept string
		depth     Depth
		list      *catalog.List
		others    otherLists
		server    Server
	}
	var all []*wanted
	h.locked(func() {
		for s := range slots {
			if s.recalls() {
				s.recalledKey = s.key()
				all = append(all, &wanted{slot: s, key: s.key(), kept: s.listKey(), depth: h.depthFor(s)})
			}
		}
	})
	parts.EachOf(len(all), worthReads, func(i int) {
		w := all[i]
		w.list, w.others, w.server = h.readList(w.kept, w.depth)
	})
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, w := range all {
		s := w.slot
		if w.list == nil || s.key() != w.key || s.isListed() || s.isRemoved {
			continue
		}
		before := s.catalogue
		s.catalogue, s.catalogueKey, s.lister = catalogueOf(w.list, w.others), w.key, nil
		s.isRecalled, s.listedAt, s.server, s.kept = true, w.list.ListedAt, w.server, w.list.Head
		s.generation++
		h.toolIndex = nil
		event.Connectors = append(event.Connectors, s.id)
		event.Tools = append(event.Tools, h.toolsChanged(s)...)
		resources, prompts := s.otherLists(before)
		event.Resources, event.Prompts = append(event.Resources, resources...), append(event.Prompts, prompts...)
		s.touch()
	}
	return event
}

// readList reads what is kept of a definition; nil where there is nothing that can be used.
func (h *Host) readList(key string, depth Depth) (list *catalog.List, others otherLists, server Server) {
	var err error
	switch depth {
	case Counts:
		list = &catalog.List{}
		list.Head, err = h.lists.Head(key)
	case Words:
		list, err = h.lists.Summaries(key)
	default:
		list, err = h.lists.Read(key)
	}
	if err == nil && len(list.Others) > 0 {
		err = json.Unmarshal(list.Others, &others)
	}
	if err == nil && len(list.Server) > 0 && depth != Words { // who asks for words is told nothing of servers
		err = json.Unmarshal(list.Server, &server)
	}
	if err == nil {
		return list, others, server
	}
	var newer *state.NewerError
	if !errors.Is(err, fs.ErrNotExist) && !errors.As(err, &newer) {
		ctx, cancel := context.WithTimeout(h.lifetime, keepTime)
		defer cancel()
		h.log.Warn("kept list not read", "error", err, "setAside", h.lists.SetAside(ctx, key))
	}
	return nil, otherLists{}, Server{}
}

// depthFor is how much has to be read of a slot's list: what is left out of it is not counted. Host.mu is held.
func (h *Host) depthFor(s *slot) Depth {
	if h.options.Depth == Counts && !(s.effective.OffersAll() && s.mine.OffersAll()) {
		return Words
	}
	return h.options.Depth
}

func catalogueOf(list *catalog.List, others otherLists) *connector.Catalogue {
	return &connector.Catalogue{
		Tools: list.Tools, Quarantined: others.Quarantined,
		Resources: others.Resources, ResourceTemplates: others.ResourceTemplates, Prompts: others.Prompts,
	}
}

// keepLater has the slot's list kept; h.mu is held.
func (h *Host) keepLater(s *slot) {
	if h.lists == nil || s.builtin != nil { // whose tools cost nobody anything before they are used
		return
	}
	h.unkept[s.listKey()] = unkept{s.catalogue, s.server, h.secrets}
	select {
	case h.keepWake <- struct{}{}:
	default:
	}
}

// keepLists writes what was listed, until the host closes.
func (h *Host) keepLists() {
	defer h.workers.Done()
	hasPruned := false
	for isClosing := false; !isClosing; {
		select {
		case <-h.keepWake:
		case <-h.closing:
			isClosing = true
		}
		if h.keepNow() && !hasPruned {
			hasPruned = true
			h.inKeepTime("kept lists not tidied", h.lists.Prune)
		}
	}
}

// keepNow writes what is to be kept by now, and reports whether there was something.
func (h *Host) keepNow() bool {
	var all map[string]unkept
	h.locked(func() { all, h.unkept = h.unkept, map[string]unkept{} })
	for key, one := range all {
		h.inKeepTime("list not kept", func(ctx context.Context) error { return h.lists.Write(ctx, key, one.list()) })
	}
	return len(all) > 0
}

// inKeepTime does what costs the next session a start at most, if it fails.
func (h *Host) inKeepTime(failure string, do func(context.Context) error) {
	ctx, cancel := context.WithTimeout(context.Background(), keepTime)
	defer cancel()
	if err := do(ctx); err != nil {
		h.log.Debug(failure, "error", err)
	}
}

// list is what is kept, as it may be shown (E7): a tool or a resource whose very name holds a secret is left out.
func (u unkept) list() *catalog.List {
	list := &catalog.List{Tools: make([]catalog.Tool, 0, len(u.catalogue.Tools))}
	for _, t := range u.catalogue.Tools {
		if _, isSecret := u.secrets.Text(t.Name); isSecret {
			continue
		}
		kept := t
		for _, text := range []*string{&kept.Title, &kept.Description} {
			*text, _ = u.secrets.Text(*text)
		}
		for _, value := range []*jsontext.Value{&kept.InputSchema, &kept.OutputSchema, &kept.Annotations, &kept.Icons, &kept.Meta} {
			*value, _ = u.secrets.Bytes(*value)
		}
		list.Tools = append(list.Tools, kept)
	}
	others := otherLists{u.catalogue.Resources, u.catalogue.ResourceTemplates, u.catalogue.Prompts, u.catalogue.Quarantined}
	list.Resources, list.Prompts = len(others.Resources), len(others.Prompts)
	list.Others, list.Server = u.clean(others), u.clean(u.server)
	return list
}

// clean is a value as JSON without the secrets; nil where it cannot be written.
func (u unkept) clean(value any) []byte {
	text, err := json.Marshal(value)
	if err != nil {
		return nil
	}
	text, _ = u.secrets.Bytes(text)
	return text
}
