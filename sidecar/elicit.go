package sidecar

import (
	"context"

	"pillion/editors"
	"pillion/mcp/host"
	"pillion/rpc/message"
)

// Abilities implements host.Asker: what an editor does not declare to show itself is put to it by plain LSP, but for a model,
// which it has or has not.
func (a asker) Abilities() host.Abilities {
	return host.Abilities{Forms: true, Pages: true, Model: a.session.editor.answers(message.AskSampling)}
}

// Elicit implements host.Asker.
func (a asker) Elicit(ctx context.Context, q host.Elicitation) (host.ElicitationAnswer, error) {
	return Elicit(ctx, a.session.questions, q, func(ask message.Ask) { a.session.askPlainly(ask, q.Caller) })
}

// Elicit puts a connector's question among the questions and waits for the answer; see [editors.Questions.AwaitElicitation].
func Elicit(ctx context.Context, questions *editors.Questions, q host.Elicitation, opened func(message.Ask)) (host.ElicitationAnswer, error) {
	var content []byte // as it was checked when the answer was taken
	answer, by, err := questions.AwaitElicitation(ctx, editors.Question{
		Body: message.ElicitationBody{
			Connector: message.ConnectorID(q.Connector), Name: q.Name, Message: q.Message, SchemaText: string(q.Schema), URL: q.URL,
		},
		CallID: message.CallID(q.CallID), SessionID: message.SessionID(q.SessionID), Asker: wireAsker(q.Caller), Deadline: q.Deadline,
		Accept: func(given message.Answer, _ string) error {
			answer := given.(message.ElicitationAnswer)
			if answer.Action != message.ElicitAccept || q.Check == nil {
				return nil
			}
			var err error
			content, err = q.Check([]byte(answer.ContentText))
			return err
		},
	}, opened)
	if err != nil {
		return host.ElicitationAnswer{}, err
	}
	given := host.ElicitationAnswer{Action: string(answer.Action), By: by}
	if answer.Action == message.ElicitAccept {
		given.Content = content
	}
	return given, nil
}

// Sample implements host.Asker.
func (a asker) Sample(ctx context.Context, r host.Sampling) (host.SamplingAnswer, error) {
	if !a.session.editor.answers(message.AskSampling) {
		return host.SamplingAnswer{}, host.ErrNobody
	}
	answer, by, err := a.session.questions.AwaitSampling(ctx, editors.Question{
		Body:   message.SamplingBody{Connector: message.ConnectorID(r.Connector), Name: r.Name, ParamsText: string(r.Params)},
		CallID: message.CallID(r.CallID), SessionID: message.SessionID(r.SessionID), Asker: wireAsker(r.Caller), Deadline: r.Deadline,
	}, nil)
	if err != nil {
		return host.SamplingAnswer{}, err
	}
	return host.SamplingAnswer{Result: []byte(answer.ResultText), IsDeclined: answer.Declined, By: by}, nil
}
