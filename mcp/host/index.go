package host

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"pillion/mcp/catalog"
	"pillion/mcp/connector"
	"pillion/mcp/parts"
	"pillion/mcp/permission"
	"pillion/mcp/redact"
	"pillion/mcp/why"
)

// toolIndex finds tools by every name they go by.
// It is made once for a set of catalogues and never changes.
type toolIndex struct {
	tools  []indexedTool // by label
	byName map[string][]int
	bySlot map[string][]int
	// words finds tools by words; it is made when it is first asked for, and not under the lock.
	words func() *catalog.Index
}

type indexedTool struct {
	slot *slot
	tool Tool
}

// index returns the index of what is listed now; h.mu is held.
func (h *Host) index() *toolIndex {
	if h.toolIndex == nil {
		h.toolIndex = h.newIndex()
	}
	return h.toolIndex
}

func (h *Host) newIndex() *toolIndex {
	type offer struct {
		slot *slot
		tool connector.Tool
	}
	var all []identity
	var offers []offer
	for _, s := range h.slots {
		if s.main != nil {
			continue
		}
		tools := h.offered(s)
		all, offers = slices.Grow(all, len(tools)), slices.Grow(offers, len(tools))
		for _, tool := range tools {
			all, offers = append(all, s.identity(tool.Name)), append(offers, offer{s, tool})
		}
	}
	index := &toolIndex{
		tools: make([]indexedTool, len(all)), byName: make(map[string][]int, 3*len(all)), bySlot: map[string][]int{},
	}
	served := servedNames(all)
	parts.Each(len(all), func(i int) {
		one := &offers[i]
		index.tools[i] = indexedTool{one.slot, newTool(one.slot, one.tool, served[i]).redacted(h.secrets)}
	})
	index.sort()
	index.name()
	index.words = sync.OnceValue(func() *catalog.Index { return catalog.NewIndex(entriesOf(index.tools)) })
	return index
}

// name notes the places of the tools by what they go by.
func (x *toolIndex) name() {
	places := make([]int, len(x.tools)) // one for all that only one tool goes by, which is nearly all
	for i := range x.tools {
		entry := &x.tools[i]
		places[i] = i
		x.bySlot[entry.slot.id] = append(x.bySlot[entry.slot.id], i)
		for _, name := range []string{entry.tool.ID, entry.tool.Label, entry.tool.ServedName} {
			switch others := x.byName[name]; {
			case others == nil:
				x.byName[name] = places[i : i+1 : i+1]
			case !slices.Contains(others, i):
				x.byName[name] = append(others, i)
			}
		}
	}
}

// sort brings the tools in the order of their labels. They are large, and there may be thousands: what is moved about are their
// places.
func (x *toolIndex) sort() {
	places := make([]int, len(x.tools))
	for i := range places {
		places[i] = i
	}
	slices.SortFunc(places, func(a, b int) int {
		one, other := &x.tools[a].tool, &x.tools[b].tool
		return cmp.Or(cmp.Compare(one.Label, other.Label), cmp.Compare(one.ID, other.ID))
	})
	sorted := make([]indexedTool, len(places))
	for i, at := range places {
		sorted[i] = x.tools[at]
	}
	x.tools = sorted
}

// identity is what a served name of the slot's tool must tell apart.
func (s *slot) identity(tool string) identity {
	return identity{s.id, cmp.Or(s.entry.Options.ToolPrefix, s.entry.Name), tool}
}

func newTool(s *slot, tool connector.Tool, served string) Tool {
	return Tool{
		ID: ToolID(s.id, tool.Name), Label: Label(s.entry.Name, tool.Name), ServedName: served,
		Connector: s.id, ConnectorName: s.entry.Name, Name: tool.Name,
		Title: tool.Title, Summary: summaryOf(tool.Description), Description: tool.Description,
		InputSchema: tool.InputSchema, OutputSchema: tool.OutputSchema, Annotations: tool.Annotations, Passed: tool.Passed, takes: tool.InputSchema, returns: tool.OutputSchema,
		ReadOnly:      tool.ReadOnly != nil && *tool.ReadOnly,
		IsDestructive: tool.Destructive == nil || *tool.Destructive,
		OpenWorld:     tool.OpenWorld, Hash: tool.Hash, Tokens: tool.Tokens, Tags: s.entry.Options.TagsOf(tool.Name),
	}
}

// redacted is the tool without the secrets that its connector may have put into its words (E7). Its names stay: calls go by
// them, and so does its hash, of the words as they came.
func (t Tool) redacted(secrets *redact.Set) Tool {
	for _, text := range []*string{&t.Title, &t.Summary, &t.Description} {
		*text, _ = secrets.Text(*text)
	}
	for _, value := range []*[]byte{&t.InputSchema, &t.OutputSchema, &t.Annotations} {
		*value, _ = secrets.Bytes(*value)
	}
	for _, value := range []*jsontext.Value{&t.Icons, &t.Meta} {
		*value, _ = secrets.Bytes(*value)
	}
	return t
}

// offered are the tools that may be seen: of a connector that may run, was listed from this definition, and through the
// filters of its entry and of the user; h.mu is held. They are not the caller's to change.
func (h *Host) offered(s *slot) []connector.Tool {
	if s.isRemoved || !s.standing.mayRun() || !s.isListed() {
		return nil
	}
	if s.lead().builtin == nil && s.effective.OffersAll() && s.mine.OffersAll() {
		return s.catalogue.Tools
	}
	isOff := func(tool connector.Tool) bool { return !s.offers(tool.Name) }
	if !slices.ContainsFunc(s.catalogue.Tools, isOff) {
		return s.catalogue.Tools
	}
	return slices.DeleteFunc(slices.Clone(s.catalogue.Tools), isOff)
}

// Signature is the tool's signature in TypeScript.
func (t Tool) Signature() string {
	return catalog.Signature(t.ServedName, t.InputSchema, t.OutputSchema)
}

// Tools returns the tools of every connector that may run, by label.
// It starts nothing: a connector that was never listed has none.
func (h *Host) Tools() []Tool {
	rules, isHealthy := permission.ByConnector(h.permissions.Rules()), h.isHealthy()
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, s := range h.slots {
		s.freshen()
	}
	index := h.index()
	tools := make([]Tool, len(index.tools))
	for i, entry := range index.tools {
		tools[i] = entry.tool
		tools[i].Permission = h.permissionOfTool(entry, rules[entry.slot.entry.Identity()], isHealthy)
	}
	return tools
}

// Tool returns the tool that goes by an id, a label or a served name.
func (h *Host) Tool(name string) (Tool, error) {
	rules, isHealthy := h.permissions.Rules(), h.isHealthy()
	h.mu.Lock()
	defer h.mu.Unlock()
	entry, err := h.findTool(name)
	if err != nil {
		return Tool{}, err
	}
	tool := entry.tool
	tool.Permission = h.permissionOfTool(entry, rules, isHealthy)
	return tool, nil
}

// Known returns the one tool that goes by a name, without what is permitted of it; false where none does, or several do. Unlike
// [Host.Tool] it looks at no file: every call asks for it.
func (h *Host) Known(name string) (tool Tool, isKnown bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	index := h.index()
	found := index.byName[name]
	if len(found) != 1 {
		return Tool{}, false
	}
	return index.tools[found[0]].tool, true
}

// findTool is called with h.mu held.
func (h *Host) findTool(name string) (indexedTool, error) {
	index := h.index()
	found := index.byName[name]
	switch len(found) {
	case 1:
		return index.tools[found[0]], nil
	case 0:
		_, labels := h.labels()
		if slices.Contains(labels, name) { // it is listed, and not offered
			return indexedTool{}, &UnknownError{What: "tool", Name: name, IsOff: true}
		}
		return indexedTool{}, &UnknownError{What: "tool", Name: name, Nearest: why.Near(name, labels)}
	}
	candidates := make([]string, len(found))
	for i, at := range found {
		candidates[i] = index.tools[at].tool.ID
	}
	return indexedTool{}, &UnknownError{What: "tool", Name: name, Candidates: candidates}
}

func (h *Host) permissionOfTool(entry indexedTool, rules []permission.Rule, isHealthy bool) string {
	return string(permission.Judge(rules, h.mode, h.subjectOf(entry.slot, entry.tool), isHealthy).Decision)
}

// subjectOf is what a call of the tool is judged by, but for its arguments; h.mu is held.
func (h *Host) subjectOf(s *slot, tool Tool) permission.Subject {
	subject := permission.Subject{
		Source: string(s.entry.File.Source), Root: s.entry.File.Root, Connector: s.entry.Identity(), DefinitionHash: s.hash,
		Tool: tool.Name, ToolHash: tool.Hash, ServerVersion: s.freeVersion(),
		ReadOnly: tool.ReadOnly, Destructive: tool.IsDestructive, OpenWorld: tool.OpenWorld != nil && *tool.OpenWorld,
		Trusted: s.effective.IsBelieved, // a project's file has no say in it (E2, S4)
	}
	return s.lead().builtin.ruled(subject, BuiltinCall{Tool: tool.Name})
}

// maxKeptVersionBytes bounds what is kept of what a connector calls its version.
const maxKeptVersionBytes = 200

// freeVersion is what the connector calls its version, where nothing in its definition pins one; Host.mu is held.
func (s *slot) freeVersion() string {
	if !s.entry.IsUnpinned() {
		return ""
	}
	return strings.ToValidUTF8(s.server.Version[:min(len(s.server.Version), maxKeptVersionBytes)], "\ufffd")
}

// publish swaps in a whole catalogue and tells the difference; h.mu is held.
func (h *Host) publish(s *slot, catalogue *connector.Catalogue) []ToolsChange {
	if catalogue == nil || catalogue == s.catalogue && s.catalogueKey == s.life.key {
		return nil
	}
	s.catalogue, s.catalogueKey = catalogue, s.life.key
	if s.main != nil { // what it lists is told of its connector's own process
		return nil
	}
	s.isRecalled, s.listedAt = false, time.Now()
	h.keepLater(s)
	s.generation++
	h.toolIndex = nil
	if changes := h.toolsChanged(s); len(changes) > 0 {
		return changes
	}
	return []ToolsChange{{Connector: s.id, Generation: s.generation}} // it is another generation all the same
}

// toolsChanged is how the tools that may be seen differ from those that were told last, and takes them as told; h.mu is held.
func (h *Host) toolsChanged(s *slot) []ToolsChange {
	if h.options.Observe == nil { // nobody is told
		return nil
	}
	change := ToolsChange{Connector: s.id, Generation: s.generation}
	before, now := s.told, map[string]string{}
	for _, tool := range h.offered(s) {
		id := ToolID(s.id, tool.Name)
		now[id] = tool.Hash
		switch hash, isOld := before[id]; {
		case !isOld:
			change.Added = append(change.Added, id)
		case hash != tool.Hash:
			change.Changed = append(change.Changed, id)
		}
	}
	for id := range before {
		if _, isThere := now[id]; !isThere {
			change.Removed = append(change.Removed, id)
		}
	}
	s.told = now
	if len(change.Added)+len(change.Changed)+len(change.Removed) == 0 {
		return nil
	}
	slices.Sort(change.Removed)
	return []ToolsChange{change}
}

// otherLists says, by the slot's own id, which lists but that of the tools differ from those of before; Host.mu is held.
func (s *slot) otherLists(before *connector.Catalogue) (resources, prompts []string) {
	if before == nil {
		before = &connector.Catalogue{}
	}
	if !s.catalogue.HasSameResources(before) {
		resources = []string{s.id}
	}
	if !s.catalogue.HasSamePrompts(before) {
		prompts = []string{s.id}
	}
	return resources, prompts
}

// offers reports whether the lists of the files, and the user, let a tool through; Host.mu is held.
func (s *slot) offers(tool string) bool {
	b := s.lead().builtin
	return s.effective.Offers(tool) && s.mine.Offers(tool) && (b == nil || b.Offers(tool))
}
