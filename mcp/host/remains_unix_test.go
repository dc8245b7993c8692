//go:build unix

package host

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"pillion/mcp/permission"
)

func TestC18_WhatIsLeftOfALostProcessGoesBeforeTheNext(t *testing.T) {
	t.Parallel()
	pids := filepath.Join(t.TempDir(), "pids")
	h := newHouse(t)
	write(t, h.user, servers("mine", "closeon=tools/call,ignoreeof,pid="+pids))
	h.Start()
	h.started("mine")
	rule := NewRule{Connector: "mine", Tool: "a", Decision: permission.RuleAllow, Scope: permission.ScopeUser}
	h.stands(rule)
	if result, err := h.Call(t.Context(), CallRequest{Tool: "mine.a"}); err != nil || result.Status != StatusConnectorDown {
		t.Fatalf("the call of what goes away: %+v, %v", result, err)
	}
	h.until("mine", StateFailed)
	h.started("mine")
	text, err := os.ReadFile(pids)
	if err != nil {
		t.Fatal(err)
	}
	lives := strings.Fields(string(text))
	if len(lives) != 2 {
		t.Fatalf("%d lives: %q", len(lives), lives)
	}
	first, err := strconv.Atoi(lives[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(first, 0); !errors.Is(err, syscall.ESRCH) {
		t.Errorf("the first process is there while the second runs: %v", err)
	}
}
