package host

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"pillion/mcp/config"
	"pillion/mcp/connector"
	"pillion/mcp/process"
	"pillion/mcp/redact"
)

// What an entry that says nothing gets (A6).
const (
	defaultStartTimeout    = 30 * time.Second
	downloadStartTimeout   = 180 * time.Second // until the first output of a runner that downloads (U10)
	defaultCallTimeout     = 5 * time.Minute
	maxCallTimeout         = 60 * time.Minute
	defaultIdleTimeout     = 15 * time.Minute
	defaultMaxConcurrent   = 16
	loginPathTimeout       = 3 * time.Second
	projectFolderVariable  = "CLAUDE_PROJECT_DIR"
	connectorFolderInState = "work"
	logFolderInState       = "logs"
)

// demoArguments start the one connector that Pillion is itself (A11).
var demoArguments = []string{"demo"}

// downloaders are the runners whose first start may fetch a package.
var downloaders = map[string]bool{"npx": true, "bunx": true, "uvx": true, "pipx": true, "docker": true, "podman": true}

// place is where an entry was judged, and so where it runs: the workspace may have other folders by then.
type place struct {
	project string // what ${workspaceFolder} stands for
	roots   []string
}

// prepare expands an entry that may run into what is spawned, and the secret values in it.
// It is called after consent only (B6).
func (h *Host) prepare(ctx context.Context, entry *config.Entry, in place) (connector.Definition, []string, *Problem) {
	expanded, findings := entry.Expand(config.Scope{
		Root: in.project, Dir: h.ownFolder(entry), Home: h.home(), Lookup: h.variablesIn(in.project), IsSecret: redact.LooksSecret,
	})
	if len(findings) > 0 {
		return connector.Definition{}, nil, configProblem(entry, findings[0].Message, findings[0].Fix)
	}
	folder, problem := h.workingFolder(entry, expanded.Cwd)
	if problem != nil {
		return connector.Definition{}, nil, problem
	}
	path := h.childPath(ctx, entry, in.roots)
	program, err := process.Resolver{Path: path, Ext: h.pathExt()}.Look(expanded.Command, folder)
	if err != nil {
		return connector.Definition{}, nil, programProblem(entry, err)
	}
	if config.SameProgram(program, h.options.Executable) && !slices.Equal(expanded.Args, demoArguments) {
		return connector.Definition{}, nil, configProblem(entry, "it would start Pillion itself", "Remove the entry: Pillion is the host here.")
	}
	environ := maps.Clone(expanded.Env)
	if environ == nil {
		environ = map[string]string{}
	}
	if _, isSet := environ["PATH"]; !isSet {
		environ["PATH"] = path
	}
	if in.project != "" {
		environ[projectFolderVariable] = in.project
	}
	options := entry.Options
	definition := connector.Definition{
		ID: entry.ID, Name: entry.Name,
		Program: program, Args: expanded.Args, Dir: folder,
		Env:           process.Environment(h.options.Environ, options.InheritEnv, environ),
		Era:           options.Era,
		StartTimeout:  firstOf(options.StartTimeout, defaultStartTimeout),
		CallTimeout:   firstOf(options.CallTimeout, entry.Timeout, defaultCallTimeout),
		CallCap:       maxCallTimeout,
		MaxConcurrent: firstOf(options.MaxConcurrent, defaultMaxConcurrent),
		Downloads:     downloaders[programName(expanded.Command)],
	}
	if definition.Downloads && options.StartTimeout == 0 {
		definition.StartTimeout = downloadStartTimeout
	}
	return definition, expanded.Secrets, nil
}

// workingFolder makes sure that the folder the connector starts in is there.
// It is as the file says, else the project's, else an empty one of Pillion's own, so that nothing of a workspace is picked
// up by accident (C07, S1).
func (h *Host) workingFolder(entry *config.Entry, cwd string) (string, *Problem) {
	if own := h.ownFolder(entry); cwd == "" || cwd == own {
		if err := os.MkdirAll(own, 0o700); err != nil {
			return "", internalProblem(entry, err)
		}
		return own, nil
	}
	if info, err := os.Stat(cwd); err != nil || !info.IsDir() {
		return "", configProblem(entry, fmt.Sprintf("its working folder %q does not exist", cwd), "Create the folder, or correct \"cwd\".")
	}
	return cwd, nil
}

func (h *Host) ownFolder(entry *config.Entry) string {
	return h.scratch(connectorFolderInState, entry.ID)
}

// scratch is a path below the folder that connectors work in and log to.
func (h *Host) scratch(elem ...string) string {
	if h.options.Scratch == "" {
		return h.options.Folder.Path(elem...)
	}
	return filepath.Join(append([]string{h.options.Scratch}, elem...)...)
}

// childPath is the PATH that a connector is looked up in and gets.
// Only absolute folders count, and for what is not the project's own none that lies in a workspace (S1).
func (h *Host) childPath(ctx context.Context, entry *config.Entry, roots []string) string {
	own, _ := lookupIn(h.options.Environ, "PATH")
	if override, found := lookupVariable(entry.Env, "PATH"); found {
		own = override
	}
	var folders []string
	for _, folder := range filepath.SplitList(own + string(filepath.ListSeparator) + h.loginPath()) {
		if !filepath.IsAbs(folder) || slices.Contains(folders, folder) {
			continue
		}
		if entry.File.Source != config.SourceProject && slices.ContainsFunc(roots, func(root string) bool { return LiesIn(folder, root) }) {
			continue
		}
		folders = append(folders, folder)
	}
	return strings.Join(folders, string(filepath.ListSeparator))
}

func lookupVariable(variables []config.Variable, name string) (string, bool) {
	for _, variable := range variables {
		if variable.Name == name && !strings.Contains(variable.Value, "${") {
			return variable.Value, true
		}
	}
	return "", false
}

// resolveLoginPath asks the user's login shell once for its PATH, within a bound (C12).
func (h *Host) resolveLoginPath() string {
	shell, _ := lookupIn(h.options.Environ, "SHELL")
	if shell == "" {
		return ""
	}
	guard, err := h.startGuard()
	if err != nil {
		h.log.Warn("the login shell is not guarded", "error", err) // a nil guard asks it all the same
	}
	ctx, cancel := context.WithTimeout(h.lifetime, loginPathTimeout)
	defer cancel()
	path, err := guard.LoginPath(ctx, shell, h.options.Environ)
	if err != nil {
		h.log.Info("login shell gave no path", "shell", shell, "error", err)
		return ""
	}
	return path
}

func (h *Host) pathExt() []string {
	ext, _ := lookupIn(h.options.Environ, "PATHEXT")
	if ext == "" {
		return nil
	}
	return filepath.SplitList(ext)
}

func (h *Host) connectorOptions(entry *config.Entry, secrets []string) connector.Options {
	return connector.Options{
		Logger:  h.log,
		Guard:   h.startGuard,
		LogFile: h.LogFile(entry.ID),
		Redact:  redact.New(secrets...),
		Client:  connector.Implementation{Name: "pillion", Version: h.options.Version},
		Timing:  h.options.StopTiming,
		Eras:    h.eras,
	}
}

// startGuard starts the guard with the first process and returns it from then on.
func (h *Host) startGuard() (*process.Guard, error) {
	h.guardMu.Lock()
	defer h.guardMu.Unlock()
	switch {
	case h.isGuardClosed:
		return nil, ErrClosed
	case h.guard != nil:
		return h.guard, nil
	}
	guard, err := process.StartGuard(h.options.Executable, h.options.GuardArgs, h.options.Subreaper, h.log)
	if err != nil {
		return nil, fmt.Errorf("start the guard: %w", err)
	}
	h.guard = guard
	return guard, nil
}

func (h *Host) closeGuard() {
	h.guardMu.Lock()
	defer h.guardMu.Unlock()
	h.isGuardClosed = true
	if h.guard != nil {
		_ = h.guard.Close()
		h.guard = nil
	}
}

func programName(command string) string {
	name := filepath.Base(command)
	return strings.TrimSuffix(name, filepath.Ext(name))
}

// firstOf returns the first value that is set.
func firstOf[T comparable](values ...T) T {
	var zero T
	for _, value := range values {
		if value != zero {
			return value
		}
	}
	return zero
}
