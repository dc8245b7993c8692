package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
)

const (
	// bigLimit is what a large result may make Pillion grow by, against a bare client of the SDK.
	bigLimit  = 0.5
	bigBytes  = 50 << 20
	bigRounds = 5
)

// measureBig measures how much memory a large result takes at its most: beyond what was resident before the call.
func measureBig(ctx context.Context, r *report, p *programs, n plan) error {
	if !canMeasureMemory {
		r.line("the memory that a large result takes is not measured on this system")
		return nil
	}
	var ours, bare series
	for range min(n.rounds, bigRounds) {
		for _, way := range []struct {
			grow func(context.Context, *programs) (float64, error)
			into *series
		}{{growPillion, &ours}, {growBare, &bare}} {
			grown, err := way.grow(ctx, p)
			if err != nil {
				return err
			}
			*way.into = append(*way.into, grown)
		}
	}
	r.line("what a result of %d MiB takes at its most; the next call works", bigBytes>>20)
	r.figure("Pillion", ours, mebibytes)
	r.figure("bare SDK", bare, mebibytes)
	r.limited("Pillion/bare SDK", ours.over(bare), ratio, bigLimit)
	return nil
}

// growPillion is how much Pillion grows by a large result, in bytes.
func growPillion(ctx context.Context, p *programs) (grown float64, err error) {
	home, err := newHome(p.folder, 1, p.echo, "-tools", "3")
	if err != nil {
		return 0, err
	}
	e, err := openEditor(home.environ(), p.pillion, "--stdio")
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, e.leave()) }()
	if err := e.connect(ctx, home.workspace, 1); err != nil {
		return 0, err
	}
	small, big := pillionWay{e}.prepare(payload(32)), pillionWay{e}.prepareTool("big", strconv.Itoa(bigBytes))
	return growth(e.command.Process.Pid, func() error { return small(ctx) }, func() error { return big(ctx) })
}

// growBare is how much a bare client grows by it.
func growBare(_ context.Context, p *programs) (grown float64, err error) {
	command := exec.Command(p.sdk, p.echo)
	command.Stderr = os.Stderr
	in, err := command.StdinPipe()
	if err != nil {
		return 0, err
	}
	out, err := command.StdoutPipe()
	if err != nil {
		return 0, err
	}
	if err := command.Start(); err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, in.Close(), command.Wait()) }()
	answers := bufio.NewReader(out)
	return growth(command.Process.Pid, func() error { return bareCall(in, answers, 32) }, func() error { return bareCall(in, answers, bigBytes) })
}

func bareCall(in io.Writer, answers *bufio.Reader, bytes int) error {
	if _, err := fmt.Fprintln(in, bytes); err != nil {
		return err
	}
	answer, err := answers.ReadString('\n')
	if came, _ := strconv.Atoi(strings.TrimSpace(answer)); err == nil && came != bytes {
		err = fmt.Errorf("a client was answered with %d bytes, not %d", came, bytes)
	}
	return err
}

// growth is by how much a large call raises the most that was ever resident of a process over what was before it.
func growth(pid int, small, big func() error) (float64, error) {
	if err := small(); err != nil {
		return 0, err
	}
	before, err := residentBytes(pid)
	if err != nil {
		return 0, err
	}
	if err := big(); err != nil {
		return 0, err
	}
	most, err := mostResidentBytes(pid)
	if err != nil {
		return 0, err
	}
	return most - before, small()
}
