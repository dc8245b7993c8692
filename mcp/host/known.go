package host

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"pillion/mcp/connector"
)

// What keeps a tool that is known from being offered.
const (
	ToolOff         = "off"         // by the files' lists or by the user
	ToolQuarantined = "quarantined" // its definition is malformed
)

// knownTool is a tool that somebody named, offered or not.
type knownTool struct {
	connector string // its id
	name      string // raw
	isListed  bool   // the connector lists it, well formed or not
}

// knownTool finds what a tool's id, label or served name means among all that is listed, and what a label alone can tell.
func (h *Host) knownTool(name string) (knownTool, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.findKnown(name)
}

// findKnown is called with h.mu held.
func (h *Host) findKnown(name string) (knownTool, error) {
	entry, err := h.findTool(name)
	if err == nil {
		return knownTool{entry.slot.id, entry.tool.Name, true}, nil
	}
	var unknown *UnknownError
	if errors.As(err, &unknown) && len(unknown.Candidates) > 0 {
		return knownTool{}, err
	}
	found := h.hiddenNamed(name)
	if len(found) == 0 {
		found = h.labelled(name, anySlot)
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return knownTool{}, err
	}
	candidates := make([]string, len(found))
	for i, one := range found {
		candidates[i] = ToolID(one.connector, one.name)
	}
	return knownTool{}, &UnknownError{What: "tool", Name: name, Candidates: candidates}
}

// hiddenNamed are the tools of a name that are listed and not offered. Their served names are those that they had, unless
// another tool's was equal; h.mu is held.
func (h *Host) hiddenNamed(name string) (found []knownTool) {
	for _, s := range h.present() {
		if s.standing.isShadowed || s.catalogue == nil {
			continue
		}
		for _, tool := range s.listedNames() {
			served := servedNameAlone(s.identity(tool))
			if name == ToolID(s.id, tool) || name == Label(s.entry.Name, tool) || name == served {
				found = append(found, knownTool{s.id, tool, true})
			}
		}
	}
	return found
}

// listedNames are the raw names of all that was listed last, in the connector's order; Host.mu is held.
func (s *slot) listedNames() []string {
	var names []string
	if s.catalogue == nil {
		return nil
	}
	for _, tool := range s.catalogue.Tools {
		names = append(names, tool.Name)
	}
	for _, bad := range s.catalogue.Quarantined {
		if bad.Name != "" {
			names = append(names, bad.Name)
		}
	}
	return names
}

// toolMeant is the raw name of the tool of a connector that an id, a raw name, a label or a served name means, offered or not;
// empty where none of that name was listed. A connector names its tools as it likes, also as another one's label or id: an id is
// that of its tool alone, and of other names that several go by none is taken. Host.mu is held.
func (h *Host) toolMeant(s *slot, name string) (string, error) {
	served := map[string]string{}
	for _, at := range h.index().bySlot[s.id] {
		tool := h.index().tools[at].tool
		served[tool.Name] = tool.ServedName
	}
	var found []string
	for _, raw := range s.listedNames() {
		if ToolID(s.id, raw) == name {
			return raw, nil
		}
		isMeant := raw == name || Label(s.entry.Name, raw) == name || cmp.Or(served[raw], servedNameAlone(s.identity(raw))) == name
		if isMeant && !slices.Contains(found, raw) {
			found = append(found, raw)
		}
	}
	switch len(found) {
	case 0:
		return "", nil
	case 1:
		return found[0], nil
	}
	candidates := make([]string, len(found))
	for i, raw := range found {
		candidates[i] = ToolID(s.id, raw)
	}
	return "", &UnknownError{What: "tool", Name: name, Candidates: candidates}
}

// labelled are the tools that a label or a served name could mean by what stands before them, on the connectors that are
// concerned; the longest such beginning counts. h.mu is held.
func (h *Host) labelled(name string, isConcerned func(*slot) bool) (found []knownTool) {
	longest := 0
	for _, s := range h.present() {
		if s.standing.isShadowed || !isConcerned(s) {
			continue
		}
		raw, prefix := s.toolLabelled(name)
		if raw == "" || prefix < longest {
			continue
		}
		if prefix > longest {
			longest, found = prefix, nil
		}
		found = append(found, knownTool{s.id, raw, slices.Contains(s.listedNames(), raw)})
	}
	return found
}

func anySlot(*slot) bool { return true }

// toolLabelled is the tool that a label or a served name means if it is one of this connector's, whether or not that lists it,
// and how many bytes stand before it; empty for another's.
func (s *slot) toolLabelled(name string) (raw string, prefix int) {
	for _, before := range []string{s.entry.Name + ".", CleanName(s.identity("").connector) + "__"} {
		if rest, isPrefix := strings.CutPrefix(name, before); isPrefix && rest != "" && len(before) > prefix {
			raw, prefix = rest, len(before)
		}
	}
	return raw, prefix
}

// labels are the names that somebody may have meant: of connectors, and of their tools; h.mu is held.
func (h *Host) labels() (connectors, tools []string) {
	for _, s := range h.present() {
		connectors = append(connectors, s.entry.Name)
		for _, tool := range s.listedNames() {
			tools = append(tools, Label(s.entry.Name, tool))
		}
	}
	return connectors, tools
}

// AnyTool is a tool that is known, offered or not: its State says.
func (h *Host) AnyTool(name string) (Tool, error) {
	known, err := h.knownTool(name)
	if err != nil {
		return Tool{}, err
	}
	return h.toolOf(known)
}

// toolOf is the tool as it stands; of one that was never listed no more than its names are known.
func (h *Host) toolOf(known knownTool) (Tool, error) {
	if offered, err := h.Tool(ToolID(known.connector, known.name)); err == nil {
		return offered, nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	s := h.slotOf(known.connector)
	if s == nil {
		return Tool{}, &UnknownError{What: "connector", Name: known.connector}
	}
	for _, tool := range h.hidden(s) {
		if tool.Name == known.name {
			return tool, nil
		}
	}
	tool := newTool(s, connector.Tool{Name: known.name}, servedNameAlone(s.identity(known.name)))
	tool.Permission, tool.Tokens = "ask", 0
	if !s.offers(known.name) {
		tool.State = ToolOff
	}
	return tool, nil
}

// hidden are the tools of a connector that are listed and not offered; they cost nothing. h.mu is held.
func (h *Host) hidden(s *slot) (hidden []Tool) {
	if s.catalogue == nil {
		return nil
	}
	add := func(tool connector.Tool, state string) {
		shown := newTool(s, tool, servedNameAlone(s.identity(tool.Name))).redacted(h.secrets)
		shown.Permission, shown.Tokens, shown.State = "deny", 0, state
		hidden = append(hidden, shown)
	}
	for _, tool := range s.catalogue.Tools {
		if !s.offers(tool.Name) {
			add(tool, ToolOff)
		}
	}
	for _, bad := range s.catalogue.Quarantined {
		if bad.Name != "" {
			add(connector.Tool{Name: bad.Name}, ToolQuarantined)
		}
	}
	return hidden
}

// AllTools are those of [Host.Tools] and those that are listed and kept away, by label.
func (h *Host) AllTools() []Tool {
	tools := h.Tools()
	h.mu.Lock()
	for _, s := range h.present() {
		if s.standing.mayRun() && s.isListed() {
			tools = append(tools, h.hidden(s)...)
		}
	}
	h.mu.Unlock()
	slices.SortStableFunc(tools, func(a, b Tool) int { return cmp.Or(cmp.Compare(a.Label, b.Label), cmp.Compare(a.ID, b.ID)) })
	return tools
}
