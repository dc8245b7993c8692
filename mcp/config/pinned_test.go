package config

import (
	"strings"
	"testing"
)

func TestS9_WhatIsFreeToBringAnotherVersion(t *testing.T) {
	t.Parallel()
	sum := "sha256:" + strings.Repeat("0a", 32)
	for line, want := range map[string]bool{
		"node server.js":                         false,
		"/usr/bin/notes --stdio":                 false,
		"npx pkg":                                true,
		"npx -y pkg":                             true,
		"npx -y @scope/pkg":                      true,
		"npx -y @scope/pkg@latest":               true,
		"npx -y @scope/pkg@1":                    true,
		"npx -y pkg@^1.2.3":                      true,
		"npx -y pkg@1.2":                         true,
		"npx -y pkg@1.2.3":                       false,
		"npx -y @scope/pkg@1.2.3-rc.1":           false,
		"npx --package=pkg@1.2.3 start":          false,
		"npx --package pkg start@1.2.3":          true,
		"npx -p pkg@1.2.3 -p other start":        true,
		"npx --registry pkg@1.2.3 evil":          true,
		"npx ./local":                            false,
		"npx pkg@${VERSION}":                     true,
		"npx":                                    true,
		`C:\nodejs\npx.cmd -y pkg`:               true,
		"cmd /c npx -y pkg":                      true,
		"cmd /c npx -y pkg@1.2.3":                false,
		"sh -c exec npx -y pkg":                  true,
		"npm exec -- pkg@1.2.3":                  false,
		"npm exec pkg":                           true,
		"npm start":                              false,
		"bunx pkg":                               true,
		"pnpm dlx pkg@1.2.3":                     false,
		"yarn dlx pkg":                           true,
		"uvx pkg":                                true,
		"uvx pkg@latest":                         true,
		"uvx pkg@1.2.3":                          false,
		"uvx pkg==1.2":                           false,
		"uvx pkg==1.*":                           true,
		"uvx pkg>=1.2":                           true,
		"uvx --from pkg==1.2.3 start":            false,
		"uvx --from git+https://x/y start":       true,
		"uvx --with other==1.0 pkg":              true,
		"uvx --python 3.12 pkg==1.0":             false,
		"uv tool run pkg":                        true,
		"uv run server.py":                       false,
		"pipx run pkg==1.0":                      false,
		"docker run -i --rm image":               true,
		"docker run -i --rm image:latest":        true,
		"docker run -i --rm image:1.2":           false,
		"docker run -i reg.example:5000/image":   true,
		"docker run -i reg.example:5000/image:1": false,
		"docker run -v a:b -e X image":           true,
		"docker run image@" + sum:                false,
		"docker exec -i box server":              false,
		"podman run --rm -i image":               true,
		"go run example.com/x@latest":            true,
		"go run example.com/x@v1.2.3":            false,
		"go run .":                               false,
		"deno run -A npm:pkg":                    true,
		"deno run -A npm:pkg@1.2.3":              false,
	} {
		words := strings.Fields(line)
		if got := (&Entry{Command: words[0], Args: words[1:]}).IsUnpinned(); got != want {
			t.Errorf("%s: %v", line, got)
		}
	}
}

func TestU10_WhatMayDownload(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]bool{
		"npx -y pkg@1.2.3": true, "pnpm dlx pkg": true, "pnpm start": false, "bun x pkg": true, "uv tool run x": true, "uv run server.py": false,
		"docker run image": true, "docker exec box x": false, "node server.js": false, "go run example.com/x@v1.0.0": true,
	} {
		words := strings.Fields(line)
		if got := Downloads(words[0], words[1:]); got != want {
			t.Errorf("%s: %v", line, got)
		}
	}
}
