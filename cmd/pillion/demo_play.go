package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"go.lsp.dev/uri"

	"pillion/editors"
	"pillion/mcp/config"
	"pillion/rpc"
	"pillion/rpc/message"
)

// playTime bounds the whole of the demonstration.
const playTime = time.Minute

// play is a short session of a real Pillion over its standard input and output, told in readable form.
type play struct {
	out     io.Writer
	conn    *rpc.Conn
	asks    chan message.Ask
	changed chan message.Connector
}

// playDemo plays the main job: open a repository, allow its connector, see its tools, approve a call, read the result,
// decline another. It uses folders of its own and leaves nothing behind.
func playDemo(out io.Writer, executable string) (err error) {
	ctx, cancel := context.WithTimeout(context.Background(), playTime)
	defer cancel()
	home, err := os.MkdirTemp("", "pillion-demo-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(home)
	workspace := filepath.Join(home, "shop")
	entry := fmt.Sprintf("{\n  \"mcpServers\": {\n    \"notes\": { \"command\": %q, \"args\": [\"demo\"] }\n  }\n}\n", executable)
	if err := os.Mkdir(workspace, 0o700); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(workspace, config.ProjectFileName), []byte(entry), 0o600); err != nil {
		return err
	}
	p := &play{out: out, asks: make(chan message.Ask, 16), changed: make(chan message.Connector, 64)}
	end, err := p.start(executable, home)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, end()) }()
	return p.run(ctx, workspace, entry)
}

// start starts the program with a home of its own; end ends it as an editor does.
func (p *play) start(executable, home string) (end func() error, err error) {
	command := exec.Command(executable, "--stdio")
	command.Env = append(os.Environ(),
		"PILLION_CONFIG_DIR="+filepath.Join(home, "config"), "PILLION_STATE_DIR="+filepath.Join(home, "state"),
		"PILLION_CACHE_DIR="+filepath.Join(home, "cache"),
		"PILLION_MCP_CONFIG=", "XDG_RUNTIME_DIR=")
	command.Stderr = os.Stderr
	in, err := command.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := command.Start(); err != nil {
		return nil, err
	}
	router := rpc.NewRouter()
	rpc.HandleNotification(router, rpc.Notification[message.AsksChangedParams](message.AsksChanged), func(_ context.Context, params message.AsksChangedParams) {
		for _, ask := range params.Opened {
			p.asks <- ask
		}
	})
	rpc.HandleNotification(router, rpc.Notification[message.ConnectorsChangedParams](message.ConnectorsChanged), func(_ context.Context, params message.ConnectorsChangedParams) {
		for _, connector := range params.Changed {
			p.changed <- connector
		}
	})
	p.conn = rpc.NewConn(out, in, router, rpc.Options{})
	served := make(chan error, 1)
	go func() { served <- p.conn.Serve(context.Background()) }()
	return func() error {
		_, err := request(p, rpc.Request[message.Empty, rpc.Null]{Method: "shutdown"}, message.Empty{})
		err = errors.Join(err, rpc.Notify(p.conn, rpc.Event[message.Empty]{Method: "exit"}, message.Empty{}), <-served)
		return errors.Join(err, command.Wait())
	}, nil
}

func request[P, R any](p *play, m rpc.Request[P, R], params P) (R, error) {
	ctx, cancel := context.WithTimeout(context.Background(), playTime)
	defer cancel()
	return rpc.Call(ctx, p.conn, rpc.EditorRequest[P, R](m), params)
}

func (p *play) run(ctx context.Context, workspace, entry string) error {
	p.step("An editor opens a repository that holds this .mcp.json:")
	p.text(entry)
	if err := p.open(workspace); err != nil {
		return err
	}
	notes, err := p.until(ctx, message.ConnectorWaiting)
	if err != nil {
		return err
	}
	p.step("Nothing has run. The connector %q %s.", notes.Name, editors.StateWords(notes.State))
	if err := p.allow(ctx, notes); err != nil {
		return err
	}
	ready, err := p.until(ctx, message.ConnectorReady)
	if err != nil {
		return err
	}
	p.step("The connector %q is %s: %s, about %d tokens.", ready.Name, editors.StateWords(ready.State), editors.Counted(ready.Tools, "tool"), ready.Tokens)
	tools, err := request(p, message.Tools, message.ToolsParams{})
	if err != nil {
		return err
	}
	for _, tool := range tools.Tools {
		p.line("%-18s %s", tool.Label, tool.Summary)
	}
	if err := p.call(ctx, "notes.write_note", `{"name":"todo","text":"milk, 2^53+1 = 9007199254740993"}`, message.ApproveOnce); err != nil {
		return err
	}
	if err := p.call(ctx, "notes.read_note", `{"name":"todo"}`, message.ApproveSession); err != nil {
		return err
	}
	if err := p.call(ctx, "notes.chart", `{}`, message.ApproveOnce); err != nil {
		return err
	}
	if err := p.call(ctx, "notes.write_note", `{"name":"todo","text":""}`, message.ApproveDecline); err != nil {
		return err
	}
	p.step("%s", goOn())
	return nil
}

func (p *play) open(workspace string) error {
	root := uri.File(workspace)
	_, err := request(p, rpc.Request[map[string]any, map[string]any]{Method: "initialize"}, map[string]any{
		"processId": os.Getpid(), "rootUri": root, "workspaceFolders": []map[string]any{{"uri": root, "name": "shop"}},
		"capabilities": map[string]any{"experimental": map[string]any{message.CapabilityName: message.ClientCapability{
			Protocol: []int{message.ProtocolVersion}, Asks: []message.AskKind{message.AskConsent, message.AskApproval},
		}}},
	})
	if err != nil {
		return err
	}
	return rpc.Notify(p.conn, rpc.Event[message.Empty]{Method: "initialized"}, message.Empty{})
}

// until waits until the one connector is in a state.
func (p *play) until(ctx context.Context, state message.ConnectorState) (message.Connector, error) {
	for {
		select {
		case connector := <-p.changed:
			if connector.State == state {
				return connector, nil
			}
			if connector.State == message.ConnectorFailed && connector.Problem != nil {
				return connector, fmt.Errorf("the connector does not run: %s", connector.Problem.Reason)
			}
		case <-ctx.Done():
			return message.Connector{}, fmt.Errorf("the connector did not become %s: %w", state, ctx.Err())
		}
	}
}

// allow reviews the connector and answers the question as a person would.
func (p *play) allow(ctx context.Context, connector message.Connector) error {
	shown, err := request(p, message.AskShow, message.AskShowParams{Connector: message.ConnectorRef(connector.ID)})
	if err != nil {
		return err
	}
	ask, err := p.ask(ctx)
	if err != nil {
		return err
	}
	if shown.AskID == nil || *shown.AskID != ask.AskID {
		return errors.New("another question was put than the one that was raised")
	}
	p.step("\"Review and allow\" shows the whole definition and asks:")
	p.text(editors.ReviewText(ask, "Here the answer is: Allow."))
	body, err := ask.ParseBody()
	if err != nil {
		return err
	}
	asked, _ := body.(message.ConsentBody)
	return p.answer(ask, asked.Deciding(message.ConsentAllow, connector.ID))
}

func (p *play) ask(ctx context.Context) (message.Ask, error) {
	select {
	case ask := <-p.asks:
		return ask, nil
	case <-ctx.Done():
		return message.Ask{}, fmt.Errorf("no question came: %w", ctx.Err())
	}
}

func (p *play) answer(ask message.Ask, answer message.Answer) error {
	raw, err := rpc.Marshal(answer)
	if err != nil {
		return err
	}
	result, err := request(p, message.AskAnswer, message.AskAnswerParams{AskID: ask.AskID, Answer: raw})
	if err != nil {
		return err
	}
	if !result.Accepted {
		return fmt.Errorf("the answer was not taken: %s", result.Reason)
	}
	return nil
}

// call calls a tool and answers its approval.
func (p *play) call(ctx context.Context, tool, arguments string, decision message.ApprovalChoice) error {
	p.step("Somebody calls %s with %s", tool, arguments)
	type outcome struct {
		result message.CallResult
		err    error
	}
	done := make(chan outcome, 1)
	go func() {
		result, err := request(p, message.ToolCall, message.ToolCallParams{Tool: message.ToolRef(tool), ArgumentsText: arguments})
		done <- outcome{result, err}
	}()
	var came outcome
	select {
	case ask := <-p.asks:
		title, _ := decision.Title()
		p.text(editors.ReviewText(ask, "Here the answer is: "+string(title)+"."))
		if err := p.answer(ask, message.ApprovalAnswer{Decision: decision}); err != nil {
			return err
		}
		came = <-done
	case came = <-done:
	case <-ctx.Done():
		return ctx.Err()
	}
	if came.err != nil {
		return came.err
	}
	p.line("status: %s", came.result.Status)
	if came.result.Text != "" {
		p.text(editors.Lines(came.result.Text))
	}
	for _, attachment := range came.result.Attachments {
		p.line("file: %s, %d bytes", attachment.MIMEType, attachment.Bytes)
	}
	return nil
}

func (p *play) step(format string, args ...any) {
	fmt.Fprintf(p.out, "\n— "+format+"\n", args...)
}

func (p *play) line(format string, args ...any) {
	fmt.Fprintf(p.out, "    "+format+"\n", args...)
}

// text shows a text of several lines, indented, without the blank lines at its end.
func (p *play) text(text string) {
	for line := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		fmt.Fprintln(p.out, strings.TrimRight("    "+line, " "))
	}
}

// goOn is what to do next, by whether a shell finds the program.
func goOn() string {
	const set = `see "Set up your editor" in README.md.`
	if _, err := exec.LookPath("pillion"); err == nil {
		return "To go on in your editor: " + set
	}
	return "To go on in your editor: make build, put the pillion that it leaves in .build on your PATH, and " + set
}
