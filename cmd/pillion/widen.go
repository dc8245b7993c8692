package main

import (
	"context"
	"errors"

	"pillion/rpc/message"
)

// errKept is the failure of a change that was not made.
var errKept = errors.New("the answer was no; nothing was changed")

// whereAsked is the window that is open on this folder, or else the host of this process: where a change that gives more is
// asked about. leave lets go of it.
func (p *program) whereAsked(own *ownHub) (h hub, leave func()) {
	joined, err := p.joinWindow(p.ctx)
	if err != nil {
		p.sayf("pillion: this goes on without the editor's window: %s", visible(err.Error()))
	}
	if joined == nil {
		return own, func() {}
	}
	return joined, joined.close
}

// widen puts the question about a change that gives more on this terminal. In an editor's window it is one question with the
// window's, and the first answer counts (S6). nil says that somebody said yes, here or there; with isMade, which looks whether
// the change is made, that is also how it is known what an answer elsewhere was.
func (p *program) widen(h hub, change message.WantedChange, isMade func() (bool, error)) error {
	d, err := openDevice()
	switch {
	case errors.Is(err, errOfConnector):
		return fail(exitNotAllowed, nil, "%w", err)
	case err != nil:
		return fail(exitUnanswered, []string{"Run this in a terminal."}, "%w; nothing was changed", err)
	}
	ask, isAsked, err := h.propose(p.ctx, change)
	if err != nil {
		return misuse(err)
	}
	if isAsked {
		if err := p.putChange(h, d, ask); err != nil {
			return err
		}
	}
	made, err := isMade()
	if err == nil && !made {
		err = fail(exitNotAllowed, nil, "%w", errKept)
	}
	return err
}

// putChange shows the question and gives the answer that is typed: only the exact yes makes the change, and all else closes the
// question. It returns nil where somebody else answered.
func (p *program) putChange(h hub, d *device, ask message.Ask) error {
	open, cancel := h.questions().whileOpen(p.ctx, ask.AskID)
	defer cancel()
	isYes, err := d.approves(open, reviewText(ask))
	if decidedElsewhere(d, err) {
		return nil
	}
	answer := message.WidenAnswer{Decision: message.WidenKeep}
	if isYes && err == nil {
		answer.Decision = message.WidenMake
	}
	ctx, stop := context.WithTimeout(context.WithoutCancel(p.ctx), decideTime)
	defer stop()
	taken := h.answer(ctx, ask.AskID, answer)
	switch {
	case err != nil:
		return fail(exitUnanswered, nil, "%w; nothing was changed", errUndecided)
	case !isYes:
		return fail(exitNotAllowed, nil, "%w", errKept)
	}
	return taken
}
