package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"pillion/mcp/host"
	"pillion/rpc/message"
)

type promptsGrammar struct {
	List promptsListVerb `cmd:"" default:"withargs" help:"List the prompts of connectors."`
	Get  promptsGetVerb  `cmd:"" help:"Have one filled in and print it."`
}

type promptsListVerb struct {
	Connector string `arg:"" optional:"" help:"A connector, by its name or id: it is started if it must be, and may."`
}

// Help explains the verb.
func (promptsListVerb) Help() string {
	return `Lists what is known of the connectors' prompts; nothing is started unless a connector is named. On a terminal it is a table. In a pipe it is one a line, with tabs between connector, name, arguments and description; an argument that may be left out stands in brackets. With --json: {"prompts": [Prompt]}, as in the editor protocol.`
}

// Run lists them.
func (v promptsListVerb) Run(p *program) error {
	return p.listing(v.Connector, func(h hub, ref message.ConnectorRef, names map[message.ConnectorID]string) error {
		found, err := h.prompts(p.ctx, message.PromptsParams{Connector: ref})
		switch {
		case err != nil:
			return misuse(err)
		case p.isJSON:
			return p.printJSON(found)
		}
		var rows [][]string
		for _, prompt := range found.Prompts {
			var arguments []string
			for _, a := range prompt.Arguments {
				if a.Required {
					arguments = append(arguments, a.Name)
				} else {
					arguments = append(arguments, "["+a.Name+"]")
				}
			}
			rows = append(rows, []string{names[prompt.Connector], prompt.Name, strings.Join(arguments, " "), prompt.Description})
		}
		return p.printRows([]string{"CONNECTOR", "PROMPT", "ARGUMENTS", "DESCRIPTION"}, rows, "no prompts", v.Connector)
	})
}

type promptsGetVerb struct {
	Connector string   `arg:"" help:"The connector, by its name or id."`
	Name      string   `arg:"" name:"prompt" help:"The prompt, as its connector calls it."`
	Arguments []string `arg:"" optional:"" name:"name=value" help:"The texts that it is made of."`
	Output    string   `type:"path" placeholder:"DIR" help:"Keep what is no text there."`
	Raw       bool     `help:"Print the text byte for byte; not on a terminal."`
}

// Help explains the verb.
func (promptsGetVerb) Help() string {
	return `Has a connector write a prompt, in the editor's window that is open on this folder, or by a connector that this program starts and ends. It asks first, like a call. Standard output holds the messages one after the other, each below a line that says whose words it is; then one path a line for each file.

With --json it is the answer of pillion/prompt/get in the editor protocol. The exit codes are those of pillion call.`
}

// Run has it written.
func (v promptsGetVerb) Run(p *program) error {
	texts := map[string]string{}
	for _, argument := range v.Arguments {
		name, value, hasValue := strings.Cut(argument, "=")
		if _, isRepeated := texts[name]; !hasValue || name == "" || isRepeated {
			return fail(exitUsage, nil, "write each argument once, as name=value, not %q", argument)
		}
		texts[name] = value
	}
	raw, err := json.Marshal(texts)
	if err != nil {
		return fmt.Errorf("encode the arguments: %w", err)
	}
	return p.fetched(v.Connector, v.Output, v.Raw, func(h hub, d *device, ref message.ConnectorRef) (fetched, error) {
		params := message.PromptGetParams{Connector: ref, Name: v.Name, Arguments: raw, CallID: message.CallID(host.NewCallID())}
		got, err := asking(p, h, d, params.CallID, func(ctx context.Context) (message.PromptGetResult, error) { return h.getPrompt(ctx, params) })
		if err != nil {
			return fetched{}, err
		}
		shown := message.CallResult{Status: got.Status, Error: got.Error, Message: got.Message, Steps: got.Steps, Redacted: got.Redacted}
		out := fetched{whole: &got, shown: &shown}
		var texts []string
		for i := range got.Messages {
			m := &got.Messages[i]
			texts = append(texts, fmt.Sprintf("[%s]\n%s", m.Role, m.Text))
			shown.Attachments = append(shown.Attachments, m.Attachments...)
			for j := range m.Attachments {
				out.files = append(out.files, &m.Attachments[j].URI)
			}
			if m.FullTextURI != "" {
				out.files = append(out.files, &m.FullTextURI)
			}
		}
		shown.Text = strings.Join(texts, "\n")
		return out, nil
	})
}
