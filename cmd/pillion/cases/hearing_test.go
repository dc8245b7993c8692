package cases

import (
	"strings"

	"pillion/editors/editortest"
	"pillion/rpc/message"
)

// hearing makes an editor that is told events.
func hearing(o *editortest.Options) { o.HasEvents = true }

// inBrief is an event without what differs from run to run.
func inBrief(e message.SessionEvent) string {
	parts := []string{string(e.Kind)}
	for _, part := range []string{e.Name, string(e.State), e.Tool, string(e.Call), string(e.Status), string(e.Ask), string(e.How)} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, " ")
}

// isAmong reports whether the wanted ones come in this order, with others between.
func isAmong(events []message.SessionEvent, wanted ...string) bool {
	for _, e := range events {
		if len(wanted) > 0 && inBrief(e) == wanted[0] {
			wanted = wanted[1:]
		}
	}
	return len(wanted) == 0
}
