package main

import (
	"context"
	"errors"
	"fmt"

	"pillion/mcp/host"
	"pillion/mcp/why"
	"pillion/rpc/message"
)

// hub is where connectors live: in the window of an editor that is open on this folder, or in this process.
type hub interface {
	// window names the editor's window; empty for this process.
	window() string
	connectors(ctx context.Context) ([]message.Connector, error)
	asks(ctx context.Context) ([]message.Ask, error)
	// tool is one tool, also one that is off.
	tool(ctx context.Context, name string) (message.Tool, error)
	// rules are what stands, of this hub's sessions too.
	rules(ctx context.Context) ([]message.PermissionRule, error)
	// show raises the question about one connector that waits; false where it does not.
	show(ctx context.Context, connector message.Connector) (message.Ask, bool, error)
	// start starts a connector, so that what it lists is known, and returns it as it is then.
	start(ctx context.Context, connector message.Connector) (message.Connector, error)
	// propose raises the question about a change that gives more; false where it gives nothing more.
	propose(ctx context.Context, change message.WantedChange) (message.Ask, bool, error)
	// allowance is what --allow takes for a connector: its definition, and the code that it runs. Empty in an editor's window.
	allowance(connector message.Connector) string
	// doctor looks at everything that is needed; without sections at all of it.
	doctor(ctx context.Context, sections []message.DoctorSection) ([]message.DoctorRow, error)
	// why says what keeps a connector or a tool away; nothing of that name is an error.
	why(ctx context.Context, params message.WhyParams) (message.WhyResult, error)
	answer(ctx context.Context, id message.AskID, answer message.Answer) error
	call(ctx context.Context, request message.ToolCallParams, report func(progress)) (message.CallResult, error)
	// resources and prompts list what is known; nothing is started for it.
	resources(ctx context.Context, params message.ResourcesParams) (message.ResourcesResult, error)
	prompts(ctx context.Context, params message.PromptsParams) (message.PromptsResult, error)
	// tools, toolDetail and catalog answer from what is known, whole in the second alone; nothing is started for it.
	tools(ctx context.Context, params message.ToolsParams) (message.ToolsResult, error)
	toolDetail(ctx context.Context, name string) (message.Tool, error)
	catalog(ctx context.Context, params message.CatalogParams) (message.CatalogResult, error)
	readResource(ctx context.Context, params message.ResourceReadParams) (message.ResourceReadResult, error)
	getPrompt(ctx context.Context, params message.PromptGetParams) (message.PromptGetResult, error)
	// browser says what the browser of the window's own session does, or would; the others start it and end it.
	browser(ctx context.Context) (message.BrowserResult, error)
	browserStart(ctx context.Context, params message.BrowserStartParams, report func(progress)) (message.BrowserResult, error)
	browserStop(ctx context.Context) (message.BrowserResult, error)
	// cancel ends a call, whose result then says what is known.
	cancel(ctx context.Context, id message.CallID)
	// fullText is the whole text of a result that holds only its beginning.
	fullText(ctx context.Context, result message.CallResult) (string, error)
	// questions are those that open and end from now on.
	questions() *feed
	close()
}

// progress is how far a connector says that a call is.
type progress struct {
	message string
	percent int // negative where it is not known
}

// errNotTaken says why an answer decided nothing.
var errNotTaken = errors.New("the answer was not taken")

// open returns the window of this folder, or a host in this process.
// The host starts nothing by itself: a connector starts when it is called.
func (p *program) open(ctx context.Context, o ownOptions) (hub, error) {
	joined, err := p.joinWindow(ctx)
	if err != nil {
		p.sayf("pillion: this goes on without the editor's window: %s", visible(err.Error()))
	}
	if joined != nil {
		p.sayFaults(joined.window())
		return joined, nil
	}
	return p.host(o)
}

// forConnectors runs f, for people alone (S6), with what holds this folder's connectors and all of them.
func (p *program) forConnectors(f func(h hub, all []message.Connector) error) error {
	if err := forPeople(); err != nil {
		return err
	}
	h, err := p.open(p.ctx, ownOptions{})
	if err != nil {
		return err
	}
	defer h.close()
	all, err := h.connectors(p.ctx)
	if err != nil {
		return err
	}
	return f(h, all)
}

// connectorNamed finds a connector by its id, or by a name that only one has that counts.
func connectorNamed(all []message.Connector, name string) (message.Connector, error) {
	var found []message.Connector
	for _, c := range all {
		if string(c.ID) == name {
			return c, nil
		}
		if c.Name == name && c.ShadowedBy == "" {
			found = append(found, c)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		names := make([]string, len(all))
		for i, c := range all {
			names[i] = c.Name
		}
		return message.Connector{}, misuse(&host.UnknownError{What: "connector", Name: name, Nearest: why.Near(name, names)})
	}
	steps := make([]string, len(found))
	for i, c := range found {
		steps[i] = fmt.Sprintf("Use the id %s for the one of %s", c.ID, c.URI.FsPath())
	}
	return message.Connector{}, fail(exitUsage, steps, "%d connectors are called %q", len(found), name)
}
