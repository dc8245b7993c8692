package host

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"pillion/mcp/config"
	"pillion/mcp/connector"
	"pillion/mcp/place"
	"pillion/mcp/policy"
	"pillion/mcp/process"
	"pillion/mcp/redact"
	"pillion/mcp/settings"
)

// What an entry that says nothing gets (A6).
const (
	defaultStartTimeout  = settings.DefaultStartTimeout
	downloadStartTimeout = settings.DownloadStartTimeout
	defaultCallTimeout   = settings.DefaultCallTimeout
	maxCallTimeout       = settings.MaxCallTimeout
	defaultIdleTimeout   = settings.DefaultIdleTimeout
	defaultMaxConcurrent = settings.DefaultMaxConcurrent
	defaultPingInterval  = settings.DefaultPingInterval
	loginPathTimeout     = 3 * time.Second
)

// demoArguments start the one connector that Pillion is itself (A11).
var demoArguments = []string{"demo"}

// logLevels are those of MCP by the words of the option stderrLevel.
var logLevels = map[string]string{"debug": "debug", "info": "info", "warn": "warning", "error": "error"}

// launch starts an entry where it was judged, for the workspace may have other folders by now, into a share that is the slot's;
// the connector is returned even where its start did not succeed.
func (h *Host) launch(ctx context.Context, s *slot, at subject, into *share, given inputValues) (*connector.Connector, *Problem) {
	prepared, err := patiently(ctx, func() prepared {
		if b := h.builtinOf(s.lead().id); b != nil {
			return h.prepareBuiltin(ctx, b, at, s.session())
		}
		return h.prepare(at, given)
	})
	switch {
	case err != nil:
		return nil, nil // it was given up
	case prepared.problem != nil:
		return nil, prepared.problem
	}
	started, mayStart, err := h.startedCode(ctx, s.lead(), at, prepared.definition)
	switch {
	case ctx.Err() != nil, err == nil && !mayStart:
		return nil, nil // it was given up, or what it comes to is not covered
	case err != nil:
		return nil, internalProblem(at.entry, err)
	}
	h.coverStart(ctx, s.lead(), started)
	h.addSecrets(prepared.secrets)
	options := h.connectorOptions(at.entry, prepared.secrets)
	options.Offers = h.offers(at)
	if offers, isOfProfile := profileOf(s.scope); isOfProfile {
		offers.FollowsTasks = options.Offers.FollowsTasks
		if offers.Roots == nil {
			offers.Roots = options.Offers.Roots
		}
		options.Offers, prepared.definition.Era = offers, connector.EraLegacy
	}
	options.OnChange = func(c connector.Change) { h.processChanged(into, c) }
	process := connector.New(prepared.definition, options)
	h.locked(func() { into.process, into.judged, s.process = process, prepared.judged, process })
	if err := process.Start(ctx); err != nil {
		if ctx.Err() == nil {
			h.locked(func() { into.failure = err })
		}
		return process, h.problemOf(at.entry, process, err)
	}
	h.checkSwap(ctx, s.lead(), at, started)
	return process, nil
}

// prepared is an entry as it is spawned, with the secret values in it, or why it cannot be.
type prepared struct {
	definition connector.Definition
	judged     policy.Connector
	secrets    []string
	problem    *Problem
}

// prepare expands an entry that may run, and finds its folder and its program.
// It is called after consent only (B6).
func (h *Host) prepare(at subject, given inputValues) prepared {
	entry, project := at.entry, at.project()
	expanded, findings := entry.Expand(config.Scope{
		Root: project, Dir: h.ownFolder(entry), Home: h.home(), Lookup: h.lookup(at), IsSecret: redact.LooksSecret,
		Input: given.of,
	})
	if len(findings) > 0 {
		return prepared{problem: configProblem(entry, findings[0].Message, findings[0].Fix)}
	}
	if entry.Transport != config.TransportStdio {
		return h.prepareRemote(entry, expanded)
	}
	if problem := h.reachesWorkspace(at, expanded); problem != nil {
		return prepared{problem: problem}
	}
	folder, problem := h.workingFolder(entry, expanded.Cwd)
	if problem != nil {
		return prepared{problem: problem}
	}
	path := h.childPath(at)
	program, err := process.Resolver{Path: path, Ext: h.pathExt()}.Look(expanded.Command, folder)
	if err != nil {
		return prepared{problem: programProblem(entry, err)}
	}
	judged := policy.Connector{Name: entry.Name, Command: append([]string{expanded.Command}, expanded.Args...), Program: program}
	judged.Real, _ = filepath.EvalSymlinks(program)
	judged.InWorkspace = slices.ContainsFunc(at.roots, func(root string) bool { return place.LiesIn(program, root) })
	if refused := h.readPolicies().refusal(entry, judged); refused != nil {
		return prepared{problem: refused}
	}
	if config.SameProgram(program, h.options.Executable) && !slices.Equal(expanded.Args, demoArguments) {
		return prepared{problem: configProblem(entry, "it would start Pillion itself", "Remove the entry: Pillion is the host here.")}
	}
	definition := definitionOf(entry, config.Downloads(expanded.Command, expanded.Args))
	definition.Program, definition.Args, definition.Dir = program, expanded.Args, folder
	definition.Env = process.Environment(h.options.Environ, entry.Options.InheritEnv, ownVariables(expanded.Env, path, project))
	return prepared{definition: definition, judged: judged, secrets: expanded.Secrets}
}

// prepareRemote is prepare for a remote server, of which there is no folder and no program.
func (h *Host) prepareRemote(entry *config.Entry, expanded config.Expanded) prepared {
	judged := policy.Connector{Name: entry.Name, URL: expanded.URL}
	if refused := h.readPolicies().refusal(entry, judged); refused != nil {
		return prepared{problem: refused}
	}
	definition := definitionOf(entry, false)
	definition.URL, definition.Headers = expanded.URL, expanded.Headers
	definition.IsSSE = entry.Transport == config.TransportSSE
	return prepared{definition: definition, judged: judged, secrets: expanded.Secrets}
}

// ownVariables are those of the entry, and what every connector gets unless its entry says otherwise.
func ownVariables(written map[string]string, path, project string) map[string]string {
	variables := map[string]string{"PATH": path}
	maps.Copy(variables, written)
	if project != "" {
		variables[config.ProjectDirVariable] = project
	}
	return variables
}

// definitionOf is what an entry says of itself, with what it gets where it says nothing; a start that downloads may take longer.
func definitionOf(entry *config.Entry, downloads bool) connector.Definition {
	options := entry.Options
	definition := connector.Definition{
		ID: entry.ID, Name: entry.Name, Era: options.Era,
		StartTimeout:  cmp.Or(options.StartTimeout, defaultStartTimeout),
		CallTimeout:   callTimeoutOf(entry),
		CallCap:       maxCallTimeout,
		MaxConcurrent: cmp.Or(options.MaxConcurrent, defaultMaxConcurrent),
		PingInterval:  pingIntervalOf(entry),
		Downloads:     downloads,
		LogLevel:      logLevels[options.StderrLevel],
	}
	if options.Seat != "" {
		definition.MaxConcurrent = 1
	}
	if definition.Downloads && options.StartTimeout == 0 {
		definition.StartTimeout = downloadStartTimeout
	}
	return definition
}

// callTimeoutOf is that of the name that is called: a process may have several.
func callTimeoutOf(entry *config.Entry) time.Duration {
	return cmp.Or(entry.Options.CallTimeout, entry.Timeout, defaultCallTimeout)
}

// pingIntervalOf is how often a connector is asked whether it is there; negative for never.
func pingIntervalOf(entry *config.Entry) time.Duration {
	switch written := entry.Options.PingInterval; {
	case written < 0:
		return -1
	case written == 0:
		return defaultPingInterval
	default:
		return max(written, settings.MinPingInterval)
	}
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

// childPath is the PATH that a connector is looked up in and gets.
// Only absolute folders count, and for what is not the project's own none that lies in a workspace (S1).
func (h *Host) childPath(at subject) string {
	own, _ := lookupIn(h.options.Environ, "PATH")
	if override, found := lookupVariable(at.entry.Env, "PATH"); found {
		own = override
	}
	var folders []string
	for _, folder := range filepath.SplitList(own + string(filepath.ListSeparator) + h.loginPath()) {
		if !filepath.IsAbs(folder) || slices.Contains(folders, folder) {
			continue
		}
		if at.entry.File.Source != config.SourceProject && slices.ContainsFunc(at.roots, func(root string) bool { return place.LiesIn(folder, root) }) {
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

func (h *Host) pathExt() []string {
	ext, _ := lookupIn(h.options.Environ, "PATHEXT")
	if ext == "" {
		return nil
	}
	return filepath.SplitList(ext)
}

func (h *Host) connectorOptions(entry *config.Entry, secrets []string) connector.Options {
	var certificates []string
	if h.options.CAFile != nil {
		if file := h.options.CAFile(); file != "" {
			certificates = append(certificates, file)
		}
	}
	options := connector.Options{
		Logger:  h.log,
		Guard:   h.startGuard,
		LogFile: h.logFile(entry),
		Redact:  redact.New(secrets...),
		Client:  connector.Implementation{Name: "pillion", Version: h.options.Version},
		Timing:  h.options.StopTiming,
		Eras:    h.eras,
		Environ: h.options.Environ,
		CAFiles: certificates,
	}
	var level slog.Level
	if written := entry.Options.StderrLevel; written != "" && level.UnmarshalText([]byte(written)) == nil {
		options.OnStderr = func(line string) {
			h.log.Log(context.Background(), level, "connector says", "connector", entry.Name, "line", line)
		}
	}
	return options
}

func programName(command string) string {
	name := filepath.Base(command)
	return strings.TrimSuffix(name, filepath.Ext(name))
}
