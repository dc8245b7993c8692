package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"go.lsp.dev/protocol"

	"pillion/rpc"
	"pillion/rpc/message"
	"pillion/sidecar/attach"
	"pillion/sidecar/core"
)

// callerName is what this program calls itself in a window.
const callerName = "pillion"

// windowHub is an editor's window that was joined.
type windowHub struct {
	joined   *attach.Window
	feed     *feed
	reporter *reporter
}

// joinWindow joins the window of the editor that is open on this folder: the one with the longest root that holds it, then
// the one that had the focus last (U8). It returns nil where there is none.
func (p *program) joinWindow(ctx context.Context) (*windowHub, error) {
	folders, err := core.FindFolders(p.environ)
	if err != nil {
		return nil, err
	}
	windows, err := attach.Windows(folders.Runtime)
	if err != nil {
		return nil, err
	}
	for _, descriptor := range windowsHolding(windows, workingFolder()) {
		joined, err := p.join(ctx, folders.Runtime, descriptor)
		if errors.Is(err, attach.ErrGone) {
			continue
		}
		if err != nil {
			return nil, err
		}
		return joined, nil
	}
	return nil, nil
}

func (p *program) join(ctx context.Context, folder string, descriptor message.WindowDescriptor) (*windowHub, error) {
	h := &windowHub{feed: newFeed(), reporter: &reporter{}}
	router := rpc.NewRouter()
	rpc.HandleNotification(router, rpc.Notification[message.AsksChangedParams](message.AsksChanged), func(_ context.Context, change message.AsksChangedParams) {
		h.feed.add(change.Opened, change.Closed)
	})
	rpc.HandleNotification(router, rpc.Notification[protocol.ProgressParams]{Method: "$/progress"}, func(_ context.Context, params protocol.ProgressParams) {
		h.reporter.take(params.Value)
	})
	for _, ignored := range []string{
		message.ConnectorsChanged.Method, message.ToolsChanged.Method, message.ResourcesChanged.Method, message.PromptsChanged.Method,
	} {
		rpc.HandleNotification(router, rpc.Notification[message.Empty]{Method: ignored}, func(context.Context, message.Empty) {})
	}
	joined, err := attach.Dial(ctx, folder, descriptor, attach.Options{Role: message.AttachCLI, Name: callerName, Router: router, Logger: p.log})
	if err != nil {
		return nil, err
	}
	h.joined = joined
	return h, nil
}

func (h *windowHub) allowance(message.Connector) string { return "" }

func (h *windowHub) window() string   { return h.joined.Joined.Window }
func (h *windowHub) questions() *feed { return h.feed }
func (h *windowHub) close()           { h.joined.Close() }

func (h *windowHub) connectors(ctx context.Context) ([]message.Connector, error) {
	result, err := attach.Call(ctx, h.joined, message.Connectors, message.Empty{})
	return result.Connectors, err
}

func (h *windowHub) why(ctx context.Context, params message.WhyParams) (message.WhyResult, error) {
	return attach.Call(ctx, h.joined, message.Why, params)
}

func (h *windowHub) doctor(ctx context.Context, sections []message.DoctorSection) ([]message.DoctorRow, error) {
	result, err := attach.Call(ctx, h.joined, message.Doctor, message.DoctorParams{Sections: sections})
	return result.Rows, err
}

func (h *windowHub) asks(ctx context.Context) ([]message.Ask, error) {
	result, err := attach.Call(ctx, h.joined, message.Asks, message.Empty{})
	return result.Asks, err
}

func (h *windowHub) tool(ctx context.Context, name string) (message.Tool, error) {
	result, err := attach.Call(ctx, h.joined, message.ToolDetail, message.ToolParams{Tool: message.ToolRef(name)})
	return result.Tool, err
}

func (h *windowHub) mode(ctx context.Context) (message.Mode, error) {
	result, err := attach.Call(ctx, h.joined, message.ModeCurrent, message.Empty{})
	return result.Mode, err
}

func (h *windowHub) rules(ctx context.Context) ([]message.PermissionRule, error) {
	result, err := attach.Call(ctx, h.joined, message.Permissions, message.Empty{})
	return result.Rules, err
}

func (h *windowHub) start(ctx context.Context, connector message.Connector) (message.Connector, error) {
	result, err := attach.Call(ctx, h.joined, message.ConnectorStart, message.ConnectorParams{Connector: message.ConnectorRef(connector.ID)})
	return result.Connector, err
}

func (h *windowHub) propose(ctx context.Context, change message.WantedChange) (message.Ask, bool, error) {
	return h.raise(ctx, message.AskShowParams{Change: &change})
}

func (h *windowHub) show(ctx context.Context, connector message.Connector) (message.Ask, bool, error) {
	return h.raise(ctx, message.AskShowParams{Connector: message.ConnectorRef(connector.ID)})
}

// raise has the window raise a question, and returns it as everybody there sees it.
func (h *windowHub) raise(ctx context.Context, params message.AskShowParams) (message.Ask, bool, error) {
	shown, err := attach.Call(ctx, h.joined, message.AskShow, params)
	if err != nil || shown.AskID == nil {
		return message.Ask{}, false, err
	}
	asks, err := h.asks(ctx)
	if err != nil {
		return message.Ask{}, false, err
	}
	for _, ask := range asks {
		if ask.AskID == *shown.AskID {
			return ask, true, nil
		}
	}
	return message.Ask{}, false, nil // answered in the meantime
}

func (h *windowHub) answer(ctx context.Context, id message.AskID, answer message.Answer) error {
	raw, err := rpc.Marshal(answer)
	if err != nil {
		return fmt.Errorf("encode the answer: %w", err)
	}
	result, err := attach.Call(ctx, h.joined, message.AskAnswer, message.AskAnswerParams{AskID: id, Answer: raw})
	switch {
	case err != nil:
		return err
	case !result.Accepted:
		return fmt.Errorf("%w: %s", errNotTaken, result.Reason)
	}
	return nil
}

func (h *windowHub) call(ctx context.Context, request message.ToolCallParams, report func(progress)) (message.CallResult, error) {
	request.WorkDoneToken = protocol.String(string(request.CallID))
	h.reporter.follow(report)
	defer h.reporter.follow(nil)
	result, err := attach.Call(ctx, h.joined, message.ToolCall, request)
	if err != nil || result.Status != message.CallTask {
		return result, err
	}
	return attach.Call(ctx, h.joined, message.TaskResult, message.TaskParams{CallID: result.CallID, WorkDoneToken: request.WorkDoneToken})
}

func (h *windowHub) cancel(ctx context.Context, id message.CallID) {
	_, _ = attach.Call(ctx, h.joined, message.CallCancel, message.CallParams{CallID: id}) // a call that has ended needs none
}

func (h *windowHub) fullText(ctx context.Context, result message.CallResult) (string, error) {
	var text strings.Builder
	for offset := 0; ; {
		part, err := attach.Call(ctx, h.joined, message.ResultRead, message.ResultReadParams{CallID: result.CallID, Offset: offset})
		if err != nil {
			return "", err
		}
		text.WriteString(part.Text)
		if part.NextOffset == nil || *part.NextOffset <= offset {
			return text.String(), nil
		}
		offset = *part.NextOffset
	}
}

func (h *windowHub) stopAll(ctx context.Context) error {
	_, err := attach.Call(ctx, h.joined, message.StopAll, message.Empty{})
	return err
}
