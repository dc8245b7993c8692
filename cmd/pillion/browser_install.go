package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"pillion/browser/install"
	"pillion/sidecar/core"
)

type browserInstallVerb struct {
	Provider string `arg:"" enum:"playwright,chrome-devtools" help:"Which one: playwright or chrome-devtools."`
}

// Help explains the verb.
func (browserInstallVerb) Help() string {
	return `Installs what drives a browser in Node (@playwright/mcp or chrome-devtools-mcp), in exactly the version that Pillion knows, into a folder of Pillion's own. The first use does so too; this is to have it done before, or again where it failed. It runs no script of a package and downloads no browser. Ctrl-C ends it, and nothing is left then.

Exit codes: 0 it is installed; 1 it could not be, and what to do is said.

With --json: {"provider": string, "folder": string}.`
}

// browserInstallShape is what the verb prints with --json.
type browserInstallShape struct {
	Provider string `json:"provider"`
	Folder   string `json:"folder"`
}

// Run installs.
func (v browserInstallVerb) Run(p *program) error {
	folders, err := core.FindFolders(p.environ)
	if err != nil {
		return err
	}
	if folders.Cache == "" {
		return fail(exitFailed, nil, "there is no folder to install into: neither HOME nor PILLION_CACHE_DIR is set")
	}
	workspace, err := os.Getwd()
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(p.ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	tell := p.progressLines()
	made, err := install.New(install.Options{
		Folder: filepath.Join(folders.Cache, "browser"), Path: os.Getenv("PATH"), Outside: outsideOf(workspace), Environ: p.environ,
	}).Install(ctx, install.Kind(v.Provider), func(doing string) { tell(progress{message: doing, percent: -1}) })
	if err != nil {
		return installFailure(ctx, err)
	}
	if p.isJSON {
		return p.printJSON(browserInstallShape{v.Provider, made.Folder})
	}
	p.print(v.Provider + " is installed in " + made.Folder)
	return nil
}

// outsideOf is the folder that somebody stands in, unless that holds all there is: then nothing would be left to run (S1).
func outsideOf(workspace string) []string {
	if home, err := os.UserHomeDir(); workspace == filepath.Dir(workspace) || err == nil && workspace == home {
		return nil
	}
	return []string{workspace}
}

func installFailure(ctx context.Context, err error) error {
	var fault *install.Error
	switch {
	case ctx.Err() != nil:
		return fail(exitFailed, nil, "it was ended; nothing of it is left")
	case errors.As(err, &fault):
		return fail(exitFailed, fault.Steps(), "%w", err)
	}
	return err
}
