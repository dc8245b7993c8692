package sidecar

import (
	"bytes"
	"slices"
	"sync"
	"time"

	"pillion/mcp/host"
	"pillion/rpc"
	"pillion/rpc/message"
)

// coalesceTime is how long changes are gathered before they are told.
const coalesceTime = 20 * time.Millisecond

// notifier tells the editor what changed, several changes at a time.
type notifier struct {
	session *Session
	// flushing keeps the changes in order: a later one must not be overtaken by an earlier one that was read before it.
	flushing sync.Mutex

	mu         sync.Mutex
	isClosed   bool
	hasBegun   bool
	isPending  bool
	connectors []string
	removed    []string
	tools      []host.ToolsChange
	resources  []string // connectors whose resources are others
	prompts    []string
	updates    []host.Update
	rev        int
	timer      *time.Timer
	told       map[string][]byte // the connectors as they were told last
}

func (n *notifier) init(s *Session) { n.session = s }

// begin lets messages out: the editor has said that it is initialized.
func (n *notifier) begin() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.hasBegun = true
	n.arm()
}

// resume tells what was gathered while the files were being read.
func (n *notifier) resume() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.arm()
}

func (n *notifier) isOpen() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.hasBegun
}

// changed takes a change in; it never blocks.
func (n *notifier) changed(e host.Event) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.isPending = true
	n.connectors = union(n.connectors, e.Connectors)
	n.removed = append(n.removed, e.Removed...)
	n.tools = append(n.tools, e.Tools...)
	n.resources, n.prompts = union(n.resources, e.Resources), union(n.prompts, e.Prompts)
	for _, update := range e.Updates { // a flood of them is one
		if !slices.ContainsFunc(n.updates, func(u host.Update) bool { return u.Connector == update.Connector && u.URI == update.URI }) {
			n.updates = append(n.updates, update)
		}
	}
	n.arm()
}

// union is what stands in one of two lists, each once.
func union(ids, more []string) []string {
	for _, id := range more {
		if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// arm is called with n.mu held.
func (n *notifier) arm() {
	if n.isClosed || !n.hasBegun || !n.isPending || n.timer != nil {
		return
	}
	n.timer = time.AfterFunc(coalesceTime, n.flush)
}

// flush tells what was gathered; before the files are read it goes on gathering.
func (n *notifier) flush() {
	s := n.session
	n.flushing.Lock()
	defer n.flushing.Unlock()
	defer s.recovered()
	n.mu.Lock()
	n.timer = nil
	if n.isClosed || !s.hasStarted() || s.lifetime.Err() != nil {
		n.mu.Unlock()
		return
	}
	connectors, removed, tools := n.connectors, n.removed, n.tools
	resources, prompts, updates := n.resources, n.prompts, n.updates
	n.connectors, n.removed, n.tools, n.isPending = nil, nil, nil, false
	n.resources, n.prompts, n.updates = nil, nil, nil
	n.mu.Unlock()
	s.dropStaleConsents()
	s.dropStaleWidenings()
	s.askAboutStores()
	s.tellConnectors(connectors, removed)
	for _, change := range tools {
		s.tellTools(change)
	}
	s.tellOthers(resources, prompts, updates)
	s.publishAll()
}

// close lets nothing more out, and returns when nothing is being told.
func (n *notifier) close() {
	n.mu.Lock()
	n.isClosed = true
	if n.timer != nil {
		n.timer.Stop()
	}
	n.mu.Unlock()
	n.flushing.Lock()
	defer n.flushing.Unlock()
}

// tellConnectors tells what differs from what was told last.
func (s *Session) tellConnectors(ids, removed []string) {
	params := message.ConnectorsChangedParams{Changed: []message.Connector{}, Removed: []message.ConnectorID{}}
	for _, id := range removed {
		params.Removed = append(params.Removed, message.ConnectorID(id))
	}
	for _, id := range ids {
		connector, err := s.core.Connector(id)
		if err != nil {
			continue
		}
		if wire := s.wireConnector(connector); s.notifier.isNews(id, wire) {
			params.Changed = append(params.Changed, wire)
		}
	}
	if len(params.Changed) == 0 && len(params.Removed) == 0 {
		return
	}
	params.Rev = s.notifier.next(removed)
	s.clients.each(func(c *client) { s.tell(rpc.Notify(c.conn, message.ConnectorsChanged, params)) })
}

// isNews reports whether a connector differs from what was told of it last, and takes it as told.
func (n *notifier) isNews(id string, c message.Connector) bool {
	text, err := rpc.Marshal(c)
	n.mu.Lock()
	defer n.mu.Unlock()
	if err == nil && bytes.Equal(n.told[id], text) {
		return false
	}
	if n.told == nil {
		n.told = map[string][]byte{}
	}
	n.told[id] = text
	return true
}

// listed takes a list into account that was answered: what it says of a connector may be newer than what was told, and not be so
// any more when the next is told. Whoever read the list must hear of that, so that it counts as news whatever it is.
func (n *notifier) listed(all []message.Connector) {
	for _, c := range all {
		text, err := rpc.Marshal(c)
		n.mu.Lock()
		if told, isTold := n.told[string(c.ID)]; isTold && (err != nil || !bytes.Equal(told, text)) {
			delete(n.told, string(c.ID))
		}
		n.mu.Unlock()
	}
}

// revision is that of the last notification: a list that is asked for now holds at least what it told.
func (n *notifier) revision() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.rev
}

// next is the revision of the next notification.
func (n *notifier) next(removed []string) int {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, id := range removed {
		delete(n.told, id)
	}
	n.rev++
	return n.rev
}

func (s *Session) tellTools(change host.ToolsChange) {
	params := message.NewToolsChanged(message.ConnectorID(change.Connector), change.Generation,
		toolIDs(change.Added), toolIDs(change.Removed), toolIDs(change.Changed))
	s.clients.each(func(c *client) { s.tell(rpc.Notify(c.conn, message.ToolsChanged, params)) })
}

// tell notes what could not be told: the connection has ended, and its reader will say so.
func (s *Session) tell(err error) {
	if err != nil {
		s.log.Debug("change not told", "error", err)
	}
}

func toolIDs(ids []string) []message.ToolID {
	typed := make([]message.ToolID, len(ids))
	for i, id := range ids {
		typed[i] = message.ToolID(id)
	}
	return typed
}
