package main

import (
	"context"
	"encoding/json"
	"errors"
	"os"

	"pillion/mcp/mcptest"
	"pillion/rpc"
	"pillion/rpc/message"
)

const (
	// stuckLimit is what calls of one connector may cost while another answers nothing, against the same without those.
	stuckLimit = 1.2
	// inFlight is how many calls are under way, stuckCalls how many of them will not be answered.
	inFlight, stuckCalls = 64, 16
	stuckName            = "stuck"
)

// measureStuck measures calls of a connector while those of another hang.
func measureStuck(ctx context.Context, r *report, p *programs, n plan) (err error) {
	var free, beside series
	for round := -1; round < n.rounds; round++ { // the first one only warms up
		for _, way := range []struct {
			stuck int
			into  *series
		}{{0, &free}, {stuckCalls, &beside}} {
			median, err := callBeside(ctx, p, way.stuck, n.portions)
			if err != nil {
				return err
			}
			if round >= 0 {
				*way.into = append(*way.into, median)
			}
		}
	}
	r.line("a call of 32 B, %d at a time, p50", inFlight-stuckCalls)
	r.figure("alone", free, times)
	r.figure("beside 16 that hang", beside, times)
	r.limited("beside/alone", beside.over(free), ratio, stuckLimit)
	return nil
}

// callBeside is the p50 of calls of the echo while some of a connector hang that answers none.
func callBeside(ctx context.Context, p *programs, stuck, portions int) (median float64, err error) {
	home, err := newHome(p.folder, 1, p.echo)
	if err != nil {
		return 0, err
	}
	text, err := json.Marshal(map[string]any{"mcpServers": map[string]any{
		connectorName(0): map[string]any{"command": p.echo, "pillion": map[string]any{"maxConcurrent": inFlight}},
		stuckName: map[string]any{"command": p.fake, "env": map[string]string{
			mcptest.ModeVar: "silent=tools/call", mcptest.ToolsVar: `[{"name":"a","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}]`,
		}},
	}})
	if err != nil {
		return 0, err
	}
	if err := os.WriteFile(home.file(), text, 0o600); err != nil {
		return 0, err
	}
	e, err := openEditor(home.environ(), p.pillion, "--stdio")
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, e.leave()) }()
	if err := e.connect(ctx, home.workspace, 2); err != nil {
		return 0, err
	}
	hanging, stop := context.WithCancel(ctx)
	defer stop()
	params, err := rpc.Marshal(map[string]string{"tool": stuckName + ".a", "argumentsText": "{}"})
	if err != nil {
		return 0, err
	}
	for range stuck {
		go func() { _, _ = e.wire.call(hanging, message.ToolCall.Method, params) }()
	}
	took, err := timed(ctx, pillionWay{e}.prepare(payload(32)), portions*(inFlight-stuckCalls), inFlight-stuckCalls)
	if err != nil {
		return 0, err
	}
	return middle(took), nil
}
