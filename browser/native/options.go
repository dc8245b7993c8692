package native

import (
	"log/slog"
	"os"
	"time"

	"pillion/browser/devtools"
	"pillion/browser/relay"
)

const (
	// OutputVar names the environment variable with the folder for what pages download, which is the session's. Unset means a
	// folder that is gone with the browser.
	OutputVar = "PILLION_BROWSER_OUTPUT"
	// ProgramVar names the variable with the absolute path of the browser; unset looks for one.
	ProgramVar = "PILLION_BROWSER_PROGRAM"
	// OutsideVar names the variable with the folders, separated like a PATH, that no browser may lie in.
	OutsideVar = "PILLION_BROWSER_OUTSIDE"
	// WithoutSandboxVar names the variable that is "1" where the browser cannot have a sandbox: as root, and in some containers.
	WithoutSandboxVar = "PILLION_BROWSER_WITHOUT_SANDBOX"
)

// AttachVar names the variable with the debugging address of a browser that the user started, which is attached to; unset starts one.
const AttachVar = "PILLION_BROWSER_ATTACH"

// Options say how to serve.
type Options struct {
	Search         devtools.Search
	Attach         string // address of a browser to attach to, instead of starting one; see [devtools.LoopbackAddress]
	WithoutSandbox bool
	Output         string // "" is a folder that is gone with the browser
	Env            []string
	Network        relay.Options // how names and addresses are reached; the zero value is the machine's own way
	Patience       Patience      // the zero value is the usual one
	Log            *slog.Logger  // nil is silent
}

// Patience bounds the waits for pages.
type Patience struct {
	Navigation time.Duration // for a page that was asked for to have its content
	Action     time.Duration // for what an action sets off to come to rest
	Answer     time.Duration // for a person's answer
	Script     time.Duration // for a script of the agent
}

func (p Patience) orUsual() Patience {
	usual := Patience{Navigation: 30 * time.Second, Action: 5 * time.Second, Answer: 10 * time.Minute, Script: 15 * time.Second}
	if p.Navigation == 0 {
		p.Navigation = usual.Navigation
	}
	if p.Action == 0 {
		p.Action = usual.Action
	}
	if p.Answer == 0 {
		p.Answer = usual.Answer
	}
	if p.Script == 0 {
		p.Script = usual.Script
	}
	return p
}

// FromEnvironment are the options that the variables of this package give.
func FromEnvironment(getenv func(string) string, environ []string, separated func(string) []string) Options {
	return Options{
		Search:         devtools.Search{Program: getenv(ProgramVar), Path: getenv("PATH"), Outside: separated(getenv(OutsideVar)), Getenv: getenv},
		Attach:         getenv(AttachVar),
		WithoutSandbox: getenv(WithoutSandboxVar) == "1",
		Output:         getenv(OutputVar),
		Env:            environ,
		Log:            slog.New(slog.NewTextHandler(os.Stderr, nil)),
	}
}
