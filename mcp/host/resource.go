package host

import (
	"context"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"pillion/mcp/connector"
	"pillion/mcp/result"
)

// Resource is one resource of one connector as it is listed now. All but the connector is the connector's claim.
type Resource struct {
	Connector string // its id
	connector.Resource
}

// ResourceTemplate is one template of one connector as it is listed now.
type ResourceTemplate struct {
	Connector string // its id
	connector.ResourceTemplate
}

// Resources returns the resources and templates of a connector, by id or by a name that only one has, or of all that may run
// where that is empty; in the order of the connectors, and of their own lists. It starts nothing.
func (h *Host) Resources(idOrName string) ([]Resource, []ResourceTemplate, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	resources, templates := []Resource{}, []ResourceTemplate{}
	slots, err := h.listedSlots(idOrName)
	for _, s := range slots {
		for _, r := range s.catalogue.Resources {
			h.clean(&r.Name, &r.Title, &r.Description)
			h.cleanValues(&r.Annotations, &r.Icons, &r.Meta)
			resources = append(resources, Resource{s.id, r})
		}
		for _, t := range s.catalogue.ResourceTemplates {
			h.clean(&t.Name, &t.Title, &t.Description)
			h.cleanValues(&t.Annotations, &t.Icons, &t.Meta)
			templates = append(templates, ResourceTemplate{s.id, t})
		}
	}
	return resources, templates, err
}

// listedSlots are those whose lists are known and may be seen; h.mu is held.
func (h *Host) listedSlots(idOrName string) ([]*slot, error) {
	slots := h.present()
	if idOrName != "" {
		s, err := h.findSlot(idOrName)
		if err != nil {
			return nil, err
		}
		slots = []*slot{s}
	}
	slots = slices.DeleteFunc(slices.Clone(slots), func(s *slot) bool { return !s.isListed() || !s.standing.mayRun() })
	for _, s := range slots {
		s.freshen()
	}
	return slots, nil
}

// freshen has the lists fetched again that hold no longer, now that somebody looks at them; it does not wait. Host.mu is held.
func (s *slot) freshen() {
	if s.process != nil {
		s.process.Freshen()
	}
}

// clean takes the secrets out of texts that a connector says; h.mu is held.
func (h *Host) clean(texts ...*string) {
	for _, text := range texts {
		*text, _ = h.secrets.Text(*text)
	}
}

// cleanValues is clean for values.
func (h *Host) cleanValues(values ...*jsontext.Value) {
	for _, value := range values {
		*value, _ = h.secrets.Bytes(*value)
	}
}

// ResourceAnswer is what came of reading a resource.
type ResourceAnswer struct {
	Outcome  Result // without a projection
	Contents result.Contents
}

// ReadResource reads what stands at an address of a connector, starting it if it must. A caller who is not the editor's user
// is asked for where the address is not among those that the connector lists (S15).
// The error is that of [Host.Call]; outcomes are in the answer.
func (h *Host) ReadResource(ctx context.Context, request Request, uri string) (ResourceAnswer, error) {
	if request.CallID == "" {
		request.CallID = NewCallID()
	}
	reply, outcome, err := h.answers(ctx, readErrand(request, uri))
	answer := ResourceAnswer{Outcome: outcome, Contents: result.Contents{Contents: []result.Content{}}}
	if err != nil || outcome.Status != StatusOK {
		return answer, err
	}
	answer.Contents, err = result.ProjectContents(reply.Result, h.projectionOptions(request.CallID))
	if err != nil {
		answer.Outcome = h.malformed(outcome, request.Connector, err)
	}
	return answer, nil
}

func readErrand(request Request, uri string) errand {
	return errand{
		Request: request, method: "resources/read", what: "read a resource that this connector does not list",
		arguments: fmt.Appendf(nil, `{"uri":%s}`, quoted(uri)),
		isFree: func(s *slot) bool {
			return s.isListed() && slices.ContainsFunc(s.catalogue.Resources, func(r connector.Resource) bool { return r.URI == uri })
		},
		send: func(ctx context.Context, process *connector.Connector, o connector.RequestOptions) (connector.CallReply, error) {
			return process.ReadResource(ctx, uri, o)
		},
	}
}

func (h *Host) projectionOptions(callID string) result.Options {
	return result.Options{Folder: h.options.Results, CallID: callID, Redact: h.knownSecrets()}
}
