package install

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"path/filepath"
)

// Kind is a browser that is written for Node.
type Kind string

// The kinds that there are.
const (
	Playwright     Kind = "playwright"      // @playwright/mcp
	ChromeDevTools Kind = "chrome-devtools" // chrome-devtools-mcp
)

// Kinds are all of them.
func Kinds() []Kind { return []Kind{Playwright, ChromeDevTools} }

//go:embed playwright/*.json chrome-devtools/*.json
var locks embed.FS

var manifests = [...]string{"package.json", "package-lock.json"}

// release is what Pillion carries of a kind.
type release struct {
	pkg    string
	script string // in the folder, what Node runs
	node   nodeVersion
	files  map[string][]byte
	digest string // of the lock file: what another Pillion installed is another
}

// Package is the name of the package, as npm calls it.
func (k Kind) Package() string {
	switch k {
	case Playwright:
		return "@playwright/mcp"
	case ChromeDevTools:
		return "chrome-devtools-mcp"
	}
	return string(k)
}

func (k Kind) release() (release, error) {
	r := release{pkg: k.Package(), files: map[string][]byte{}}
	switch k {
	case Playwright:
		r.script, r.node = "cli.js", nodeVersion{20, 0}
	case ChromeDevTools:
		r.script, r.node = "build/src/bin/chrome-devtools-mcp.js", nodeVersion{20, 19}
	default:
		return release{}, fmt.Errorf("there is no browser %q to install", k)
	}
	r.script = filepath.Join("node_modules", filepath.FromSlash(r.pkg), filepath.FromSlash(r.script))
	for _, name := range manifests {
		text, err := locks.ReadFile(string(k) + "/" + name)
		if err != nil {
			return release{}, err
		}
		r.files[name] = text
	}
	digest := sha256.Sum256(r.files["package-lock.json"])
	r.digest = hex.EncodeToString(digest[:6])
	return r, nil
}
