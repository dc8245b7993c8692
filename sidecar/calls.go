package sidecar

import (
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"unicode/utf8"

	"pillion/mcp/host"
	"pillion/rpc"
	"pillion/rpc/message"
)

func (s *Session) calls(ctx context.Context, _ message.Empty) (message.CallsResult, error) {
	c, err := s.host(ctx)
	if err != nil {
		return message.CallsResult{}, err
	}
	entries := c.Calls()
	slices.Reverse(entries)
	result := message.CallsResult{Calls: make([]message.CallSummary, len(entries))}
	for i, entry := range entries {
		result.Calls[i] = message.CallSummary{
			CallID: message.CallID(entry.CallID), Tool: entry.Tool, State: message.CallState(entry.State), At: entry.At.UTC(),
		}
	}
	return result, nil
}

func (s *Session) call(ctx context.Context, params message.CallParams) (message.CallDetailResult, error) {
	c, err := s.host(ctx)
	if err != nil {
		return message.CallDetailResult{}, err
	}
	entry, err := c.FindCall(string(params.CallID))
	if err != nil {
		return message.CallDetailResult{}, err
	}
	detail := message.CallDetailResult{State: message.CallState(entry.State)}
	if entry.Result != nil {
		result := ResultMessage(*entry.Result, func(part message.CallPart) bool { return part == message.CallPartText })
		detail.Result = &result
	}
	return detail, nil
}

func (s *Session) callCancel(ctx context.Context, params message.CallParams) (message.Empty, error) {
	c, err := s.host(ctx)
	if err != nil {
		return message.Empty{}, err
	}
	if !c.CancelCall(string(params.CallID)) {
		return message.Empty{}, rpc.Errorf(rpc.CodeInvalidParams, "there is no open call %q", params.CallID)
	}
	return message.Empty{}, nil
}

// defaultReadBytes is how much of a text one request reads when it names no limit.
const (
	defaultReadBytes = 256 << 10
	maxReadBytes     = 4 << 20
)

func (s *Session) resultRead(ctx context.Context, params message.ResultReadParams) (message.ResultReadResult, error) {
	if err := params.Check(); err != nil {
		return message.ResultReadResult{}, rpc.Errorf(rpc.CodeInvalidParams, "%s", err)
	}
	c, err := s.host(ctx)
	if err != nil {
		return message.ResultReadResult{}, err
	}
	entry, err := c.FindCall(string(params.CallID))
	if err != nil {
		return message.ResultReadResult{}, err
	}
	if entry.Result == nil {
		return message.ResultReadResult{}, rpc.Errorf(rpc.CodeInvalidParams, "there is no result of the call %q", params.CallID)
	}
	limit := params.Limit
	if limit <= 0 {
		limit = defaultReadBytes
	}
	return readText(entry.Result, params.Offset, max(utf8.UTFMax, min(limit, maxReadBytes))) // a page has a character at least
}

func readText(r *host.Result, offset, limit int) (message.ResultReadResult, error) {
	part := make([]byte, limit)
	var size int
	if path := r.Projection.FullTextPath; path != "" {
		file, err := os.Open(path)
		if err != nil {
			return message.ResultReadResult{}, err
		}
		defer file.Close()
		n, err := file.ReadAt(part, int64(offset))
		if err != nil && !errors.Is(err, io.EOF) {
			return message.ResultReadResult{}, err
		}
		info, err := file.Stat()
		if err != nil {
			return message.ResultReadResult{}, err
		}
		part, size = part[:n], int(info.Size())
	} else {
		text := r.Projection.Text
		start := min(offset, len(text))
		part, size = part[:copy(part, text[start:])], len(text)
	}
	if len(part) > 0 && !utf8.RuneStart(part[0]) {
		return message.ResultReadResult{}, rpc.Errorf(rpc.CodeInvalidParams, "offset %d lies within a character", offset)
	}
	if end := offset + len(part); end < size {
		for len(part) > 0 && !utf8.Valid(lastRune(part)) {
			part = part[:len(part)-1]
		}
		next := offset + len(part)
		return message.ResultReadResult{Text: string(part), NextOffset: &next}, nil
	}
	return message.ResultReadResult{Text: string(part)}, nil
}

// lastRune is the character that the text ends in, whole or cut.
func lastRune(text []byte) []byte {
	start := len(text) - 1
	for start > 0 && len(text)-start < utf8.UTFMax && !utf8.RuneStart(text[start]) {
		start--
	}
	return text[start:]
}
