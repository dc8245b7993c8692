package editortest

import (
	"slices"
	"strings"

	"pillion/rpc"
	"pillion/rpc/message"
)

// note keeps a notice about what is no tool; e.mu is held.
func (e *Editor) note(method string, connector message.ConnectorID, uri string) {
	e.others = append(e.others, strings.TrimSpace(strings.TrimPrefix(method, "pillion/")+" "+string(connector)+" "+uri))
}

// Noticed waits until so many notices of a method, about a connector and an address, have come.
func Noticed[P any](e *Editor, m rpc.Event[P], connector message.ConnectorID, uri string, count int) {
	e.t.Helper()
	e.Until("a notice of "+m.Method, func() bool { return e.notices(m.Method, connector, uri) >= count })
}

// Notices counts the notices of a method about a connector and an address.
func Notices[P any](e *Editor, m rpc.Event[P], connector message.ConnectorID, uri string) int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.notices(m.Method, connector, uri)
}

func (e *Editor) notices(method string, connector message.ConnectorID, uri string) (count int) {
	wanted := strings.TrimSpace(strings.TrimPrefix(method, "pillion/") + " " + string(connector) + " " + uri)
	for _, one := range e.others {
		if one == wanted {
			count++
		}
	}
	return count
}

// Opened waits for a page to be opened outside of the editor.
func (e *Editor) Opened(address string) {
	e.t.Helper()
	e.Until("the page "+address+" is opened", func() bool { return slices.Contains(e.pages, address) })
}
