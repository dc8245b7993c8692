package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"pillion/rpc/message"
)

// What the peer should cost, as a multiple of what Pillion costs.
const (
	peerStartAim  = 10
	peerCallAim   = 5
	peerMemoryAim = 4
)

const peerConnectors = 5

// measurePeer measures mcp-hub, which serves connectors to an editor's plugin over HTTP as Pillion does over standard input and
// output, beside Pillion: from the start to the first list of all tools, a call, and what is resident then.
func measurePeer(ctx context.Context, r *report, p *programs, n plan) error {
	if p.peer == "" {
		return errors.New("-peer must name the program of mcp-hub")
	}
	var ours, theirs peerFigures
	for range n.rounds {
		if err := errors.Join(ours.pillion(ctx, p, n), theirs.hub(ctx, p, n)); err != nil {
			return err
		}
	}
	r.line("mcp-hub beside Pillion, %d connectors of %d tools", peerConnectors, toolsOfConnector)
	for _, one := range []struct {
		what         string
		ours, theirs series
		unit         unit
		aim          float64
	}{
		{"start to the first list of tools", ours.start, theirs.start, times, peerStartAim},
		{"a call of 32 B, p50", ours.call, theirs.call, times, peerCallAim},
		{"resident memory", ours.memory, theirs.memory, mebibytes, peerMemoryAim},
	} {
		if len(one.ours) == 0 {
			continue
		}
		r.figure("Pillion, "+one.what, one.ours, one.unit)
		r.figure("mcp-hub, "+one.what, one.theirs, one.unit)
		r.figure(fmt.Sprintf("mcp-hub/Pillion (aim %g or more)", one.aim), one.theirs.over(one.ours), ratio)
	}
	return nil
}

// peerFigures are what was measured of one of the two, a round each.
type peerFigures struct{ start, call, memory series }

// pillion measures one Pillion, which has kept no list.
func (f *peerFigures) pillion(ctx context.Context, p *programs, n plan) (err error) {
	home, err := newHome(p.folder, peerConnectors, p.echo, "-tools", strconv.Itoa(toolsOfConnector))
	if err != nil {
		return err
	}
	begun := time.Now()
	e, err := openEditor(home.environ(), p.pillion, "--stdio")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, e.leave()) }()
	if err := e.connect(ctx, home.workspace, peerConnectors); err != nil {
		return err
	}
	if _, err := e.wire.call(ctx, message.Tools.Method, []byte("{}")); err != nil {
		return err
	}
	f.start = append(f.start, float64(time.Since(begun)))
	pid := e.command.Process.Pid
	guard := 0
	if canMeasureMemory {
		if guard, err = childNamed(pid, "guard"); err != nil {
			return err
		}
	}
	return f.warm(ctx, pillionWay{e}.prepare(payload(32)), n, pid, guard)
}

// warm measures calls, and then what the processes hold; 0 is none.
func (f *peerFigures) warm(ctx context.Context, one call, n plan, pids ...int) error {
	const inPortion = 25
	if _, err := timed(ctx, one, inPortion, 1); err != nil { // it warms up
		return err
	}
	took, err := timed(ctx, one, inPortion*n.portions, 1)
	if err != nil {
		return err
	}
	f.call = append(f.call, middle(took))
	if !canMeasureMemory {
		return nil
	}
	sum := 0.0
	for _, pid := range pids {
		if pid == 0 {
			continue
		}
		resident, err := residentBytes(pid)
		if err != nil {
			return err
		}
		sum += resident
	}
	f.memory = append(f.memory, sum)
	return nil
}

// hub measures one mcp-hub.
func (f *peerFigures) hub(ctx context.Context, p *programs, n plan) (err error) {
	home, err := newHome(p.folder, peerConnectors, p.echo, "-tools", strconv.Itoa(toolsOfConnector))
	if err != nil {
		return err
	}
	port, err := freePort()
	if err != nil {
		return err
	}
	command := exec.CommandContext(ctx, "node", p.peer, "--port", strconv.Itoa(port), "--config", home.file())
	command.Env = append(home.environ(), "XDG_STATE_HOME="+filepath.Join(home.folder, "state"))
	var said bytes.Buffer
	command.Stdout, command.Stderr = &said, &said
	command.Cancel = func() error { return command.Process.Signal(os.Interrupt) }
	command.WaitDelay = patience
	ctx, stop := context.WithCancel(ctx)
	begun := time.Now()
	if err := command.Start(); err != nil {
		stop()
		return err
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = command.Wait() // it is ended here
	}()
	defer func() {
		stop()
		_ = command.Process.Signal(os.Interrupt)
		<-ended
	}()
	hub := hubClient{fmt.Sprintf("http://127.0.0.1:%d/api/", port)}
	if err := hub.untilReady(ctx, ended); err != nil {
		stop()
		<-ended
		return fmt.Errorf("%w\n%s", err, said.Bytes())
	}
	f.start = append(f.start, float64(time.Since(begun)))
	body, err := json.Marshal(map[string]any{"server_name": connectorName(0), "tool": "echo", "arguments": arguments(payload(32))})
	if err != nil {
		return err
	}
	return f.warm(ctx, func(ctx context.Context) error {
		answer, err := hub.do(ctx, http.MethodPost, "servers/tools", body)
		if err == nil && !bytes.Contains(answer, []byte(`"content":[`)) {
			err = fmt.Errorf("mcp-hub answered %.500s", answer)
		}
		return err
	}, n, command.Process.Pid)
}

// freePort is one that nobody listens on now: mcp-hub takes no other.
func freePort() (int, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	port := listener.Addr().(*net.TCPAddr).Port
	return port, listener.Close()
}

// hubClient asks one mcp-hub.
type hubClient struct{ base string }

// untilReady returns once all connectors are connected and their tools are listed in an answer.
func (h hubClient) untilReady(ctx context.Context, ended <-chan struct{}) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	again := time.NewTicker(2 * time.Millisecond) // it tells nobody who is not connected yet
	defer again.Stop()
	for {
		select {
		case <-ctx.Done():
			return fmt.Errorf("wait for mcp-hub: %w", ctx.Err())
		case <-ended:
			return errors.New("mcp-hub ended by itself")
		case <-again.C:
		}
		answer, err := h.do(ctx, http.MethodGet, "servers", nil)
		if err != nil {
			continue // it does not listen yet
		}
		var listed struct {
			Servers []struct {
				Status       string `json:"status"`
				Capabilities struct {
					Tools []json.RawMessage `json:"tools"`
				} `json:"capabilities"`
			} `json:"servers"`
		}
		if err := json.Unmarshal(answer, &listed); err != nil {
			return err
		}
		ready := 0
		for _, server := range listed.Servers {
			if server.Status == "connected" && len(server.Capabilities.Tools) == toolsOfConnector {
				ready++
			}
		}
		if ready == peerConnectors {
			return nil
		}
	}
}

func (h hubClient) do(ctx context.Context, method, path string, body []byte) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, method, h.base+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	return io.ReadAll(response.Body)
}
