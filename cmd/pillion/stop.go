package main

import (
	"fmt"

	"pillion/rpc/message"
)

type stopVerb struct{}

// Help explains the verb.
func (stopVerb) Help() string {
	return `Stops everything in the editor's window that is open on this folder: cancels its calls, withdraws their questions, ends its connectors, and pauses, so that nothing runs until somebody resumes: pillion resume, or pillion.server.resume in the editor. It takes away and needs no question.

With --json: {"window": string}, empty where no window is open and so nothing runs.`
}

// stopShape is what stop --json prints.
type stopShape struct {
	Window string `json:"window"`
}

// Run stops it.
func (stopVerb) Run(p *program) error {
	joined, err := p.joinWindow(p.ctx)
	if err != nil {
		return fmt.Errorf("join the editor's window: %w", err)
	}
	var shape stopShape
	if joined != nil {
		defer joined.close()
		shape.Window = joined.window()
		if err := joined.stopAll(p.ctx); err != nil {
			return fmt.Errorf("stop everything: %w", err)
		}
	}
	switch {
	case p.isJSON:
		return p.printJSON(shape)
	case joined == nil:
		p.print("No editor's window is open on this folder: nothing runs.")
	default:
		p.print("Everything is stopped. Nothing runs until you resume: pillion resume")
	}
	return nil
}

type resumeVerb struct{}

// Help explains the verb.
func (resumeVerb) Help() string {
	return `Lets calls run again in the editor's window that is open on this folder, after pillion stop or in plan mode, as the rules say. That gives more: it is asked on the terminal itself and in the window, where the first answer counts. Without a terminal nothing changes and the exit code is 75.

With --json: {"window": string, "mode": string}; window is empty where none is open, and then nothing was paused.`
}

// resumeShape is what resume --json prints.
type resumeShape struct {
	Window string       `json:"window"`
	Mode   message.Mode `json:"mode"`
}

// Run asks and resumes.
func (resumeVerb) Run(p *program) error {
	if err := forPeople(); err != nil {
		return err
	}
	joined, err := p.joinWindow(p.ctx)
	if err != nil {
		return fmt.Errorf("join the editor's window: %w", err)
	}
	if joined == nil {
		if p.isJSON {
			return p.printJSON(resumeShape{Mode: message.ModeAsk})
		}
		p.print("No editor's window is open on this folder: nothing is paused.")
		return nil
	}
	defer joined.close()
	mode, err := joined.mode(p.ctx)
	if err != nil {
		return err
	}
	words := "Nothing is paused: calls run as the rules say."
	if mode != message.ModeAsk {
		err = p.widen(joined, message.WantedChange{Mode: message.ModeAsk}, func() (bool, error) {
			mode, err = joined.mode(p.ctx)
			return mode == message.ModeAsk, err
		})
		words = "Calls run again, as the rules say. Connectors start when they are used."
	}
	if err != nil {
		return err
	}
	if p.isJSON {
		return p.printJSON(resumeShape{joined.window(), mode})
	}
	p.print(words)
	return nil
}
