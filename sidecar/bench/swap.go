package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"strconv"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	// swapLimit is what the swap of a large list may cost, against decoding it.
	swapLimit  = 1.5
	largeList  = 10_000
	largeFlag  = "-tools"
	swapRounds = 9
)

// measureSwap measures a call that has to wait for a large list: every tool of the connector is another one by then, and a call is
// judged on the list as it is. The floor decodes the same list, and is given it whole.
func measureSwap(ctx context.Context, r *report, p *programs, n plan) (err error) {
	list, err := largeListOf(ctx, p)
	if err != nil {
		return err
	}
	home, err := newHome(p.folder, 1, p.echo, largeFlag, strconv.Itoa(largeList))
	if err != nil {
		return err
	}
	e, err := openEditor(home.environ(), p.pillion, "--stdio")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, e.leave()) }()
	if err := e.connect(ctx, home.workspace, 1); err != nil {
		return err
	}
	way := pillionWay{e}
	change, next := way.prepareTool("change", ""), way.prepare(payload(32))
	var swapped, decoded series
	for round := -1; round < min(n.rounds, swapRounds); round++ { // the first one only warms up
		if err := change(ctx); err != nil {
			return err
		}
		took, err := timed(ctx, next, 1, 1)
		if err != nil {
			return err
		}
		floor, err := decodeTime(list)
		if err != nil {
			return err
		}
		if round >= 0 {
			swapped, decoded = append(swapped, float64(took[0])), append(decoded, float64(floor))
		}
	}
	r.line("a call that waits for %d tools that have changed (%.1f MiB)", largeList, float64(len(list))/(1<<20))
	r.figure("swapped in, and called", swapped, times)
	r.figure("decoded by encoding/json", decoded, times)
	r.limited("swapped/decoded", swapped.over(decoded), ratio, swapLimit)
	return nil
}

// largeListOf is the result of tools/list that Pillion is given too.
func largeListOf(ctx context.Context, p *programs) ([]byte, error) {
	client := mcp.NewClient(&mcp.Implementation{Name: "bench", Version: "0"}, nil)
	command := exec.Command(p.echo, largeFlag, strconv.Itoa(largeList))
	session, err := client.Connect(ctx, &mcp.CommandTransport{Command: command}, &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	if err != nil {
		return nil, err
	}
	listed, err := session.ListTools(ctx, nil)
	if err := errors.Join(err, session.Close()); err != nil {
		return nil, err
	}
	return json.Marshal(listed)
}

// decodeTime is how long encoding/json takes for a list of tools.
func decodeTime(list []byte) (time.Duration, error) {
	var listed struct {
		Tools []struct {
			Name, Title, Description string
			InputSchema, Annotations any
		}
	}
	begun := time.Now()
	err := json.Unmarshal(list, &listed)
	took := time.Since(begun)
	if err == nil && len(listed.Tools) != largeList {
		err = fmt.Errorf("%d tools were decoded", len(listed.Tools))
	}
	return took, err
}
