package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// programs are the binaries that are measured, built as Pillion is shipped.
type programs struct {
	folder                                        string
	pillion, relay, echo, sdk, fake, floor, jrpc2 string
	proxy                                         string
	peer                                          string // of mcp-hub; "" is none
}

const (
	shipped = "pillion/cmd/pillion"
	own     = "pillion/sidecar/bench"
)

// build builds them into the folder, Pillion too unless one is given. It must be run within the module.
func build(ctx context.Context, folder, pillion string) (*programs, error) {
	at := func(name string) string {
		if runtime.GOOS == "windows" {
			name += ".exe"
		}
		return filepath.Join(folder, name)
	}
	p := &programs{folder: folder, pillion: at("pillion"), relay: at("relay"), echo: at("echo"), sdk: at("sdk"), fake: at("fakestdio"), floor: at("floor"), jrpc2: at("bare"), proxy: at("proxy")}
	overlay, err := linkAlike(ctx, folder)
	if err != nil {
		return nil, fmt.Errorf("make the floor link what Pillion links: %w", err)
	}
	packages := []string{own + "/relay", own + "/echo", own + "/sdk", own + "/bare", own + "/proxy", "pillion/mcp/mcptest/fakestdio"}
	if pillion == "" {
		packages = append(packages, shipped)
	} else if p.pillion, err = filepath.Abs(pillion); err != nil {
		return nil, err
	}
	for _, arguments := range [][]string{
		append([]string{"build", "-trimpath", "-o", folder}, packages...),
		{"build", "-trimpath", "-o", p.floor, "-overlay", overlay, own + "/floor"},
	} {
		if _, err := goTool(ctx, arguments...); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// linkAlike writes an overlay that adds one file to the floor: a blank import of every package of another module that
// Pillion links today.
func linkAlike(ctx context.Context, folder string) (overlay string, err error) {
	listed, err := goTool(ctx, "list", "-deps", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}", shipped)
	if err != nil {
		return "", err
	}
	floor, err := goTool(ctx, "list", "-f", "{{.Dir}}", own+"/floor")
	if err != nil {
		return "", err
	}
	links := []byte("package main\n\nimport (\n")
	for _, path := range strings.Fields(listed) {
		if !strings.HasPrefix(path, "pillion/") && !isInternal(path) {
			links = fmt.Appendf(links, "\t_ %q\n", path)
		}
	}
	source := filepath.Join(folder, "links.go")
	if err := os.WriteFile(source, append(links, ")\n"...), 0o600); err != nil {
		return "", err
	}
	text, err := json.Marshal(map[string]map[string]string{
		"Replace": {filepath.Join(strings.TrimSpace(floor), "links.go"): source},
	})
	if err != nil {
		return "", err
	}
	overlay = filepath.Join(folder, "overlay.json")
	return overlay, os.WriteFile(overlay, text, 0o600)
}

// isInternal reports whether only the package's own module may import it; it is linked through that module's other packages.
func isInternal(path string) bool {
	return strings.Contains("/"+path+"/", "/internal/")
}

func goTool(ctx context.Context, arguments ...string) (string, error) {
	command := exec.CommandContext(ctx, "go", arguments...)
	command.Env = append(os.Environ(), "CGO_ENABLED=0")
	var said bytes.Buffer
	command.Stderr = &said
	out, err := command.Output()
	if err != nil {
		return "", fmt.Errorf("go %s: %w\n%s", strings.Join(arguments, " "), err, said.Bytes())
	}
	return string(out), nil
}
