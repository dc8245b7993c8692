package node

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"

	"pillion/browser"
	"pillion/browser/install"
	"pillion/browser/native"
	"pillion/mcp/process"
)

const (
	// KindVar names the variable that has Pillion's own program serve a browser of this package in place of the native one.
	KindVar = "PILLION_BROWSER_PROVIDER"
	// NodeVar and ScriptVar name those with Node and what it runs, absolute.
	NodeVar   = "PILLION_BROWSER_NODE"
	ScriptVar = "PILLION_BROWSER_SCRIPT"
)

// Provider is a browser server of Node's, as what can be chosen to drive a browser.
type Provider struct {
	Kind install.Kind
	// Argument is what has Pillion's own program serve, with the variables of Definition; see [Serve].
	Argument string
	// Guard ends npm where this process is killed; nil is none.
	Guard *process.Guard
}

var _ browser.Provider = Provider{}

// Name implements browser.Provider.
func (p Provider) Name() browser.Name { return browser.Name(p.Kind) }

func (p Provider) installer(m browser.Machine) *install.Installer {
	environ := m.Environ
	if m.Proxy != "" {
		environ = append(append([]string(nil), environ...), "HTTPS_PROXY="+m.Proxy, "HTTP_PROXY="+m.Proxy)
	}
	return install.New(install.Options{Folder: m.Folder, Path: m.Path, Outside: m.Outside, Environ: environ, Guard: p.Guard})
}

// Check implements browser.Provider.
func (p Provider) Check(ctx context.Context, m browser.Machine) *browser.Problem {
	if !hasPipes {
		return &browser.Problem{
			Reason: "browsers of Node's are not served on this system yet",
			Steps:  []string{`Choose the one without Node: "browserProvider": "native" in your settings.json.`},
		}
	}
	if problem := (native.Provider{}).Check(ctx, m); problem != nil {
		return problem
	}
	return problemOf(p.installer(m).CheckNode(ctx, p.Kind))
}

func problemOf(err error) *browser.Problem {
	var fault *install.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &fault):
		return &browser.Problem{Reason: fault.Clause(), Steps: fault.Steps()}
	}
	return &browser.Problem{Reason: err.Error()}
}

// IsPrepared implements browser.Provider.
func (p Provider) IsPrepared(m browser.Machine) bool { return p.installer(m).Has(p.Kind) }

// Prepare implements browser.Provider.
func (p Provider) Prepare(ctx context.Context, m browser.Machine, tell func(doing string)) error {
	if p.IsPrepared(m) {
		return nil
	}
	_, err := p.installer(m).Install(ctx, p.Kind, tell)
	if err != nil && ctx.Err() == nil {
		return problemOf(err)
	}
	return err
}

// Definition implements browser.Provider.
func (p Provider) Definition(m browser.Machine, output string) (browser.Definition, error) {
	d, err := native.Provider{Argument: p.Argument}.Definition(m, output)
	if err != nil {
		return browser.Definition{}, err
	}
	found, err := p.installer(m).Locate(p.Kind)
	if err != nil {
		return browser.Definition{}, problemOf(err)
	}
	d.Env[KindVar], d.Env[NodeVar], d.Env[ScriptVar] = string(p.Kind), found.Node, found.Script
	return d, nil
}

// Rule implements browser.Provider.
func (p Provider) Rule(tool string) browser.Rule {
	switch EffectOf(p.Kind, tool) {
	case Never:
		return browser.Never
	case Runs:
		return browser.Ask
	}
	return browser.Free
}

// Destinations implements browser.Provider.
func (p Provider) Destinations(tool string, arguments []byte) []string {
	return Destinations(p.Kind, tool, arguments)
}

// HoldsRequests implements browser.Provider.
func (Provider) HoldsRequests() bool { return true }

// Rewrite implements browser.Provider: what the server wrote to files is in its results already, marked as the page's.
func (Provider) Rewrite(_ string, result []byte, _ *os.Root) []byte { return result }

// FromEnvironment are the options that the variables of this package and of package native give, or false where they name no
// browser of this one.
func FromEnvironment(getenv func(string) string, environ []string, executable string, stderr io.Writer) (Options, bool) {
	kind := install.Kind(getenv(KindVar))
	return Options{
		Kind: kind, Node: getenv(NodeVar), Script: getenv(ScriptVar), Executable: executable, Stderr: stderr,
		Native: native.FromEnvironment(getenv, withoutOurs(environ), filepath.SplitList),
	}, kind != ""
}

func withoutOurs(environ []string) []string {
	var kept []string
	for _, variable := range environ {
		if name, _, _ := strings.Cut(variable, "="); name != KindVar && name != NodeVar && name != ScriptVar {
			kept = append(kept, variable)
		}
	}
	return kept
}
