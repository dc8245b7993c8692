package rpc_test

import (
	"flag"
	"testing"

	"pillion/rpc"
	"pillion/rpc/rpctest"
)

var update = flag.Bool("update", false, "rewrite what transcripts expect")

func TestC80_LifeCycle(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"life-cycle", "exit-first"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rpctest.Play(t, "testdata/"+name+".txt", newServer().start(t, rpc.Options{}), rpctest.PlayOptions{Update: *update})
		})
	}
}

func TestC77_BadRequests(t *testing.T) {
	t.Parallel()
	peer := newServer().start(t, rpc.Options{MaxBodyBytes: 1 << 20})
	rpctest.Play(t, "testdata/bad-requests.txt", peer, rpctest.PlayOptions{Update: *update})
}
