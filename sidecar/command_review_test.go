package sidecar

import (
	"context"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"go.lsp.dev/protocol"

	"pillion/rpc"
	"pillion/rpc/rpctest"
)

// A question comes over a document once that had time to be drawn, and at once where the editor opens none.
func TestU21_ADocumentIsDrawnBeforeItIsAskedAbout(t *testing.T) {
	t.Parallel()
	const opening = time.Second
	for name, test := range map[string]struct {
		shows, success bool
		isEnding       bool
		want           time.Duration
	}{
		"it is opened":               {shows: true, success: true, want: opening + drawTime},
		"it is not":                  {shows: true, want: opening},
		"the editor opens none":      {},
		"the session ends meanwhile": {shows: true, success: true, isEnding: true, want: opening + drawTime/2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := newSession(t.Context(), Options{In: nopPipe{}, Out: nopPipe{}, Logger: slog.New(slog.DiscardHandler)})
				router := rpc.NewRouter()
				rpctest.HandleRequest(router, showDocument, func(context.Context, protocol.ShowDocumentParams) (*protocol.ShowDocumentResult, error) {
					time.Sleep(opening)
					return &protocol.ShowDocumentResult{Success: test.success}, nil
				})
				rpctest.HandleEvent(router, showMessage, func(context.Context, protocol.ShowMessageParams) {})
				s.conn, _ = rpctest.Pair(t, rpc.NewRouter(), router, rpc.Options{})
				s.editor.shows = test.shows
				if test.isEnding {
					defer time.AfterFunc(test.want, s.end).Stop()
				}
				began := time.Now()
				s.showToBeAsked("/review", "?")
				if took := time.Since(began); took != test.want {
					t.Errorf("it is asked after %s, want %s", took, test.want)
				}
				if _, err := s.finish(nil); err != nil {
					t.Error(err)
				}
			})
		})
	}
}
