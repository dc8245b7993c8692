package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"pillion/editors"
	"pillion/mcp/host"
	"pillion/mcp/permission"
	"pillion/rpc/message"
	"pillion/sidecar"
)

type permissionsSetVerb struct {
	Decision  string   `arg:"" enum:"allow,ask,deny" help:"allow, ask every time, or deny."`
	Connector string   `arg:"" help:"The connector, by its name or id."`
	Tool      string   `arg:"" optional:"" help:"The tool, by its own name; all tools of the connector without one."`
	Scope     string   `enum:"project,user," default:"" help:"Where it counts: in this project, or for a connector of your own file everywhere (user). The widest that there is without it."`
	Equals    []string `sep:"none" placeholder:"PATH=VALUE" help:"With allow: the argument at this JSON pointer is this JSON value, or this text where it is no JSON."`
	Glob      []string `sep:"none" placeholder:"PATH=GLOB" help:"With allow: the argument at this JSON pointer is a text that matches this glob."`
	Under     []string `sep:"none" placeholder:"PATH=FOLDER" help:"With allow: the argument at this JSON pointer is an absolute path in this folder, through no link."`
}

// Help explains the verb.
func (permissionsSetVerb) Help() string {
	return `Says what stands for a tool or for all tools of a connector. What takes away is stored at once. What gives more is shown whole and asked for on the terminal itself, and nothing else is a yes: for it the connector is started, because an allowance holds for exactly the tools that it lists now, as it describes them.

Conditions, each of which must hold: --equals /branch=main, --glob /path=docs/**/*.md, --under /path=/home/me/notes. What is not sure is a no: an argument that is missing or of another type, a path that is relative, goes up, or leads through a link.

With --json: {"rule": PermissionRule}.`
}

// setShape is what permissions set --json prints.
type setShape struct {
	Rule message.PermissionRule `json:"rule"`
}

// Run shows, asks where it must, and stores.
func (v permissionsSetVerb) Run(p *program) error {
	return p.withOwnHost(func(h *ownHub) error { return v.set(p, h) })
}

func (v permissionsSetVerb) set(p *program, h *ownHub) error {
	where, err := v.where()
	if err != nil {
		return &failure{code: exitUsage, err: err}
	}
	all, err := h.connectors(p.ctx)
	if err != nil {
		return err
	}
	c, err := connectorNamed(all, v.Connector)
	if err != nil {
		return err
	}
	draft, err := v.draft(p, h, c, where)
	if err != nil {
		return err
	}
	if permission.Widens(h.Rules(), draft) {
		question := editors.RuleQuestion("Pillion asks: is this to stand for calls from now on?", sidecar.RuleMessage(h.Host, draft), described(h, c, draft))
		if err := p.askToWiden(question); err != nil {
			return err
		}
	}
	added, err := h.StoreRule(p.ctx, draft)
	if err != nil {
		return err
	}
	shape := setShape{sidecar.RuleMessage(h.Host, added)}
	if p.isJSON {
		return p.printJSON(shape)
	}
	p.print("It stands: " + editors.RuleLine(shape.Rule))
	p.print("To take it back: pillion permissions remove " + added.ID)
	return nil
}

func (v permissionsSetVerb) where() ([]permission.Condition, error) {
	var all []permission.Condition
	for _, kind := range []struct {
		name string
		said []string
		add  func(*permission.Condition, string)
	}{
		{"equals", v.Equals, func(c *permission.Condition, text string) { c.Equals = jsonOf(text) }},
		{"glob", v.Glob, func(c *permission.Condition, text string) { c.Glob = text }},
		{"under", v.Under, func(c *permission.Condition, text string) { c.Under = text }},
	} {
		for _, said := range kind.said {
			path, text, isPair := strings.Cut(said, "=")
			if !isPair {
				return nil, fmt.Errorf("--%s %q is not PATH=…", kind.name, said)
			}
			c := permission.Condition{Path: path}
			kind.add(&c, text)
			all = append(all, c)
		}
	}
	if len(all) > 0 && (v.Decision != permission.RuleAllow || v.Tool == "") {
		return nil, errors.New("conditions go with allow and one tool")
	}
	return all, nil
}

// jsonOf is a value as JSON: what is a scalar of it as it stands, all else as a string.
func jsonOf(text string) jsontext.Value {
	value := jsontext.Value(text)
	if value.IsValid() && value.Kind() != '{' && value.Kind() != '[' {
		return jsontext.Value(strings.TrimSpace(text))
	}
	quoted, _ := jsontext.AppendQuote(nil, text) // what is no UTF-8 is replaced, and equals nothing
	return quoted
}

// draft is the rule as it would be stored.
func (v permissionsSetVerb) draft(p *program, h *ownHub, c message.Connector, where []permission.Condition) (permission.Rule, error) {
	if v.Decision != permission.RuleDeny {
		if err := p.listed(h, c); err != nil {
			return permission.Rule{}, err
		}
	}
	scope := v.Scope
	if scope == "" {
		scope = permission.ScopeProject
		if c.Source == message.SourceUser {
			scope = permission.ScopeUser
		}
	}
	draft, err := h.DraftRule(host.NewRule{
		Connector: string(c.ID), Tool: v.Tool, Decision: v.Decision, Scope: scope, Where: where, By: string(message.AskerCLI),
	})
	var wrong *permission.ConditionError
	if errors.As(err, &wrong) {
		return draft, &failure{code: exitUsage, err: err}
	}
	if err != nil {
		return draft, misuse(err)
	}
	return draft, draft.Check()
}

// listed starts a connector, so that what it lists is known.
func (p *program) listed(h *ownHub, c message.Connector) error {
	if c.State == message.ConnectorWaiting {
		return fail(exitNotAllowed, []string{"Review and allow it: pillion mcp approve"}, "the connector %q needs permission before it may run", c.Name)
	}
	started, err := h.StartConnector(p.ctx, string(c.ID))
	if err != nil {
		return err
	}
	if started.State == host.StateReady {
		return nil
	}
	reason := "it is " + editors.StateWords(message.ConnectorState(started.State))
	if started.Problem != nil {
		reason = started.Problem.Reason
	}
	return fail(exitDown, nil, "the connector %q does not run, so its tools are not known: %s", c.Name, reason)
}

// described are the tools of a connector that a draft is about, as it describes them.
func described(h *ownHub, c message.Connector, draft permission.Rule) []message.Tool {
	var tools []message.Tool
	for _, tool := range h.Tools() {
		if tool.Connector == string(c.ID) && draft.ToolHashes[tool.Name] == tool.Hash {
			tools = append(tools, sidecar.ToolMessage(tool, message.ToolFull))
		}
	}
	return tools
}
