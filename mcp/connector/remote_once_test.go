package connector

import (
	"errors"
	"testing"

	"pillion/mcp/mcptest"
)

// A header of the entry never makes the transport send a call again by itself: whether it ran is not known (C57).
func TestC57_NoHeaderMakesACallTwice(t *testing.T) {
	t.Parallel()
	for _, header := range []string{"X-Other", "Idempotency-Key", "x-idempotency-key"} {
		t.Run(header, func(t *testing.T) {
			t.Parallel()
			peer := mcptest.NewHTTP(t, "")
			f := remoteFake(t, peer, define(func(d *Definition) { d.Headers = map[string]string{header: "one"} }))
			if err := f.Start(t.Context()); err != nil {
				t.Fatal(err)
			}
			f.say(`{}`)
			peer.Change("drop=tools/call")
			before := len(peer.Received("tools/call"))
			reply, err := f.call(CallRequest{})
			var broken *TransportError
			if !errors.As(err, &broken) || !reply.MayHaveRun {
				t.Errorf("%+v, %v", reply, err)
			}
			calls := peer.Received("tools/call")
			if got := len(calls) - before; got != 1 {
				t.Errorf("the call was made %d times", got)
			}
			if got := calls[len(calls)-1].Header.Get(header); got != "one" {
				t.Errorf("the header is %q", got)
			}
		})
	}
}

// C54: an error that names the call is an answer to it, whatever its words: the call may have run, and nobody is told otherwise.
func TestC54_AnErrorThatNamesTheCallIsNoLostSession(t *testing.T) {
	t.Parallel()
	f := remoteStarted(t, "session")
	f.peer.Change("session,rpcstatus=tools/call:400,say=paid but the shopping session is over")
	reply, err := f.call(CallRequest{})
	if err != nil || reply.ProtocolError == nil || !reply.MayHaveRun {
		t.Errorf("%+v, %v", reply, err)
	}
	if got := len(f.peer.Received("initialize")); got != 1 {
		t.Errorf("%d handshakes", got)
	}
}
