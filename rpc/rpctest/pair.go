package rpctest

import (
	"context"
	"io"
	"testing"

	"pillion/rpc"
)

// Pair serves two connections that are joined in memory and ends them with the
// test: Pillion's, which serves the router pillion with the options o, and the
// editor's, which serves the router editor; nil serves nothing. Use [Call],
// [Notify], [HandleRequest] and [HandleEvent] on the editor's side, whose messages
// run the other way.
func Pair(t testing.TB, pillion, editor *rpc.Router, o rpc.Options) (ours, editors *rpc.Conn) {
	t.Helper()
	if editor == nil {
		editor = rpc.NewRouter()
	}
	ourIn, editorOut := io.Pipe()
	editorIn, ourOut := io.Pipe()
	ours = rpc.NewConn(ourIn, ourOut, pillion, o)
	editors = rpc.NewConn(editorIn, editorOut, editor, rpc.Options{Logger: o.Logger})
	for _, c := range []*rpc.Conn{ours, editors} {
		ended := make(chan error, 1)
		go func() { ended <- c.Serve(context.Background()) }()
		t.Cleanup(func() {
			c.Close()
			<-ended
		})
	}
	return ours, editors
}

// Call sends a request of the editor's and waits for the answer.
func Call[P, R any](ctx context.Context, editor *rpc.Conn, m rpc.Request[P, R], params P) (R, error) {
	return rpc.Call(ctx, editor, rpc.EditorRequest[P, R](m), params)
}

// Notify sends a notification of the editor's.
func Notify[P any](editor *rpc.Conn, m rpc.Notification[P], params P) error {
	return rpc.Notify(editor, rpc.Event[P](m), params)
}

// HandleRequest lets the editor's router answer a request of Pillion's.
func HandleRequest[P, R any](editor *rpc.Router, m rpc.EditorRequest[P, R], h func(ctx context.Context, params P) (R, error)) {
	rpc.Handle(editor, rpc.Request[P, R](m), h)
}

// HandleEvent lets the editor's router receive an event of Pillion's, on the
// reader, in wire order.
func HandleEvent[P any](editor *rpc.Router, m rpc.Event[P], h func(ctx context.Context, params P)) {
	rpc.HandleNotification(editor, rpc.Notification[P](m), h)
}
