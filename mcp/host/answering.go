package host

import (
	"context"
	"strings"

	"pillion/mcp/connector"
)

// Answering is a caller who answers himself what a connector asks in the middle of what he wants, instead of whoever sits at an editor.
type Answering struct {
	connector.Inquirer
	// IsModern says that he speaks the modern era of MCP.
	IsModern bool
}

// inquirer is the caller as a connector asks him; nil for one who does not answer.
func (a *Answering) inquirer() *connector.Inquirer {
	if a == nil {
		return nil
	}
	return &a.Inquirer
}

// profile is what can be asked of a caller, as a server of the legacy era is told of it once and for all: it names the room that serves
// all such callers. It is empty for one of whom nothing can be asked.
func (a *Answering) profile() string {
	if a == nil {
		return ""
	}
	var can []string
	for _, one := range []struct {
		is   bool
		word string
	}{{a.HasForms, "forms"}, {a.HasPages, "pages"}, {a.HasModel, "model"}, {a.HasRoots, "roots"}} {
		if one.is {
			can = append(can, one.word)
		}
	}
	return strings.Join(can, " ")
}

// answeringRoom is the room in which a caller is asked what he can be asked, and empty where that is the connector's own process: a
// server of the modern era is told with each request, and learns nothing of a caller of whom nothing can be asked. One of the legacy era
// asks in the middle of a call, as such a caller expects it, whatever else it speaks.
func answeringRoom(a *Answering, isModern bool) string {
	profile := a.profile()
	if profile == "" || isModern && a.IsModern {
		return ""
	}
	return answeringScope + profile
}

const answeringScope = "answering "

// profileOf is what can be asked of the callers of a room, and false for a room of another kind.
func profileOf(scope string) (offers connector.Offers, isOfProfile bool) {
	profile, isOfProfile := strings.CutPrefix(scope, answeringScope)
	for _, word := range strings.Fields(profile) {
		switch word {
		case "forms":
			offers.HasForms = true
		case "pages":
			offers.HasPages = true
		case "model":
			offers.HasModel = true
		case "roots":
			offers.Roots = []connector.Root{}
		}
	}
	return offers, isOfProfile
}

// modernVersion is the first protocol version of the modern era.
const modernVersion = "2026-07-28"

// moveToAnswering has what a caller wants made to the process that asks him, where that is another than the one of all. A server that
// speaks no era but the modern one has none, and asks by the rounds of the request.
func (c *call) moveToAnswering(ctx context.Context, at target) (target, *Result, error) {
	h, a := c.host, c.answering()
	isModern := at.process.Status().Server.ProtocolVersion >= modernVersion
	main := at.slot.lead()
	name := answeringRoom(a, isModern)
	var hasNone bool
	h.locked(func() { hasNone = main.noRooms[main.key()] })
	if name == "" || hasNone && isModern {
		return at, nil, nil
	}
	h.locked(func() {
		c.leased = h.roomOf(main, name)
		c.leased.leases++
	})
	moved, stop, err := c.enter(ctx, at)
	if stop == nil || ctx.Err() != nil || !isModern {
		return moved, stop, err
	}
	c.leave()
	h.log.Info("a connector cannot be spoken to in the caller's era", "connector", main.id, "reason", stop.Message)
	h.locked(func() {
		if main.noRooms == nil {
			main.noRooms = map[string]bool{}
		}
		main.noRooms[main.key()] = true
	})
	return at, nil, nil
}

func (c *call) answering() *Answering {
	if c.errand != nil {
		return c.errand.Answering
	}
	return c.request.Answering
}
