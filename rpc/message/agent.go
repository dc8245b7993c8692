package message

import (
	"errors"

	"pillion/rpc"
)

//pillion:section 34 Programs that drive a model
//
// What a chat plugin with a model of its own needs of tools: the text for its
// system prompt, the names and schemas of its actions, arguments as models
// really write them, and whether a message needs a running page. Nothing here
// starts a connector or runs a tool; calls are made with pillion/tool/call,
// whose turnId is what keeps a model from making a call twice in a turn.

// AgentPromptParams say which text a prompt has been made with before.
type AgentPromptParams struct {
	Stamp string `json:"stamp,omitzero"` // of the earlier answer; empty for none
}

// AgentPromptResult is the part of a system prompt that names the tools that
// are offered, and what does not belong into it because it changes often.
type AgentPromptResult struct {
	Text   string      `json:"text"`   // a heading and one line a tool, each at most 140 characters; empty without tools
	Tokens int         `json:"tokens"` // about what the text costs
	Stamp  string      `json:"stamp"`  // names this text among all others
	Stale  bool        `json:"stale"`  // whether a prompt with the text of the stamp that was given, cached by the model's provider, is of no use any more
	Down   []AgentDown `json:"down"`   // connectors whose tools cannot be used now
	Now    string      `json:"now"`    // the same as text for the message of a turn, a line each, so that the prompt before it stays as it is; mostly empty
}

// AgentDown is a connector whose tools cannot be used now.
type AgentDown struct {
	Connector ConnectorID    `json:"connector"`
	Name      string         `json:"name"` // its key in its file
	State     ConnectorState `json:"state"`
	Reason    string         `json:"reason"` // a sentence without its full stop
	Steps     []string       `json:"steps"`  // what a person can do about it, in order
}

// AgentPrompt names the tools for a model. The text depends on the tools that
// are offered alone: neither on which connectors run, nor on what may run
// without a question.
var AgentPrompt = rpc.Request[AgentPromptParams, AgentPromptResult]{Method: "pillion/agent/prompt"}

// AgentActionsResult are the names that a model may call tools by.
type AgentActionsResult struct {
	Names      []string `json:"names"`      // served names in order, each at most 48 bytes of letters, digits, _ and -
	SchemaText string   `json:"schemaText"` // JSON Schema that takes one of the names and nothing else
}

// AgentActions lists the names for the schema of a model's actions.
var AgentActions = rpc.Request[Empty, AgentActionsResult]{Method: "pillion/agent/actions"}

// AgentArgumentsParams name a tool.
type AgentArgumentsParams struct {
	Tool ToolRef `json:"tool"`
}

// Check returns what is wrong with the params, as a sentence for -32602.
func (p AgentArgumentsParams) Check() error { return checkToolRef(p.Tool) }

// AgentArgumentsResult is what a tool takes, as a model is told.
type AgentArgumentsResult struct {
	Tool        string   `json:"tool"`        // served name
	SchemaText  string   `json:"schemaText"`  // JSON Schema of an object, as its connector listed it but for $schema
	Nothing     bool     `json:"nothing"`     // whether there is nothing to fill in: the arguments are {}
	Required    []string `json:"required"`    // members that must be there
	Undescribed []string `json:"undescribed"` // those of them that the schema says nothing of: a fault of the connector
}

// AgentArguments says what one tool takes. A tool without a schema that can be
// read is -32602.
var AgentArguments = rpc.Request[AgentArgumentsParams, AgentArgumentsResult]{Method: "pillion/agent/arguments"}

// AgentCleanParams are arguments as a model wrote them.
type AgentCleanParams struct {
	Tool ToolRef `json:"tool"`
	Text string  `json:"text"` // all that it wrote for them
}

// Check returns what is wrong with the params, as a sentence for -32602.
func (p AgentCleanParams) Check() error { return checkToolRef(p.Tool) }

// AgentCleanResult are arguments that a call can be made with, or what is
// wrong with them, to be told to the model.
type AgentCleanResult struct {
	ArgumentsText string   `json:"argumentsText,omitzero"` // for pillion/tool/call; digits and order as the model wrote them
	Changes       []string `json:"changes"`                // what was changed, a few words each with its JSON pointer
	Missing       []string `json:"missing"`                // required members that are not there
	Fault         string   `json:"fault,omitzero"`         // why there are no arguments, a sentence without its full stop
}

// AgentClean reads arguments as models really write them: JSON in a fence or in
// a string, nothing, null for an optional member, a number in a string where
// the schema wants a number. What is not surely meant stays as it is, for
// pillion/tool/call to name.
var AgentClean = rpc.Request[AgentCleanParams, AgentCleanResult]{Method: "pillion/agent/clean"}

// AgentHintParams are what somebody wrote to a model.
type AgentHintParams struct {
	Message string `json:"message"` // the whole of it; of a long one its beginning and end are read
}

// AgentHintResult says whether a message needs a running page.
type AgentHintResult struct {
	NeedsPage bool   `json:"needsPage"`       // whether its sender wants something seen or done in a running page
	Reason    string `json:"reason,omitzero"` // what in the message says so, a clause
}

// AgentHint looks at the message alone. It rather misses a message than starts
// a browser for one about code, and starts none itself.
var AgentHint = rpc.Request[AgentHintParams, AgentHintResult]{Method: "pillion/agent/hint"}

func checkToolRef(tool ToolRef) error {
	if tool == "" {
		return errors.New("tool is missing")
	}
	return nil
}
