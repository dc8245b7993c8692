package connector

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/go-json-experiment/json/jsontext"
)

// How far a request has come. Only a request that is queued can still be taken back.
const (
	unsent int32 = iota
	queued
	leaving // being written
	written
	withdrawn // taken back, never written
	broken    // written in part only, which no server can act on
	sentBack  // written, and sent back by the server without having been looked at
)

// exchange is one request to the server and what came of it. It travels to the filter in the context of the SDK's call, and
// brings back the raw reply, of which the SDK sees a stub.
type exchange struct {
	method string
	// members replace those of the same name in the params that the SDK wrote, or join them.
	members []member
	// onWritten is called before the request is queued.
	onWritten func()
	// onProgress is called for each progress notification with this exchange's token.
	onProgress func(Progress)
	token      int64 // 0 means none
	// cause is what waits for the answer, and what the server may ask during; nil for the requests of nobody.
	cause *running
	// listens is what a subscription is about; nil for every other request.
	listens *topic
	// asked is what of its params says what is to be told, as it was sent.
	asked jsontext.Value
	// isAcknowledged says that the server has said what of it it will tell; of the filter's lock.
	isAcknowledged bool

	wireID   int64
	sdkID    int64 // 0 when the SDK knows nothing of it
	position atomic.Int32
	// settled is closed when the outcome is there.
	settled chan struct{}
	// life ends when drop says that nobody wants the reply any longer.
	life context.Context
	drop context.CancelFunc

	mu         sync.Mutex
	isOver     bool // nobody waits any longer; no more progress
	result     jsontext.Value
	resultType string
	refusal    *ProtocolError
	failure    error // *TooLargeError, *MalformedReplyError, *TransportError or *RenewedError
}

// member is a member of an object, its value JSON text.
type member struct {
	name  string
	value []byte
}

func newExchange(method string) *exchange {
	x := &exchange{method: method, settled: make(chan struct{})}
	x.life, x.drop = context.WithCancel(context.Background())
	return x
}

type exchangeKey struct{}

func withExchange(ctx context.Context, x *exchange) context.Context {
	return context.WithValue(ctx, exchangeKey{}, x)
}

func exchangeOf(ctx context.Context) *exchange {
	x, _ := ctx.Value(exchangeKey{}).(*exchange)
	return x
}

// mayHaveRun is false only where the request provably never left.
func (x *exchange) mayHaveRun() bool {
	position := x.position.Load()
	return position == leaving || position == written
}

// withdraw takes the request back if it has not begun to leave.
func (x *exchange) withdraw() bool {
	return x.position.CompareAndSwap(queued, withdrawn) || x.position.CompareAndSwap(unsent, withdrawn)
}

// progressed tells of progress, unless nobody listens any longer.
func (x *exchange) progressed(p Progress) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if !x.isOver && x.onProgress != nil {
		x.onProgress(p)
	}
}

// finish ends the exchange for its caller: no callback runs afterwards.
func (x *exchange) finish() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.isOver = true
}

// isSettled reports whether the outcome is there.
func (x *exchange) isSettled() bool {
	select {
	case <-x.settled:
		return true
	default:
		return false
	}
}
