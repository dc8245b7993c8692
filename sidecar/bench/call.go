package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"pillion/rpc"
	"pillion/rpc/message"
)

// relayLimit is what a call through Pillion may cost against one through the relay.
const relayLimit = 1.15

// settings are the calls that are measured: how many bytes each carries in either direction, and how many are under way at a
// time. In a round the ways take turns with portions of them.
var settings = []struct {
	name           string
	bytes, atATime int
	portion        int
}{
	{"32 B, 1 at a time", 32, 1, 25},
	{"32 B, 32 at a time", 32, 32, 96},
	{"16 KiB, 1 at a time", 16 << 10, 1, 25},
	{"16 KiB, 32 at a time", 16 << 10, 32, 96},
}

// call makes one call of the echo tool and makes sure that it was answered.
type call func(context.Context) error

// way is a way to the echo tool.
type way interface {
	// prepare returns the call that carries the text.
	prepare(text string) call
	// close returns when nothing of the way is left.
	close() error
}

func measureCalls(ctx context.Context, r *report, p *programs, n plan) (err error) {
	names := []string{"Pillion", "relay", "bare SDK"}
	var ways []way
	defer func() {
		for _, w := range ways {
			err = errors.Join(err, w.close())
		}
	}()
	for _, open := range []openWay{openPillion, openRelay, openDirect} {
		w, err := open(ctx, p)
		if err != nil {
			return fmt.Errorf("open the way by %s: %w", names[len(ways)], err)
		}
		ways = append(ways, w)
	}
	medians := make([][]series, len(settings))
	for i := range settings {
		medians[i] = make([]series, len(ways))
	}
	// The first round only warms up.
	for round := -1; round < n.rounds; round++ {
		for i := range settings {
			figures, err := callRound(ctx, i, ways, round+1, n.portions)
			if err != nil {
				return err
			}
			for w, figure := range figures {
				if round >= 0 {
					medians[i][w] = append(medians[i][w], figure)
				}
			}
		}
	}
	for i, s := range settings {
		r.line("a call of %s, p50", s.name)
		for w, name := range names {
			r.figure(name, medians[i][w], times)
		}
		r.limited("Pillion/relay", medians[i][0].over(medians[i][1]), ratio, relayLimit)
		r.figure("Pillion/bare SDK", medians[i][0].over(medians[i][2]), ratio)
	}
	return nil
}

// openWay opens a way to the echo tool.
type openWay func(context.Context, *programs) (way, error)

// compareWays returns the p50 of small calls, one at a time, by each way.
func compareWays(ctx context.Context, p *programs, n plan, open ...openWay) (figures []series, err error) {
	var ways []way
	defer func() {
		for _, w := range ways {
			err = errors.Join(err, w.close())
		}
	}()
	for _, one := range open {
		w, err := one(ctx, p)
		if err != nil {
			return nil, err
		}
		ways = append(ways, w)
	}
	figures = make([]series, len(ways))
	for round := -1; round < n.rounds; round++ { // the first one only warms up
		medians, err := callRound(ctx, 0, ways, round+1, n.portions)
		if err != nil {
			return nil, err
		}
		for i, median := range medians {
			if round >= 0 {
				figures[i] = append(figures[i], median)
			}
		}
	}
	return figures, nil
}

// callRound returns the p50 of each way in one round of a setting.
func callRound(ctx context.Context, setting int, ways []way, round, portions int) ([]float64, error) {
	s := settings[setting]
	text := payload(s.bytes)
	calls := make([]call, len(ways))
	for i, w := range ways {
		calls[i] = w.prepare(text)
	}
	taken := make([][]time.Duration, len(ways))
	for portion := range portions {
		for turn := range ways {
			w := (turn + portion + round) % len(ways)
			took, err := timed(ctx, calls[w], s.portion, s.atATime)
			if err != nil {
				return nil, err
			}
			taken[w] = append(taken[w], took...)
		}
	}
	figures := make([]float64, len(ways))
	for w := range ways {
		figures[w] = middle(taken[w])
	}
	return figures, nil
}

// timed makes count calls, atATime of them at once, and returns how long each took.
func timed(ctx context.Context, one call, count, atATime int) ([]time.Duration, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	took := make([]time.Duration, count)
	failures := make([]error, atATime)
	var callers sync.WaitGroup
	for caller := range atATime {
		callers.Go(func() {
			for i := caller; i < count && failures[caller] == nil; i += atATime {
				begun := time.Now()
				failures[caller] = one(ctx)
				took[i] = time.Since(begun)
			}
		})
	}
	callers.Wait()
	return took, errors.Join(failures...)
}

// payload is text as it stands in files: words, lines, some quotes.
func payload(size int) string {
	const line = "The \"quick\" brown fox jumps over the lazy dog.\n"
	return strings.Repeat(line, size/len(line)+1)[:size]
}

// arguments are those of a call of the echo tool.
func arguments(text string) json.RawMessage {
	encoded, _ := json.Marshal(map[string]string{"text": text}) // no string fails to encode
	return encoded
}

// pillionWay goes through the real Pillion, as an editor's plugin calls a tool. The connector is the user's own and the tool
// reads only, so that nobody is asked.
type pillionWay struct{ editor *editor }

func openPillion(ctx context.Context, p *programs) (way, error) {
	home, err := newHome(p.folder, 1, p.echo)
	if err != nil {
		return nil, err
	}
	e, err := openEditor(home.environ(), p.pillion, "--stdio")
	if err != nil {
		return nil, err
	}
	if err := e.connect(ctx, home.workspace, 1); err != nil {
		return nil, errors.Join(err, e.leave())
	}
	return pillionWay{e}, nil
}

func (w pillionWay) prepare(text string) call { return w.prepareTool("echo", text) }

// prepareTool returns the call of another of its tools.
func (w pillionWay) prepareTool(tool, text string) call {
	params, _ := rpc.Marshal(map[string]string{"tool": connectorName(0) + "." + tool, "argumentsText": string(arguments(text))})
	return rawCall(w.editor, message.ToolCall.Method, params, `"status":"ok"`)
}

func (w pillionWay) close() error { return w.editor.leave() }

// relayWay goes through the relay.
type relayWay struct{ editor *editor }

func openRelay(_ context.Context, p *programs) (way, error) {
	e, err := openEditor(nil, p.relay, p.echo)
	if err != nil {
		return nil, err
	}
	return relayWay{e}, nil
}

func (w relayWay) prepare(text string) call {
	params, _ := rpc.Marshal(map[string]any{"name": "echo", "arguments": jsontext.Value(arguments(text))})
	return rawCall(w.editor, "tools/call", params, `"content":[`)
}

func (w relayWay) close() error { return w.editor.hangUp() }

// rawCall is a call whose answer must hold the mark near its beginning.
func rawCall(e *editor, method string, params []byte, mark string) call {
	return func(ctx context.Context) error {
		answer, err := e.wire.call(ctx, method, params)
		if err == nil && !bytes.Contains(answer[:min(len(answer), 200)], []byte(mark)) {
			err = fmt.Errorf("%s was answered %.500s", method, answer)
		}
		return err
	}
}

// directWay is a call of the SDK's own, in this process.
type directWay struct{ session *mcp.ClientSession }

func openDirect(ctx context.Context, p *programs) (way, error) {
	client := mcp.NewClient(&mcp.Implementation{Name: "bench", Version: "0"}, nil)
	session, err := client.Connect(ctx, &mcp.CommandTransport{Command: exec.Command(p.echo)}, &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	if err != nil {
		return nil, err
	}
	return directWay{session}, nil
}

func (w directWay) prepare(text string) call {
	params := &mcp.CallToolParams{Name: "echo", Arguments: arguments(text)}
	return func(ctx context.Context) error {
		result, err := w.session.CallTool(ctx, params)
		if err == nil && len(result.Content) != 1 {
			err = errors.New("the SDK's call brought no content")
		}
		return err
	}
}

func (w directWay) close() error { return w.session.Close() }
