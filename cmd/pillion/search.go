package main

import (
	"fmt"
	"strings"

	"pillion/editors"
	"pillion/mcp/host"
	"pillion/rpc/message"
)

type searchVerb struct {
	Words     []string `arg:"" help:"What to search for; words that begin alike and other forms of them are found."`
	Connector string   `placeholder:"NAME" help:"Search in one connector alone."`
	Tag       string   `placeholder:"TAG" help:"Only tools that carry this tag."`
	Limit     int      `default:"20" help:"How many to print at most."`
	Explain   bool     `help:"Say where each word was found, and why tools may be missing."`
}

// Help explains the verb.
func (searchVerb) Help() string {
	return `Searches the tools of all connectors, the best first; it starts nothing. A word counts most where it is the tool's name, then where the name begins with it, where it is a tag, stands in the name, is another form of a word of the name (create_issue, createIssue: creating), stands in connector.tool, in the connector's name, and last in the title or description. What has all words is found; where nothing has all of them, what has any, and that is said.

  pillion search issue
  pillion search "create issue"
  pillion search --explain saves notes

Next: pillion types <tool> shows what it takes, pillion call <tool> calls it.

On a terminal it is a table. In a pipe it is one tool a line, with tabs between label, summary and, with --explain, where each word was found. With --json it is the answer of pillion/tools in the editor protocol. Nothing found is code 0, with the reasons why something may be missing on standard error.`
}

// Run searches.
func (v searchVerb) Run(p *program) error {
	query := strings.Join(v.Words, " ")
	if strings.TrimSpace(query) == "" {
		return fail(exitUsage, []string{"List all there is: pillion ls"}, "there is no word to search for")
	}
	if v.Limit < 1 {
		return fail(exitUsage, nil, "--limit is %d: it must be at least 1", v.Limit)
	}
	h, err := p.open(p.ctx, ownOptions{depth: host.Words})
	if err != nil {
		return err
	}
	defer h.close()
	found, err := h.tools(p.ctx, message.ToolsParams{
		Query: query, Connector: message.ConnectorRef(v.Connector), Tag: v.Tag, Limit: v.Limit, Explain: v.Explain,
	})
	if err != nil {
		return misuse(err)
	}
	if p.isJSON {
		return p.printJSON(found)
	}
	v.print(p, found)
	return nil
}

func (v searchVerb) print(p *program, found message.ToolsResult) {
	heading := []string{"TOOL", "WHAT IT DOES"}
	if v.Explain {
		heading = append(heading, "FOUND BY")
	}
	rows := make([][]string, len(found.Tools))
	for i, tool := range found.Tools {
		rows[i] = []string{tool.Label, tool.Summary}
		if v.Explain {
			rows[i] = append(rows[i], foundWords(tool.FoundBy))
		}
	}
	if !p.isTerminal {
		heading = nil
	}
	if len(rows) > 0 {
		p.table(heading, rows)
	} else {
		p.say("Nothing is found.")
	}
	if found.Partial {
		p.say("No tool has all of these words; these have some.")
	}
	if more := found.Total - len(found.Tools); more > 0 {
		p.sayf("%d more are found. Show them with --limit %d, or add a word.", more, found.Total)
	}
	for _, reason := range found.Why {
		p.say(editors.Visible(reason.Text))
	}
}

// foundWords are where each word was found.
func foundWords(by []message.FoundBy) string {
	words := make([]string, len(by))
	for i, one := range by {
		words[i] = fmt.Sprintf("%s: %s", one.Term, one.In)
	}
	return strings.Join(words, ", ")
}
