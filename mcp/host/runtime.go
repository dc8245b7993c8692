package host

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"pillion/mcp/config"
	"pillion/mcp/place"
	"pillion/mcp/process"
)

// Runtime is a program that connectors of this session are started with, named without a folder.
type Runtime struct {
	Command string
	// Connectors are the names of those that need it.
	Connectors []string
	// Path is where it was found; empty where it was not. Reason says why then.
	Path, Reason string
	// Folders are those of PATH that it was looked for in.
	Folders []string
	// IsOfShell is set where the login shell's PATH has it and the editor's has not.
	IsOfShell bool
	// Version is what a well-known runner says of itself, or empty.
	Version string
	// Install says what makes it be there.
	Install string
}

const (
	// versionTime bounds how long a runner may take to tell its version.
	versionTime     = 5 * time.Second
	maxVersionBytes = 4 << 10
	maxVersionRunes = 80
)

// HasProgram reports whether a bare name is a program in an absolute folder of PATH: the editor's, or that of the login shell,
// which is asked once and waited for within a bound. It may be asked of a definition that nobody has allowed yet (B6).
func (h *Host) HasProgram(name string) bool {
	if name == "" || strings.ContainsAny(name, `/\`) {
		return false
	}
	own, _ := lookupIn(h.options.Environ, "PATH")
	for _, path := range []func() string{func() string { return own }, h.loginPath} {
		if _, err := (process.Resolver{Path: path(), Ext: h.pathExt()}).Look(name, ""); err == nil {
			return true
		}
	}
	return false
}

// Runtimes looks for the programs that connectors need which are on. Nothing of a workspace is looked in, run or expanded:
// programs are looked for by their bare names, in absolute folders of PATH outside every workspace, and only well-known runners
// that lie outside too are started, for their version, in a folder of Pillion's own (B6, S1, S24).
func (h *Host) Runtimes(ctx context.Context) []Runtime {
	runtimes, roots := h.namedPrograms()
	if len(runtimes) == 0 {
		return nil
	}
	own, _ := lookupIn(h.options.Environ, "PATH")
	editorPath, path := outside(own, roots), outside(own+string(filepath.ListSeparator)+h.loginPath(), roots)
	var asking sync.WaitGroup
	for i := range runtimes {
		r := &runtimes[i]
		r.Install = installStep(r.Command)
		found, err := process.Resolver{Path: path, Ext: h.pathExt()}.Look(r.Command, "")
		if err != nil {
			r.Folders = filepath.SplitList(path)
			r.Reason = fmt.Sprintf("not found in the %d folders of PATH", len(r.Folders))
			continue
		}
		r.Path = found
		_, err = process.Resolver{Path: editorPath, Ext: h.pathExt()}.Look(r.Command, "")
		r.IsOfShell = err != nil
		if real, err := filepath.EvalSymlinks(found); err != nil || liesInAny(real, roots) || runnerSteps[programName(r.Command)] == "" {
			continue
		}
		asking.Go(func() { r.Version = h.versionOf(ctx, found, path) })
	}
	asking.Wait()
	return runtimes
}

// namedPrograms are the bare names that connectors are started by, with the workspace folders.
func (h *Host) namedPrograms() ([]Runtime, []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	var runtimes []Runtime
	for _, s := range h.present() {
		command := s.entry.Command
		isBare := command != "" && command == filepath.Base(command) && !strings.ContainsAny(command, `/\$`)
		if !isBare || s.entry.Transport != config.TransportStdio || s.standing.isShadowed || s.standing.isDisabled || s.standing.isSelf || s.standing.isDenied {
			continue
		}
		at := slices.IndexFunc(runtimes, func(r Runtime) bool { return r.Command == command })
		if at < 0 {
			at = len(runtimes)
			runtimes = append(runtimes, Runtime{Command: command})
		}
		runtimes[at].Connectors = append(runtimes[at].Connectors, s.entry.Name)
	}
	return runtimes, h.roots
}

// outside is a PATH without what is not absolute or lies in a workspace.
func outside(path string, roots []string) string {
	var folders []string
	for _, folder := range filepath.SplitList(path) {
		if filepath.IsAbs(folder) && !liesInAny(folder, roots) && !slices.Contains(folders, folder) {
			folders = append(folders, folder)
		}
	}
	return strings.Join(folders, string(filepath.ListSeparator))
}

func liesInAny(path string, roots []string) bool {
	return slices.ContainsFunc(roots, func(root string) bool { return place.LiesIn(path, root) })
}

// versionOf asks a runner for its version; empty where it does not say.
func (h *Host) versionOf(ctx context.Context, program, path string) string {
	ctx, cancel := context.WithTimeout(ctx, versionTime)
	defer cancel()
	folder := h.scratch(workFolder, "doctor")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return ""
	}
	guard, err := h.startGuard()
	if err != nil {
		return ""
	}
	asked, err := process.Start(process.Spec{
		Path: program, Args: []string{"--version"}, Dir: folder, Marker: process.NewMarker("doctor"),
		Env: process.Environment(h.options.Environ, nil, map[string]string{"PATH": path}),
	}, guard)
	if err != nil {
		return ""
	}
	defer func() { <-asked.Gone() }()
	defer asked.Kill()
	defer context.AfterFunc(ctx, asked.Kill)()
	go func() { _, _ = io.Copy(io.Discard, asked.Stderr) }()
	_ = asked.Stdin.Close()
	said, _ := io.ReadAll(io.LimitReader(asked.Stdout, maxVersionBytes))
	line, _, _ := bytes.Cut(bytes.TrimSpace(said), []byte("\n"))
	runes := []rune(strings.ToValidUTF8(strings.TrimSpace(string(line)), ""))
	return string(runes[:min(len(runes), maxVersionRunes)])
}

// SecretStore is where the values of inputs are kept.
type SecretStore struct {
	// Place is keyring or file; empty where nothing was stored yet.
	Place string
	Count int
	// Fault says why what is stored cannot be used; nil mostly.
	Fault error
}

// SecretStore looks at the list of what is stored, never at a value, and asks no keyring.
func (h *Host) SecretStore() SecretStore {
	if h.inputs.store == nil {
		return SecretStore{}
	}
	found := SecretStore{Place: string(h.inputs.store.Place()), Fault: h.inputs.store.Health()}
	stored, err := h.inputs.store.List()
	if err != nil && found.Fault == nil {
		found.Fault = err
	}
	found.Count = len(stored)
	return found
}

// HasGuard reports whether a guard runs that ends what is left should this process be killed; there is none before the first
// program was started.
func (h *Host) HasGuard() bool {
	h.guardMu.Lock()
	defer h.guardMu.Unlock()
	return h.guard != nil
}

// LogFolder holds the logs of connectors; it need not exist.
func (h *Host) LogFolder() string { return h.scratch(logFolder) }
