package main

import (
	"errors"
	"fmt"
	"slices"
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
	Connector string   `arg:"" help:"The connector, by its name or id; or connector and tool as one word, as lists show them."`
	Tool      string   `arg:"" optional:"" help:"The tool, by its own name; all tools of the connector without one."`
	Scope     string   `enum:"project,user," default:"" help:"Where it counts: in this project, or for a connector of your own file everywhere (user). The widest that there is without it."`
	Equals    []string `sep:"none" placeholder:"PATH=VALUE" help:"With allow: the argument at this JSON pointer is this JSON value, or this text where it is no JSON."`
	Glob      []string `sep:"none" placeholder:"PATH=GLOB" help:"With allow: the argument at this JSON pointer is a text that matches this glob."`
	Under     []string `sep:"none" placeholder:"PATH=FOLDER" help:"With allow: the argument at this JSON pointer is an absolute path in this folder, through no link."`
}

// Help explains the verb.
func (permissionsSetVerb) Help() string {
	return `Says what stands for a tool or for all tools of a connector. What takes away is stored at once. What gives more is shown whole and asked for on the terminal itself, and in the editor's window that is open on this folder, where the first answer counts; nothing else is a yes. For it the connector is started, because an allowance holds for exactly the tools that it lists now, as it describes them. A rule takes the place of the one that says otherwise about the same; which that was is said.

Conditions, each of which must hold: --equals /branch=main, --glob /path=docs/**/*.md, --under /path=/home/me/notes. What is not sure is a no: an argument that is missing or of another type, a path that is relative, goes up, or leads through a link.

With --json: {"rule": PermissionRule, "replaced": [PermissionRule]}.`
}

// setShape is what permissions set --json prints.
type setShape struct {
	Rule     message.PermissionRule   `json:"rule"`
	Replaced []message.PermissionRule `json:"replaced"` // rules whose place it took
}

// Run shows, asks where it must, and stores.
func (v permissionsSetVerb) Run(p *program) error {
	return p.withOwnHost(func(h *ownHub) error { return v.set(p, h) })
}

func (v permissionsSetVerb) set(p *program, own *ownHub) error {
	where, err := v.where()
	if err != nil {
		return &failure{code: exitUsage, err: err}
	}
	all, err := own.connectors(p.ctx)
	if err != nil {
		return err
	}
	v.splitLabel(all)
	c, err := connectorNamed(all, v.Connector)
	if err != nil {
		return err
	}
	if v.Decision == permission.RuleAllow {
		return v.widen(p, own, c, where)
	}
	if v.Decision == permission.RuleAsk {
		if err := p.listed(own, c); err != nil {
			return err
		}
	}
	draft, err := v.draft(own, c, where)
	if err != nil {
		return err
	}
	if permission.Widens(own.Rules(), draft) {
		return v.widen(p, own, c, where)
	}
	replaced := permission.Replaced(own.Rules(), draft)
	added, err := own.StoreRule(p.ctx, draft)
	if err != nil {
		return err
	}
	return p.printSet(setShape{sidecar.RuleMessage(own.Host, added), rulesOf(own, replaced)})
}

// splitLabel takes connector and tool apart where they are given as one word, as lists show them.
func (v *permissionsSetVerb) splitLabel(all []message.Connector) {
	if v.Tool != "" || slices.ContainsFunc(all, func(c message.Connector) bool { return c.Name == v.Connector || string(c.ID) == v.Connector }) {
		return
	}
	for _, c := range all {
		if tool, isLabel := strings.CutPrefix(v.Connector, c.Name+"."); isLabel && tool != "" {
			v.Connector, v.Tool = c.Name, tool
			return
		}
	}
}

// widen asks about a rule that gives more, where the window is, and tells what stands then.
func (v permissionsSetVerb) widen(p *program, own *ownHub, c message.Connector, where []permission.Condition) error {
	var condition *permission.ConditionError
	if _, err := v.draft(own, c, where); errors.As(err, &condition) {
		return err
	}
	h, leave := p.whereAsked(own)
	defer leave()
	if v.Decision == permission.RuleAllow {
		if err := p.listed(h, c); err != nil {
			return err
		}
	}
	before, err := h.rules(p.ctx)
	if err != nil {
		return err
	}
	shape := setShape{}
	err = p.widen(h, message.WantedChange{Rule: v.params(c, where)}, func() (bool, error) {
		now, err := h.rules(p.ctx)
		shape.Replaced = without(before, now)
		for _, r := range without(now, before) {
			if string(r.Decision) == v.Decision && (r.Tool == nil) == (v.Tool == "") {
				shape.Rule = r
			}
		}
		return shape.Rule.ID != "", err
	})
	if err != nil {
		return err
	}
	return p.printSet(shape)
}

// without are the rules that the other list does not have.
func without(rules, others []message.PermissionRule) []message.PermissionRule {
	return slices.DeleteFunc(slices.Clone(rules), func(r message.PermissionRule) bool {
		return slices.ContainsFunc(others, func(o message.PermissionRule) bool { return o.ID == r.ID })
	})
}

func rulesOf(h *ownHub, rules []permission.Rule) []message.PermissionRule {
	wire := make([]message.PermissionRule, len(rules))
	for i, rule := range rules {
		wire[i] = sidecar.RuleMessage(h.Host, rule)
	}
	return wire
}

func (p *program) printSet(shape setShape) error {
	if shape.Replaced == nil {
		shape.Replaced = []message.PermissionRule{}
	}
	if p.isJSON {
		return p.printJSON(shape)
	}
	p.print("It stands: " + editors.RuleLine(shape.Rule))
	for _, r := range shape.Replaced {
		p.print("It took the place of: " + editors.RuleLine(r))
	}
	p.print("To take it back: pillion permissions remove " + string(shape.Rule.ID))
	return nil
}

// params is the rule as a window is asked for it.
func (v permissionsSetVerb) params(c message.Connector, where []permission.Condition) *message.PermissionSetParams {
	params := message.PermissionSetParams{
		Connector: message.ConnectorRef(c.ID), Tool: message.AllTools(), Decision: message.PermissionDecision(v.Decision),
		Scope: message.PermissionScope(v.scope(c)), Where: sidecar.ConditionMessages(where),
	}
	if v.Tool != "" {
		params.Tool = message.OneTool(message.ToolRef(v.Tool))
	}
	return &params
}

func (v permissionsSetVerb) scope(c message.Connector) string {
	switch {
	case v.Scope != "":
		return v.Scope
	case c.Source == message.SourceUser:
		return permission.ScopeUser
	}
	return permission.ScopeProject
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
func (v permissionsSetVerb) draft(h *ownHub, c message.Connector, where []permission.Condition) (permission.Rule, error) {
	draft, err := h.DraftRule(host.NewRule{
		Connector: string(c.ID), Tool: v.Tool, Decision: v.Decision, Scope: v.scope(c), Where: where, By: string(message.AskerCLI),
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
func (p *program) listed(h hub, c message.Connector) error {
	if c.State == message.ConnectorWaiting {
		return fail(exitNotAllowed, []string{"Review and allow it: " + host.ApproveCommand(c.Name)}, "the connector %q needs permission before it may run", c.Name)
	}
	started, err := h.start(p.ctx, c)
	if err != nil {
		return err
	}
	if started.State == message.ConnectorReady {
		return nil
	}
	reason := "it is " + editors.StateWords(started.State)
	if started.Problem != nil {
		reason = started.Problem.Reason
	}
	return fail(exitDown, nil, "the connector %q does not run, so its tools are not known: %s", c.Name, reason)
}
