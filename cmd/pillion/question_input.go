package main

import (
	"context"
	"fmt"

	"golang.org/x/term"

	"pillion/editors"
	"pillion/mcp/host"
	"pillion/mcp/redact"
	"pillion/rpc/message"
)

// putInput asks for the value of an input and gives it: by its number where there are several to choose from, unseen where it
// is a secret. The errors are those of [program.put].
func (p *program) putInput(ctx context.Context, h hub, d *device, ask message.Ask, body message.InputBody) (choice, error) {
	open, cancel := h.questions().whileOpen(ctx, ask.AskID)
	defer cancel()
	value, isGiven, err := d.input(open, reviewText(ask), body)
	if err != nil {
		return choice{}, err
	}
	if !isGiven {
		return choice{title: "no value"}, h.answer(ctx, ask.AskID, message.InputAnswer{Cancelled: true})
	}
	if err := message.CheckInputValue(value); err != nil {
		return choice{}, err
	}
	if body.Secret && len(value) < redact.MinBytes {
		d.show(editors.Visible(host.ShortSecret(body.ID)) + ".")
	}
	return choice{title: "a value"}, h.answer(ctx, ask.AskID, message.InputAnswer{Value: &value})
}

// input reads a value; false says that there will be none.
func (d *device) input(ctx context.Context, text string, body message.InputBody) (value string, isGiven bool, err error) {
	switch {
	case len(body.Options) > 0:
		titles := []string{"No value: the connector does not start"}
		for _, option := range body.Options {
			titles = append(titles, editors.Quoted(option))
		}
		chosen, err := d.choose(ctx, text, titles)
		if err != nil || chosen == 0 {
			return "", false, err
		}
		return body.Options[chosen-1], true, nil
	case body.Secret:
		value, err = d.secret(ctx, text, "Value, which is not shown; an empty line is none: ")
	default:
		prompt := "Value; an empty line is none: "
		if body.Default != "" {
			prompt = "Value; an empty line is " + editors.Quoted(body.Default) + ": "
		}
		if value, err = d.ask(ctx, text, prompt); err == nil && value == "" {
			value = body.Default
		}
	}
	return value, value != "", err
}

// secret is [device.ask] for a line that is not shown while it is typed.
func (d *device) secret(ctx context.Context, text, prompt string) (string, error) {
	before, err := term.GetState(int(d.in.Fd()))
	if err == nil {
		err = hideTyped(d.in)
	}
	if err != nil {
		return "", fmt.Errorf("read from the terminal unseen: %w", err)
	}
	defer func() {
		_ = term.Restore(int(d.in.Fd()), before)
		fmt.Fprintln(d.out) // the line break that was typed was not shown either
	}()
	return d.ask(ctx, text, prompt)
}
