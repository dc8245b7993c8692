package install

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"pillion/mcp/place"
	"pillion/mcp/process"
)

// nodeVersion is a major and a minor version.
type nodeVersion struct{ major, minor int }

func (v nodeVersion) String() string { return fmt.Sprintf("%d.%d", v.major, v.minor) }

func (v nodeVersion) isBefore(other nodeVersion) bool {
	return v.major < other.major || v.major == other.major && v.minor < other.minor
}

// parseVersion reads what `node --version` says: "v20.20.2".
func parseVersion(text string) (nodeVersion, error) {
	parts := strings.Split(strings.TrimPrefix(strings.TrimSpace(text), "v"), ".")
	if len(parts) < 3 {
		return nodeVersion{}, fmt.Errorf("%q is no version", text)
	}
	major, err := strconv.Atoi(parts[0])
	minor, minorErr := strconv.Atoi(parts[1])
	return nodeVersion{major, minor}, errors.Join(err, minorErr)
}

// outside are the entries of a PATH that are absolute and lie in none of the folders (S1).
func outside(path string, folders []string) string {
	var avoided []place.Folder
	for _, folder := range folders {
		avoided = append(avoided, place.NewFolder(folder))
	}
	var kept []string
	for _, entry := range filepath.SplitList(path) {
		isKept := filepath.IsAbs(entry)
		for _, folder := range avoided {
			isKept = isKept && !folder.Has(entry)
		}
		if isKept {
			kept = append(kept, entry)
		}
	}
	return strings.Join(kept, string(os.PathListSeparator))
}

// tools are the Node and the npm of this machine.
type tools struct{ node, npm string }

// find looks for Node, and for npm too if that is needed.
func (i *Installer) find(ctx context.Context, k Kind, r release, needsNPM bool) (tools, error) {
	look := process.Resolver{Path: i.path()}
	var found tools
	var err error
	if found.node, err = i.look(look, "node"); err != nil {
		return tools{}, &Error{Kind: k, Reason: NoNode, Needs: r.node.String(), Err: err}
	}
	said, err := i.output(ctx, found.node, "--version")
	if ctx.Err() != nil {
		return tools{}, context.Cause(ctx)
	}
	version, parseErr := parseVersion(said)
	if err != nil || parseErr != nil {
		return tools{}, &Error{Kind: k, Reason: NoNode, Needs: r.node.String(), Said: said, Err: errors.Join(err, parseErr)}
	}
	if version.isBefore(r.node) {
		return tools{}, &Error{Kind: k, Reason: OldNode, Needs: r.node.String(), Said: fmt.Sprintf("%s is %s", found.node, version)}
	}
	if !needsNPM {
		return found, nil
	}
	if found.npm, err = i.look(look, "npm"); err != nil {
		return tools{}, &Error{Kind: k, Reason: NoNPM, Err: err}
	}
	return found, nil
}

// look finds a program, and passes over one whose links lead into a folder to stay out of.
func (i *Installer) look(in process.Resolver, name string) (string, error) {
	found, err := in.Look(name, "")
	if err != nil {
		return "", err
	}
	for _, folder := range i.o.Outside {
		if place.LiesIn(found, folder) {
			return "", fmt.Errorf("%s leads into the workspace", found)
		}
	}
	return found, nil
}

// output runs a program to its end and returns what it wrote.
func (i *Installer) output(ctx context.Context, program string, arguments ...string) (string, error) {
	said := &tail{}
	err := i.run(ctx, process.Spec{Path: program, Args: arguments, Dir: os.TempDir()}, said)
	return said.String(), err
}

// run runs a program to its end, with all that it starts. What it writes goes to said.
func (i *Installer) run(ctx context.Context, spec process.Spec, said io.Writer) error {
	spec.Env, spec.Marker = i.environment(), process.NewMarker("install")
	running, err := process.Start(spec, i.o.Guard)
	if err != nil {
		return err
	}
	_ = running.Stdin.Close()
	stop := context.AfterFunc(ctx, running.Kill)
	defer stop()
	var reading sync.WaitGroup
	for _, stream := range []io.Reader{running.Stdout, running.Stderr} {
		reading.Go(func() { _, _ = io.Copy(said, stream) })
	}
	reading.Wait()
	<-running.Gone()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if code, signal := running.ExitCode(); code != 0 {
		return fmt.Errorf("%s ended with %s", filepath.Base(spec.Path), ended(code, signal))
	}
	return nil
}

func ended(code int, signal string) string {
	if signal != "" {
		return signal
	}
	return strconv.Itoa(code)
}

// environment is what node and npm see: nothing that has them load code or settings from elsewhere, but the user's own registry,
// proxies and certificates.
func (i *Installer) environment() []string {
	inherit := []string{}
	for _, variable := range i.o.Environ {
		name, _, _ := strings.Cut(variable, "=")
		switch strings.ToLower(name) {
		case "npm_config_registry", "npm_config_proxy", "npm_config_https_proxy", "npm_config_noproxy", "npm_config_cafile",
			"npm_config_ca", "npm_config_strict_ssl", "npm_config_userconfig", "npm_config_maxsockets", "npm_config_fetch_timeout":
			inherit = append(inherit, name)
		}
	}
	return process.Environment(i.o.Environ, inherit, map[string]string{
		"PATH": i.path(), "PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD": "1", "PUPPETEER_SKIP_DOWNLOAD": "1",
	})
}

func (i *Installer) path() string { return outside(i.o.Path, i.o.Outside) }

// tail keeps the end of what is written to it.
type tail struct {
	mu   sync.Mutex
	text []byte
}

const maxSaidBytes = 8 << 10

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, b...)
	if over := len(t.text) - maxSaidBytes; over > 0 {
		t.text = append(t.text[:0], t.text[over:]...)
	}
	return len(b), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(string(t.text))
}
