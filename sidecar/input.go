package sidecar

import (
	"context"

	"pillion/editors"
	"pillion/mcp/host"
	"pillion/mcp/redact"
	"pillion/rpc/message"
)

// AskInput implements host.Asker.
func (a asker) AskInput(ctx context.Context, q host.InputQuestion) (host.InputAnswer, error) {
	s := a.session
	answer, err := AskInput(ctx, s.questions, wireAsker(s.own.caller), q, func(ask message.Ask) { s.askPlainly(ask, s.own.caller) })
	if err == nil && q.Input.IsSecret && !answer.IsCancelled && len(answer.Value) < redact.MinBytes {
		s.editor.showMessage(s, messageWarning, "Pillion: "+editors.Visible(host.ShortSecret(q.Input.ID))+".")
	}
	return answer, err
}

// AskInput puts a host's question for a value among the questions and waits for the answer; see
// [editors.Questions.AwaitInput].
func AskInput(ctx context.Context, questions *editors.Questions, asker message.Asker, q host.InputQuestion, opened func(message.Ask)) (host.InputAnswer, error) {
	body := message.InputBody{
		Connector: message.ConnectorID(q.Connector), ID: q.Input.ID, Description: q.Input.Description, Secret: q.Input.IsSecret,
		Options: q.Input.Options, Default: q.Input.Default, Destination: q.Destination,
	}
	answer, by, err := questions.AwaitInput(ctx, editors.Question{Body: body, Asker: asker}, opened)
	switch {
	case err != nil:
		return host.InputAnswer{}, err
	case answer.Value == nil:
		return host.InputAnswer{IsCancelled: true, By: by}, nil
	}
	return host.InputAnswer{Value: *answer.Value, By: by}, nil
}
