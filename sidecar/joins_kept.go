package sidecar

import (
	"context"
	"slices"

	"pillion/mcp/admission"
	"pillion/rpc"
	"pillion/rpc/message"
)

// joinRecords are the answers that stand, to the question whether a program may join.
func (s *Session) joinRecords(ctx context.Context, _ message.Empty) (message.JoinsResult, error) {
	c, err := s.host(ctx)
	if err != nil {
		return message.JoinsResult{}, err
	}
	return message.JoinsResult{Records: JoinMessages(c.Admissions.Records())}, nil
}

// JoinMessages are the answers as a client is told of them; the list is never nil.
func JoinMessages(records []admission.Record) []message.JoinRecord {
	wire := make([]message.JoinRecord, len(records))
	for i, r := range records {
		wire[i] = message.JoinRecord{Program: r.Program.Path, Parent: r.Program.Parent, Decision: message.JoinDecision(r.Decision), At: r.At.UTC()}
	}
	return wire
}

// joinForget takes one back.
func (s *Session) joinForget(ctx context.Context, params message.JoinForgetParams) (message.Empty, error) {
	c, err := s.host(ctx)
	if err != nil {
		return message.Empty{}, err
	}
	p := admission.Program{Path: params.Program, Parent: params.Parent}
	if !slices.ContainsFunc(c.Admissions.Records(), func(r admission.Record) bool { return r.Program == p }) {
		return message.Empty{}, rpc.Errorf(rpc.CodeInvalidParams, "nothing stands about this program")
	}
	return message.Empty{}, s.wished(c.Admissions.Forget(ctx, p))
}
