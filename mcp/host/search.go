package host

import (
	"cmp"
	"slices"
	"strings"

	"pillion/mcp/catalog"
	"pillion/mcp/connector"
	"pillion/mcp/parts"
	"pillion/mcp/permission"
)

// Search says what is looked for among the tools that are offered.
type Search struct {
	Query     string // words; empty finds everything, by label
	Connector string // an id; empty is all
	Tag       string // only tools that carry it
	From      int    // how many of what is found are left out, from the first on
	Limit     int    // how many are returned at most
	// All finds what is off or quarantined too.
	All bool
}

// Found are tools that were found.
type Found struct {
	Tools []Tool
	// By says where each word stands in the tool at its place; empty without a query.
	By [][]catalog.Found
	// Total is how many there are in all; IsPartial, that nothing has all words and this is what has any.
	Total     int
	IsPartial bool
}

// Search finds tools in what is known; it starts nothing.
func (h *Host) Search(s Search) Found {
	if s.All {
		tools := h.AllTools()
		entries := make([]indexedTool, len(tools))
		for i, tool := range tools {
			entries[i].tool = tool
		}
		return s.in(entries, func() *catalog.Index { return catalog.NewIndex(entriesOf(entries)) })
	}
	if h.options.Depth == Words && s.Query != "" {
		return h.searchOnce(s)
	}
	rules, isHealthy := permission.ByConnector(h.permissions.Rules()), h.isHealthy()
	var index *toolIndex
	h.locked(func() {
		for _, slot := range h.slots {
			slot.freshen()
		}
		index = h.index()
	})
	found := s.in(index.tools, index.words)
	h.mu.Lock()
	defer h.mu.Unlock()
	for i := range found.Tools {
		tool := &found.Tools[i]
		if slot := h.slotOf(tool.Connector); slot != nil {
			tool.Permission = h.permissionOfTool(indexedTool{slot, *tool}, rules[slot.entry.Identity()], isHealthy)
		}
	}
	return found
}

// searchOnce is [Host.Search] where one search is all there is: no index is made, and no more is worked out of a tool that is not
// returned than what it is found by.
func (h *Host) searchOnce(s Search) Found {
	rules, isHealthy := permission.ByConnector(h.permissions.Rules()), h.isHealthy()
	h.mu.Lock()
	defer h.mu.Unlock()
	var all []searched
	count := 0
	for _, slot := range h.present() {
		if slot.main == nil && (s.Connector == "" || slot.id == s.Connector) {
			all = append(all, searched{slot: slot, tools: h.offered(slot), from: count})
			count += len(all[len(all)-1].tools)
		}
	}
	parts.EachOf(len(all), worthReads, func(i int) { h.searchIn(s, &all[i]) })
	looked := make([]*catalog.Finder, len(all))
	for i := range all {
		looked[i] = all[i].finder
	}
	finder := catalog.NewFinder(s.Query)
	finder.Join(looked...)
	found := Found{Total: finder.Count()}
	var hits []catalog.Hit
	hits, found.IsPartial = finder.First(max(s.From, 0) + max(s.Limit, 0))
	for _, hit := range s.page(hits) {
		after, _ := slices.BinarySearchFunc(all, hit.At+1, func(p searched, at int) int { return cmp.Compare(p.from, at) })
		of := all[after-1]
		raw := of.tools[hit.At-of.from]
		tool := newTool(of.slot, raw, h.servedNameOf(of.slot, raw.Name)).redacted(h.secrets)
		tool.Permission = h.permissionOfTool(indexedTool{of.slot, tool}, rules[of.slot.entry.Identity()], isHealthy)
		found.Tools, found.By = append(found.Tools, tool), append(found.By, hit.Found)
	}
	return found
}

// searched are the tools of one connector, which are looked at apart from others.
type searched struct {
	slot   *slot
	tools  []connector.Tool
	from   int // the place of the first among all
	finder *catalog.Finder
}

// searchIn looks at the tools of one connector; h.mu is held, by whoever waits for this.
func (h *Host) searchIn(s Search, part *searched) {
	part.finder = catalog.NewFinder(s.Query)
	slot, isPath := part.slot, strings.Contains(s.Query, "__")
	for at := range part.tools {
		t := &part.tools[at]
		tags := slot.entry.Options.TagsOf(t.Name)
		if s.Tag != "" && !slices.Contains(tags, s.Tag) {
			continue
		}
		entry := catalog.Entry{Connector: slot.entry.Name, Name: t.Name, Title: t.Title, Description: t.Description, Tags: tags}
		if isPath {
			entry.ServedName = h.servedNameOf(slot, t.Name)
		}
		part.finder.Look(part.from+at, &entry)
	}
}

// servedNameOf is the name that [servedNames] gives a tool among all that are offered: only one of a connector that is called alike
// can have an equal one. h.mu is held.
func (h *Host) servedNameOf(s *slot, tool string) string {
	own := s.identity(tool)
	alike := []identity{own}
	for _, other := range h.present() {
		if other.main != nil || !strings.EqualFold(other.identity("").connector, own.connector) {
			continue
		}
		for _, t := range h.offered(other) {
			if one := other.identity(t.Name); one != own && strings.EqualFold(t.Name, tool) {
				alike = append(alike, one)
			}
		}
	}
	return servedNames(alike)[0]
}

// page are the hits that are returned.
func (s Search) page(hits []catalog.Hit) []catalog.Hit {
	from := min(max(s.From, 0), len(hits))
	return hits[from:min(len(hits), from+max(s.Limit, 0))]
}

// in finds tools among those of an index.
func (s Search) in(tools []indexedTool, words func() *catalog.Index) Found {
	isWanted := func(at int) bool {
		one := &tools[at].tool
		return (s.Connector == "" || one.Connector == s.Connector) && (s.Tag == "" || slices.Contains(one.Tags, s.Tag))
	}
	var found Found
	var hits []catalog.Hit
	if s.Query != "" {
		hits, found.IsPartial = words().Search(s.Query, isWanted)
	} else {
		for at := range tools {
			if isWanted(at) {
				hits = append(hits, catalog.Hit{At: at})
			}
		}
	}
	found.Total = len(hits)
	for _, hit := range s.page(hits) {
		found.Tools = append(found.Tools, tools[hit.At].tool)
		found.By = append(found.By, hit.Found)
	}
	return found
}

func entriesOf(tools []indexedTool) []catalog.Entry {
	entries := make([]catalog.Entry, len(tools))
	for i := range tools {
		t := &tools[i].tool
		entries[i] = catalog.Entry{
			Connector: t.ConnectorName, Name: t.Name, ServedName: t.ServedName, Title: t.Title, Description: t.Description, Tags: t.Tags,
		}
	}
	return entries
}

// Described is the tool as it is written for others.
func (t Tool) Described() catalog.Described {
	return catalog.Described{
		ServedName: t.ServedName, Name: t.Name, Title: t.Title, Summary: t.Summary, Description: t.Description,
		InputSchema: t.InputSchema, OutputSchema: t.OutputSchema, Annotations: t.Annotations,
	}
}

// Block names the tools that are offered in at most so many tokens; see [catalog.NewBlock]. It starts nothing.
func (h *Host) Block(budget int, bias string) (block catalog.Block, total, tokens int) {
	var index *toolIndex
	h.locked(func() { index = h.index() })
	listed := make([]catalog.Listed, len(index.tools))
	for i := range index.tools {
		tool := &index.tools[i].tool
		listed[i] = catalog.Listed{Connector: tool.ConnectorName, Name: tool.Name, Summary: tool.Summary}
		tokens += tool.Tokens
	}
	return catalog.NewBlock(listed, budget, bias), len(listed), tokens
}
