//go:build e2e

package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"pillion/rpc/message"
)

// testedServersVar names the file that the run writes of what it saw: docs/tested-servers.md.
const testedServersVar = "PILLION_TESTED_SERVERS"

// A realServer is a connector that people have, as it is installed.
type realServer struct {
	name, module, program string // program where it is not the module's only one
	args                  []string
	env                   map[string]string
	// tool and arguments are one call that only reads and needs nobody outside; said is part of what comes back.
	tool, arguments, said string
	// problem is part of why it does not run here.
	problem string
	// odd is what is unusual about it, as it was seen.
	odd string
}

// TestServers runs connectors that people have: each is listed, called, killed and recovered.
func TestServers(t *testing.T) {
	testServers(t, "servers", coreServers)
}

// TestMoreServers runs those that are too many for every run: `make servers` does.
func TestMoreServers(t *testing.T) {
	testServers(t, "more-servers", moreServers)
}

func testServers(t *testing.T, bed string, servers func(*testing.T, *sandbox) []realServer) {
	var rows []string
	for _, named := range servers(t, newSandbox(t, pillion(t))) {
		t.Run(named.name, func(t *testing.T) {
			s := newSandbox(t, pillion(t))
			all := servers(t, s)
			server := all[slices.IndexFunc(all, func(r realServer) bool { return r.name == named.name })]
			rows = append(rows, server.test(t, s, bed))
		})
	}
	writeTestedServers(t, bed, rows)
}

// test has the server listed, called, killed and recovered, and answers its line of the table.
func (r realServer) test(t *testing.T, s *sandbox, bed string) string {
	modules := filepath.Join(cache(t), bed, "node_modules")
	version := r.installed(t, s, modules)
	s.writeUserText(t, r.entry(t))
	e := startSession(t, s)
	go e.answerAll()
	began := time.Now()
	c := request(e, message.ConnectorStart, message.ConnectorParams{Connector: message.ConnectorRef(r.name)}).Connector
	took := time.Since(began)
	if r.problem != "" {
		if c.State != message.ConnectorFailed || c.Problem == nil || !strings.Contains(c.Problem.Reason, r.problem) {
			t.Fatalf("it is %s, want failed because of %q: %+v", c.State, r.problem, c.Problem)
		}
		return fmt.Sprintf("| %s | %s | does not start here | | | | | *%s* %s |", r.module, version, cell(c.Problem.Reason), r.odd)
	}
	if c.State != message.ConnectorReady {
		t.Fatalf("it is %s: %+v", c.State, c.Problem)
	}
	tools := request(e, message.Tools, message.ToolsParams{Connector: message.ConnectorRef(c.ID), Detail: message.ToolFull, All: true, Limit: 1000}).Tools
	if len(tools) < c.Tools || c.Tools == 0 {
		t.Errorf("%d tools are listed of %d", len(tools), c.Tools)
	}
	called := r.call(t, e)
	kill(t, e, c)
	again := request(e, message.ConnectorStart, message.ConnectorParams{Connector: message.ConnectorRef(r.name)}).Connector
	if again.State != message.ConnectorReady || again.Tools != c.Tools {
		t.Errorf("after it was killed it is %s with %d tools, want ready with %d: %+v", again.State, again.Tools, c.Tools, again.Problem)
	}
	r.call(t, e)
	odd := []string{r.odd}
	for _, tool := range tools {
		if tool.State == message.ToolQuarantined {
			odd = append(odd, fmt.Sprintf("its tool `%s` is malformed: it is named and not offered", tool.Name))
		}
	}
	for _, warning := range c.Warnings {
		odd = append(odd, "*"+cell(warning)+"*")
	}
	return fmt.Sprintf("| %s | %s | %s | %d | %d | %.1f s | %s | %s |", r.module, version, c.Server.ProtocolVersion, c.Tools, c.Tokens,
		took.Seconds(), called, strings.TrimSpace(strings.Join(odd, " ")))
}

// installed puts the server's program on this machine's PATH, and answers its version.
func (r realServer) installed(t *testing.T, s *sandbox, modules string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(modules, r.module, "package.json"))
	if err != nil {
		t.Fatalf("%v (beds/install.sh installs it)", err)
	}
	var module struct{ Version string }
	if err := json.Unmarshal(text, &module); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(modules, ".bin", r.program), filepath.Join(s.bin, r.program)); err != nil {
		t.Fatal(err)
	}
	return module.Version
}

// entry is the user's own file with this server alone.
func (r realServer) entry(t *testing.T) string {
	t.Helper()
	entry := map[string]any{"command": r.program, "args": append([]string{}, r.args...)}
	if r.env != nil {
		entry["env"] = r.env
	}
	if r.problem != "" {
		entry["pillion"] = map[string]string{"startTimeout": "5s"} // one of them never answers
	}
	return arguments(t, map[string]any{"mcpServers": map[string]any{r.name: entry}})
}

// call makes the one call, and answers what the table says of it.
func (r realServer) call(t *testing.T, e *session) string {
	t.Helper()
	if r.tool == "" {
		return ""
	}
	result := receive(e, e.begin(message.ToolCallParams{Tool: message.ToolRef(r.name + "." + r.tool), ArgumentsText: r.arguments}), "result")
	if result.Status != message.CallOK || !strings.Contains(result.Text, r.said) {
		t.Errorf("%s is %s: %s %q, want %q in it", r.tool, result.Status, result.Message, result.Text, r.said)
	}
	return "`" + r.tool + "`"
}

// kill ends the connector's process by force, and waits until Pillion knows.
func kill(t *testing.T, e *session, c message.Connector) {
	t.Helper()
	if len(c.Processes) != 1 {
		t.Fatalf("processes: %+v", c.Processes)
	}
	pid := c.Processes[0].PID
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if !await(func() bool {
		return !slices.ContainsFunc(e.connector(c.Name).Processes, func(p message.ConnectorProcess) bool { return p.PID == pid })
	}) {
		t.Error("Pillion does not see that it was killed")
	}
}

func cell(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); len(runes) > 200 {
		text = string(runes[:200]) + "…"
	}
	return strings.ReplaceAll(text, "|", `\|`)
}

// writeTestedServers puts lines into the document, after those of the test before it; TestServers is the first one.
func writeTestedServers(t *testing.T, bed string, rows []string) {
	path := os.Getenv(testedServersVar)
	if path == "" || t.Failed() {
		return
	}
	flags, text := os.O_APPEND|os.O_WRONLY, ""
	if bed == "servers" {
		flags = os.O_CREATE | os.O_TRUNC | os.O_WRONLY
		text = `# Tested servers

` + "`make servers` wrote this: each server as it is on npm, run by the shipped program without a network, listed, called where a call that only reads needs nobody outside, killed by force, and recovered with the same tools." + `
Keys that a server wants are made up. The time is that of one start on two busy cores, until the tools were listed. What stands in *this* is what Pillion says.

| server | version | MCP | tools | tokens | start | call | what is odd, and what Pillion makes of it |
|---|---|---|---|---|---|---|---|
`
	}
	file, err := os.OpenFile(path, flags, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, err := file.WriteString(text + strings.Join(rows, "\n") + "\n"); err != nil {
		t.Fatal(err)
	}
}

// coreServers are those of every run.
func coreServers(t *testing.T, s *sandbox) []realServer {
	notes := filepath.Join(s.home, "notes")
	if err := os.MkdirAll(notes, 0o700); err != nil {
		t.Fatal(err)
	}
	notion := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"object":"user","name":"somebody at %s"}`, r.URL.Path)
	}))
	t.Cleanup(notion.Close)
	return []realServer{
		{
			name: "everything", module: "@modelcontextprotocol/server-everything", program: "mcp-server-everything",
			tool: "get-sum", arguments: `{"a":2,"b":3}`, said: "The sum of 2 and 3 is 5",
			odd: "Stays alive when its input ends: it is ended by a signal. Says that its list changed right after the handshake.",
		},
		{
			name: "filesystem", module: "@modelcontextprotocol/server-filesystem", program: "mcp-server-filesystem", args: []string{notes},
			tool: "list_allowed_directories", arguments: `{}`, said: notes,
		},
		{
			name: "memory", module: "@modelcontextprotocol/server-memory", program: "mcp-server-memory",
			env:  map[string]string{"MEMORY_FILE_PATH": filepath.Join(s.home, "memory.json")},
			tool: "read_graph", arguments: `{}`, said: "entities",
		},
		{
			name: "thinking", module: "@modelcontextprotocol/server-sequential-thinking", program: "mcp-server-sequential-thinking",
			tool: "sequentialthinking", arguments: `{"thought":"one","nextThoughtNeeded":false,"thoughtNumber":1,"totalThoughts":1}`, said: "thoughtHistoryLength",
		},
		{
			name: "github", module: "@modelcontextprotocol/server-github", program: "mcp-server-github",
			odd: "Speaks the first revision of MCP, without annotations: every call asks.",
		},
		{name: "context7", module: "@upstash/context7-mcp", program: "context7-mcp"},
		{
			name: "notion", module: "@notionhq/notion-mcp-server", program: "notion-mcp-server",
			env:  map[string]string{"NOTION_TOKEN": "ntn_made_up", "BASE_URL": notion.URL},
			tool: "API-get-self", arguments: `{}`, said: "somebody at /v1/users/me",
			odd: "Every schema carries all definitions. An answer of 404 from its service is no error to it.",
		},
		{
			name: "playwright", module: "@playwright/mcp", program: "playwright-mcp", args: []string{"--headless", "--isolated"},
			odd: "Listed without a browser; a call says which one is missing.",
		},
		{
			name: "devtools", module: "chrome-devtools-mcp", program: "chrome-devtools-mcp", args: []string{"--headless", "--isolated", "--no-usage-statistics"},
			env: map[string]string{"CI": "1"}, odd: "Listed without a browser; a call says which one is missing.",
		},
	}
}

// moreServers are those of `make servers`.
func moreServers(*testing.T, *sandbox) []realServer {
	return []realServer{
		{name: "firecrawl", module: "firecrawl-mcp", program: "firecrawl-mcp", env: map[string]string{"FIRECRAWL_API_KEY": "x"}},
		{name: "tavily", module: "tavily-mcp", program: "tavily-mcp", env: map[string]string{"TAVILY_API_KEY": "x"}},
		{
			name: "brave", module: "@brave/brave-search-mcp-server", program: "brave-search-mcp-server", args: []string{"--transport", "stdio"},
			env: map[string]string{"BRAVE_API_KEY": "x"}, odd: "Has the largest list for its tools, most of it schemas of results.",
		},
		{name: "sentry", module: "@sentry/mcp-server", program: "sentry-mcp", args: []string{"--access-token=x"}},
		{name: "exa", module: "exa-mcp-server", program: "exa-mcp-server"},
		{name: "mongodb", module: "mongodb-mcp-server", program: "mongodb-mcp-server", args: []string{"--telemetry", "disabled"}},
		{
			name: "supabase", module: "@supabase/mcp-server-supabase", program: "mcp-server-supabase", args: []string{"--access-token", "x"},
			problem: "could not be listed", odd: "Asks its service before it lists its tools.",
		},
		{
			name: "desktop-commander", module: "@wonderwhy-er/desktop-commander", program: "desktop-commander", args: []string{"--no-onboarding"},
			tool: "get_config", arguments: `{}`, said: "allowedDirectories", odd: "Writes log messages before the handshake is over.",
		},
		{
			name: "pdf", module: "@modelcontextprotocol/server-pdf", program: "mcp-pdf-server", args: []string{"--stdio"},
		},
		{
			name: "vanillajs", module: "@modelcontextprotocol/server-basic-vanillajs", program: "mcp-server-basic-vanillajs", args: []string{"--stdio"},
			tool: "get-time", arguments: `{}`, said: "20",
		},
		{name: "airtable", module: "airtable-mcp-server", program: "airtable-mcp-server", env: map[string]string{"AIRTABLE_API_KEY": "x"}},
		{name: "figma", module: "figma-developer-mcp", program: "figma-developer-mcp", args: []string{"--stdio"}, env: map[string]string{"FIGMA_API_KEY": "x"}},
		{
			name: "hubspot", module: "@hubspot/mcp-server", program: "mcp-hubspot", env: map[string]string{"PRIVATE_APP_ACCESS_TOKEN": "x"},
			odd: "Announces resources and then has none of their methods.",
		},
		{
			name: "circleci", module: "@circleci/mcp-server-circleci", program: "mcp-server-circleci", env: map[string]string{"CIRCLECI_TOKEN": "x"},
			odd: "Announces resources and then has none of their methods.",
		},
		{
			name: "azure", module: "@azure/mcp", program: "azmcp", args: []string{"server", "start", "--mode", "all"},
			env: map[string]string{"AZURE_MCP_COLLECT_TELEMETRY": "false"}, odd: "Writes a line on its standard output that is no message.",
		},
		{
			name: "slack", module: "@modelcontextprotocol/server-slack", program: "mcp-server-slack",
			env: map[string]string{"SLACK_BOT_TOKEN": "x", "SLACK_TEAM_ID": "x"}, odd: "A call of a tool that it does not have succeeds, by its word.",
		},
		{name: "gitlab", module: "@modelcontextprotocol/server-gitlab", program: "mcp-server-gitlab", env: map[string]string{"GITLAB_PERSONAL_ACCESS_TOKEN": "x"}},
		{
			name: "postgres", module: "@modelcontextprotocol/server-postgres", program: "mcp-server-postgres", args: []string{"postgresql://127.0.0.1:1/none"},
			odd: "Lists its tool without its database.",
		},
		{name: "puppeteer", module: "@modelcontextprotocol/server-puppeteer", program: "mcp-server-puppeteer"},
		{
			name: "stripe", module: "@stripe/mcp", program: "mcp", args: []string{"--api-key=rk_test_made_up"},
			problem: "no answer within 5s", odd: "Is a way to its vendor's own server alone.",
		},
		{
			name: "sqlite", module: "mcp-server-sqlite-npx", program: "mcp-server-sqlite-npx", args: []string{"none.db"},
			problem: "server exited (1)", odd: "Needs a part that is compiled when it is installed.",
		},
	}
}
