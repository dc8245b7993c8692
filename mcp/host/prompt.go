package host

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"

	"pillion/mcp/connector"
	"pillion/mcp/permission"
	"pillion/mcp/result"
	"pillion/mcp/settings"
)

// Prompt is one prompt of one connector as it is listed now. All but the connector is the connector's claim.
type Prompt struct {
	Connector string // its id
	// ServedName is what it goes by among those that are listed together, as a tool does.
	ServedName string
	connector.Prompt
}

// Prompts returns the prompts of a connector, or of all; see [Host.Resources].
func (h *Host) Prompts(idOrName string) ([]Prompt, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	prompts, names := []Prompt{}, []identity{}
	slots, err := h.listedSlots(idOrName)
	for _, s := range slots {
		for _, p := range s.catalogue.Prompts {
			h.clean(&p.Title, &p.Description)
			h.cleanValues(&p.Icons, &p.Meta)
			arguments := make([]connector.PromptArgument, len(p.Arguments))
			for i, a := range p.Arguments {
				h.clean(&a.Title, &a.Description)
				arguments[i] = a
			}
			p.Arguments = arguments
			prompts, names = append(prompts, Prompt{Connector: s.id, Prompt: p}), append(names, s.identity(p.Name))
		}
	}
	for i, name := range servedNames(names) {
		prompts[i].ServedName = name
	}
	return prompts, err
}

// PromptAnswer is what came of a request for a prompt.
type PromptAnswer struct {
	Outcome  Result // without a projection
	Messages result.Messages
}

// GetPrompt has a connector write a prompt, starting it if it must; arguments are one JSON object of texts. A caller who is
// not the editor's user is asked for (S15). The error is that of [Host.Call]; outcomes are in the answer.
func (h *Host) GetPrompt(ctx context.Context, request Request, name string, arguments []byte) (PromptAnswer, error) {
	answer := PromptAnswer{Messages: result.Messages{Messages: []result.Message{}}}
	if request.CallID == "" {
		request.CallID = NewCallID()
	}
	checked, err := checkPromptArguments(arguments)
	if err != nil {
		answer.Outcome = Result{CallID: request.CallID, Status: StatusInvalidArguments, Message: err.Error()}
		return answer, nil
	}
	reply, outcome, err := h.answers(ctx, promptErrand(request, name, checked))
	answer.Outcome = outcome
	if err != nil || outcome.Status != StatusOK {
		return answer, err
	}
	answer.Messages, err = result.ProjectMessages(reply.Result, h.projectionOptions(request.CallID))
	if err != nil {
		answer.Outcome = h.malformed(outcome, request.Connector, err)
	}
	return answer, nil
}

func promptErrand(request Request, name string, checked []byte) errand {
	return errand{
		Request: request, method: "prompts/get", what: "have a prompt of this connector",
		arguments: fmt.Appendf(nil, `{"name":%s,"arguments":%s}`, quoted(name), checked),
		isFree:    func(*slot) bool { return false },
		send: func(ctx context.Context, process *connector.Connector, o connector.RequestOptions) (connector.CallReply, error) {
			return process.Prompt(ctx, name, checked, o)
		},
	}
}

// checkPromptArguments returns the arguments as they are sent: an object of texts, as MCP has it (GetPromptRequest).
func checkPromptArguments(arguments []byte) ([]byte, error) {
	checked, err := permission.CheckArguments(arguments)
	if err != nil {
		return nil, err
	}
	var texts map[string]string
	if err := json.Unmarshal(checked, &texts); err != nil {
		return nil, fmt.Errorf("the arguments of a prompt are texts: %w", err)
	}
	return checked, nil
}

// CompletionAnswer is what came of a request to complete a text.
type CompletionAnswer struct {
	Outcome Result // without a projection
	Values  []string
	Total   int // 0 where the connector does not say
	HasMore bool
}

// isOfCall reports whether every call of a connector has a process to itself.
func (h *Host) isOfCall(idOrName string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	s, err := h.findSlot(idOrName)
	return err == nil && poolOf(s.entry).scope == settings.ScopeCall
}

// Complete asks a connector how a text may go on, starting it if it must. A caller who is not the editor's user is asked for
// (S15). A connector that completes nothing has no values. The error is that of [Host.Call]; outcomes are in the answer.
func (h *Host) Complete(ctx context.Context, request Request, text connector.Completion) (CompletionAnswer, error) {
	asked := map[string]any{"prompt": text.Prompt, "template": text.Template, "argument": text.Argument, "value": text.Value}
	if len(text.Others) > 0 {
		asked["arguments"] = text.Others
	}
	shown, _ := json.Marshal(asked, json.Deterministic(true)) // maps of strings
	reply, outcome, err := h.answers(ctx, errand{
		Request: request, method: completeMethod, what: "have a text completed by this connector", arguments: shown,
		isOfWindow: h.isOfCall(request.Connector), // not a process for each key that is typed
		isFree:     func(*slot) bool { return false },
		send: func(ctx context.Context, process *connector.Connector, o connector.RequestOptions) (connector.CallReply, error) {
			reply, err := process.Complete(ctx, text, o)
			var unsupported *connector.UnsupportedError
			if errors.As(err, &unsupported) {
				return connector.CallReply{ResultType: connector.ResultComplete, Result: []byte(`{}`)}, nil
			}
			return reply, err
		},
	})
	answer := CompletionAnswer{Outcome: outcome, Values: []string{}}
	if err != nil || outcome.Status != StatusOK {
		return answer, err
	}
	answer.Values, answer.Total, answer.HasMore, err = connector.Completions(reply.Result)
	if err != nil {
		answer.Outcome = h.malformed(outcome, request.Connector, err)
	}
	for i := range answer.Values {
		answer.Values[i] = h.redacted(answer.Values[i])
	}
	return answer, nil
}
