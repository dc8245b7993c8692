package sidecar

import (
	"context"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"pillion/editors"
	"pillion/mcp/connector"
	"pillion/mcp/host"
	"pillion/rpc"
	"pillion/rpc/message"
)

// callTool calls a tool at the wish of the editor's user and shows the outcome as a document.
// It answers at once: some clients wait ten seconds for a command (U21).
func (s *Session) callTool(ctx context.Context, arguments message.ToolCallArguments) (message.CommandStarted, error) {
	c, err := s.host(ctx)
	if err != nil {
		return message.CommandStarted{}, err
	}
	if arguments.Tool == "" {
		_, err := s.status(ctx, message.Empty{})
		return message.CommandStarted{}, err
	}
	name := string(arguments.Tool) // which may be an id, and says nothing to a person then
	if tool, err := c.Tool(name); err == nil {
		if len(arguments.Arguments) == 0 && needsArguments(tool) {
			return message.CommandStarted{}, s.openArguments(tool)
		}
		name = tool.Label
	}
	id := host.NewCallID()
	s.afterAnswer(func() { s.callAndShow(id, name, arguments) })
	return message.CommandStarted{CallID: message.CallID(id)}, nil
}

func (s *Session) callAndShow(id, name string, arguments message.ToolCallArguments) {
	ctx, cancel := context.WithCancel(s.lifetime)
	defer cancel()
	report := s.progressOfOwn(ctx, "Calling "+editors.Visible(name), func() { s.core.CancelCall(id) })
	outcome, err := s.core.Call(ctx, host.CallRequest{
		CallID: id, Tool: string(arguments.Tool), Arguments: arguments.ArgumentBytes(), Caller: s.own.caller, OnProgress: report.progress,
	})
	if err == nil && outcome.Status == host.StatusTask {
		outcome, err = s.core.TaskResult(ctx, id, func(t host.Task) { report.progress(connector.Progress{Message: taskWords(t)}) })
	}
	report.end("")
	if s.lifetime.Err() != nil {
		return
	}
	if err != nil {
		s.editor.showMessage(s, messageError, "Pillion: "+editors.Visible(err.Error())+".")
		return
	}
	s.showOutcome(name, outcome)
}

// showOutcome opens what came of a call.
func (s *Session) showOutcome(tool string, outcome host.Result) {
	if s.lifetime.Err() != nil {
		return
	}
	wire := ResultMessage(outcome, func(part message.CallPart) bool { return part == message.CallPartText })
	text := editors.OutcomeText(tool, wire)
	path, err := s.writeDocument(s.shown.name("result", outcome.CallID), text)
	if err != nil {
		s.log.Error("result document not written", "error", err)
		s.editor.showMessage(s, messageInfo, editors.OutcomeLine(tool, wire))
		return
	}
	s.shown.rule(path, outcome.Rule)
	s.editor.showFile(s, path, editors.OutcomeLine(tool, wire))
}

// needsArguments reports whether a call without arguments cannot be meant.
func needsArguments(tool host.Tool) bool {
	var schema struct {
		Required []string `json:"required"`
	}
	return rpc.Unmarshal(tool.InputSchema, &schema) == nil && len(schema.Required) > 0
}

// openArguments opens a document in which the arguments of a call are written; its Run action makes the call (U16).
func (s *Session) openArguments(tool host.Tool) error {
	text := editors.ArgumentsTemplate(tool.Label, jsontext.Value(tool.InputSchema))
	path, err := s.writeDocument(s.shown.name("call", tool.ID), text)
	if err != nil {
		return fmt.Errorf("write the arguments document: %w", err)
	}
	s.shown.arguments(path, tool.ID)
	s.afterAnswer(func() {
		s.editor.showFile(s, path, "Write the arguments of "+editors.Quoted(tool.Label)+", then use the code action Run")
	})
	return nil
}
