package host

import "context"

// RawAnswer is what came of a request that is no call of a tool, for callers who pass it on.
type RawAnswer struct {
	Outcome Result // without a projection
	// Result is MCP's result object as received but for secrets; nil where the status of the outcome is not StatusOK.
	Result []byte
}

// ReadRaw is [Host.ReadResource] for callers who pass on what was received.
func (h *Host) ReadRaw(ctx context.Context, request Request, uri string) (RawAnswer, error) {
	return h.rawAnswer(ctx, readErrand(request, uri))
}

// PromptRaw is [Host.GetPrompt] for callers who pass on what was received.
func (h *Host) PromptRaw(ctx context.Context, request Request, name string, arguments []byte) (RawAnswer, error) {
	checked, err := checkPromptArguments(arguments)
	if err != nil {
		return RawAnswer{Outcome: Result{CallID: request.CallID, Status: StatusInvalidArguments, Message: err.Error()}}, nil
	}
	return h.rawAnswer(ctx, promptErrand(request, name, checked))
}

func (h *Host) rawAnswer(ctx context.Context, e errand) (RawAnswer, error) {
	reply, outcome, err := h.answers(ctx, e)
	answer := RawAnswer{Outcome: outcome}
	if err == nil && outcome.Status == StatusOK {
		answer.Result, _ = h.knownSecrets().Bytes(reply.Result)
	}
	return answer, err
}
