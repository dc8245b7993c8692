package serve

import (
	"context"
	"fmt"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"pillion/mcp/connector"
	"pillion/mcp/host"
)

// decode reads what a connector says, which is not held to names that stand once.
func decode(value jsontext.Value, to any) error {
	return json.Unmarshal(value, to, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
}

// namedPrompts are the prompts of the host, and the names that they are served under.
func (s *Server) namedPrompts() ([]host.Prompt, []string) {
	prompts, _ := s.host.Prompts("")
	named := make([]named, len(prompts))
	for i, p := range prompts {
		named[i] = namedOf(p.Name, p.ServedName)
	}
	return prompts, chooseNames(named, s.options.Unprefixed)
}

// promptNamed is the prompt that goes by a name.
func (s *Server) promptNamed(name string) (host.Prompt, bool) {
	prompts, names := s.namedPrompts()
	for i, served := range names {
		if served == name {
			return prompts[i], true
		}
	}
	return host.Prompt{}, false
}

// servedPrompts are the entries of all prompts.
func (s *Server) servedPrompts() []entry {
	prompts, names := s.namedPrompts()
	all := make([]entry, len(prompts))
	for i, p := range prompts {
		members := texts("name", names[i], "title", p.Title, "description", p.Description)
		var arguments [][]byte
		for _, a := range p.Arguments {
			argument := texts("name", a.Name, "title", a.Title, "description", a.Description)
			if a.IsRequired {
				argument = append(argument, member{"required", jsontext.Value(strconv.FormatBool(true))})
			}
			arguments = append(arguments, objectOf(argument...))
		}
		if len(arguments) > 0 {
			members = append(members, member{"arguments", arrayOf(arguments)})
		}
		all[i] = entry{names[i], objectOf(append(members, passed(p.Passed)...)...)}
	}
	return all
}

func (s *Server) listPrompts(ctx context.Context, r *request, cursor string) (mcp.Result, error) {
	s.settled(ctx)
	return r.list("prompts", s.servedPrompts(), cursor)
}

func (s *Server) getPrompt(ctx context.Context, r *request, params *mcp.GetPromptParams) (mcp.Result, error) {
	prompt, isKnown := s.promptNamed(params.Name)
	if !isKnown {
		s.settled(ctx)
		prompt, isKnown = s.promptNamed(params.Name)
	}
	if !isKnown {
		return nil, invalidParams("there is no prompt " + string(text(params.Name)))
	}
	arguments, err := json.Marshal(params.Arguments, json.Deterministic(true))
	if err != nil {
		return nil, invalidParams("the arguments are not texts: " + err.Error())
	}
	name := s.addresses().names[prompt.Connector]
	about := aboutOf("prompts/get", text(params.Name), arguments)
	return s.fly(ctx, r, about, rounds{params.InputResponses, params.RequestState}, func(ctx context.Context, h hearing) (mcp.Result, error) {
		h = h.of(name)
		asked := r.hostRequest(prompt.Connector)
		asked.OnProgress, asked.OnLog, asked.LogLevel, asked.Answering = h.progress, h.logs, h.level, h.answering
		answer, err := s.host.PromptRaw(ctx, asked, prompt.Name, arguments)
		switch {
		case err != nil:
			return nil, misuse(err)
		case answer.Outcome.Status != host.StatusOK:
			return nil, refusal(answer.Outcome)
		}
		members, err := saidBy(answer.Result)
		if err != nil {
			return nil, misuse(fmt.Errorf("the answer of the connector cannot be read: %w", err))
		}
		return r.reply(sourced(members, name), false), nil
	})
}

// complete has a text completed by whoever has the prompt or the template that it belongs to.
func (s *Server) complete(ctx context.Context, r *request, params *mcp.CompleteParams) (mcp.Result, error) {
	asked := connector.Completion{Argument: params.Argument.Name, Value: params.Argument.Value}
	if params.Context != nil {
		asked.Others = params.Context.Arguments
	}
	of := ""
	switch ref := params.Ref; {
	case ref == nil:
		return nil, invalidParams("ref is missing")
	case ref.Type == "ref/prompt":
		prompt, isKnown := s.promptNamed(ref.Name)
		if !isKnown {
			return nil, invalidParams("there is no prompt " + string(text(ref.Name)))
		}
		of, asked.Prompt = prompt.Connector, prompt.Name
	default:
		owner, uri, isKnown := s.addresses().owner(ref.URI)
		if !isKnown {
			return nil, invalidParams("there is no resource template " + string(text(ref.URI)))
		}
		of, asked.Template = owner, uri
	}
	answer, err := s.host.Complete(ctx, r.hostRequest(of), asked)
	switch {
	case err != nil:
		return nil, misuse(err)
	case answer.Outcome.Status != host.StatusOK:
		return nil, refusal(answer.Outcome)
	}
	values := make([][]byte, len(answer.Values))
	for i, value := range answer.Values {
		values[i] = text(value)
	}
	completion := []member{{"values", arrayOf(values)}, {"hasMore", jsontext.Value(strconv.FormatBool(answer.HasMore))}}
	if answer.Total > 0 {
		completion = append(completion, member{"total", jsontext.Value(strconv.Itoa(answer.Total))})
	}
	return r.reply([]member{{"completion", objectOf(completion...)}}, false), nil
}
