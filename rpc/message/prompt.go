package message

import (
	"errors"

	"github.com/go-json-experiment/json/jsontext"

	"pillion/rpc"
)

//pillion:section 44 Prompts
//
// A prompt is something that a connector writes for a model, out of a few
// texts. What it writes is the connector's own words: nobody's but data.
//
// Whoever is not the editor's user is asked for, like a call.

// Prompt is one prompt of one connector.
type Prompt struct {
	Connector   ConnectorID      `json:"connector"`
	Name        string           `json:"name"`                 // as the connector calls it
	Title       string           `json:"title,omitzero"`       // its name for people
	Description string           `json:"description,omitzero"` // at most 4 KiB
	Arguments   []PromptArgument `json:"arguments"`
}

// PromptArgument is one text that a prompt is made of.
type PromptArgument struct {
	Name        string `json:"name"`                 // as the connector calls it
	Title       string `json:"title,omitzero"`       // its name for people
	Description string `json:"description,omitzero"` // at most 4 KiB
	Required    bool   `json:"required,omitzero"`    // whether the prompt cannot be made without it
}

// PromptsParams says whose prompts to list: those of one connector, or of all.
type PromptsParams struct {
	Connector ConnectorRef `json:"connector,omitzero"`
}

// PromptsResult lists prompts, in the connectors' own order.
type PromptsResult struct {
	Prompts []Prompt `json:"prompts"`
}

// PromptGetParams names a prompt and the texts that it is made of.
type PromptGetParams struct {
	Connector       ConnectorRef   `json:"connector"`
	Name            string         `json:"name"`                             // as the connector calls it
	Arguments       jsontext.Value `json:"arguments,omitzero" wire:"object"` // texts by name
	CallID          CallID         `json:"callId,omitzero"`                  // for pillion/call/cancel
	SessionID       SessionID      `json:"sessionId,omitzero"`
	ParentSessionID SessionID      `json:"parentSessionId,omitzero"` // session that the caller's session belongs to
	WorkDoneToken   ProgressToken  `json:"workDoneToken,omitzero"`
}

// Check returns what is wrong with the params, as a sentence for -32602.
func (p PromptGetParams) Check() error {
	switch {
	case p.Connector == "":
		return errors.New("connector is missing")
	case p.Name == "":
		return errors.New("name is missing")
	}
	return checkArguments(p.Arguments)
}

// ArgumentBytes returns the arguments as they were sent, and an empty object
// where there are none.
func (p PromptGetParams) ArgumentBytes() []byte { return argumentBytes(p.Arguments) }

// PromptGetResult is what a connector wrote, or why it could not be had.
type PromptGetResult struct {
	Status      CallStatus      `json:"status"`               // what came of it, as of a call
	Description string          `json:"description,omitzero"` // the connector's own words
	Messages    []PromptMessage `json:"messages"`
	Redacted    bool            `json:"redacted,omitzero"` // whether secret values were replaced
	Error       *CallError      `json:"error,omitzero"`    // protocol error of the connector
	Message     string          `json:"message,omitzero"`  // a sentence about the outcome, in Pillion's own words
	Steps       []string        `json:"steps,omitzero"`    // what a person can do about it, in order
}

// PromptRole is whose words a message is. One that is not known reads as user.
type PromptRole string

const (
	PromptUser      PromptRole = "user"      // the user's
	PromptAssistant PromptRole = "assistant" // the model's
)

// PromptMessage is one message of a prompt. Bytes that are no text are
// attachments, never in a message.
type PromptMessage struct {
	Role        PromptRole   `json:"role"`
	Text        string       `json:"text,omitzero"`        // bounded text, as that of a result
	Truncated   bool         `json:"truncated,omitzero"`   // whether the text was cut
	FullTextURI URI          `json:"fullTextUri,omitzero"` // file with the whole text
	Attachments []Attachment `json:"attachments"`
}

// CompletionRef is what has an argument that is being typed: a prompt, or a
// template of resources; one of them.
type CompletionRef struct {
	Prompt      string `json:"prompt,omitzero"`      // name of the prompt
	URITemplate string `json:"uriTemplate,omitzero"` // the template
}

// CompleteParams says what was typed so far, of which argument of what.
type CompleteParams struct {
	Connector       ConnectorRef      `json:"connector"`
	Ref             CompletionRef     `json:"ref"`
	Argument        string            `json:"argument"`           // name of the argument, or variable
	Value           string            `json:"value"`              // what was typed so far
	Arguments       map[string]string `json:"arguments,omitzero"` // the others that have their values already
	SessionID       SessionID         `json:"sessionId,omitzero"`
	ParentSessionID SessionID         `json:"parentSessionId,omitzero"` // session that the caller's session belongs to
}

// Check returns what is wrong with the params, as a sentence for -32602.
func (p CompleteParams) Check() error {
	switch {
	case p.Connector == "":
		return errors.New("connector is missing")
	case (p.Ref.Prompt == "") == (p.Ref.URITemplate == ""):
		return errors.New("name either a prompt or a uriTemplate")
	case p.Argument == "":
		return errors.New("argument is missing")
	}
	return nil
}

// CompleteResult is how the text may go on.
type CompleteResult struct {
	Status  CallStatus `json:"status"`           // what came of it, as of a call
	Values  []string   `json:"values"`           // at most 100, the connector's own words
	Total   int        `json:"total,omitzero"`   // how many there are, where the connector says it
	HasMore bool       `json:"hasMore,omitzero"` // whether there are more
	Message string     `json:"message,omitzero"` // a sentence about the outcome, in Pillion's own words
}

// PromptsChangedParams names the connector whose prompts changed.
type PromptsChangedParams struct {
	Connector ConnectorID `json:"connector"`
}

// Prompts lists prompts, from what is known: it never starts a connector.
var Prompts = rpc.Request[PromptsParams, PromptsResult]{Method: "pillion/prompts"}

// PromptGet has a connector write a prompt, starting the connector if it must.
// Whatever comes of it is a result with a status.
var PromptGet = rpc.Request[PromptGetParams, PromptGetResult]{Method: "pillion/prompt/get"}

// Complete tells how a text that is being typed may go on. A connector that
// completes nothing has no values.
var Complete = rpc.Request[CompleteParams, CompleteResult]{Method: "pillion/complete"}

// PromptsChanged tells that a connector's prompts are others.
var PromptsChanged = rpc.Event[PromptsChangedParams]{Method: "pillion/promptsChanged"}
