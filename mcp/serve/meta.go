package serve

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	jsonx "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"pillion/mcp/host"
)

// The tools by which all others are used.
const (
	searchTool   = "search"
	describeTool = "describe"
	callTool     = "call"
)

const (
	// defaultFound and maxFound are how many tools a search returns, where nothing is said and at most.
	defaultFound = 20
	maxFound     = 100
)

// metaTools are the entries of those tools. That search and describe only read is Pillion's own word; of call nothing is claimed.
func metaTools() []entry {
	const readOnly = `,"annotations":{"readOnlyHint":true,"openWorldHint":false}}`
	return []entry{
		{callTool, []byte(`{"name":"call","title":"Call a tool","description":"Calls a tool that search has found, with its arguments. The user may be asked first, or may have refused it; the result then says so.",` +
			`"inputSchema":{"type":"object","properties":{"tool":{"type":"string","description":"The tool's name, as search and describe give it."},` +
			`"arguments":{"type":"object","description":"The tool's arguments, as describe says that it takes them."}},"required":["tool"],"additionalProperties":false}}`)},
		{describeTool, []byte(`{"name":"describe","title":"Describe a tool","description":"Says what a tool does, which arguments it takes and what it returns.",` +
			`"inputSchema":{"type":"object","properties":{"tool":{"type":"string","description":"The tool's name, as search gives it."}},"required":["tool"],"additionalProperties":false}` + readOnly)},
		{searchTool, []byte(`{"name":"search","title":"Search tools","description":"Finds tools of all connectors by words of what they are called and what they do. Without words it lists all of them.",` +
			`"inputSchema":{"type":"object","properties":{"query":{"type":"string","description":"A few words."},` +
			`"limit":{"type":"integer","minimum":1,"maximum":` + strconv.Itoa(maxFound) + `,"default":` + strconv.Itoa(defaultFound) + `}},"additionalProperties":false}` + readOnly)},
	}
}

// callMeta calls one of them. What is wrong with its arguments is a result, which a model can read (MCP 2025-11-25 tools).
func (s *Server) callMeta(ctx context.Context, r *request, params *mcp.CallToolParamsRaw) (mcp.Result, error) {
	switch params.Name {
	case searchTool:
		var asked struct {
			Query string `json:"query"`
			Limit int    `json:"limit"`
		}
		if err := read(params.Arguments, &asked); err != nil {
			return r.said(true, host.StatusInvalidArguments, err.Error()), nil
		}
		s.settled(ctx)
		return s.search(r, asked.Query, asked.Limit), nil
	case describeTool:
		var asked struct {
			Tool string `json:"tool"`
		}
		if err := read(params.Arguments, &asked); err != nil {
			return r.said(true, host.StatusInvalidArguments, err.Error()), nil
		}
		s.settled(ctx)
		return s.describe(r, asked.Tool), nil
	case callTool:
		var asked struct {
			Tool      string         `json:"tool"`
			Arguments jsontext.Value `json:"arguments"`
		}
		if err := read(params.Arguments, &asked); err != nil {
			return r.said(true, host.StatusInvalidArguments, err.Error()), nil
		}
		return s.callNamed(ctx, r, params, asked.Tool, asked.Arguments)
	}
	return nil, invalidParams(fmt.Sprintf("there is no tool %s; all are called by %q", text(params.Name), callTool))
}

// read reads arguments, exactly as they are called and each once.
func read(arguments json.RawMessage, to any) error {
	if len(arguments) == 0 {
		arguments = json.RawMessage(`{}`)
	}
	if err := jsonx.Unmarshal(arguments, to, jsonx.RejectUnknownMembers(true)); err != nil {
		return fmt.Errorf("these are not arguments of this tool: %w", err)
	}
	return nil
}

// search lists what is found, a line each; the names are first, and what follows is the connectors' word.
func (s *Server) search(r *request, query string, limit int) *raw {
	if limit <= 0 {
		limit = defaultFound
	}
	found := s.host.Search(host.Search{Query: query, Limit: min(limit, maxFound)})
	lines := []string{fmt.Sprintf("%d of %d tools. The words after a name are its connector's own.", len(found.Tools), found.Total)}
	if found.IsPartial {
		lines = append(lines, "None has all of the words; these have any of them.")
	}
	if len(found.Tools) == 0 {
		lines = append(lines, s.absences()...)
	}
	var listed [][]byte
	for _, t := range found.Tools {
		lines = append(lines, strings.TrimRight(t.ServedName+": "+t.Summary, " :")+permissionWords(t.Permission))
		listed = append(listed, objectOf(texts("tool", t.ServedName, "connector", t.ConnectorName, "title", t.Title, "summary", t.Summary, "permission", t.Permission)...))
	}
	members := []member{
		{"content", arrayOf([][]byte{textBlock(strings.Join(lines, "\n"))})},
		{"structuredContent", objectOf(member{"tools", arrayOf(listed)}, member{"total", jsontext.Value(strconv.Itoa(found.Total))})},
	}
	return r.reply(members, false)
}

// maxAbsences is how many reasons a search that finds nothing tells: enough to act on, and no page of them.
const maxAbsences = 10

// absences say why connectors offer nothing: what a search does not find may be a tool of theirs, and a model that is not told
// so reports that there is none.
func (s *Server) absences() []string {
	reasons := s.host.Absences("")
	if len(reasons) == 0 {
		return nil
	}
	lines := []string{"What may be missing, and what its user can do about it; words in it may be the connector's own:"}
	for _, reason := range reasons[:min(len(reasons), maxAbsences)] {
		lines = append(lines, "- "+strings.Join(strings.Fields(reason.Text), " "))
	}
	if left := len(reasons) - maxAbsences; left > 0 {
		lines = append(lines, fmt.Sprintf("And %d more.", left))
	}
	return lines
}

// permissionWords say what a call would meet where it does not simply run.
func permissionWords(permission string) string {
	switch permission {
	case "ask":
		return " (asks the user first)"
	case "deny":
		return " (refused by the user)"
	}
	return ""
}

// describe says all that is known of a tool. Its schemas are its connector's bytes.
func (s *Server) describe(r *request, name string) *raw {
	t, err := s.host.Tool(name)
	if err != nil {
		return r.unknown(err)
	}
	described := texts("tool", t.ServedName, "connector", t.ConnectorName, "title", t.Title, "description", t.Description, "permission", t.Permission)
	described = append(described, values(
		member{"inputSchema", t.InputSchema}, member{"outputSchema", t.OutputSchema}, member{"annotations", t.Annotations},
	)...)
	body := objectOf(described...)
	said := fmt.Sprintf("%s%s. What follows is the word of the connector %q.\n%s", t.ServedName, permissionWords(t.Permission), t.ConnectorName, body)
	return r.reply([]member{{"content", arrayOf([][]byte{textBlock(said)})}, {"structuredContent", body}}, false)
}

func (s *Server) callNamed(ctx context.Context, r *request, params *mcp.CallToolParamsRaw, name string, arguments jsontext.Value) (mcp.Result, error) {
	if string(arguments) == "null" {
		arguments = nil
	}
	called, err := s.call(ctx, r, params, name, json.RawMessage(arguments))
	var unknown *host.UnknownError
	if errors.As(err, &unknown) {
		return r.unknown(err), nil
	}
	return called, misuse(err)
}

// unknown is the result about a tool that there is none of, or several.
func (r *request) unknown(err error) *raw {
	return r.said(true, host.StatusInvalidArguments, err.Error(), "Find what there is with "+searchTool+".")
}
