package editors

import (
	"encoding/json"
	"slices"

	"pillion/rpc/message"
)

// Choice is one answer of a question as a plain client shows it.
type Choice struct {
	Title  message.Title
	Answer json.RawMessage
}

// Choices are what a plain client may answer to a question, the safest first (S16); empty for a kind that it cannot show.
func Choices(ask message.Ask) []Choice {
	body, err := ask.ParseBody()
	if err != nil {
		return nil
	}
	switch b := body.(type) {
	case message.ConsentBody:
		return consentChoices(b)
	case message.ApprovalBody:
		return approvalChoices(b)
	case message.ElicitationBody:
		return elicitationChoices(b)
	case message.WidenBody:
		return widenChoices(b)
	case message.JoinBody:
		return joinChoices(b)
	}
	return nil
}

func consentChoices(body message.ConsentBody) []Choice {
	var choices []Choice
	for _, title := range body.Titles() {
		decision, isKnown := title.Consent()
		if !isKnown {
			continue
		}
		choices = append(choices, choice(title, body.Deciding(decision)))
	}
	return choices
}

func approvalChoices(body message.ApprovalBody) []Choice {
	var choices []Choice
	for _, title := range body.Titles() {
		decision, isKnown := title.Approval()
		if !isKnown {
			continue
		}
		answer := message.ApprovalAnswer{Decision: decision}
		if decision.Stands() && len(body.Scopes) > 0 {
			answer.Scope = widest(body.Scopes)
		}
		choices = append(choices, choice(title, answer))
	}
	return choices
}

func widenChoices(body message.WidenBody) []Choice {
	var choices []Choice
	for _, title := range body.Titles() {
		if decision, isKnown := title.Widen(); isKnown {
			choices = append(choices, choice(title, message.WidenAnswer{Decision: decision}))
		}
	}
	return choices
}

// widest is the scope that "always" means where none can be chosen: everywhere for the user's own connectors, this folder
// for a project's (U12).
func widest(offered []message.PermissionScope) message.PermissionScope {
	for _, scope := range []message.PermissionScope{message.PermissionUser, message.PermissionProject} {
		if slices.Contains(offered, scope) {
			return scope
		}
	}
	return offered[len(offered)-1]
}

func choice(title message.Title, answer message.Answer) Choice {
	raw, err := json.Marshal(answer)
	if err != nil { // every answer is made of strings
		panic(err)
	}
	return Choice{Title: title, Answer: raw}
}

// ChoiceTitled returns the answer that a title stands for; an unknown title decides nothing.
func ChoiceTitled(choices []Choice, title string) (json.RawMessage, bool) {
	for _, c := range choices {
		if string(c.Title) == title {
			return c.Answer, true
		}
	}
	return nil, false
}
