package main

import (
	"context"
	"errors"

	"pillion/rpc/message"
	"pillion/sidecar/attach"
	"pillion/sidecar/core"
)

type answerVerb struct {
	AskID string `arg:"" name:"id" help:"The question, by its id; see pillion pending."`
}

// Help explains the verb.
func (answerVerb) Help() string {
	return `Shows one open question of an editor's window whole and reads the answer from the terminal itself: by its number, the safest first, nothing chosen beforehand. An argument or a pipe is no answer; without a terminal nothing is decided and the exit code is 75. A no, once it is typed, was the answer and exits with 0.

With --json: {"askId": string, "answered": string}, the title of the answer that was given.`
}

// answerShape is what answer --json prints.
type answerShape struct {
	AskID    message.AskID `json:"askId"`
	Answered string        `json:"answered"` // title of the answer
}

// Run shows and asks.
func (v answerVerb) Run(p *program) error {
	if err := forPeople(); err != nil {
		return err
	}
	h, ask, err := p.findAsk(p.ctx, message.AskID(v.AskID))
	if err != nil {
		return err
	}
	defer h.close()
	d, err := openDevice()
	if err != nil {
		return fail(exitUnanswered, []string{"Run this in a terminal: pillion answer " + v.AskID}, "%w; nothing was decided", err)
	}
	chosen, err := p.put(p.ctx, h, d, ask)
	var closed *closedError
	switch {
	case errors.As(err, &closed):
		return fail(exitFailed, nil, "%w", err)
	case errors.Is(err, errUndecided), p.ctx.Err() != nil:
		return fail(exitUnanswered, nil, "%w; the question stays open", errUndecided)
	case err != nil:
		return err
	}
	if p.isJSON {
		return p.printJSON(answerShape{ask.AskID, chosen.title})
	}
	p.print("Answered: " + chosen.title)
	return nil
}

// findAsk finds the window that has the question: ids are unlike each other in all windows of the user.
func (p *program) findAsk(ctx context.Context, id message.AskID) (*windowHub, message.Ask, error) {
	folders, err := core.FindFolders(p.environ)
	if err != nil {
		return nil, message.Ask{}, err
	}
	windows, err := attach.Windows(folders.Runtime)
	if err != nil {
		return nil, message.Ask{}, err
	}
	var failed error
	for _, descriptor := range windows {
		h, err := p.join(ctx, folders.Runtime, descriptor)
		if err != nil {
			if !errors.Is(err, attach.ErrGone) {
				failed = errors.Join(failed, err)
			}
			continue
		}
		asks, err := h.asks(ctx)
		failed = errors.Join(failed, err)
		for _, ask := range asks {
			if ask.AskID == id {
				return h, ask, nil
			}
		}
		h.close()
	}
	if failed != nil {
		return nil, message.Ask{}, failed
	}
	return nil, message.Ask{}, fail(exitUsage, []string{"See which are open: pillion pending"}, "no window has an open question %q", id)
}
