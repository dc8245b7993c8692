package connector

import (
	"context"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// ReadResource asks the server for what stands at an address. Result, errors and MayHaveRun are those of [Connector.Call]:
// the result has the shape of MCP's ReadResourceResult, and may be anything all the same.
func (c *Connector) ReadResource(ctx context.Context, uri string, o RequestOptions) (CallReply, error) {
	return c.request(ctx, errand{
		method: "resources/read", options: o,
		send: func(ctx context.Context, client *mcp.ClientSession, meta mcp.Meta) error {
			params := &mcp.ReadResourceParams{Meta: meta, URI: uri}
			_, err := client.ReadResource(ctx, params)
			return err
		},
	})
}

// Prompt asks the server to write a prompt. Arguments are the bytes of one JSON object of texts; empty means none. The rest
// is that of [Connector.ReadResource], with MCP's GetPromptResult.
func (c *Connector) Prompt(ctx context.Context, name string, arguments []byte, o RequestOptions) (CallReply, error) {
	if len(arguments) == 0 {
		arguments = emptyArguments
	}
	if err := checkArguments(arguments); err != nil {
		return CallReply{}, err
	}
	return c.request(ctx, errand{
		method: "prompts/get", options: o, members: []member{{"arguments", arguments}},
		send: func(ctx context.Context, client *mcp.ClientSession, meta mcp.Meta) error {
			params := &mcp.GetPromptParams{Meta: meta, Name: name}
			_, err := client.GetPrompt(ctx, params)
			return err
		},
	})
}

// Completion is a text that is being typed, as an argument of a prompt or of a resource template.
type Completion struct {
	Prompt   string // name of the prompt; empty for a template
	Template string // address of the template
	Argument string
	Value    string // what was typed so far
	// Others are the arguments that have their values already.
	Others map[string]string
}

// Complete asks the server how a text may go on. The rest is that of [Connector.ReadResource], with MCP's CompleteResult.
func (c *Connector) Complete(ctx context.Context, text Completion, o RequestOptions) (CallReply, error) {
	if s, err := c.ready(); err == nil && !s.answer.features.canComplete {
		return CallReply{}, &UnsupportedError{Name: c.definition.Name, What: "completions"}
	}
	return c.request(ctx, errand{
		method: "completion/complete", options: o,
		send: func(ctx context.Context, client *mcp.ClientSession, _ mcp.Meta) error {
			params := &mcp.CompleteParams{
				Argument: mcp.CompleteParamsArgument{Name: text.Argument, Value: text.Value},
				Ref:      &mcp.CompleteReference{Type: "ref/prompt", Name: text.Prompt},
			}
			if text.Prompt == "" {
				params.Ref = &mcp.CompleteReference{Type: "ref/resource", URI: text.Template}
			}
			if len(text.Others) > 0 {
				params.Context = &mcp.CompleteContext{Arguments: text.Others}
			}
			_, err := client.Complete(ctx, params)
			return err
		},
	})
}

// request runs an errand on the session that serves.
func (c *Connector) request(ctx context.Context, e errand) (CallReply, error) {
	begun := time.Now()
	s, err := c.ready()
	if err != nil {
		return CallReply{}, err
	}
	s.freshen()
	reply, err := s.run(ctx, e)
	reply.Duration = time.Since(begun)
	return reply, err
}

// Completions reads the values out of the result of [Connector.Complete], at most 100 of them (MCP completion).
func Completions(result []byte) (values []string, total int, hasMore bool, err error) {
	values = []string{}
	err = object(result, func(name string, value jsontext.Value) error {
		if name != "completion" {
			return nil
		}
		return object(value, func(name string, value jsontext.Value) error {
			switch name {
			case "values":
				all, _ := elements(value, maxCompletions)
				for _, one := range all {
					if said, ok := text(one); ok && len(said) <= maxURIBytes {
						values = append(values, said)
					}
				}
			case "total":
				if n, _, ok := integer(value); ok && n > 0 && n == int64(int32(n)) {
					total = int(n)
				}
			case "hasMore":
				hasMore = value.Kind() == 't'
			}
			return nil
		})
	})
	return values, total, hasMore, err
}

const maxCompletions = 100
