package sidecar

import (
	"context"
	"slices"

	"pillion/mcp/host"
	"pillion/rpc"
	"pillion/rpc/message"
)

func (s *Session) resources(ctx context.Context, params message.ResourcesParams) (message.ResourcesResult, error) {
	c, err := s.host(ctx)
	if err != nil {
		return message.ResourcesResult{}, err
	}
	return ResourcesMessage(c.Host, params)
}

// ResourcesMessage lists what a host knows of resources; the error is -32602 for a connector that it does not know.
func ResourcesMessage(h *host.Host, params message.ResourcesParams) (message.ResourcesResult, error) {
	resources, templates, err := h.Resources(string(params.Connector))
	if err != nil {
		return message.ResourcesResult{}, misuse(err)
	}
	wire := message.ResourcesResult{
		Resources: make([]message.Resource, len(resources)), Templates: make([]message.ResourceTemplate, len(templates)),
	}
	for i, r := range resources {
		wire.Resources[i] = message.Resource{
			Connector: message.ConnectorID(r.Connector), URI: r.URI, Name: r.Name, Title: r.Title, Description: r.Description,
			MIMEType: r.MIMEType, Bytes: int(r.SizeBytes),
		}
	}
	for i, t := range templates {
		wire.Templates[i] = message.ResourceTemplate{
			Connector: message.ConnectorID(t.Connector), URITemplate: t.URITemplate, Name: t.Name, Title: t.Title,
			Description: t.Description, MIMEType: t.MIMEType,
		}
	}
	return wire, nil
}

// requestOf is what a caller's request of a connector has beside its subject.
func requestOf(c *client, connector message.ConnectorRef, id message.CallID, session callSession, report *report) host.Request {
	return host.Request{
		Connector: string(connector), CallID: string(id), Caller: c.caller, OnProgress: report.progress,
		SessionID: session.id, ParentSessionID: session.parent, Joined: session.joined,
	}
}

func (s *Session) resourceRead(ctx context.Context, params message.ResourceReadParams) (message.ResourceReadResult, error) {
	if err := params.Check(); err != nil {
		return message.ResourceReadResult{}, rpc.Errorf(rpc.CodeInvalidParams, "%s", err)
	}
	c, err := s.host(ctx)
	if err != nil {
		return message.ResourceReadResult{}, err
	}
	if params.CallID == "" {
		params.CallID = message.CallID(host.NewCallID())
	}
	report := s.progressOf(ctx, params.WorkDoneToken, "Reading a resource", func() { c.CancelCall(string(params.CallID)) })
	caller := callerOf(ctx)
	session := sessionOf(caller, params.SessionID, params.ParentSessionID)
	answer, err := c.ReadResource(ctx, requestOf(caller, params.Connector, params.CallID, session, report), params.URI)
	report.end(string(answer.Outcome.Status))
	if err != nil {
		return message.ResourceReadResult{}, misuse(err)
	}
	return ResourceMessage(answer), nil
}

// ResourceMessage is what came of reading a resource.
func ResourceMessage(a host.ResourceAnswer) message.ResourceReadResult {
	wire := message.ResourceReadResult{
		Status: message.CallStatus(a.Outcome.Status), Message: a.Outcome.Message, Steps: slices.Clone(a.Outcome.Steps), Error: wireError(a.Outcome),
		Contents: make([]message.ResourceContent, len(a.Contents.Contents)), Redacted: a.Contents.Redacted,
	}
	for i, content := range a.Contents.Contents {
		wire.Contents[i] = message.ResourceContent{
			URI: content.URI, MIMEType: content.MIMEType, Text: content.Text, Truncated: content.Truncated,
			FileURI: fileURI(content.Path), Bytes: int(content.Bytes),
		}
	}
	wire.Message = orFirst(wire.Message, a.Contents.Warnings)
	return wire
}

func wireError(r host.Result) *message.CallError {
	if r.Error == nil {
		return nil
	}
	return &message.CallError{Code: r.Error.Code, Message: r.Error.Message}
}

// orFirst is the message, or the first warning where there is none.
func orFirst(text string, warnings []string) string {
	if text == "" && len(warnings) > 0 {
		return warnings[0]
	}
	return text
}
