package sidecar

import (
	"context"

	"pillion/mcp/config"
	"pillion/mcp/host"
	"pillion/mcp/why"
	"pillion/rpc"
	"pillion/rpc/message"
	"pillion/sidecar/configdoc"
)

// why tells what keeps a connector or a tool away.
func (s *Session) why(ctx context.Context, params message.WhyParams) (message.WhyResult, error) {
	if err := params.Check(); err != nil {
		return message.WhyResult{}, rpc.Errorf(rpc.CodeInvalidParams, "%s", err)
	}
	c, err := s.host(ctx)
	if err != nil {
		return message.WhyResult{}, err
	}
	reasons, err := reasonsFor(c.Host, params)
	if err != nil {
		return message.WhyResult{}, misuse(err)
	}
	return message.WhyResult{Reasons: s.wireReasons(reasons)}, nil
}

func reasonsFor(h *host.Host, params message.WhyParams) ([]why.Reason, error) {
	if params.Connector != "" {
		return h.WhyConnector(string(params.Connector))
	}
	return h.WhyTool(string(params.Tool))
}

func (s *Session) wireReasons(reasons []why.Reason) []message.Reason {
	return wireReasons(reasons, s.rangeIn)
}

// wireReasons are reasons as an editor sees them; rangeIn tells where a span of a file lies.
func wireReasons(reasons []why.Reason, rangeIn func(string, config.Span) *message.Range) []message.Reason {
	wire := make([]message.Reason, len(reasons))
	for i, r := range reasons {
		wire[i] = message.Reason{Kind: message.ReasonKind(r.Kind), Text: r.Text, URI: fileURI(r.At.File), Range: rangeIn(r.At.File, r.At.Span)}
	}
	return wire
}

// WhyMessage is what a host in this process says to [message.Why]. The error is that of the host.
func WhyMessage(h *host.Host, params message.WhyParams) (message.WhyResult, error) {
	reasons, err := reasonsFor(h, params)
	if err != nil {
		return message.WhyResult{}, err
	}
	return message.WhyResult{Reasons: wireReasons(reasons, func(path string, span config.Span) *message.Range {
		return rangeOf(h.Documents(), path, span, configdoc.Units{IsUTF16: true})
	})}, nil
}

// rangeOf is where a span of one of the files lies; nil for none.
func rangeOf(documents []*config.Document, path string, span config.Span, units configdoc.Units) *message.Range {
	for _, document := range documents {
		if document.File.Path == path && span.End > span.Start {
			r := units.Range(config.NewLines(document.Text), span)
			return &r
		}
	}
	return nil
}
