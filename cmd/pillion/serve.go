package main

import (
	"context"
	"io"
	"os"

	"pillion/editors"
	"pillion/mcp/host"
	"pillion/mcp/process"
	"pillion/mcp/serve"
	"pillion/sidecar/core"
)

type serveVerb struct {
	Expose     string `enum:"meta,all" default:"meta" help:"meta: three tools by which all others are found, described and called. all: every tool by its own served name."`
	Unprefixed bool   `help:"Leave the connector's name out of the names of tools and prompts that only one connector has."`
	HTTP       bool   `name:"http" help:"Serve over HTTP, on this machine alone, instead of on standard input and output."`
	Listen     string `default:"127.0.0.1:0" placeholder:"ADDRESS" help:"With --http: the loopback address to listen on; port 0 is a free one."`
	Attach     bool   `help:"Join the window of the editor that is open on this folder: its connectors serve, and its user is asked there."`
	Window     string `placeholder:"WINDOW" help:"With --attach: the window to join, by its name."`
}

// Help explains the verb.
func (serveVerb) Help() string {
	return `Serves the connectors of this folder and of your own file as one MCP server on standard input and output, in both eras of the protocol, to the program that starts it. An agent is given it like this:

  {"mcpServers": {"pillion": {"command": "pillion", "args": ["serve"]}}}

Nobody can be asked here. What would have to be asked is declined at once, and the answer says how to allow it beforehand: pillion mcp approve for a connector, pillion permissions set for its calls.

With --http it listens on the loopback interface, on a free port or that of --listen, until it is interrupted. The address and the file that holds the token of this start are said on standard error, with --json as {"url", "tokenFile"} on standard output; each request must carry the header "Authorization: Bearer" with the token. Requests from web pages are refused.

With --attach the connectors are those of the editor's window on this folder, and what must be asked is asked there: the one with the longest folder that holds this one, then the one that was opened last. The first time the editor asks whether the agent may join. The agent keeps its server while the window reloads; without a window the connectors are served as without --attach, until one is opened.`
}

// Run serves until the client ends its stream, or a signal comes.
func (v serveVerb) Run(p *program) error {
	if err := forPeople(); err != nil {
		return err
	}
	options := serve.Options{Expose: serve.Expose(v.Expose), Unprefixed: v.Unprefixed, SessionID: "serve", AsksClient: true}
	switch {
	case v.Attach && v.HTTP:
		return fail(exitUsage, nil, "--attach and --http go without each other")
	case v.Window != "" && !v.Attach:
		return fail(exitUsage, nil, "--window goes with --attach")
	case v.Attach:
		return p.serveAttached(v.Window, options)
	}
	if v.HTTP {
		return p.serveHTTP(v.Listen, options)
	}
	in, out, err := process.TakeStdio()
	if err != nil {
		return err
	}
	served, err := p.serveOwn(options)
	if err != nil {
		return err
	}
	defer served.close()
	return served.Serve(p.ctx, stdio{in, out})
}

// stdio is standard input and output as one stream.
type stdio struct {
	io.ReadCloser
	out io.WriteCloser
}

func (s stdio) Write(b []byte) (int, error) { return s.out.Write(b) }

func (s stdio) Close() error {
	_ = s.out.Close()
	return s.ReadCloser.Close()
}

// ownServer is a server over a host of this process.
type ownServer struct {
	*serve.Server
	core      *core.Core
	subreaper *process.Subreaper
}

// serveOwn opens a host on this folder that has nobody to ask, and a server over it. It must be closed.
func (p *program) serveOwn(o serve.Options) (*ownServer, error) {
	// A child could otherwise read this process's environment (S20); where that cannot be had the rest still holds.
	_ = process.DisallowDump()
	home, _ := os.UserHomeDir()
	var roots []string
	if root := rootOf(workingFolder(), home); root != "" {
		roots = append(roots, root)
	}
	s := &ownServer{subreaper: process.NewSubreaper(p.log)}
	var observe func(host.Event)
	opened, err := core.Open(core.Options{
		Logger: p.log, Version: version(), Environ: p.environ, Executable: p.executable, Subreaper: s.subreaper, Window: core.NewWindow(),
		Roots: roots, Settings: p.settings, Observe: func(e host.Event) { observe(e) },
	})
	if err != nil {
		s.subreaper.Close()
		return nil, err
	}
	o.Logger, o.Version, o.Caller.Kind = p.log, version(), callerAgent
	s.core, s.Server = opened, serve.New(opened.Host, o)
	observe = s.Observe
	opened.Watch(p.log, func(sentence string) { p.sayf("pillion: %s", editors.Visible(sentence)) })
	opened.Start()
	if opened.Notice != "" {
		p.sayf("pillion: %s.", editors.Visible(opened.Notice))
	}
	p.sayNews()
	return s, nil
}

// callerAgent is the kind of caller that programs are which speak MCP to Pillion.
const callerAgent = "agent"

func (s *ownServer) close() {
	s.Close()
	ctx, cancel := context.WithTimeout(context.Background(), closeTime)
	defer cancel()
	s.core.Close(ctx)
	s.subreaper.Close()
}
