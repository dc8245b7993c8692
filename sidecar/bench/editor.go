package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"go.lsp.dev/uri"

	"pillion/rpc"
	"pillion/rpc/message"
)

// patience bounds every wait for a program: a benchmark that hangs must end.
const patience = 30 * time.Second

var (
	initialize  = rpc.EditorRequest[map[string]any, jsontext.Value]{Method: "initialize"}
	initialized = rpc.Event[message.Empty]{Method: "initialized"}
	shutdown    = rpc.EditorRequest[rpc.Null, rpc.Null]{Method: "shutdown"}
	exit        = rpc.Event[rpc.Null]{Method: "exit"}
)

// editor is the editor's end of a program that speaks frames: Pillion, or one of the floors.
// It is the same for all of them, and takes answers as they are, so that what it costs does not differ.
type editor struct {
	command *exec.Cmd
	conn    *rpc.Conn
	served  chan error
	// changed has room for one: something about a connector changed.
	changed chan struct{}
}

// openEditor starts a program. Its stderr is the benchmark's own.
func openEditor(environ []string, program string, arguments ...string) (*editor, error) {
	e := &editor{command: exec.Command(program, arguments...), served: make(chan error, 1), changed: make(chan struct{}, 1)}
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
	e.serve(out, in)
	return e, nil
}

func (e *editor) serve(out io.ReadCloser, in io.WriteCloser) {
	router := rpc.NewRouter()
	rpc.HandleNotification(router, rpc.Notification[jsontext.Value]{Method: message.ConnectorsChanged.Method}, func(context.Context, jsontext.Value) {
		select {
		case e.changed <- struct{}{}:
		default:
		}
	})
	e.conn = rpc.NewConn(out, in, router, rpc.Options{})
	go func() { e.served <- e.conn.Serve(context.Background()) }()
}

// initialize returns once the program has answered it.
func (e *editor) initialize(ctx context.Context, workspace string) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	root := uri.File(workspace)
	_, err := rpc.Call(ctx, e.conn, initialize, map[string]any{
		"processId": os.Getpid(), "rootUri": root, "workspaceFolders": []map[string]any{{"uri": root, "name": "workspace"}},
		"clientInfo": map[string]any{"name": "bench"},
		"capabilities": map[string]any{
			"window":       map[string]any{"workDoneProgress": true},
			"experimental": map[string]any{message.CapabilityName: message.ClientCapability{Protocol: []int{message.ProtocolVersion}, Asks: []message.AskKind{}}},
		},
	})
	return err
}

// connect initializes Pillion and returns once all of its connectors, count of them, are ready.
func (e *editor) connect(ctx context.Context, workspace string, count int) error {
	if err := e.initialize(ctx, workspace); err != nil {
		return err
	}
	if err := rpc.Notify(e.conn, initialized, message.Empty{}); err != nil {
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
		listed, err := rpc.Call(ctx, e.conn, rpc.EditorRequest[message.Empty, message.ConnectorsResult](message.Connectors), message.Empty{})
		if err != nil {
			return err
		}
		ready := 0
		for _, connector := range listed.Connectors {
			switch connector.State {
			case message.ConnectorReady:
				ready++
			case message.ConnectorFailed:
				return fmt.Errorf("connector %q: %s", connector.Name, connector.Problem.Reason)
			}
		}
		if ready == count {
			return nil
		}
	}
}

// leave ends Pillion as an editor does.
func (e *editor) leave() error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	_, err := rpc.Call(ctx, e.conn, shutdown, rpc.Null{})
	return errors.Join(err, rpc.Notify(e.conn, exit, rpc.Null{}), e.wait())
}

// hangUp ends a floor, which ends with its input.
func (e *editor) hangUp() error {
	e.conn.Close()
	return e.wait()
}

// wait returns when the program has ended.
func (e *editor) wait() error {
	kill := time.AfterFunc(patience, func() { _ = e.command.Process.Kill() })
	defer kill.Stop()
	err := <-e.served
	return errors.Join(err, e.command.Wait())
}
