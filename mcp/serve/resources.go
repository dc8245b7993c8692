package serve

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"pillion/mcp/host"
)

// codeNoResource is what a client of the legacy era is answered about a resource that there is none of (MCP 2025-11-25 resources);
// in the modern one it is a parameter like any other.
const codeNoResource = -32002

func (s *Server) listResources(ctx context.Context, r *request, cursor string) (mcp.Result, error) {
	s.settled(ctx)
	all, _ := s.servedResources()
	return r.list("resources", all, cursor)
}

func (s *Server) listTemplates(ctx context.Context, r *request, cursor string) (mcp.Result, error) {
	s.settled(ctx)
	_, all := s.servedResources()
	return r.list("resourceTemplates", all, cursor)
}

// servedResources are the entries of all resources and templates.
func (s *Server) servedResources() (resources, templates []entry) {
	book := s.addresses()
	for _, one := range book.resources {
		uri := book.served(one.Connector, one.URI)
		members := texts("uri", uri, "name", one.Name, "title", one.Title, "description", one.Description, "mimeType", one.MIMEType)
		if one.SizeBytes > 0 {
			members = append(members, member{"size", jsontext.Value(strconv.FormatInt(one.SizeBytes, 10))})
		}
		members = append(append(members, values(member{"annotations", one.Annotations})...), passed(one.Passed)...)
		resources = append(resources, entry{uri, objectOf(members...)})
	}
	for _, one := range book.templates {
		uri := book.served(one.Connector, one.URITemplate)
		members := texts("uriTemplate", uri, "name", one.Name, "title", one.Title, "description", one.Description, "mimeType", one.MIMEType)
		members = append(append(members, values(member{"annotations", one.Annotations})...), passed(one.Passed)...)
		templates = append(templates, entry{uri, objectOf(members...)})
	}
	return resources, templates
}

func (s *Server) readResource(ctx context.Context, r *request, params *mcp.ReadResourceParams) (mcp.Result, error) {
	book := s.addresses()
	owner, uri, isKnown := book.owner(params.URI)
	if !isKnown {
		s.settled(ctx)
		book = s.addresses()
		owner, uri, isKnown = book.owner(params.URI)
	}
	if !isKnown {
		return nil, r.noResource(params.URI)
	}
	about := aboutOf("resources/read", text(params.URI))
	return s.fly(ctx, r, about, rounds{params.InputResponses, params.RequestState}, func(ctx context.Context, h hearing) (mcp.Result, error) {
		h = h.of(book.names[owner])
		asked := r.hostRequest(owner)
		asked.OnProgress, asked.OnLog, asked.LogLevel, asked.Answering = h.progress, h.logs, h.level, h.answering
		answer, err := s.host.ReadRaw(ctx, asked, uri)
		switch refused := answer.Outcome.Error; {
		case err != nil:
			return nil, misuse(err)
		case refused != nil && (refused.Code == codeNoResource || refused.Code == jsonrpc.CodeInvalidParams):
			return nil, r.noResource(params.URI) // as its own era says it
		case answer.Outcome.Status != host.StatusOK:
			return nil, refusal(answer.Outcome)
		}
		members, err := saidBy(answer.Result)
		if err != nil {
			return nil, misuse(fmt.Errorf("the answer of the connector cannot be read: %w", err))
		}
		for i, m := range members {
			if m.name == "contents" {
				members[i].value = book.rewritten(m.value, owner)
			}
		}
		return r.reply(sourced(members, book.names[owner]), true), nil
	})
}

// noResource is the error about an address that nothing stands at.
func (r *request) noResource(uri string) error {
	e := &jsonrpc.Error{Code: codeNoResource, Message: "Resource not found", Data: objectOf(member{"uri", text(uri)})}
	if r.isModern {
		e.Code = jsonrpc.CodeInvalidParams
	}
	return e
}

// addressBook knows whose address is whose.
type addressBook struct {
	names     map[string]string // of the connectors, by id
	resources []host.Resource
	templates []host.ResourceTemplate
	users     map[string]map[string]bool // the ids of the connectors that have an address or a template, by it
}

func (s *Server) addresses() *addressBook {
	names := map[string]string{}
	for _, c := range s.host.Connectors() {
		names[c.ID] = c.Name
	}
	resources, templates, _ := s.host.Resources("")
	return newAddressBook(names, resources, templates)
}

func newAddressBook(names map[string]string, resources []host.Resource, templates []host.ResourceTemplate) *addressBook {
	b := &addressBook{names: names, resources: resources, templates: templates, users: map[string]map[string]bool{}}
	use := func(connector, uri string) {
		if b.users[uri] == nil {
			b.users[uri] = map[string]bool{}
		}
		b.users[uri][connector] = true
	}
	for _, one := range b.resources {
		use(one.Connector, one.URI)
	}
	for _, one := range b.templates {
		use(one.Connector, one.URITemplate)
	}
	return b
}

// wrapping stands before the id of a connector in the scheme of an address that is not its alone, and is taken off again.
const wrapping = "pillion."

// served is the address that a connector's own is served under: that itself where it leads back to the connector, else one that
// says whose it is.
func (b *addressBook) served(connector, uri string) string {
	if _, isWrapped := strings.CutPrefix(uri, wrapping); !isWrapped && len(b.users[uri]) == 1 && b.users[uri][connector] {
		return uri
	}
	if found, own, isKnown := b.owner(uri); isKnown && found == connector && own == uri {
		return uri
	}
	if isWeb := strings.HasPrefix(uri, "https://") || strings.HasPrefix(uri, "http://"); isWeb && len(b.users[uri]) == 0 {
		return uri // which clients fetch themselves (MCP 2025-11-25 resources)
	}
	return wrapping + connector + "+" + uri
}

// owner is the connector that an address is read from, and its own address for it. Where nothing is listed that it could be, or
// several, it is false.
func (b *addressBook) owner(served string) (connector, uri string, isKnown bool) {
	if rest, isWrapped := strings.CutPrefix(served, wrapping); isWrapped {
		id, own, isPair := strings.Cut(rest, "+")
		return id, own, isPair && b.names[id] != ""
	}
	if users := b.users[served]; len(users) > 0 {
		return only(users), served, len(users) == 1
	}
	if len(b.names) == 1 {
		for only := range b.names {
			return only, served, true // it is the connector's to know
		}
	}
	fitting := map[string]bool{}
	for _, one := range b.templates {
		if fits(one.URITemplate, served) {
			fitting[one.Connector] = true
		}
	}
	return only(fitting), served, len(fitting) == 1
}

func only(ids map[string]bool) string {
	for id := range ids {
		if len(ids) == 1 {
			return id
		}
	}
	return ""
}

var expression = regexp.MustCompile(`\{[^{}]*\}`)

// fits reports whether an address may be an expansion of a template. An expression may stand for anything: to whom a request goes
// depends on it, not whether it may.
func fits(template, uri string) bool {
	at := 0
	var pattern strings.Builder
	pattern.WriteString("^")
	for _, place := range expression.FindAllStringIndex(template, -1) {
		pattern.WriteString(regexp.QuoteMeta(template[at:place[0]]) + ".*")
		at = place[1]
	}
	pattern.WriteString(regexp.QuoteMeta(template[at:]) + "$")
	fitting, err := regexp.Compile(pattern.String())
	return err == nil && fitting.MatchString(uri)
}

// rewritten are parts of a connector's answer with their addresses as they are served.
func (b *addressBook) rewritten(parts jsontext.Value, connector string) jsontext.Value {
	var all []jsontext.Value
	if parts.Kind() != '[' || decode(parts, &all) != nil {
		return parts
	}
	bodies := make([][]byte, len(all))
	for i, part := range all {
		bodies[i] = b.rewrittenPart(part, connector)
	}
	return arrayOf(bodies)
}

func (b *addressBook) rewrittenPart(part jsontext.Value, connector string) []byte {
	members, err := membersOf(part)
	if err != nil {
		return part
	}
	for i, m := range members {
		var uri string
		switch {
		case m.name == "uri" && decode(m.value, &uri) == nil:
			members[i].value = text(b.served(connector, uri))
		case m.name == "resource" && m.value.Kind() == '{':
			members[i].value = b.rewrittenPart(m.value, connector)
		}
	}
	return objectOf(members...)
}
