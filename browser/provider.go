// Package browser says what can drive a browser in a session: what every provider of one has to offer, and which of them is taken.
// It starts nothing, installs nothing, asks nobody, and keeps no state of a session.
package browser

import (
	"context"
	"os"
)

// Name is a provider's, as the setting browserProvider writes it.
type Name string

// The names that the setting knows.
const (
	Auto           Name = "auto" // no provider: [Choose] takes one
	Native         Name = "native"
	Playwright     Name = "playwright"
	ChromeDevTools Name = "chrome-devtools"
)

// Machine is what a provider may look at and use here.
type Machine struct {
	Environ []string // of this process
	// Path is the PATH to look programs up in; entries that are not absolute count for nothing.
	Path string
	// Outside are the workspace's folders: nothing that runs may lie in one of them (S1).
	Outside []string
	// Executable is Pillion's own.
	Executable string
	// Folder is Pillion's own private folder for what providers install; it need not exist yet, and may be removed at any time.
	Folder string
	// Program is the browser that the user named; "" looks for one.
	Program string
	// Attach is the debugging address of a browser that the user started; "" starts one.
	Attach string
	// IsWithoutSandbox says that the user has the browser run without its own sandbox.
	IsWithoutSandbox bool
	// Proxy is the proxy of the machine that downloads go through; "" goes straight.
	Proxy string
}

// Problem says why a provider cannot work here, a clause without a full stop, and what to do about it, in order.
type Problem struct {
	Reason string
	Steps  []string
}

// Error implements error.
func (p *Problem) Error() string { return p.Reason }

// Definition is what runs for one session, as a connector on standard input and output.
type Definition struct {
	Program string // absolute
	Args    []string
	// Env is set in addition to what every connector gets.
	Env map[string]string
}

// Rule is how calls of a tool are treated once the browser was allowed for the session.
type Rule int

// The rules. The zero value is what an unknown tool gets.
const (
	// Never keeps the tool from being listed and called: it reaches the user's files, or runs code outside the page.
	Never Rule = iota
	// Ask has a person asked about each call that nothing allowed in this session, such as a script in a page.
	Ask
	// Free lets a call run. Where it leads to a new origin is another question: see [Provider.HoldsRequests].
	Free
)

// Provider drives browsers, each of which belongs to one session. Its methods may be called at once.
type Provider interface {
	Name() Name
	// Check returns why the provider cannot work here, such as a missing runtime or browser, or nil. It installs nothing and starts
	// no browser. What only [Provider.Prepare] is missing for is no problem.
	Check(ctx context.Context, m Machine) *Problem
	// IsPrepared reports whether Prepare would find all there. It looks at files alone, and is quick.
	IsPrepared(m Machine) bool
	// Prepare brings what the provider needs into m.Folder and tells what it is about, in words for a person; where all is there it
	// returns at once and tells nothing. The error may be a *Problem. It may be called at once by several processes.
	Prepare(ctx context.Context, m Machine, tell func(doing string)) error
	// Definition is what to run, once Check and Prepare have nothing to say, for the session whose private folder is output: what
	// the browser writes goes there and nowhere else.
	Definition(m Machine, output string) (Definition, error)
	// Rule is pure. Tools that are not known are [Never].
	Rule(tool string) Rule
	// Destinations are the addresses that a call of the tool with these arguments, one JSON object, would have the browser go to, as
	// they are written there. It is pure.
	Destinations(tool string, arguments []byte) []string
	// HoldsRequests reports whether what runs asks by itself about every origin that is new in the session, before anything is sent
	// there, whoever leads to it (S14). Where it does not, a call with a destination of a new origin asks before it is made.
	HoldsRequests() bool
	// Rewrite returns a result of the tool, as MCP has it, with the snapshots and console entries in it that the provider wrote to
	// files of the session's folder, and with what pages say marked as theirs (H4, S22). A name of a file in a result is never
	// trusted: only regular files of the folder that are new since the call count. What it cannot read stays as it is.
	Rewrite(tool string, result []byte, output *os.Root) []byte
}
