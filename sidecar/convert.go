package sidecar

import (
	"slices"

	"github.com/go-json-experiment/json/jsontext"
	"go.lsp.dev/uri"

	"pillion/mcp/config"
	"pillion/mcp/host"
	"pillion/mcp/result"
	"pillion/rpc/message"
	"pillion/sidecar/configdoc"
)

// wireConnector is a connector as the editor sees it.
func (s *Session) wireConnector(c host.Connector) message.Connector {
	wire := ConnectorMessage(c)
	wire.Range = s.rangeIn(c.File, c.KeySpan)
	if s.core != nil {
		wire.LogURI = fileURI(s.core.LogFile(c.ID))
	}
	return wire
}

// ConnectorMessage is a connector without its place in its file, which depends on how an editor counts.
func ConnectorMessage(c host.Connector) message.Connector {
	wire := message.Connector{
		ID: message.ConnectorID(c.ID), Name: c.Name, Root: fileURI(c.Root), State: message.ConnectorState(c.State),
		Source: message.Source(c.Source), URI: fileURI(c.File), Hash: c.Hash,
		Transport: message.Transport(c.Transport), Tools: c.Tools, Resources: c.Resources, Prompts: c.Prompts,
		Tokens: c.Tokens, Generation: c.Generation, ShadowedBy: message.ConnectorID(c.ShadowedBy),
		Processes: []message.ConnectorProcess{}, Warnings: c.Warnings, Pinned: c.IsPinned, Phase: c.Phase,
		Stale: c.IsStale, AliasOf: message.ConnectorID(c.AliasOf), Profiles: c.Profiles,
	}
	if !c.ListedAt.IsZero() {
		wire.ListedAt = new(c.ListedAt.UTC())
	}
	for _, by := range c.OffBy {
		wire.DisabledBy = append(wire.DisabledBy, message.DisabledBy(by))
	}
	if c.Server.Name != "" {
		wire.Server = &message.ServerIdentity{Name: c.Server.Name, Version: c.Server.Version, ProtocolVersion: c.Server.ProtocolVersion, Instructions: c.Server.Instructions}
	}
	for _, p := range c.Processes {
		wire.Processes = append(wire.Processes, message.ConnectorProcess{PID: p.PID, SessionID: message.SessionID(p.SessionID), StartedAt: p.StartedAt.UTC()})
	}
	if p := c.Problem; p != nil {
		wire.Problem = &message.ConnectorProblem{
			Kind: message.ProblemKind(p.Kind), Reason: p.Reason, Steps: slices.Clone(p.Steps), LogURI: fileURI(p.LogFile),
		}
	}
	return wire
}

// rangeIn is where a span of a configuration file lies in the editor's units.
func (s *Session) rangeIn(path string, span config.Span) *message.Range {
	if s.core == nil || span.End <= span.Start {
		return nil
	}
	for _, document := range s.core.Documents() {
		if document.File.Path == path {
			r := configdoc.Units{IsUTF16: s.editor.isUTF16()}.Range(s.linesOf(document), span)
			return &r
		}
	}
	return nil
}

// linesOf is the index of a document's lines; that of the last version of each file is kept.
func (s *Session) linesOf(document *config.Document) *config.Lines {
	s.linesMu.Lock()
	defer s.linesMu.Unlock()
	if kept := s.lines[document.File.Path]; kept.document == document {
		return kept.lines
	}
	if s.lines == nil {
		s.lines = map[string]keptLines{}
	}
	lines := config.NewLines(document.Text)
	s.lines[document.File.Path] = keptLines{document, lines}
	return lines
}

// keptLines is the index of one version of a file.
type keptLines struct {
	document *config.Document
	lines    *config.Lines
}

func fileURI(path string) message.URI {
	if path == "" {
		return ""
	}
	return uri.File(path)
}

// ToolMessage is a tool as an editor sees it; the summary form leaves out what is long.
func ToolMessage(t host.Tool, detail message.ToolDetailLevel) message.Tool {
	wire := message.Tool{
		ID: message.ToolID(t.ID), Label: t.Label, ServedName: t.ServedName, Connector: message.ConnectorID(t.Connector),
		Name: t.Name, Title: t.Title, Summary: t.Summary, Tokens: t.Tokens,
		Permission: message.ToolPermission(t.Permission), Hash: t.Hash, State: message.ToolState(t.State), Tags: t.Tags,
	}
	if detail == message.ToolFull {
		wire.Description, wire.InputSchemaText, wire.OutputSchemaText = t.Description, string(t.InputSchema), string(t.OutputSchema)
		if len(t.Annotations) > 0 {
			wire.Annotations = jsontext.Value(t.Annotations)
		}
	}
	return wire
}

// ResultMessage is what came of a call, in the forms that the caller wants.
func ResultMessage(r host.Result, includes func(message.CallPart) bool) message.CallResult {
	wire := message.CallResult{
		CallID: message.CallID(r.CallID), Tool: r.Tool, Status: message.CallStatus(r.Status), Message: r.Message,
		Steps: slices.Clone(r.Steps), Advice: r.Advice, MayHaveRun: r.MayHaveRun, DurationMS: int(r.Duration.Milliseconds()),
		Redacted: r.Projection.Redacted, Attachments: []message.Attachment{},
	}
	wire.TaskID = r.TaskID
	if r.AllowedBy != "" {
		wire.Allowed = &message.Allowance{By: message.AllowedBy(r.AllowedBy), Rule: r.Rule}
	}
	if d := r.ArgumentFault; d != nil {
		wire.Errors = []message.ArgumentFault{{Path: d.Path, Message: d.Reason}}
	}
	if r.Error != nil {
		wire.Error = &message.CallError{Code: r.Error.Code, Message: r.Error.Message}
	}
	if includes(message.CallPartText) {
		wire.Text, wire.Truncated = r.Projection.Text, r.Projection.Truncated
		wire.FullTextURI = fileURI(r.Projection.FullTextPath)
		wire.Attachments = wireAttachments(r.Projection.Attachments)
	}
	if includes(message.CallPartContent) {
		wire.ContentText = string(r.Projection.Content)
	}
	if includes(message.CallPartStructured) {
		wire.StructuredText = string(r.Projection.Structured)
	}
	if len(r.Projection.Warnings) > 0 && wire.Message == "" {
		wire.Message = r.Projection.Warnings[0]
	}
	return wire
}

func wireAttachments(attachments []result.Attachment) []message.Attachment {
	wire := make([]message.Attachment, len(attachments))
	for i, a := range attachments {
		wire[i] = message.Attachment{URI: fileURI(a.Path), MIMEType: a.MIMEType, Bytes: int(a.Bytes), Name: a.Name}
	}
	return wire
}
