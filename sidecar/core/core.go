// Package core puts a host of connectors together from the user's environment: which folders, which files, which roots.
// It knows neither JSON-RPC nor LSP; an editor session, a command in a terminal and a server use it alike.
package core

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"time"

	"pillion/mcp/admission"
	"pillion/mcp/auth"
	"pillion/mcp/config"
	"pillion/mcp/host"
	"pillion/mcp/place"
	"pillion/mcp/policy"
	"pillion/mcp/process"
	"pillion/mcp/settings"
	"pillion/sidecar/watch"
)

// Options say who starts a host and for what.
type Options struct {
	Logger  *slog.Logger
	Version string
	// Environ is the environment of this process.
	Environ []string
	// Executable is Pillion's own path, from which the guard is started.
	Executable string
	// Subreaper is that of [host.Options].
	Subreaper *process.Subreaper
	// Window names the session; see [NewWindow].
	Window string
	Roots  []string
	// Settings are those of the session.
	Settings *Settings
	// SettingsChanged, if not nil, is told that they may have changed, or that there is news of them.
	SettingsChanged func()
	// IsStill, Depth and AllowedOnce are those of [host.Options].
	IsStill     bool
	Depth       host.Depth
	AllowedOnce []string
	Asker       host.Asker
	Observe     func(host.Event)
	// BrowserChanged, if not nil, is told that the browser of a session may be in another state. It must not block, and may be called
	// with locks held: it asks [Core.Browser] later.
	BrowserChanged func(session string)
	// Keyring finds the keyring of values and of the key that grants are sealed with; nil finds the system's.
	Keyring func() auth.Keyring
}

// Core is a host with the folders that it lives in.
type Core struct {
	*host.Host
	Folders Folders
	// Admissions are the programs that may join a window, and those that may not.
	Admissions *admission.Store
	// Results is the session's own private folder.
	Results string
	// Notice is what the user should be told of the folders, a sentence without its full stop; mostly empty.
	Notice  string
	scratch string
	environ []string
	logger  *slog.Logger

	browsers        *browsers
	settings        *Settings
	settingsChanged func()
	applying        sync.Mutex // what is read last is what counts
	isTrusted       bool

	watcher   *watch.Watcher // nil without [Core.Watch]
	given     []string       // the workspace folders to begin with
	started   chan struct{}
	closing   chan struct{}
	closeOnce sync.Once
}

// resealTime bounds how long it takes to seal what was decided before the key could be had.
const resealTime = 10 * time.Second

// GuardCommand is the hidden command of Pillion that runs its guard.
const GuardCommand = "guard"

// BrowserCommand is the hidden command of Pillion that is its own browser, as a connector on standard input and output.
const BrowserCommand = "browser-connector"

// NewWindow names one session, unlike every other of this machine and user.
func NewWindow() string {
	var random [6]byte
	_, _ = rand.Read(random[:])
	return strconv.Itoa(os.Getpid()) + "-" + hex.EncodeToString(random[:])
}

// Open prepares the folders and returns a host that does nothing yet.
func Open(o Options) (*Core, error) {
	folders, err := FindFolders(o.Environ)
	if err != nil {
		return nil, err
	}
	if err := folders.CheckOutside(o.Roots); err != nil {
		return nil, err
	}
	p, err := openPlaces(folders.State, o.Window)
	if err != nil {
		return nil, err
	}
	own := []string{folders.Config, folders.Runtime}
	if folders.Cache != "" {
		own = append(own, folders.Cache)
	}
	if p.scratch != "" {
		own = append(own, p.scratch)
	}
	o.Settings.Load(o.Roots)
	isTrusted := o.Settings.Resolved().Bool(settings.Trusted)
	if o.Keyring == nil {
		o.Keyring = func() auth.Keyring { return auth.SystemKeyring(o.Environ) }
	}
	var c *Core
	key := auth.NewGrantKey(p.folder, o.Keyring, func() { c.sealKeyCame() })
	c = &Core{
		Folders:    folders,
		Admissions: admission.New(p.folder, key),
		Results:    p.results,
		Notice:     p.notice,
		scratch:    p.scratch,
		settings:   o.Settings, settingsChanged: o.SettingsChanged, isTrusted: isTrusted,
		given:   slices.Clone(o.Roots),
		started: make(chan struct{}),
		closing: make(chan struct{}),
		environ: o.Environ,
		logger:  o.Logger,
		Host: host.New(host.Options{
			Logger: o.Logger, Version: o.Version, Window: o.Window, UserFile: folders.UserFile, Folder: p.folder,
			SealKey: key,
			Scratch: p.scratch, Results: p.results, OwnFolders: own,
			Environ: o.Environ, Executable: o.Executable, GuardArgs: []string{GuardCommand}, Subreaper: o.Subreaper,
			Policies: policiesIn(o.Settings.Resolved(), o.Environ),
			CAFile:   func() string { return o.Settings.Resolved().Value(settings.CAFile).Text() },
			Lists:    keptLists(folders, o), Depth: o.Depth,
			Roots: o.Roots, IsUntrusted: !isTrusted, IsStill: o.IsStill, AllowedOnce: o.AllowedOnce,
			Asker: o.Asker, Observe: observer(o, func(e host.Event) { c.observed(e, o) }),
			Secrets: auth.New(auth.Options{
				Folder: p.folder, KeyFolder: folders.Config, Keyring: o.Keyring,
			}),
		}),
	}
	c.browsers = &browsers{
		core: c, asker: o.Asker, providers: providersOf(), changed: o.BrowserChanged, environ: o.Environ, own: o.Executable,
		seats: map[string]*browserSeat{},
	}
	c.SetBuiltin(c.browsers.builtin())
	return c, nil
}

// sealKeyCame has everything that is sealed sealed and judged again: the key can be had by now.
func (c *Core) sealKeyCame() {
	c.SealKeyCame()
	ctx, cancel := context.WithTimeout(context.Background(), resealTime)
	defer cancel()
	if err := c.Admissions.Reseal(ctx); err != nil {
		c.logger.Warn("admissions not sealed", "error", err)
	}
}

// observer is nil where nobody is told anything.
func observer(o Options, observed func(host.Event)) func(host.Event) {
	if o.Observe == nil && o.BrowserChanged == nil {
		return nil
	}
	return observed
}

// observed passes on what changed, and tells of browsers that did.
func (c *Core) observed(e host.Event, o Options) {
	if o.Observe != nil {
		o.Observe(e)
	}
	if o.BrowserChanged != nil && slices.Contains(e.Connectors, host.BuiltinID(BrowserName)) {
		for _, session := range c.browsers.allowedSessions() {
			o.BrowserChanged(session)
		}
	}
}

// Folders are where Pillion's files lie.
type Folders struct {
	Config, State string
	// Cache holds what can be found out again; empty where no place for it is known.
	Cache string
	// Runtime holds the sockets of windows that are open.
	Runtime string
	// UserFile is the user's own mcp.json, Settings their settings.json; neither need exist.
	UserFile, Settings string
}

// FindFolders finds them from the environment: the PILLION_… variables, else the platform's usual places.
func FindFolders(environ []string) (Folders, error) {
	look := lookup(environ)
	home := firstSet(look, "HOME", "USERPROFILE")
	userFile, err := config.UserFile(look, home)
	if err != nil {
		return Folders{}, err
	}
	configFolder, err := config.UserFolder(look, home)
	if err != nil {
		return Folders{}, err
	}
	folders := Folders{UserFile: userFile, Config: filepath.Dir(userFile), Settings: filepath.Join(configFolder, settings.FileName)}
	if folders.State, err = stateFolder(look, home); err != nil {
		return Folders{}, err
	}
	folders.Cache = cacheFolder(look, home)
	folders.Runtime = filepath.Join(runtimeFolder(look, folders.State), "pillion")
	return folders, nil
}

// runtimeFolder is where sockets are. Who starts an agent may hand on nothing of XDG_RUNTIME_DIR, as MCP clients do, and the agent is
// to find what the editor found; one that is set and empty is none.
func runtimeFolder(look func(string) (string, bool), state string) string {
	given, isSet := look("XDG_RUNTIME_DIR")
	if filepath.IsAbs(given) {
		return given
	}
	if usual := usualRuntime(); !isSet && usual != "" {
		return usual
	}
	return filepath.Join(state, "run")
}

// CheckOutside refuses folders and a user file that a repository could hold (S3).
func (f Folders) CheckOutside(roots []string) error {
	roots = slices.DeleteFunc(slices.Clone(roots), func(root string) bool {
		return root == filepath.Dir(root) // the root of the file system is never served (U33)
	})
	if err := config.CheckUserFile(f.UserFile, roots); err != nil {
		return err
	}
	for _, root := range roots {
		if err := outside(f.State, root); err != nil {
			return err
		}
	}
	return nil
}

// SetRoots replaces the workspace folders. One that holds Pillion's own files is left out; the errors say which (S3).
func (c *Core) SetRoots(roots []string) []error {
	var refused []error
	served := slices.DeleteFunc(slices.Clone(roots), func(root string) bool {
		err := c.Folders.CheckOutside([]string{root})
		if err != nil {
			refused = append(refused, err)
		}
		return err != nil
	})
	c.follow(served) // watched first, read then
	c.Host.SetRoots(served)
	c.follow(c.Roots())
	c.settings.Load(served)
	c.ApplySettings()
	return refused
}

// CheckRuntime refuses a folder of sockets that a repository could hold: without it there are no sockets, and all else goes on.
func (f Folders) CheckRuntime(roots []string) error {
	for _, root := range roots {
		if err := outside(f.Runtime, root); err != nil {
			return err
		}
	}
	return nil
}

func outside(folder, root string) error {
	if place.LiesIn(folder, root) {
		return fmt.Errorf("the folder %s lies in the workspace folder %s: a repository must not hold Pillion's own files", folder, root)
	}
	return nil
}

func lookup(environ []string) func(string) (string, bool) {
	values := make(map[string]string, len(environ))
	for _, variable := range environ {
		for i := 1; i < len(variable); i++ {
			if variable[i] == '=' {
				values[variable[:i]] = variable[i+1:]
				break
			}
		}
	}
	return func(name string) (string, bool) {
		value, isSet := values[name]
		return value, isSet
	}
}

func firstSet(look func(string) (string, bool), names ...string) string {
	for _, name := range names {
		if value, _ := look(name); value != "" {
			return value
		}
	}
	return ""
}

// Close ends the watch and the host; see [host.Host.Close].
func (c *Core) Close(ctx context.Context) {
	c.closeOnce.Do(func() { close(c.closing) })
	if c.watcher != nil {
		c.watcher.Close()
	}
	c.Host.Close(ctx)
	if c.scratch != "" {
		_ = os.RemoveAll(c.scratch)
	}
}

// policiesIn are the machine's policy and, where the setting names one, a further one of the user's: both take away alone. What
// is set and is no path cannot be read either, and so lets nothing run.
func policiesIn(resolved settings.Resolved, environ []string) []host.PolicyFile {
	files := []host.PolicyFile{{Path: policy.DefaultPath()}}
	path := resolved.Value(settings.PolicyFile).Text()
	if declared, _ := settings.Lookup(settings.PolicyFile); path == "" {
		path, _ = lookup(environ)(declared.Variable())
	}
	if path != "" {
		files = append(files, host.PolicyFile{Path: path, Owner: os.Getuid()})
	}
	return files
}
