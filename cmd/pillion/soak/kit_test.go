//go:build linux

package soak

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"

	"pillion/mcp/mcptest"
)

// connector is one of the kit: what it does wrong, and what its entry says beside that.
type connector struct {
	name    string
	mode    string
	options map[string]any
}

// kit are the connectors; the last eight are the repository's.
func kit(home string) []connector {
	quick := map[string]any{"startTimeout": "3s"}
	return []connector{
		{"good", "", nil},
		{"echo", "echo", nil},
		{"slow", "delay=tools/call:150ms", nil},
		{"dying", "exiton=tools/call:3", nil},
		{"noisy", "stderrflood=20000", nil},
		{"chatty", "lines,banner", nil},
		{"storm", "burst=50", nil},
		{"many", "tools=300", nil},
		{"sessions", "", map[string]any{"scope": "session", "max": 3}},
		{"calls", "", map[string]any{"scope": "call", "max": 2}},
		{"mute", "mute", quick},
		{"stillborn", "exit=1", quick},
		{"late", "late", nil},
		{"wrong-ids", "ids=other", nil},
		{"garbage", "badjson", nil},
		{"large", "reply=300000", nil},
		{"deaf", "ignoreeof,ignoreterm", nil},
		{"refusing", "fail=tools/call:-32000", nil},
		{"second-time", "failfirst=1:" + filepath.Join(home, "lives"), nil},
		{"working", "progress=40ms:250ms", nil},
		{"wrapped", "wrapper", nil},
		{"mortal", "exitafter=tools/call:0", nil},
	}
}

const ofTheUser = 14

// files are the two configuration files as they stand.
type files struct {
	home, repository string
	entries          []connector
	isOff            map[string]bool
	edition          map[string]int // of a definition, so that an edit makes another one
}

func newFiles(home, repository string) *files {
	return &files{home: home, repository: repository, entries: kit(home), isOff: map[string]bool{}, edition: map[string]int{}}
}

func (f *files) write() error {
	if err := writeEntries(filepath.Join(f.home, "config", "mcp.json"), f.of(f.entries[:ofTheUser])); err != nil {
		return err
	}
	return writeEntries(filepath.Join(f.repository, ".mcp.json"), f.of(f.entries[ofTheUser:]))
}

func (f *files) of(entries []connector) map[string]any {
	servers := map[string]any{}
	for _, c := range entries {
		if f.isOff[c.name] {
			continue
		}
		own := map[string]any{"callTimeout": "2s"}
		maps.Copy(own, c.options)
		servers[c.name] = map[string]any{
			"command": fakestdio, "args": []string{}, "pillion": own,
			"env": map[string]string{mcptest.ModeVar: c.mode, "EDITION": fmt.Sprint(f.edition[c.name])},
		}
	}
	return servers
}

// writeEntries replaces a file as editors do, by a rename.
func writeEntries(path string, servers map[string]any) error {
	text, err := json.MarshalIndent(map[string]any{"mcpServers": servers}, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	if err := os.WriteFile(path+".new", text, 0o600); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}
