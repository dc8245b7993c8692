package main

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
)

const (
	// configuredLimit is what a call may cost where many connectors are configured, against one where it is the only one.
	configuredLimit = 1.1
	manyConfigured  = 200
)

// measureConfigured measures a call of the one connector that is used among many that are configured.
func measureConfigured(ctx context.Context, r *report, p *programs, n plan) error {
	figures, err := compareWays(ctx, p, n, openPillion, openConfigured)
	if err != nil {
		return err
	}
	r.line("a call of 32 B, 1 at a time, of the one connector used among %d, p50", manyConfigured)
	r.figure("alone", figures[0], times)
	r.figure("among", figures[1], times)
	r.limited("among/alone", figures[1].over(figures[0]), ratio, configuredLimit)
	return nil
}

// openConfigured is Pillion with one connector of the user's, and all others in the repository's file, where they wait.
func openConfigured(ctx context.Context, p *programs) (way, error) {
	home, err := newHome(p.folder, 1, p.echo)
	if err != nil {
		return nil, err
	}
	entries := map[string]any{}
	for i := 1; i < manyConfigured; i++ {
		entries[connectorName(i)] = map[string]any{"command": p.echo}
	}
	text, err := json.Marshal(map[string]any{"mcpServers": entries})
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(home.workspace, ".mcp.json"), text, 0o600); err != nil {
		return nil, err
	}
	e, err := openEditor(home.environ(), p.pillion, "--stdio")
	if err != nil {
		return nil, err
	}
	if err := e.connect(ctx, home.workspace, 1); err != nil {
		return nil, errors.Join(err, e.leave())
	}
	return pillionWay{e}, nil
}
