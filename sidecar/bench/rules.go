package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"pillion/mcp/config"
	"pillion/mcp/consent"
	"pillion/mcp/permission"
	"pillion/mcp/state"
)

const (
	// rulesLimit is what a call may cost where much was decided, against one where nothing was.
	rulesLimit = 1.05
	manyRules  = 1000
	namedFiles = 10
)

// measureRules measures a call of a connector with many standing rules about it, whose definition names files of the
// workspace, against one of a connector without either.
func measureRules(ctx context.Context, r *report, p *programs, n plan) error {
	figures, err := compareWays(ctx, p, n, openPillion, openDecided)
	if err != nil {
		return err
	}
	r.line("a call of 32 B, 1 at a time, with %d rules about its connector and %d files in its definition, p50", manyRules, namedFiles)
	r.figure("without", figures[0], times)
	r.figure("with", figures[1], times)
	r.limited("with/without", figures[1].over(figures[0]), ratio, rulesLimit)
	return nil
}

func openDecided(ctx context.Context, p *programs) (way, error) {
	home, err := newHome(p.folder, 0, "")
	if err != nil {
		return nil, err
	}
	if err := home.decide(ctx, p.echo); err != nil {
		return nil, fmt.Errorf("decide much: %w", err)
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

// decide writes the connector with its files, the yes to it, and the rules.
func (h *home) decide(ctx context.Context, program string) error {
	var files []string
	for i := range namedFiles {
		path := filepath.Join(h.workspace, fmt.Sprintf("file%d.js", i))
		if err := os.WriteFile(path, slices.Repeat([]byte("// code\n"), 1000), 0o600); err != nil {
			return err
		}
		files = append(files, path)
	}
	text, err := json.Marshal(map[string]any{"mcpServers": map[string]any{
		connectorName(0): map[string]any{"command": program, "args": append([]string{"--"}, files...)},
	}})
	if err != nil {
		return err
	}
	if err := os.WriteFile(h.file(), text, 0o600); err != nil {
		return err
	}
	entry := config.Parse(config.File{Path: h.file(), Source: config.SourceUser}, text).Entry(connectorName(0))
	folder, err := state.Open(filepath.Join(h.folder, "state"))
	if err != nil {
		return err
	}
	key := consent.Key{Root: h.workspace, RootID: consent.RootID(h.workspace), Connector: entry.Name}
	if err := consent.New(folder, nil).Decide(ctx, key, entry.Hash(), entry.Text, consent.Code{}, consent.AllowFollow); err != nil {
		return err
	}
	const tool = "tool0"
	rules := permission.New(folder, nil)
	_, err = rules.Add(ctx, permission.Rule{
		Connector: entry.Name, Source: string(config.SourceUser), Scope: permission.ScopeUser, Decision: permission.RuleAllow,
		DefinitionHash: entry.Hash(), Tool: tool, ToolHashes: map[string]string{tool: "of another tool"},
	})
	if err != nil {
		return err
	}
	return repeatRule(rules.Path(), tool)
}

// repeatRule makes many rules of the one in a store, each about another tool: to store them one by one takes too long.
func repeatRule(path, tool string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var file struct {
		Version int `json:"version"`
		Data    struct {
			Rules []json.RawMessage `json:"rules"`
		} `json:"data"`
	}
	if err := json.Unmarshal(text, &file); err != nil {
		return err
	}
	one := string(file.Data.Rules[0])
	var kept struct {
		ID string `json:"id"`
	}
	if err := json.Unmarshal([]byte(one), &kept); err != nil {
		return err
	}
	for i := 1; i < manyRules; i++ {
		another := strings.NewReplacer(tool, fmt.Sprintf("tool%d", i), kept.ID, fmt.Sprintf("%016x", i)).Replace(one)
		file.Data.Rules = append(file.Data.Rules, json.RawMessage(another))
	}
	if text, err = json.MarshalIndent(file, "", "  "); err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o600)
}
