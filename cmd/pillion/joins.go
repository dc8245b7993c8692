package main

import (
	"slices"
	"time"

	"pillion/editors"
	"pillion/mcp/admission"
	"pillion/rpc/message"
	"pillion/sidecar"
)

type joinsListVerb struct{}

// Help explains the verb.
func (joinsListVerb) Help() string {
	return `Lists which programs may join the windows of your editors without a question, and which may never. Each is known by its executable and by that of the program that started it.

On a terminal and in a pipe it is one answer a line, with tabs between decision, time, program and the program that started it. With --json: {"records": [JoinRecord]}, in the shape of the editor protocol.`
}

// Run lists them.
func (joinsListVerb) Run(p *program) error {
	return p.withOwnHost(func(h *ownHub) error {
		records := sidecar.JoinMessages(h.Admissions.Records())
		if p.isJSON {
			return p.printJSON(message.JoinsResult{Records: records})
		}
		if len(records) == 0 {
			p.say("Nothing stands. A program that joins the first time asks in the editor.")
		}
		rows := make([][]string, len(records))
		for i, r := range records {
			rows[i] = []string{string(r.Decision), r.At.Format(time.RFC3339), r.Program, r.Parent}
		}
		p.table(nil, rows)
		return nil
	})
}

type joinsForgetVerb struct {
	Parent string `arg:"" help:"The program that started what joined, by the path of its executable; see pillion joins."`
}

// Help explains the verb.
func (joinsForgetVerb) Help() string {
	return `Takes back every answer about programs that this one starts: they ask again the next time, those that were refused too. That lets nothing in, and needs no question. What has joined stays until it leaves.

With --json: {"forgotten": [JoinRecord]}.`
}

// forgottenShape is what joins forget --json prints.
type forgottenShape struct {
	Forgotten []message.JoinRecord `json:"forgotten"`
}

// Run takes them back. It writes the store itself: a window that is open reads it again.
func (v joinsForgetVerb) Run(p *program) error {
	return p.withOwnHost(func(h *ownHub) error {
		records := slices.DeleteFunc(slices.Clone(h.Admissions.Records()), func(r admission.Record) bool { return r.Program.Parent != v.Parent })
		if len(records) == 0 {
			return fail(exitUsage, []string{"See what stands: pillion joins"}, "nothing stands about programs that %q starts", v.Parent)
		}
		for _, r := range records {
			if err := h.Admissions.Forget(p.ctx, r.Program); err != nil {
				return err
			}
		}
		if p.isJSON {
			return p.printJSON(forgottenShape{sidecar.JoinMessages(records)})
		}
		p.print("Programs that " + editors.Quoted(v.Parent) + " starts ask again before they join.")
		return nil
	})
}
