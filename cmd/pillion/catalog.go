package main

import (
	"pillion/mcp/host"
	"pillion/rpc/message"
)

type catalogVerb struct {
	Budget  int    `default:"2000" placeholder:"TOKENS" help:"What the text may cost, in tokens."`
	Bias    string `placeholder:"WORDS" help:"What matters: tools that these words find come first."`
	Context int    `placeholder:"TOKENS" help:"The size of the context that it is for: warn where all definitions would take much of it."`
}

// Help explains the verb.
func (catalogVerb) Help() string {
	return `Prints a text that says which tools there are, to be pasted into a prompt: one line a tool, in at most so many tokens whatever the number of connectors. It starts nothing. Where not all fit, those that --bias finds come first and then some of each connector, and the text says how many there are.

  pillion catalog
  pillion catalog --budget 500 --bias "issues and pull requests"

What follows a tool's name is its connector's own word. With --json it is the answer of pillion/catalog in the editor protocol.`
}

// Run prints it.
func (v catalogVerb) Run(p *program) error {
	h, err := p.open(p.ctx, ownOptions{depth: host.Words})
	if err != nil {
		return err
	}
	defer h.close()
	params := message.CatalogParams{Budget: v.Budget, Bias: v.Bias, ContextTokens: v.Context}
	if err := params.Check(); err != nil {
		return &failure{code: exitUsage, err: err}
	}
	result, err := h.catalog(p.ctx, params)
	switch {
	case err != nil:
		return err
	case p.isJSON:
		return p.printJSON(result)
	case result.Text == "":
		return fail(exitUsage, nil, "not even the first line fits into %d tokens", v.Budget)
	}
	p.print(visible(result.Text))
	if p.isTerminal {
		p.sayf("%d of %d tools, about %d tokens.", result.Shown, result.Total, result.Tokens)
	}
	for _, warning := range result.Warnings {
		p.say(warning)
	}
	return nil
}
