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
