package serve

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"pillion/mcp/connector"
	"pillion/mcp/host"
)

//lint:file-ignore SA1019 sampling and roots are asked for until they are taken out of MCP (SEP-2577)

// What a connector may ask for.
const (
	elicitMethod   = "elicitation/create"
	samplingMethod = "sampling/createMessage"
	rootsMethod    = "roots/list"
)

// answering is the caller of a request as the host has him asked; nil where the host's own asker is asked.
func (r *request) answering(ask func(context.Context, []byte) ([]byte, error)) *host.Answering {
	if !r.server.options.AsksClient {
		return nil
	}
	a := &host.Answering{IsModern: r.isModern, Inquirer: connector.Inquirer{Party: r.sessionID(), Ask: ask}}
	if can := r.can; can != nil {
		if can.Elicitation != nil {
			a.HasPages = can.Elicitation.URL != nil
			a.HasForms = can.Elicitation.Form != nil || !a.HasPages
		}
		a.HasModel = can.Sampling != nil
		a.HasRoots = can.RootsV2 != nil || can.Roots.ListChanged
	}
	return a
}

// naming has a caller told whose every question is; nil stays nil.
func naming(a *host.Answering, connectorName string) *host.Answering {
	if a != nil {
		ask := a.Ask
		a.Ask = func(ctx context.Context, requests []byte) ([]byte, error) {
			return ask(ctx, withName(requests, connectorName))
		}
	}
	return a
}

// withName puts the connector's name before what it asks a person, so that nobody takes it for somebody else (S17).
func withName(requests []byte, connectorName string) []byte {
	all, err := membersOf(requests)
	if err != nil {
		return requests
	}
	for i, one := range all {
		all[i].value = namedOne(one.value, connectorName)
	}
	return objectOf(all...)
}

func namedOne(request jsontext.Value, connectorName string) jsontext.Value {
	members, err := membersOf(request)
	if err != nil {
		return request
	}
	for i, m := range members {
		if m.name != "params" {
			continue
		}
		params, _ := membersOf(m.value)
		for j, p := range params {
			var said string
			if p.name == "message" && decode(p.value, &said) == nil {
				params[j].value = text(fmt.Sprintf("The connector %q asks: %s", connectorName, said))
			}
		}
		members[i].value = objectOf(params...)
	}
	return objectOf(members...)
}

// askInCall asks a client of the legacy era, on the stream of its own request.
func (r *request) askInCall(of context.Context) func(context.Context, []byte) ([]byte, error) {
	return func(ctx context.Context, requests []byte) ([]byte, error) {
		asking, cancel := context.WithCancel(of)
		defer cancel()
		defer context.AfterFunc(ctx, cancel)()
		all, err := membersOf(requests)
		if err != nil {
			return nil, err
		}
		for i, one := range all {
			answer, err := r.askOne(asking, one.value)
			if err != nil {
				return nil, err
			}
			all[i].value = answer
		}
		return objectOf(all...), nil
	}
}

// askOne asks a client of the legacy era for one thing.
func (r *request) askOne(ctx context.Context, request jsontext.Value) (answer jsontext.Value, err error) {
	var asked struct {
		Method string         `json:"method"`
		Params jsontext.Value `json:"params"`
	}
	if err := decode(request, &asked); err != nil {
		return nil, err
	}
	var given any
	switch asked.Method {
	case elicitMethod:
		params := &mcp.ElicitParams{}
		if err := json.Unmarshal(asked.Params, params); err != nil {
			return nil, err
		}
		if all, _ := membersOf(asked.Params); params.RequestedSchema != nil {
			for _, m := range all {
				if m.name == "requestedSchema" {
					params.RequestedSchema = json.RawMessage(m.value)
				}
			}
		}
		given, err = r.session.Elicit(ctx, params)
	case samplingMethod:
		params := &mcp.CreateMessageWithToolsParams{}
		if err := json.Unmarshal(asked.Params, params); err != nil {
			return nil, err
		}
		given, err = r.session.CreateMessageWithTools(ctx, params)
	case rootsMethod:
		given, err = r.session.ListRoots(ctx, nil)
	default:
		return nil, fmt.Errorf("nothing is known of %s", text(asked.Method))
	}
	if err != nil {
		return nil, err
	}
	said, err := json.Marshal(given)
	return carried(said), err
}
