package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// home is a user of one Pillion: folders of its own, so that nothing of the machine's real user is read or written.
type home struct{ folder, workspace string }

// newHome makes one whose own file names count connectors, all of them the same program.
func newHome(parent string, count int, program string, arguments ...string) (*home, error) {
	folder, err := os.MkdirTemp(parent, "home-")
	if err != nil {
		return nil, err
	}
	h := &home{folder: folder, workspace: filepath.Join(folder, "workspace")}
	for _, name := range []string{h.workspace, filepath.Join(folder, "run"), filepath.Join(folder, "config")} {
		if err := os.Mkdir(name, 0o700); err != nil {
			return nil, err
		}
	}
	type entry struct {
		Command string   `json:"command"`
		Args    []string `json:"args,omitempty"`
	}
	entries := map[string]entry{}
	for i := range count {
		entries[connectorName(i)] = entry{program, arguments}
	}
	text, err := json.Marshal(map[string]any{"mcpServers": entries})
	if err != nil {
		return nil, err
	}
	return h, os.WriteFile(h.file(), text, 0o600)
}

// connectorName is the name of one of the connectors of a home.
func connectorName(i int) string { return fmt.Sprintf("c%d", i) }

func (h *home) file() string { return filepath.Join(h.folder, "config", "mcp.json") }

// environ is the whole environment of a Pillion that lives here.
func (h *home) environ() []string {
	environ := []string{
		"HOME=" + h.folder, "USERPROFILE=" + h.folder,
		"XDG_CONFIG_HOME=" + filepath.Join(h.folder, "config"), "XDG_RUNTIME_DIR=" + filepath.Join(h.folder, "run"),
		"PILLION_CONFIG_DIR=" + filepath.Join(h.folder, "config"), "PILLION_MCP_CONFIG=" + h.file(),
		"PILLION_STATE_DIR=" + filepath.Join(h.folder, "state"), "PILLION_CACHE_DIR=" + filepath.Join(h.folder, "cache"),
	}
	for _, name := range []string{"PATH", "TMPDIR", "SystemRoot", "GODEBUG"} {
		if value, isSet := os.LookupEnv(name); isSet {
			environ = append(environ, name+"="+value)
		}
	}
	return environ
}
