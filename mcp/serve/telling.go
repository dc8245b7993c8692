package serve

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"pillion/mcp/connector"
)

// maxUntold is how many notices of one request wait for a client that does not read; what comes then is left out.
const maxUntold = 256

// telling passes on what is told of one request while it runs, in order and without keeping up whoever tells it.
type telling struct {
	notices chan func()   // nil until there is one
	done    chan struct{} // closed when all are told
	request *request
	ctx     context.Context

	mu     sync.Mutex
	isOver bool
	last   float64 // of the progress
	isTold bool
	asking *time.Timer // nil while nobody is asked
}

// tell is for telling the client of a request about it; ctx is the request's own.
func (r *request) tell(ctx context.Context) *telling {
	return &telling{request: r, ctx: ctx}
}

// end says that the request is over: what was told of it has gone out by its return, and nothing is told any more (MCP 2025-11-25
// progress).
func (t *telling) end() {
	t.mu.Lock()
	if !t.isOver {
		t.isOver = true
		t.answered()
		if t.notices != nil {
			close(t.notices)
		}
	}
	done := t.done
	t.mu.Unlock()
	if done != nil {
		<-done
	}
}

// say has something told; t.mu is held.
func (t *telling) say(notice func()) {
	if t.isOver {
		return
	}
	if t.notices == nil {
		t.notices, t.done = make(chan func(), maxUntold), make(chan struct{})
		go t.pass(t.notices, t.done)
	}
	select {
	case t.notices <- notice:
	default:
	}
}

// pass tells the client one notice after the other.
func (t *telling) pass(notices <-chan func(), done chan<- struct{}) {
	defer close(done)
	for notice := range notices {
		notice()
	}
}

// logs passes on what a connector logs. Whether the client wants to hear it the SDK knows.
func (t *telling) logs(params []byte) {
	var said struct {
		Level  string         `json:"level"`
		Logger string         `json:"logger"`
		Data   jsontext.Value `json:"data"`
	}
	if decode(params, &said) != nil || len(said.Data) == 0 {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.say(func() {
		//lint:ignore SA1019 clients want it until it is taken out of MCP (SEP-2577)
		_ = t.request.session.Log(t.ctx, &mcp.LoggingMessageParams{Level: mcp.LoggingLevel(said.Level), Logger: said.Logger, Data: json.RawMessage(said.Data)})
	})
}

// progress passes on a connector's progress where the client wants it. It only goes up (MCP 2025-11-25 progress).
func (t *telling) progress(p connector.Progress) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.advance(p)
}

// advance is progress; t.mu is held.
func (t *telling) advance(p connector.Progress) {
	if t.request.token == nil || t.isTold && p.Progress <= t.last {
		return
	}
	t.last, t.isTold = p.Progress, true
	t.say(func() {
		_ = t.request.session.NotifyProgress(t.ctx, &mcp.ProgressNotificationParams{
			ProgressToken: t.request.token, Progress: p.Progress, Total: p.Total, Message: p.Message,
		})
	})
}
