package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"pillion/editors"
	"pillion/rpc/message"
)

// putElicitation puts a connector's own question: a form field by field, a page to be opened by hand. The errors are those of
// [program.put].
func (p *program) putElicitation(ctx context.Context, h hub, d *device, ask message.Ask, body message.ElicitationBody) (choice, error) {
	open, cancel := h.questions().whileOpen(ctx, ask.AskID)
	defer cancel()
	yes := "Fill it in"
	if body.URL != "" {
		yes = "I have opened the page"
	}
	titles := []string{string(message.TitleDecline), string(message.TitleDismiss) + ": neither yes nor no", yes}
	chosen, err := d.choose(open, reviewText(ask), titles)
	if err != nil {
		return choice{}, err
	}
	answer := message.ElicitationAnswer{Action: []message.ElicitationAction{message.ElicitDecline, message.ElicitCancel, message.ElicitAccept}[chosen]}
	if answer.Action == message.ElicitAccept && body.URL == "" {
		return p.fillIn(open, h, d, ask, body)
	}
	return choice{title: titles[chosen], answer: answer}, h.answer(ctx, ask.AskID, answer)
}

// fillIn reads the fields of a form and sends them, and reads them again where they do not fit.
func (p *program) fillIn(ctx context.Context, h hub, d *device, ask message.Ask, body message.ElicitationBody) (choice, error) {
	for range maxTries {
		values := map[string]jsontext.Value{}
		for _, field := range editors.FormFields([]byte(body.SchemaText)) {
			value, err := d.field(ctx, field)
			if err != nil {
				return choice{}, err
			}
			if value != nil {
				values[field.Key] = value
			}
		}
		content, err := json.Marshal(values, json.Deterministic(true))
		if err != nil {
			return choice{}, fmt.Errorf("encode the form: %w", err)
		}
		titles := []string{"Decline", "Send exactly this: " + editors.Visible(string(content))}
		chosen, err := d.choose(ctx, "", titles)
		if err != nil {
			return choice{}, err
		}
		answer := message.ElicitationAnswer{Action: message.ElicitDecline}
		if chosen == 1 {
			answer = message.ElicitationAnswer{Action: message.ElicitAccept, ContentText: string(content)}
		}
		err = h.answer(ctx, ask.AskID, answer)
		if !errors.Is(err, errNotTaken) || ctx.Err() != nil {
			return choice{title: titles[chosen], answer: answer}, err
		}
		d.show(editors.Visible(err.Error()) + ". Fill it in again.")
	}
	return choice{}, errUndecided
}

// field reads the value of one field; nil leaves it out.
func (d *device) field(ctx context.Context, f editors.FormField) (jsontext.Value, error) {
	text := f.Name
	for _, line := range append([]string{f.Title, f.Text}, f.Options...) {
		if line != "" {
			text += "\n| " + editors.Visible(line)
		}
	}
	prompt := "Value"
	switch {
	case f.Default != nil:
		prompt += ", an empty line is " + editors.Visible(string(f.Default))
	case !f.IsRequired:
		prompt += ", an empty line leaves it out"
	}
	for range maxTries {
		line, err := d.ask(ctx, text, prompt+": ")
		if err != nil {
			return nil, err
		}
		if line == "" && (f.Kind != "string" || !f.IsRequired) {
			return f.Default, nil
		}
		if value, ok := valueOf(f, line); ok {
			return value, nil
		}
		text = "That is no " + f.Kind + "."
	}
	return nil, errUndecided
}

// valueOf is what was typed as a value of the field.
func valueOf(f editors.FormField, line string) (jsontext.Value, bool) {
	switch f.Kind {
	case "boolean":
		switch strings.ToLower(line) {
		case "yes", "y", "true":
			return jsontext.Value("true"), true
		case "no", "n", "false":
			return jsontext.Value("false"), true
		}
		return nil, false
	case "number", "integer":
		value := jsontext.Value(line)
		return value, value.IsValid() && value.Kind() == '0'
	case "array":
		var items []string
		for item := range strings.SplitSeq(line, ",") {
			items = append(items, strings.TrimSpace(item))
		}
		value, err := json.Marshal(items)
		return value, err == nil
	}
	value, err := json.Marshal(line)
	return value, err == nil
}
