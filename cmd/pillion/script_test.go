//go:build !windows

package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestScript plays the scripts of testdata/script on the real program. None of it has a terminal.
func TestScript(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		RequireExplicitExec: true,
		Setup: func(e *testscript.Env) error {
			e.Vars = append(e.Vars,
				"HOME="+filepath.Join(e.WorkDir, "home"), noTerminal+"=1", "GORACE="+quickExit,
				"PILLION_CONFIG_DIR="+filepath.Join(e.WorkDir, "config"), "PILLION_STATE_DIR="+filepath.Join(e.WorkDir, "state"), "PILLION_CACHE_DIR="+filepath.Join(e.WorkDir, "cache"),
				"XDG_RUNTIME_DIR=", "FAKE="+pathOf(t, "fakestdio"))
			return os.MkdirAll(filepath.Join(e.WorkDir, "home"), 0o700)
		},
	})
}
