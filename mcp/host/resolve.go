package host

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"pillion/mcp/connector"
	"pillion/mcp/permission"
)

// resolve finds the tool on a connector that runs, starting the connector if it must.
// stop ends the call with a result; the error is an [*UnknownError].
func (c *call) resolve(ctx context.Context) (at target, stop *Result, err error) {
	h := c.host
	name := c.request.Tool
	if c.tool.ID != "" {
		name = c.tool.ID // what was resolved once stays that tool
	}
	meant, toolErr := h.toolToCall(name)
	if toolErr != nil {
		return target{}, nil, toolErr
	}
	id := meant.Connector
	if c.tool.ID == "" {
		c.tool = meant // what ends before its tool is found is told, and recorded, as its connector's
	}
	if h.Mode() == permission.ModePaused { // not even a start
		denied := c.ended(StatusDenied, permission.Paused)
		denied.Steps = []string{"Resume when calls may run again: pillion.server.resume in the editor, or pillion resume in a terminal."}
		return target{}, &denied, nil
	}
	if stop := c.enterBuiltin(ctx, id); stop != nil {
		return target{}, stop, nil
	}
	view, hasWaited, startErr := h.live(ctx, id)
	if hasWaited {
		c.waited()
	}
	switch {
	case ctx.Err() != nil || errors.Is(startErr, ErrClosed):
		return target{}, c.cancelled(ctx), nil
	case startErr != nil:
		return target{}, nil, startErr
	case view.State == StateWaiting:
		return target{}, c.needsConsent(view), nil
	case view.State != StateReady:
		return target{}, c.down(view), nil
	}
	if stop := c.awaitTools(ctx, id); stop != nil {
		return target{}, stop, nil
	}
	at, err = h.target(id, name)
	if err != nil {
		return target{}, nil, err
	}
	c.tool = at.tool
	return at, nil, nil
}

// awaitTools waits for the list that the connector has said is another by now, and takes it over: a call is never judged on one
// that is known to be old (S9). A result ends the call.
func (c *call) awaitTools(ctx context.Context, id string) *Result {
	h := c.host
	var s *slot
	var one *share
	var process *connector.Connector
	h.locked(func() {
		if s = h.slotOf(id); s != nil {
			one, process = s.share, s.process
		}
	})
	if process == nil {
		return nil
	}
	hasWaited, err := process.AwaitTools(ctx, c.request.Timeout)
	if !hasWaited {
		return nil
	}
	c.waited()
	var late *connector.TimeoutError
	switch {
	case ctx.Err() != nil:
		return c.cancelled(ctx)
	case errors.As(err, &late):
		ended := c.ended(StatusTimeout, fmt.Sprintf("the connector of %q has said that its tools changed, and did not list them within %s; nothing ran", c.request.Tool, late.After))
		return &ended
	case err != nil:
		ended := c.ended(StatusConnectorError, fmt.Sprintf("the connector of %q: %s; nothing ran", c.request.Tool, h.redacted(err.Error())))
		return &ended
	}
	if event, isOwn := h.relist(s, one, connector.Change{Catalogue: process.Status().Catalogue}); isOwn {
		h.notify(event)
	}
	return nil
}

// moment is how long a look at a folder takes that does not hang, and how long its outcome holds: calls that follow each other
// faster share one. What happens in it could as well have happened between a look and the call.
const moment = time.Millisecond

// live returns the connector once it is ready, or cannot be, and whether that had to be waited for. Where it stands is looked at
// (S2).
func (h *Host) live(ctx context.Context, id string) (view Connector, hasWaited bool, err error) {
	s, at, stood, isToLook := h.runningOn(id)
	if s == nil {
		view, err = h.settle(ctx, id, wishStart)
		return view, true, err
	}
	if !isToLook {
		return Connector{ID: id, State: StateReady}, false, nil
	}
	begun := time.Now()
	rootID, err := patiently(ctx, func() string { return h.identify(stood.root) })
	switch {
	case err != nil:
		return Connector{}, true, err
	case rootID == stood.rootID:
		h.locked(func() { s.seenAt = begun })
		return Connector{ID: id, State: StateReady}, time.Since(begun) > moment, nil
	}
	// Another folder stands where the yes was given: the process goes with it (S2).
	stood.rootID = rootID
	h.settleOn(s, at, stood)
	h.restand(nobody)
	view, err = h.settle(ctx, id, wishStart)
	return view, true, err
}

// runningOn is where a connector stands that a call can go to as it is, and whether that is to be looked at; nil for another.
func (h *Host) runningOn(id string) (s *slot, at subject, stood ground, isToLook bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	s = h.slotOf(id)
	if s == nil || !h.isLive(s) {
		return nil, subject{}, ground{}, false
	}
	return s, h.subjectAt(s), s.ground, s.ground.root != "" && time.Since(s.seenAt) > h.sight
}

// target looks the tool up on the live list.
func (h *Host) target(id, name string) (target, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	entry, err := h.findTool(name)
	if err != nil {
		return target{}, err
	}
	if entry.slot.id != id || entry.slot.process == nil || entry.slot.isRecalled {
		return target{}, &UnknownError{What: "tool", Name: name}
	}
	s := entry.slot
	return target{
		slot: s, entry: s.entry, process: s.process, tool: entry.tool, subject: h.subjectOf(s, entry.tool),
		present: h.offered(s), base: h.workingBase(h.subjectAt(s)), key: s.key(), builtin: s.builtin,
	}, nil
}

// toolToCall finds the connector that a tool's id, label or served name belongs to, and what it calls the tool; more of the tool is
// not known yet. For a connector that was never listed the name alone can tell.
func (h *Host) toolToCall(name string) (Tool, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	entry, err := h.findTool(name)
	if err == nil {
		return entry.slot.unseen(entry.tool.Name), nil
	}
	var unknown *UnknownError
	if errors.As(err, &unknown) && len(unknown.Candidates) > 0 {
		return Tool{}, err
	}
	owners := h.unlistedOwners(name)
	if len(owners) == 0 {
		owners = h.hiddenOwner(name)
	}
	switch len(owners) {
	case 0:
		return Tool{}, err
	case 1:
		return h.slots[owners[0].connector].unseen(owners[0].name), nil
	}
	candidates := make([]string, len(owners))
	for i, owner := range owners {
		candidates[i] = owner.connector
	}
	return Tool{}, &UnknownError{What: "connector of tool", Name: name, Candidates: candidates}
}

// unseen is a tool of the slot's of which no more is known than what it is called; Host.mu is held.
func (s *slot) unseen(name string) Tool {
	return Tool{Connector: s.id, ConnectorName: s.entry.Name, Name: name}
}

// unlistedOwners are the connectors that the tool may be of and whose tools are not known, or only from an earlier session; h.mu is
// held.
func (h *Host) unlistedOwners(name string) []knownTool {
	return h.labelled(name, func(s *slot) bool { return !s.isListed() || s.isRecalled || !s.standing.mayRun() })
}

func (c *call) needsConsent(view Connector) *Result {
	h := c.host
	result := c.ended(StatusNeedsConsent, fmt.Sprintf("the connector %q needs permission before it may run; nothing ran", view.Name))
	result.Steps = []string{
		fmt.Sprintf("Review the connector %q in the editor, or run: %s", view.Name, ApproveCommand(view.Name)),
		"Then call again.",
	}
	if view.Permission == MissingTrust {
		result.Message = fmt.Sprintf("the connector %q waits until this workspace is trusted in the editor; nothing ran", view.Name)
		result.Steps[0] = "Trust the workspace in the editor."
		return &result
	}
	if h.options.Asker != nil {
		h.options.Asker.AskPermission(h.Waiting(true), c.request.Caller)
	}
	return &result
}

// ApproveCommand is the line for a shell that reviews a connector. A name that a shell could take for more than a word is left
// out: somebody else wrote it, and the line is meant to be pasted (S17).
func ApproveCommand(name string) string { return commandOn("pillion mcp approve", name) }

// EnableCommand is such a line that switches a connector on, RevokeCommand one that takes back what was decided about it.
func EnableCommand(name string) string { return commandOn("pillion mcp enable", name) }

// RevokeCommand is described with [EnableCommand].
func RevokeCommand(name string) string { return commandOn("pillion mcp revoke", name) }

// WhyCommand is such a line that says why a tool or a connector is not there, RefreshCommand one that lists a connector anew.
func WhyCommand(label string) string { return commandOn("pillion why", label) }

// RefreshCommand is described with [WhyCommand].
func RefreshCommand(name string) string { return commandOn("pillion refresh", name) }

func toolsOnCommand(label string) string { return commandOn("pillion tools on", label) }

func commandOn(command, name string) string {
	switch {
	case isWord(name):
		return command + " " + name
	case name != "" && isWord(strings.ReplaceAll(name, " ", "_")):
		return command + ` "` + name + `"` // every shell takes this for one word
	}
	return command
}

// isWord reports whether a shell takes a name for one word that is no option.
func isWord(name string) bool {
	return name != "" && name[0] != '-' && strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-@/") == ""
}

// down is the answer where the connector does not run (D2).
func (c *call) down(view Connector) *Result {
	status := StatusConnectorDown
	if view.State == StateLogin {
		status = StatusNeedsLogin
	}
	reason := fmt.Sprintf("the connector %q is %s", view.Name, stateWords(view.State))
	if view.Problem != nil {
		reason = fmt.Sprintf("the connector %q is not running: %s", view.Name, view.Problem.Reason)
	}
	if view.State == StateDenied || view.State == StateDisabled {
		status = StatusDenied
	}
	result := c.ended(status, reason+"; nothing ran")
	switch {
	case view.Problem != nil:
		result.Steps = slices.Clone(view.Problem.Steps)
	case view.State == StateDenied:
		result.Steps = []string{"Allow it after all: " + ApproveCommand(view.Name)}
	case len(view.OffBy) > 0:
		result.Steps = []string{"Switch it on: " + EnableCommand(view.Name)}
	}
	return &result
}

// stateWords are the words people read for a state (U6).
func stateWords(state State) string {
	switch state {
	case StateWaiting:
		return "waiting for permission"
	case StateDenied:
		return "blocked by you"
	case StateDisabled:
		return "disabled"
	case StateIdle:
		return "not running"
	case StateLogin:
		return "waiting for a sign-in"
	}
	return string(state)
}
