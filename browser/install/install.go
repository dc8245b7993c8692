package install

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"pillion/mcp/process"
	"pillion/mcp/state"
)

const (
	lockName   = "install.lock"
	tempPrefix = ".new-"
)

// Options say where to install, and with what.
type Options struct {
	Folder  string         // of Pillion's data, absolute; made where it is absent
	Path    string         // the PATH of the user's login shell
	Outside []string       // folders that nothing is run from: the workspace's
	Environ []string       // of which npm sees a little
	Guard   *process.Guard // may be nil
	Cache   string         // npm's cache, absolute; "" is one of our own, which goes when it was used
}

// Installer installs. Its methods may be called at once, and by several windows.
type Installer struct{ o Options }

// New returns one, and does nothing yet.
func New(o Options) *Installer { return &Installer{o} }

// Program is an installed browser.
type Program struct {
	Node   string // absolute
	Script string // absolute, what Node runs
	Folder string // that it lies in, Pillion's own
}

// CheckNode returns why Node cannot run the browser here, or nil. The error is the context's or an *Error.
func (i *Installer) CheckNode(ctx context.Context, k Kind) error {
	r, err := k.release()
	if err != nil {
		return &Error{Kind: k, Reason: Other, Err: err}
	}
	_, err = i.find(ctx, k, r, false)
	return err
}

// Has reports whether the browser is installed. It looks at files alone.
func (i *Installer) Has(k Kind) bool {
	r, err := k.release()
	return err == nil && i.has(k, r)
}

// Locate is the installed browser. It looks at files alone, and not at the version of Node. The error is an *Error.
func (i *Installer) Locate(k Kind) (Program, error) {
	r, err := k.release()
	if err != nil {
		return Program{}, &Error{Kind: k, Reason: Other, Err: err}
	}
	if !i.has(k, r) {
		return Program{}, &Error{Kind: k, Reason: NotThere}
	}
	node, err := i.look(process.Resolver{Path: i.path()}, "node")
	if err != nil {
		return Program{}, &Error{Kind: k, Reason: NoNode, Needs: r.node.String(), Err: err}
	}
	return i.program(k, r, node), nil
}

func (i *Installer) folderOf(k Kind, r release) string {
	return filepath.Join(i.o.Folder, string(k)+"-"+r.digest)
}

func (i *Installer) program(k Kind, r release, node string) Program {
	folder := i.folderOf(k, r)
	return Program{Node: node, Script: filepath.Join(folder, r.script), Folder: folder}
}

// has reports whether it is there. A folder of that name is only ever a whole one.
func (i *Installer) has(k Kind, r release) bool {
	if !filepath.IsAbs(i.o.Folder) {
		return false
	}
	info, err := os.Lstat(filepath.Join(i.folderOf(k, r), r.script))
	return err == nil && info.Mode().IsRegular()
}

// Install installs the browser where it is not there yet, and returns it. progress, which may be nil, is told what goes on, a
// clause at a time. Another window that installs is waited for. The error is the context's or an *Error, after which a second try
// begins anew.
func (i *Installer) Install(ctx context.Context, k Kind, progress func(string)) (Program, error) {
	if progress == nil {
		progress = func(string) {}
	}
	r, err := k.release()
	if err != nil {
		return Program{}, &Error{Kind: k, Reason: Other, Err: err}
	}
	folder, err := state.Open(i.o.Folder)
	if err != nil {
		return Program{}, &Error{Kind: k, Reason: reasonOfFault(err), Err: err}
	}
	found, err := i.find(ctx, k, r, !i.has(k, r))
	if err != nil {
		return Program{}, err
	}
	unlock, err := i.lock(ctx, k, folder, progress)
	if err != nil {
		return Program{}, err
	}
	defer unlock()
	if !i.has(k, r) {
		if err := i.make(ctx, k, r, found, progress); err != nil {
			return Program{}, err
		}
	}
	return i.program(k, r, found.node), nil
}

// lock waits for as long as ctx allows: another window may be at it.
func (i *Installer) lock(ctx context.Context, k Kind, folder *state.Folder, progress func(string)) (func(), error) {
	for {
		unlock, err := folder.Lock(ctx, lockName)
		switch {
		case err == nil:
			return unlock, nil
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case !errors.Is(err, context.DeadlineExceeded):
			return nil, &Error{Kind: k, Reason: reasonOfFault(err), Err: err}
		}
		progress("waiting for another window, which is installing")
	}
}

// make installs beside, and gives the whole its name at the end; the lock is held.
func (i *Installer) make(ctx context.Context, k Kind, r release, found tools, progress func(string)) (err error) {
	fail := func(reason Reason, said string, err error) error {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return &Error{Kind: k, Reason: reason, Said: said, Err: err}
	}
	i.sweep()
	temporary, err := os.MkdirTemp(i.o.Folder, tempPrefix)
	if err != nil {
		return fail(reasonOfFault(err), "", err)
	}
	defer func() { _ = os.RemoveAll(temporary) }()
	for name, text := range r.files {
		if err := os.WriteFile(filepath.Join(temporary, name), text, 0o600); err != nil {
			return fail(reasonOfFault(err), "", err)
		}
	}
	progress("npm is fetching " + r.pkg)
	cache := i.o.Cache
	if cache == "" {
		cache = filepath.Join(temporary, ".cache")
	}
	said := &tail{}
	err = i.run(ctx, process.Spec{Path: found.npm, Args: arguments(cache), Dir: temporary}, said)
	if err != nil {
		return fail(reasonOf(said.String()), said.String(), err)
	}
	if i.o.Cache == "" {
		_ = os.RemoveAll(cache)
	}
	if info, err := os.Lstat(filepath.Join(temporary, r.script)); err != nil || !info.Mode().IsRegular() {
		return fail(Other, said.String(), fmt.Errorf("there is no %s", r.script))
	}
	target := i.folderOf(k, r)
	if err := os.RemoveAll(target); err != nil { // one that somebody took the script from
		return fail(reasonOfFault(err), "", err)
	}
	if err := os.Rename(temporary, target); err != nil {
		return fail(reasonOfFault(err), "", err)
	}
	progress(r.pkg + " is installed")
	return nil
}

// arguments are those of npm: exactly the lock file, and nothing of it is run.
func arguments(cache string) []string {
	return []string{
		"ci", "--ignore-scripts", "--no-audit", "--no-fund", "--no-update-notifier", "--loglevel=error", "--no-progress",
		"--fetch-retries=1", "--prefer-offline", "--omit=dev", "--no-global", "--cache=" + cache,
	}
}

// sweep removes what a process left that was killed while it installed; the lock is held.
func (i *Installer) sweep() {
	entries, _ := os.ReadDir(i.o.Folder)
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), tempPrefix) && entry.IsDir() {
			_ = os.RemoveAll(filepath.Join(i.o.Folder, entry.Name()))
		}
	}
}
