package host

import (
	"slices"

	"pillion/mcp/catalog"
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
	from := min(max(s.From, 0), len(hits))
	for _, hit := range hits[from:min(len(hits), from+max(s.Limit, 0))] {
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
