package sidecar

import (
	"io"
	"log/slog"
	"net"
	"testing"
	"time"

	"pillion/mcp/host"
)

// An agent that does not read is let go: a call waits until it is told how far it has come.
func TestU8_AnAgentThatDoesNotReadHoldsNoCall(t *testing.T) {
	t.Parallel()
	ours, theirs := net.Pipe()
	defer theirs.Close()
	lines := &sharedStream{ReadWriteCloser: ours, most: 10 * time.Millisecond, log: slog.New(slog.DiscardHandler)}
	lines.tell("1", host.CallAsking)
	if _, err := lines.Write([]byte("x\n")); err != io.ErrClosedPipe {
		t.Errorf("%v", err)
	}
}
