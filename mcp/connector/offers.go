package connector

//lint:file-ignore SA1019 what MCP 2026-07-28 deprecates goes on to be asked for, by the servers before it for longer

import (
	"context"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// tasksExtension is the extension under which servers of the modern era answer calls with tasks.
const tasksExtension = "io.modelcontextprotocol/tasks"

// Offers are what a server may ask of its host. What is not offered is not announced, and refused at once where it is asked
// for all the same (C47). The zero value offers nothing.
type Offers struct {
	// HasForms and HasPages say in which ways a person can be asked: with a form, by a page to open.
	HasForms, HasPages bool
	// HasModel says that somebody has a model that answers.
	HasModel bool
	// FollowsTasks says that a call may go on in the background; see [Connector.Follow].
	FollowsTasks bool
	// Roots are the folders that the server is told of; nil tells it of none at all.
	Roots []Root
	// Elicit puts a question of the server to a person, and blocks; when ctx ends nobody waits for its answer any more.
	// It may be nil where HasForms and HasPages are false.
	Elicit func(ctx context.Context, question Elicitation) ElicitationAnswer
	// Sample has a model answer, and blocks; nil, with no error, says that somebody declined. It may be nil where HasModel is
	// false.
	Sample func(ctx context.Context, request Sampling) (result []byte, err error)
}

// Root is a folder that a server is told of.
type Root struct {
	URI  string // a file URI
	Name string // for people; may be empty
}

// Elicitation is a question of a server: with a form, or by a page to open. All of it is the server's own words.
type Elicitation struct {
	// CallID is that of [RequestOptions] of the request that it belongs to; empty where it may be one of several.
	CallID  string
	Message string
	// Schema is the JSON Schema of the form, flat and without references; nil for a page.
	Schema jsontext.Value
	// URL is the page: https, without user and password, its host in ASCII; empty for a form.
	URL string
}

// What a person does with a question, in the words of MCP.
const (
	ElicitAccept  = "accept"
	ElicitDecline = "decline"
	ElicitCancel  = "cancel"
)

// ElicitationAnswer is what a person did with a question.
type ElicitationAnswer struct {
	Action string // one of the three; any other counts as ElicitCancel
	// Content are the values of a form that was accepted, one JSON object.
	Content []byte
}

// Sampling is a server's request for the answer of a model.
type Sampling struct {
	CallID string // as that of an [Elicitation]
	// Params are those of MCP's sampling/createMessage as received, but that no context is to be included (S30).
	Params jsontext.Value
}

func (o Offers) capabilities() []byte {
	encoded, _ := json.Marshal(o.offered(), json.Deterministic(true)) // maps of strings and bools
	return encoded
}

// ofRequest are the capabilities of one request of the modern era. The SDK's own type would say in it that there are roots.
func (o Offers) ofRequest() map[string]any {
	offered := o.offered()
	if o.FollowsTasks {
		offered["extensions"] = map[string]any{tasksExtension: map[string]any{}}
	}
	return offered
}

func (o Offers) offered() map[string]any {
	offered := map[string]any{}
	if elicitation := o.elicitation(); len(elicitation) > 0 {
		offered["elicitation"] = elicitation
	}
	if o.HasModel {
		offered["sampling"] = map[string]any{}
	}
	if o.Roots != nil {
		offered["roots"] = map[string]any{} // without listChanged: what a connector is told of is its own, and stays (S30)
	}
	return offered
}

func (o Offers) elicitation() map[string]any {
	modes := map[string]any{}
	if o.HasForms {
		modes["form"] = map[string]any{}
	}
	if o.HasPages {
		modes["url"] = map[string]any{}
	}
	return modes
}

// modern are the capabilities that go with every request of the modern era.
func (o Offers) modern() *mcp.ClientCapabilities {
	capabilities := &mcp.ClientCapabilities{}
	if o.HasForms || o.HasPages {
		capabilities.Elicitation = &mcp.ElicitationCapabilities{}
		if o.HasForms {
			capabilities.Elicitation.Form = &mcp.FormElicitationCapabilities{}
		}
		if o.HasPages {
			capabilities.Elicitation.URL = &mcp.URLElicitationCapabilities{}
		}
	}
	if o.HasModel {
		//lint:ignore SA1019 servers ask for it until it is taken out of MCP (SEP-2577)
		capabilities.Sampling = &mcp.SamplingCapabilities{}
	}
	if o.Roots != nil {
		//lint:ignore SA1019 and for this
		capabilities.RootsV2 = &mcp.RootCapabilities{}
	}
	if o.FollowsTasks {
		capabilities.AddExtension(tasksExtension, nil)
	}
	return capabilities
}

func (c *Connector) offers() Offers {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.options.Offers
}
