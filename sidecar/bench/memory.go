package main

import (
	"context"
	"errors"
	"strconv"
)

const (
	memoryLimit      = 40 << 20
	manyConnectors   = 20
	toolsOfConnector = 10
)

// measureMemory measures what is resident once all connectors are connected and listed.
func measureMemory(ctx context.Context, r *report, p *programs, n plan) error {
	if !canMeasureMemory {
		r.line("resident memory is not measured on this system")
		return nil
	}
	var sidecar, guard series
	for range n.rounds {
		s, g, err := memoryRound(ctx, p)
		if err != nil {
			return err
		}
		sidecar, guard = append(sidecar, s), append(guard, g)
	}
	r.line("resident memory with %d connectors of %d tools connected", manyConnectors, toolsOfConnector)
	r.limited("Pillion", sidecar, mebibytes, memoryLimit)
	r.figure("its guard", guard, mebibytes)
	return nil
}

// memoryRound measures one Pillion and its guard, in bytes.
func memoryRound(ctx context.Context, p *programs) (sidecar, guard float64, err error) {
	home, err := newHome(p.folder, manyConnectors, p.echo, "-tools", strconv.Itoa(toolsOfConnector))
	if err != nil {
		return 0, 0, err
	}
	e, err := openEditor(home.environ(), p.pillion, "--stdio")
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, e.leave()) }()
	if err := e.connect(ctx, home.workspace, manyConnectors); err != nil {
		return 0, 0, err
	}
	pid := e.command.Process.Pid
	if sidecar, err = residentBytes(pid); err != nil {
		return 0, 0, err
	}
	guardPID, err := childNamed(pid, "guard")
	if err != nil {
		return 0, 0, err
	}
	guard, err = residentBytes(guardPID)
	return sidecar, guard, err
}
