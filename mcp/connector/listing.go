package connector

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	maxEntries   = 10_000
	maxPages     = 1_000
	maxListBytes = maxFrameBytes
)

// lists is a set of the lists that a server may have.
type lists uint8

const (
	toolList lists = 1 << iota
	resourceList
	templateList
	promptList
)

// kind is one of the lists: how it is asked for and where it stands in the answer.
type kind struct {
	list   lists
	method string
	member string
	ask    func(context.Context, *mcp.ClientSession) error
}

// kinds are all lists. The SDK gets a stub of each answer (see filter), so what it returns is of no interest.
func kinds() []kind {
	return []kind{
		{toolList, "tools/list", "tools", func(ctx context.Context, s *mcp.ClientSession) error {
			_, err := s.ListTools(ctx, &mcp.ListToolsParams{})
			return err
		}},
		{resourceList, "resources/list", "resources", func(ctx context.Context, s *mcp.ClientSession) error {
			_, err := s.ListResources(ctx, &mcp.ListResourcesParams{})
			return err
		}},
		{templateList, "resources/templates/list", "resourceTemplates", func(ctx context.Context, s *mcp.ClientSession) error {
			_, err := s.ListResourceTemplates(ctx, &mcp.ListResourceTemplatesParams{})
			return err
		}},
		{promptList, "prompts/list", "prompts", func(ctx context.Context, s *mcp.ClientSession) error {
			_, err := s.ListPrompts(ctx, &mcp.ListPromptsParams{})
			return err
		}},
	}
}

// page is one answer to a list request.
type page struct {
	entries []jsontext.Value
	hasNext bool
	next    string
	warning string
}

// fetch returns one page of raw answer.
type fetch func(ctx context.Context, cursor *string) (jsontext.Value, error)

// listAll fetches a whole list, page by page. With an error there is no list, however many pages came before it; a warning
// says that the list was ended early.
func listAll(ctx context.Context, member string, isModern bool, get fetch) (entries []jsontext.Value, warning string, err error) {
	entries = []jsontext.Value{}
	seen := map[string]bool{}
	var cursor *string
	bytes := 0
	for pages := 1; ; pages++ {
		raw, err := get(ctx, cursor)
		if err != nil {
			if pages > 1 {
				err = fmt.Errorf("page %d: %w", pages, err)
			}
			return nil, "", err
		}
		p, err := readPage(raw, member)
		if err != nil {
			return nil, "", fmt.Errorf("page %d: %w", pages, err)
		}
		entries = append(entries, p.entries...)
		bytes += len(raw)
		switch {
		case len(entries) > maxEntries:
			return entries[:maxEntries], fmt.Sprintf("it has more than %d entries, the rest is left out", maxEntries), nil
		case p.warning != "":
			return entries, p.warning, nil
		// Before MCP 2026-07-28 an empty cursor was how many servers said that there is no next page.
		case !p.hasNext, p.next == "" && !isModern:
			return entries, "", nil
		case seen[p.next]:
			return entries, "it names a cursor that it named before, so the list ends there", nil
		case pages == maxPages:
			return entries, fmt.Sprintf("it has more than %d pages, the rest is left out", maxPages), nil
		case bytes > maxListBytes:
			return entries, fmt.Sprintf("it has more than %d MiB, the rest is left out", maxListBytes>>20), nil
		}
		seen[p.next] = true
		cursor = &p.next
	}
}

// readPage reads one answer.
func readPage(raw jsontext.Value, member string) (page, error) {
	var p page
	hasList := false
	err := walkObject(raw, func(name string, value jsontext.Value) error {
		switch name {
		case member:
			hasList = value.Kind() == '['
			entries, err := listElements(value)
			if len(entries) == maxEntries && err != nil {
				p.warning, err = fmt.Sprintf("it has %s, the rest is left out", err), nil
			}
			p.entries = entries
			if !hasList {
				return fmt.Errorf("%q is not an array but %s", member, kindName(value.Kind()))
			}
			return err
		case "nextCursor":
			p.next, p.hasNext = text(value)
			if !p.hasNext && value.Kind() != 'n' {
				p.warning = "its next cursor is not a string but " + kindName(value.Kind()) + ", so the list ends there"
			}
		}
		return nil
	})
	if err == nil && !hasList {
		err = fmt.Errorf("%q is missing", member)
	}
	return p, err
}

// listElements are the entries of a list, the quick way where there is one.
func listElements(list jsontext.Value) ([]jsontext.Value, error) {
	if entries, ok := walkElements(list, maxEntries); ok {
		return entries, nil
	}
	return elements(list, maxEntries)
}

// isMethodNotFound reports whether the server said that it has no such method.
func isMethodNotFound(err error) bool {
	var refusal *ProtocolError
	return errors.As(err, &refusal) && refusal.Code == -32601
}
