package sidecar

import (
	"context"
	"strconv"
	"sync"
	"time"

	"go.lsp.dev/protocol"

	"pillion/mcp/connector"
	"pillion/rpc"
	"pillion/rpc/message"
)

// quietTime is how long work may take before its progress is shown unasked (U7).
const quietTime = time.Second

// report tells one connection how a piece of work goes on. Its zero value tells nobody.
type report struct {
	session *Session
	conn    *rpc.Conn
	token   message.ProgressToken
	title   string
	cancel  func()

	mu       sync.Mutex
	hasBegun bool
	hasEnded bool
	percent  uint32
}

// progressOf reports to the token that a caller gave, if it gave one; cancel is called when the user wants the work to end.
func (s *Session) progressOf(ctx context.Context, token message.ProgressToken, title string, cancel func()) *report {
	r := &report{session: s, title: title, cancel: cancel}
	if token == nil {
		return r
	}
	r.conn, r.token = callerOf(ctx).conn, token
	if r.conn == s.conn { // an attached caller's tokens are its own: it cancels by the call's id
		s.reports.Store(tokenText(token), r)
	} else {
		r.cancel = nil
	}
	r.begin()
	return r
}

// progressOfOwn reports to a token of Pillion's own, once the work has taken a second; cancel is called when the user wants
// it to end.
func (s *Session) progressOfOwn(ctx context.Context, title string, cancel func()) *report {
	r := &report{session: s, title: title, cancel: cancel}
	if !s.editor.canCreateProgress() {
		return r
	}
	r.token = protocol.String("pillion-" + strconv.FormatInt(s.progressCount.Add(1), 10))
	s.inBackground(func() {
		wait := time.NewTimer(quietTime)
		defer wait.Stop()
		select {
		case <-wait.C:
		case <-ctx.Done():
			return
		}
		call, stop := context.WithTimeout(ctx, editorAnswerTime)
		defer stop()
		if _, err := rpc.Call(call, s.conn, createProgress, protocol.WorkDoneProgressCreateParams{Token: r.token}); err != nil {
			return
		}
		s.reports.Store(tokenText(r.token), r)
		r.mu.Lock()
		r.conn = s.conn
		r.mu.Unlock()
		r.begin()
	})
	return r
}

func (r *report) begin() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.conn == nil || r.hasBegun || r.hasEnded {
		return
	}
	r.hasBegun = true
	canCancel := r.cancel != nil
	r.send(protocol.WorkDoneProgressBegin{Kind: "begin", Title: r.title, Cancellable: &canCancel})
}

// progress passes on what the connector says of its progress.
func (r *report) progress(p connector.Progress) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.hasBegun || r.hasEnded {
		return
	}
	value := protocol.WorkDoneProgressReport{Kind: "report"}
	if p.Message != "" {
		value.Message = &p.Message
	}
	if p.Total > 0 {
		// LSP wants a percentage that does not fall.
		r.percent = max(r.percent, uint32(min(100, max(0, 100*p.Progress/p.Total))))
		percent := r.percent
		value.Percentage = &percent
	}
	r.send(value)
}

func (r *report) end(text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.hasBegun || r.hasEnded {
		r.hasEnded = true
		return
	}
	defer r.forget()
	r.hasEnded = true
	value := protocol.WorkDoneProgressEnd{Kind: "end"}
	if text != "" {
		value.Message = &text
	}
	r.send(value)
}

// forget lets go of the token, unless other work has it by now.
func (r *report) forget() { r.session.reports.CompareAndDelete(tokenText(r.token), r) }

func (r *report) send(value any) {
	raw, err := rpc.Marshal(value)
	if err == nil {
		err = rpc.Notify(r.conn, progress, protocol.ProgressParams{Token: r.token, Value: raw})
	}
	r.session.tell(err)
}

// cancelProgress ends the work whose progress the user cancelled.
func (s *Session) cancelProgress(_ context.Context, params protocol.WorkDoneProgressCancelParams) {
	found, isKnown := s.reports.Load(tokenText(params.Token))
	if !isKnown {
		return
	}
	if r := found.(*report); r.cancel != nil {
		r.cancel()
	}
}

func tokenText(token message.ProgressToken) string {
	raw, err := rpc.Marshal(token)
	if err != nil {
		return ""
	}
	return string(raw)
}
