package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"pillion/editors"
	"pillion/mcp/host"
	"pillion/rpc"
	"pillion/rpc/message"
)

type whyVerb struct {
	Name string `arg:"" help:"A connector, by its name or id, or a tool, by its label, served name or id."`
}

// Help explains the verb.
func (whyVerb) Help() string {
	return `Says why a connector or a tool is not there, or may not be called: every reason, in the order in which one meets them, and where a file says so. It starts nothing. Where nothing is in the way it says that, and a call may still ask.

With --json: {"name": string, "reasons": [{"kind", "text", "uri", "range"}]}, as in the editor protocol. A name that nothing has ends with code 2 and names that may have been meant.`
}

// whyShape is what why --json prints.
type whyShape struct {
	Name    string           `json:"name"`
	Reasons []message.Reason `json:"reasons"`
}

// Run says it.
func (v whyVerb) Run(p *program) error {
	h, err := p.open(p.ctx, ownOptions{})
	if err != nil {
		return err
	}
	defer h.close()
	found, err := v.reasons(p.ctx, h)
	if err != nil {
		return err
	}
	if p.isJSON {
		return p.printJSON(whyShape{v.Name, found.Reasons})
	}
	if len(found.Reasons) == 0 {
		p.print("Nothing keeps " + editors.Quoted(v.Name) + " away.")
		return nil
	}
	for _, reason := range found.Reasons {
		p.print(editors.Visible(reason.Text))
		if at := placeOf(reason); at != "" {
			p.print("  " + editors.Visible(at))
		}
	}
	return nil
}

// reasons asks about a connector of the name first, and about a tool then.
func (v whyVerb) reasons(ctx context.Context, h hub) (message.WhyResult, error) {
	found, err := h.why(ctx, message.WhyParams{Connector: message.ConnectorRef(v.Name)})
	if err == nil || !isMisuse(err) {
		return found, err
	}
	found, toolErr := h.why(ctx, message.WhyParams{Tool: message.ToolRef(v.Name)})
	if toolErr == nil || !isMisuse(toolErr) {
		return found, toolErr
	}
	steps := []string{"See what there is: pillion mcp list"}
	return message.WhyResult{}, fail(exitUsage, steps, "%s; %s", strings.TrimSuffix(sentenceOf(err), "?"), sentenceOf(toolErr))
}

// isMisuse reports whether an error says that there is nothing of a name.
func isMisuse(err error) bool {
	var unknown *host.UnknownError
	var fault *rpc.Error
	return errors.As(err, &unknown) || errors.As(err, &fault) && fault.Code == rpc.CodeInvalidParams
}

// sentenceOf is what an error says without its code.
func sentenceOf(err error) string {
	var fault *rpc.Error
	if errors.As(err, &fault) {
		return fault.Message
	}
	return err.Error()
}

// placeOf is a file and the line in it.
func placeOf(reason message.Reason) string {
	switch {
	case reason.URI == "":
		return ""
	case reason.Range == nil:
		return reason.URI.FsPath()
	}
	return fmt.Sprintf("%s:%s", reason.URI.FsPath(), strconv.FormatUint(uint64(reason.Range.Start.Line)+1, 10))
}
