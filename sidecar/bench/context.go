package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"

	"pillion/mcp/catalog"
)

const (
	// contextLimit is what an agent may have to read before it asks for a tool, against the tools of all servers.
	contextLimit   = 0.05
	contextServers = 10
	testedServers  = "docs/tested-servers.md"
)

// measureContext compares what an agent has to read of `pillion serve` before it asks for a tool with all tools of real servers, as
// they were counted when they were last tried.
func measureContext(ctx context.Context, r *report, p *programs, _ plan) (err error) {
	home, err := newHome(p.folder, 1, p.echo)
	if err != nil {
		return err
	}
	command := exec.Command(p.pillion, "serve")
	command.Dir, command.Env = home.workspace, home.environ()
	session, err := openAgent(ctx, command)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, session.Close()) }()
	listed, err := session.ListTools(ctx, nil)
	if err != nil {
		return err
	}
	surface := 0
	for _, tool := range listed.Tools {
		schema, err := json.Marshal(tool.InputSchema)
		if err != nil {
			return err
		}
		surface += catalog.ToolTokens(tool.Name, tool.Description, schema)
	}
	all, err := testedTokens(contextServers)
	if err != nil {
		return err
	}
	r.line("tokens of a model's context, with %d real servers", contextServers)
	r.line("  %-28s %d in %d tools", "pillion serve", surface, len(listed.Tools))
	r.line("  %-28s %d", "all tools of all", all)
	r.limited("serve/all", series{float64(surface) / float64(all)}, ratio, contextLimit)
	return nil
}

// testedTokens adds up the tokens of the first servers that were tried and listed.
func testedTokens(count int) (sum int, err error) {
	file, err := os.Open(testedServers)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	for lines := bufio.NewScanner(file); count > 0 && lines.Scan(); {
		cells := strings.Split(lines.Text(), "|")
		if len(cells) < 7 {
			continue
		}
		tokens, err := strconv.Atoi(strings.TrimSpace(cells[5]))
		if err != nil {
			continue // a heading, or one that does not start
		}
		sum += tokens
		count--
	}
	if count > 0 {
		return 0, fmt.Errorf("%s: %d servers are missing", testedServers, count)
	}
	return sum, nil
}
