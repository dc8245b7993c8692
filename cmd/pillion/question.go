package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"pillion/editors"
	"pillion/rpc/message"
)

// choice is one answer that a person may give.
type choice struct {
	title  string
	answer message.Answer
}

// choicesOf are what may be answered to a question on a terminal, the safest first; none for a kind that only an editor
// shows.
func choicesOf(ask message.Ask) []choice {
	if ask.Kind == message.AskStore {
		leave, confirm := "Leave it: everything goes on asking", "Go on without the decisions that cannot be read"
		if body, err := ask.ParseBody(); err == nil && len(body.(message.StoreBody).Unsealed) > 0 {
			leave, confirm = "Leave it: they do not count", "They are mine: let them count again"
		}
		return []choice{
			{leave, message.StoreAnswer{Decision: message.StoreLater}},
			{confirm, message.StoreAnswer{Decision: message.StoreConfirm}},
		}
	}
	var choices []choice
	for _, offered := range editors.Choices(ask) {
		answer, err := parseAnswer(ask.Kind, offered.Answer)
		if err != nil {
			continue
		}
		choices = append(choices, choice{string(offered.Title) + scopeWords(answer), answer})
	}
	return choices
}

func parseAnswer(kind message.AskKind, raw []byte) (message.Answer, error) {
	switch kind {
	case message.AskConsent:
		return message.ParseConsentAnswer(raw)
	case message.AskWiden:
		return message.ParseWidenAnswer(raw)
	case message.AskJoin:
		return message.ParseJoinAnswer(raw)
	}
	return message.ParseApprovalAnswer(raw)
}

// scopeWords say where an answer would stand.
func scopeWords(answer message.Answer) string {
	approval, isApproval := answer.(message.ApprovalAnswer)
	if !isApproval {
		return ""
	}
	switch approval.Scope {
	case message.PermissionSession:
		return " (until this ends)"
	case message.PermissionProject:
		return " (in this folder)"
	case message.PermissionUser:
		return " (in every folder)"
	}
	return ""
}

// reviewText is the document that shows a question whole, without the blank lines that keep an editor from reading its end
// as settings.
func reviewText(ask message.Ask) string {
	text := strings.TrimRight(editors.ReviewText(ask, ""), "\n")
	if text != "" {
		text += "\n"
	}
	return text
}

// put shows a question whole, reads the answer from the terminal and gives it. The error is [errUndecided] where nothing
// was decided, [errNotTaken] where the answer came to nothing, and a [*closedError] where the question ended elsewhere.
func (p *program) put(ctx context.Context, h hub, d *device, ask message.Ask) (choice, error) {
	if body, err := ask.ParseBody(); err == nil {
		if input, isInput := body.(message.InputBody); isInput {
			return p.putInput(ctx, h, d, ask, input)
		}
		if asked, isAsked := body.(message.ElicitationBody); isAsked {
			return p.putElicitation(ctx, h, d, ask, asked)
		}
	}
	choices := choicesOf(ask)
	text := reviewText(ask)
	if len(choices) == 0 || text == "" {
		return choice{}, fail(exitUnanswered, []string{"Answer it in the editor."}, "a question of the kind %q cannot be answered on a terminal", ask.Kind)
	}
	titles := make([]string, len(choices))
	for i, c := range choices {
		titles[i] = c.title
	}
	open, cancel := h.questions().whileOpen(ctx, ask.AskID)
	defer cancel()
	chosen, err := d.choose(open, text, titles)
	if err != nil {
		return choice{}, err
	}
	return choices[chosen], h.answer(ctx, ask.AskID, choices[chosen].answer)
}

// allow shows the question about one connector that waits, and allows exactly what it shows if a person says yes.
func (p *program) allow(ctx context.Context, h hub, d *device, connector message.Connector) (hash string, isAllowed bool, err error) {
	ask, isRaised, err := h.show(ctx, connector)
	if err != nil || !isRaised {
		return "", false, err
	}
	body, err := ask.ParseBody()
	if err != nil {
		return "", false, err
	}
	item, err := onlyItem(body, connector)
	if err != nil {
		return "", false, err
	}
	// The question may be one about several: only what is shown here is answered here.
	if err := ask.SetBody(message.ConsentBody{Items: []message.ConsentItem{item}}); err != nil {
		return "", false, err
	}
	open, cancel := h.questions().whileOpen(ctx, ask.AskID)
	defer cancel()
	isYes, err := d.approves(open, reviewText(ask))
	for _, secret := range item.Secrets { // each by itself (S11)
		if err == nil && isYes {
			isYes, err = d.approves(open, secretQuestion(item, secret))
		}
	}
	if err != nil || !isYes {
		return item.Hash, false, err
	}
	err = h.answer(ctx, ask.AskID, message.ConsentBody{Items: []message.ConsentItem{item}}.Deciding(message.ConsentAllow))
	return item.Hash, err == nil, err
}

// secretQuestion asks about one secret and where it goes.
func secretQuestion(item message.ConsentItem, secret message.ConsentSecret) string {
	return "The connector " + editors.Quoted(item.Name) + " is given the value of\n| " + editors.Visible(secret.Name) +
		"\nand that value goes to\n| " + editors.Visible(secret.Destination) + "\n"
}

func onlyItem(body message.AskBody, connector message.Connector) (message.ConsentItem, error) {
	asked, _ := body.(message.ConsentBody)
	for _, item := range asked.Items {
		if item.Connector == connector.ID {
			return item, nil
		}
	}
	return message.ConsentItem{}, fmt.Errorf("the question that was raised is not about the connector %q", connector.Name)
}

// decidedElsewhere reports whether a question ended by somebody else's answer, and says so on the terminal.
func decidedElsewhere(d *device, err error) bool {
	var closed *closedError
	if !errors.As(err, &closed) {
		return false
	}
	d.show(editors.Visible(closed.Error()) + ".")
	return true
}
