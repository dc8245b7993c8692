package main

import (
	"context"

	"github.com/go-json-experiment/json/jsontext"

	"pillion/mcp/catalog"
	"pillion/mcp/host"
	"pillion/rpc/message"
)

type typesVerb struct {
	Names []string `arg:"" optional:"" name:"tool" help:"Tools, by label, served name or id, or connectors; without any, all tools."`
}

// Help explains the verb.
func (typesVerb) Help() string {
	return `Prints a TypeScript interface of tools: what each takes and answers, by the name that it is served under. It starts nothing. What a schema says and TypeScript cannot is unknown.

  pillion types linear.save_issue
  pillion types linear > linear.d.ts

With --json: {"typescript": string}. The schemas themselves: pillion schema.`
}

// typesShape is what types --json prints.
type typesShape struct {
	TypeScript string `json:"typescript"`
}

// Run prints them.
func (v typesVerb) Run(p *program) error {
	return schemaVerb{Names: v.Names, Format: string(catalog.FormatTypeScript)}.Run(p)
}

type schemaVerb struct {
	Names  []string `arg:"" optional:"" name:"tool" help:"Tools, by label, served name or id, or connectors; without any, all tools."`
	Format string   `enum:"json-schema,typescript,openapi,mcp" default:"json-schema" help:"The form: ${enum}."`
}

// Help explains the verb.
func (schemaVerb) Help() string {
	return `Prints the schemas of tools as their connectors listed them, digit by digit. It starts nothing.

  json-schema   {served name: {"input": schema, "output": schema}}
  mcp           the result of MCP's tools/list
  openapi       an OpenAPI 3.1 document with an operation for each tool, for programs that make code of one; nothing serves it
  typescript    what pillion types prints

  pillion schema linear.save_issue
  pillion schema --format mcp linear > linear.json

The output is JSON in any case, but for typescript: with --json that is {"typescript": string}.`
}

// Run prints them.
func (v schemaVerb) Run(p *program) error {
	h, err := p.open(p.ctx, ownOptions{})
	if err != nil {
		return err
	}
	defer h.close()
	tools, err := p.toolsMeant(h, v.Names)
	if err != nil {
		return err
	}
	described := make([]catalog.Described, len(tools))
	for i, t := range tools {
		described[i] = catalog.Described{
			ServedName: t.ServedName, Name: t.Name, Title: t.Title, Summary: t.Summary, Description: t.Description,
			InputSchema: []byte(t.InputSchemaText), OutputSchema: []byte(t.OutputSchemaText), Annotations: t.Annotations,
		}
	}
	text, err := catalog.Write(catalog.Format(v.Format), described)
	if err != nil {
		return err
	}
	switch {
	case v.Format != string(catalog.FormatTypeScript):
		return p.printJSON(jsontext.Value(text))
	case p.isJSON:
		return p.printJSON(typesShape{string(text)})
	case p.isTerminal:
		text = []byte(visible(string(text)))
	default:
		text = text[:len(text)-1]
	}
	p.print(string(text))
	return nil
}

// toolsMeant are the tools of these names, and those of the connectors among them; without names all that there are.
func (p *program) toolsMeant(h hub, names []string) ([]message.Tool, error) {
	all := message.ToolsParams{Detail: message.ToolFull}
	if len(names) == 0 {
		return toolsOf(p.ctx, h, all)
	}
	connectors, err := h.connectors(p.ctx)
	if err != nil {
		return nil, err
	}
	var tools []message.Tool
	seen := map[message.ToolID]bool{}
	for _, name := range names {
		some, err := p.toolsNamed(p.ctx, h, connectors, name)
		if err != nil {
			return nil, err
		}
		for _, tool := range some {
			if !seen[tool.ID] {
				seen[tool.ID] = true
				tools = append(tools, tool)
			}
		}
	}
	return tools, nil
}

// toolsNamed are those of a connector of the name, else the tool of it.
func (p *program) toolsNamed(ctx context.Context, h hub, connectors []message.Connector, name string) ([]message.Tool, error) {
	if one, err := connectorNamed(connectors, name); err == nil {
		tools, err := toolsOf(ctx, h, message.ToolsParams{Connector: message.ConnectorRef(one.ID), Detail: message.ToolFull})
		if err == nil && len(tools) == 0 {
			p.sayUnlisted(h, one)
			return nil, fail(exitFailed, nil, "no tools of the connector %q are known", one.Name)
		}
		return tools, misuse(err)
	}
	tool, err := h.toolDetail(ctx, name)
	switch {
	case err != nil:
		return nil, misuse(err)
	case tool.InputSchemaText == "" && tool.State != host.ToolOff:
		return nil, fail(exitUsage, []string{"See why: " + host.WhyCommand(tool.Label)}, "the tool %q is not known to be listed", tool.Label)
	}
	return []message.Tool{tool}, nil
}
