package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"pillion/editors"
	"pillion/mcp/host"
	"pillion/rpc/message"
	"pillion/sidecar/attach"
)

const (
	// maxArgumentBytes bounds arguments from standard input, as a message is.
	maxArgumentBytes = 64 << 20
	// cancelTime is how long a call that was cancelled may take to say what became of it.
	cancelTime = 5 * time.Second
)

type callVerb struct {
	Tool      string   `arg:"" help:"The tool, as connector.tool."`
	Arguments string   `arg:"" optional:"" help:"The arguments, one JSON object; - reads them from standard input."`
	Allow     []string `sep:"none" placeholder:"HASH" help:"Let exactly this definition run, for this once; nothing is stored."`
	Output    string   `type:"path" placeholder:"DIR" help:"Keep pictures and other files of the result there."`
	Raw       bool     `help:"Print the text byte for byte; not on a terminal."`
}

// Help explains the verb.
func (callVerb) Help() string {
	return `For example:

  pillion call notes.list_notes
  pillion call notes.write_note '{"name": "todo", "text": "milk"}'

The call is made in the editor's window that is open on this folder; where none is, by this program itself, which starts the one connector and ends it afterwards. Then the project is the folder that you are in if it holds .mcp.json, else the root of its Git repository.

A question about the call, and one about a connector that needs permission, is asked on the terminal itself, with the exact arguments, and in the editor's window. Where nobody can be asked the call is declined. --allow HASH lets one definition, and the code of the repository that it runs, run without a question, for this once, never in an editor's window; HASH is what this command says where permission is missing and nobody can be asked. It allows no call that must ask.

Standard output holds the text of the result, with characters that would act on a terminal shown as \u{…}; then one path a line for each file. Without --output the files of a call that this program made itself lie in a new folder of the system's for temporary files.

With --json it is the CallResult of the editor protocol, with text, contentText and structuredText, whatever became of the call.

Exit codes: 0 the tool answered; 1 it says that it did not succeed, or the call was cancelled or had no answer in time; 2 there is no such tool or the arguments are wrong; 3 declined, refused or without permission; 4 the connector does not run.`
}

// Run calls.
func (v callVerb) Run(p *program) error {
	if v.Raw && p.isTerminal {
		return fail(exitUsage, nil, "--raw does not write to a terminal")
	}
	if err := forPeople(); err != nil {
		return err
	}
	request, err := v.request(p)
	if err != nil {
		return err
	}
	d, _ := openDevice() // without one, what must be asked is declined
	var h hub
	if o := (ownOptions{allowed: v.Allow, hasPerson: d != nil}); len(v.Allow) > 0 {
		h, err = p.host(o)
	} else {
		h, err = p.open(p.ctx, o)
	}
	if err != nil {
		return err
	}
	defer h.close()
	result, err := p.callAllowing(h, d, request)
	if err != nil {
		return err
	}
	if err := v.keepFiles(h, &result); err != nil {
		return err
	}
	if err := v.print(p, h, result); err != nil {
		return err
	}
	return ended(codeOfCall(result.Status))
}

func (v callVerb) request(p *program) (message.ToolCallParams, error) {
	text := v.Arguments
	if text == "-" {
		read, err := io.ReadAll(io.LimitReader(os.Stdin, maxArgumentBytes+1))
		if err != nil {
			return message.ToolCallParams{}, fmt.Errorf("read the arguments: %w", err)
		}
		if len(read) > maxArgumentBytes {
			return message.ToolCallParams{}, fail(exitUsage, nil, "the arguments have more than %d bytes", maxArgumentBytes)
		}
		text = string(read)
	}
	text = strings.TrimSpace(text)
	if text != "" && text[0] != '{' && !p.isJSON {
		return message.ToolCallParams{}, fail(exitUsage, []string{"Write one in quotes, such as: pillion call notes.read_note '{\"name\": \"todo\"}'"},
			"the arguments are not one JSON object")
	}
	request := message.ToolCallParams{Tool: message.ToolRef(v.Tool), ArgumentsText: text, Include: []message.CallPart{message.CallPartText}}
	if p.isJSON {
		request.Include = append(request.Include, message.CallPartContent, message.CallPartStructured)
	}
	return request, nil
}

// callAllowing calls, and where the connector needs permission and a person gives it, calls again.
func (p *program) callAllowing(h hub, d *device, request message.ToolCallParams) (message.CallResult, error) {
	result, err := p.callAsking(h, d, request)
	if err != nil || result.Status != message.CallNeedsConsent || p.ctx.Err() != nil {
		return result, err
	}
	owner, isKnown := p.ownerOf(h, string(request.Tool))
	switch {
	case !isKnown:
		return result, nil
	case d == nil:
		if once := h.allowance(owner); once != "" {
			result.Steps = append(result.Steps, "Or allow exactly this definition, and the code that it runs, for one run: pillion call --allow "+once+" …")
		}
		return result, nil
	}
	_, isAllowed, err := p.allow(p.ctx, h, d, owner)
	if err != nil && !decidedElsewhere(d, err) {
		if errors.Is(err, errUndecided) || p.ctx.Err() != nil {
			return result, nil
		}
		return result, err
	}
	if err == nil && !isAllowed {
		return result, nil
	}
	return p.callAsking(h, d, request)
}

// ownerOf is the connector that needs permission for a tool of this name.
func (p *program) ownerOf(h hub, tool string) (message.Connector, bool) {
	connectors, err := h.connectors(p.ctx)
	if err != nil {
		return message.Connector{}, false
	}
	var owner message.Connector
	for _, c := range connectors {
		// Of two whose names both fit, the longer one is meant.
		if c.State == message.ConnectorWaiting && ownsTool(c.Name, tool) && len(c.Name) > len(owner.Name) {
			owner = c
		}
	}
	return owner, owner.ID != ""
}

// ownsTool reports whether a tool's label or served name begins with the connector's name.
func ownsTool(connector, tool string) bool {
	return strings.HasPrefix(tool, connector+".") || strings.HasPrefix(tool, host.CleanName(connector)+"__")
}

// callAsking calls once and puts the questions of the call.
func (p *program) callAsking(h hub, d *device, request message.ToolCallParams) (message.CallResult, error) {
	request.CallID = message.CallID(host.NewCallID())
	return asking(p, h, d, request.CallID, func(ctx context.Context) (message.CallResult, error) {
		return h.call(ctx, request, p.progressLines())
	})
}

// asking runs what has the id and puts its questions. At the end of the program's context it is cancelled, and may then still
// say what became of it.
func asking[R any](p *program, h hub, d *device, id message.CallID, run func(context.Context) (R, error)) (R, error) {
	questions, stop := context.WithCancel(p.ctx)
	asked := make(chan struct{})
	go func() {
		defer close(asked)
		p.putQuestionsOf(questions, h, d, id)
	}()
	defer func() {
		stop()
		<-asked // the terminal is free again
	}()
	type outcome struct {
		result R
		err    error
	}
	done := make(chan outcome, 1)
	go func() {
		result, err := run(context.WithoutCancel(p.ctx))
		done <- outcome{result, err}
	}()
	select {
	case came := <-done:
		return came.result, lost(misuse(came.err))
	case <-p.ctx.Done():
	}
	ctx, cancel := context.WithTimeout(context.Background(), cancelTime)
	defer cancel()
	h.cancel(ctx, id)
	select {
	case came := <-done:
		return came.result, lost(misuse(came.err))
	case <-ctx.Done():
		var none R
		return none, fail(exitFailed, nil, "the call was cancelled, and nothing is known of it; the tool may have run")
	}
}

// lost says of a window that closed what that means for a call.
func lost(err error) error {
	if errors.Is(err, attach.ErrGone) {
		return fail(exitFailed, nil, "the editor's window closed before the call came back; the tool may have run")
	}
	return err
}

// putQuestionsOf puts the questions of one call on the terminal until ctx ends.
func (p *program) putQuestionsOf(ctx context.Context, h hub, d *device, id message.CallID) {
	for {
		ask, err := h.questions().next(ctx, func(ask message.Ask) bool { return ask.CallID == id || ask.Kind == message.AskInput })
		if err != nil {
			return
		}
		if ask.Kind == message.AskInput && h.window() != "" {
			// Whose start it is that asks is not known here: another connector of the window may.
			p.sayf("A connector waits for a value, in the editor or in a terminal: pillion answer %s", editors.Visible(string(ask.AskID)))
			continue
		}
		if d == nil {
			p.sayf("Waiting for an answer in the editor, or in a terminal: pillion answer %s", editors.Visible(string(ask.AskID)))
			continue
		}
		_, err = p.put(ctx, h, d, ask)
		switch {
		case err == nil, ctx.Err() != nil, decidedElsewhere(d, err):
		case h.window() != "":
			d.show(editors.Visible(err.Error()) + "; the question stays open in the editor.")
		default:
			d.show(editors.Visible(err.Error()) + "; the call is cancelled.")
			h.cancel(ctx, id)
		}
	}
}
