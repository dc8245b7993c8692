package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"

	"go.lsp.dev/uri"

	"pillion/rpc"
	"pillion/rpc/message"
)

// patience bounds every wait for a program: a benchmark that hangs must end.
const patience = 30 * time.Second

// editor is the editor of a program that speaks frames: Pillion, or one of the floors. It is the same for all of them.
type editor struct {
	command *exec.Cmd
	wire    *wire
	input   io.Closer
	// changed has room for one: something about a connector changed.
	changed chan struct{}
	// diagnosed, if not nil, is told the version of each document that diagnostics came for; it has room for them.
	diagnosed chan int
}

// openEditor starts a program. Its stderr is the benchmark's own.
func openEditor(environ []string, program string, arguments ...string) (*editor, error) {
	e := &editor{command: exec.Command(program, arguments...), changed: make(chan struct{}, 1)}
	e.command.Env, e.command.Stderr = environ, os.Stderr
	in, err := e.command.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := e.command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := e.command.Start(); err != nil {
		return nil, err
	}
	e.input = in
	e.wire = newWire(out, in, e.told)
	return e, nil
}

// told is told everything that is no answer.
func (e *editor) told(body []byte) {
	if e.diagnosed != nil && bytes.HasPrefix(body, []byte(otherStart+`"textDocument/publishDiagnostics"`)) {
		e.diagnosed <- versionIn(body)
		return
	}
	if !bytes.Contains(body, []byte(`"`+message.ConnectorsChanged.Method+`"`)) {
		return
	}
	select {
	case e.changed <- struct{}{}:
	default:
	}
}

// initializeParams are what an editor with a plugin says.
func initializeParams(workspace string) ([]byte, error) {
	root := uri.File(workspace)
	return rpc.Marshal(map[string]any{
		"processId": os.Getpid(), "rootUri": root, "workspaceFolders": []map[string]any{{"uri": root, "name": "workspace"}},
		"clientInfo": map[string]any{"name": "bench"},
		"capabilities": map[string]any{
			"window":       map[string]any{"workDoneProgress": true},
			"experimental": map[string]any{message.CapabilityName: message.ClientCapability{Protocol: []int{message.ProtocolVersion}, Asks: []message.AskKind{}}},
		},
	})
}

// initialize returns once the program has answered it.
func (e *editor) initialize(ctx context.Context, params []byte) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	_, err := e.wire.call(ctx, "initialize", params)
	return err
}

// connect initializes Pillion and returns once all of its connectors, count of them, are ready.
func (e *editor) connect(ctx context.Context, workspace string, count int) error {
	params, err := initializeParams(workspace)
	if err != nil {
		return err
	}
	if err := errors.Join(e.initialize(ctx, params), e.wire.tell("initialized", "{}")); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		select {
		case <-e.changed:
		case <-ctx.Done():
			return ctx.Err()
		}
		ready, err := e.ready(ctx)
		if err != nil || ready == count {
			return err
		}
	}
}

// ready counts the connectors that are.
func (e *editor) ready(ctx context.Context) (int, error) {
	text, err := e.wire.call(ctx, message.Connectors.Method, []byte("{}"))
	if err != nil {
		return 0, err
	}
	var listed message.ConnectorsResult
	if err := rpc.Unmarshal(text, &listed); err != nil {
		return 0, err
	}
	ready := 0
	for _, connector := range listed.Connectors {
		switch connector.State {
		case message.ConnectorReady:
			ready++
		case message.ConnectorFailed:
			return 0, fmt.Errorf("connector %q: %s", connector.Name, connector.Problem.Reason)
		}
	}
	return ready, nil
}

// leave ends Pillion as an editor does.
func (e *editor) leave() error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	_, err := e.wire.call(ctx, "shutdown", []byte("{}"))
	return errors.Join(err, e.wire.tell("exit", "{}"), e.wait())
}

// hangUp ends a floor, which ends with its input.
func (e *editor) hangUp() error {
	return errors.Join(e.input.Close(), e.wait())
}

// wait returns when the program has ended.
func (e *editor) wait() error {
	kill := time.AfterFunc(patience, func() { _ = e.command.Process.Kill() })
	defer kill.Stop()
	<-e.wire.ended
	err := e.wire.err
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return errors.Join(err, e.command.Wait())
}

// versionIn is the version of the document that diagnostics are about.
func versionIn(body []byte) int {
	_, rest, _ := bytes.Cut(body, []byte(`"version":`))
	version := 0
	for _, c := range rest {
		if c < '0' || c > '9' {
			break
		}
		version = version*10 + int(c-'0')
	}
	return version
}
