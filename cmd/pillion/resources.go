package main

import (
	"context"
	"os"
	"strconv"
	"strings"

	"pillion/mcp/host"
	"pillion/rpc/message"
)

type resourcesGrammar struct {
	List resourcesListVerb `cmd:"" default:"withargs" help:"List the resources of connectors."`
	Read resourcesReadVerb `cmd:"" help:"Read one."`
}

type resourcesListVerb struct {
	Connector string `arg:"" optional:"" help:"A connector, by its name or id: it is started if it must be, and may."`
}

// Help explains the verb.
func (resourcesListVerb) Help() string {
	return `Lists what is known of the connectors' resources; nothing is started unless a connector is named. On a terminal it is a table. In a pipe it is one a line, with tabs between connector, address, name, type and size; the address of a template has variables in braces. With --json: {"resources": [Resource], "templates": [ResourceTemplate]}, as in the editor protocol.`
}

// Run lists them.
func (v resourcesListVerb) Run(p *program) error {
	return p.listing(v.Connector, func(h hub, ref message.ConnectorRef, names map[message.ConnectorID]string) error {
		found, err := h.resources(p.ctx, message.ResourcesParams{Connector: ref})
		switch {
		case err != nil:
			return misuse(err)
		case p.isJSON:
			return p.printJSON(found)
		}
		var rows [][]string
		for _, r := range found.Resources {
			size := ""
			if r.Bytes > 0 {
				size = strconv.Itoa(r.Bytes)
			}
			rows = append(rows, []string{names[r.Connector], r.URI, r.Name, r.MIMEType, size})
		}
		for _, t := range found.Templates {
			rows = append(rows, []string{names[t.Connector], t.URITemplate, t.Name, t.MIMEType, ""})
		}
		return p.printRows([]string{"CONNECTOR", "ADDRESS", "NAME", "TYPE", "BYTES"}, rows, "no resources", v.Connector)
	})
}

// listing opens a hub and lists in it, after starting the connector that is named, if one is.
func (p *program) listing(connector string, list func(h hub, ref message.ConnectorRef, names map[message.ConnectorID]string) error) error {
	h, err := p.open(p.ctx, ownOptions{})
	if err != nil {
		return err
	}
	defer h.close()
	connectors, err := h.connectors(p.ctx)
	if err != nil {
		return err
	}
	names := map[message.ConnectorID]string{}
	for _, c := range connectors {
		names[c.ID] = c.Name
	}
	if connector == "" {
		return list(h, "", names)
	}
	if err := forPeople(); err != nil {
		return err
	}
	one, err := connectorNamed(connectors, connector)
	if err != nil {
		return err
	}
	if one.State != message.ConnectorReady {
		if one, err = h.start(p.ctx, one); err != nil {
			return misuse(err)
		}
	}
	switch {
	case one.State == message.ConnectorWaiting:
		return fail(exitNotAllowed, []string{"Review it: " + host.ApproveCommand(one.Name)}, "the connector %q needs permission before it may run", one.Name)
	case one.Problem != nil:
		return fail(exitDown, one.Problem.Steps, "the connector %q does not run: %s", one.Name, one.Problem.Reason)
	case one.State != message.ConnectorReady:
		return fail(exitDown, nil, "the connector %q does not run", one.Name)
	}
	return list(h, message.ConnectorRef(one.ID), names)
}

// printRows prints a table, or says that there is none.
func (p *program) printRows(heading []string, rows [][]string, none, connector string) error {
	if !p.isTerminal {
		heading = nil
	}
	if len(rows) > 0 {
		p.table(heading, rows)
		return nil
	}
	if p.isTerminal && connector == "" {
		p.print("There are " + none + " that are known. Name a connector to have it started and asked.")
	}
	return nil
}

type resourcesReadVerb struct {
	Connector string `arg:"" help:"The connector, by its name or id."`
	URI       string `arg:"" name:"address" help:"The resource, as its connector writes it."`
	Output    string `type:"path" placeholder:"DIR" help:"Keep what is no text there."`
	Raw       bool   `help:"Print the text byte for byte; not on a terminal."`
}

// Help explains the verb.
func (resourcesReadVerb) Help() string {
	return `Reads one resource, in the editor's window that is open on this folder, or by a connector that this program starts and ends. Standard output holds the text, with characters that would act on a terminal shown as \u{…}; then one path a line for each part that is no text. An address that the connector does not list asks first, like a call.

With --json it is the answer of pillion/resource/read in the editor protocol. The exit codes are those of pillion call.`
}

// Run reads.
func (v resourcesReadVerb) Run(p *program) error {
	return p.fetched(v.Connector, v.Output, v.Raw, func(h hub, d *device, ref message.ConnectorRef) (fetched, error) {
		params := message.ResourceReadParams{Connector: ref, URI: v.URI, CallID: message.CallID(host.NewCallID())}
		read, err := asking(p, h, d, params.CallID, func(ctx context.Context) (message.ResourceReadResult, error) { return h.readResource(ctx, params) })
		if err != nil {
			return fetched{}, err
		}
		shown := message.CallResult{Status: read.Status, Error: read.Error, Message: read.Message, Steps: read.Steps, Redacted: read.Redacted}
		got := fetched{whole: &read, shown: &shown}
		var texts []string
		for i, content := range read.Contents {
			text := content.Text
			if content.FileURI != "" {
				got.files = append(got.files, &read.Contents[i].FileURI)
			}
			switch {
			case content.Truncated && content.FileURI != "":
				all, err := os.ReadFile(content.FileURI.FsPath())
				if err != nil {
					return fetched{}, err
				}
				text = string(all)
			case content.FileURI != "":
				shown.Attachments = append(shown.Attachments, message.Attachment{URI: content.FileURI})
				continue
			}
			texts = append(texts, text)
		}
		shown.Text = strings.Join(texts, "\n")
		return got, nil
	})
}

// fetched is what a connector was asked for, whole and as it is shown.
type fetched struct {
	whole any // for --json
	shown *message.CallResult
	files []*message.URI // that end with the hub, in whole
}

// fetched asks a connector for something, and for the permission that it needs, and prints what came.
func (p *program) fetched(connector, output string, isRaw bool, get func(h hub, d *device, ref message.ConnectorRef) (fetched, error)) error {
	if isRaw && p.isTerminal {
		return fail(exitUsage, nil, "--raw does not write to a terminal")
	}
	if err := forPeople(); err != nil {
		return err
	}
	d, _ := openDevice() // without one, what must be asked is declined
	h, err := p.open(p.ctx, ownOptions{hasPerson: d != nil})
	if err != nil {
		return err
	}
	defer h.close()
	connectors, err := h.connectors(p.ctx)
	if err != nil {
		return err
	}
	one, err := connectorNamed(connectors, connector)
	if err != nil {
		return err
	}
	got, err := get(h, d, message.ConnectorRef(one.ID))
	if err == nil && got.shown.Status == message.CallNeedsConsent && d != nil {
		if _, isAllowed, failed := p.allow(p.ctx, h, d, one); failed == nil && isAllowed {
			got, err = get(h, d, message.ConnectorRef(one.ID))
		}
	}
	if err != nil {
		return err
	}
	verb := callVerb{Output: output, Raw: isRaw}
	if err := verb.keepFiles(h, got.shown); err != nil {
		return err
	}
	if !p.isJSON {
		err = verb.print(p, h, *got.shown)
	} else if err = got.keep(h, output); err == nil {
		err = p.printJSON(got.whole)
	}
	if err != nil {
		return err
	}
	return ended(codeOfCall(got.shown.Status))
}

// keep puts the files where they outlive this program, as [callVerb.keepFiles] does.
func (f fetched) keep(h hub, output string) error {
	if len(f.files) == 0 || output == "" && h.window() != "" {
		return nil
	}
	kept := message.CallResult{Attachments: make([]message.Attachment, len(f.files))}
	for i, file := range f.files {
		kept.Attachments[i].URI = *file
	}
	if err := (callVerb{Output: output}).keepFiles(h, &kept); err != nil {
		return err
	}
	for i := range f.files {
		*f.files[i] = kept.Attachments[i].URI
	}
	return nil
}
