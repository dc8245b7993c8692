package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/alecthomas/kong"

	"pillion/editors"
	"pillion/mcp/settings"
)

// grammar is the command line.
type grammar struct {
	flags `embed:""`

	Verb struct {
		Version     versionVerb        `cmd:"" help:"Print the version."`
		Ls          lsVerb             `cmd:"" help:"List connectors and what their tools cost, or the tools of one; nothing is started."`
		Search      searchVerb         `cmd:"" help:"Search the tools of all connectors; nothing is started."`
		Types       typesVerb          `cmd:"" help:"Print TypeScript types of tools; nothing is started."`
		Schema      schemaVerb         `cmd:"" help:"Print the schemas of tools, in several forms; nothing is started."`
		Catalog     catalogVerb        `cmd:"" help:"Print a text of bounded cost that says which tools there are; nothing is started."`
		Refresh     refreshVerb        `cmd:"" help:"Start connectors to list anew what they have."`
		MCP         mcpGrammar         `cmd:"" name:"mcp" help:"List connectors, add and remove them, allow them and take that back."`
		Import      importVerb         `cmd:"" help:"List what other programs have, and import it."`
		Pending     pendingVerb        `cmd:"" help:"Show what needs permission and which questions are open."`
		Answer      answerVerb         `cmd:"" help:"Show one open question whole and answer it."`
		Config      configVerb         `cmd:"" help:"Show what is set, and where it came from."`
		Call        callVerb           `cmd:"" help:"Call a tool and print its result."`
		Resources   resourcesGrammar   `cmd:"" help:"List what connectors have to read, and read it."`
		Browser     browserGrammar     `cmd:"" help:"Say what the browser of a session does, start and end it, and have it open a page."`
		Prompts     promptsGrammar     `cmd:"" help:"List the prompts of connectors, and get one."`
		Demo        demoGrammar        `cmd:"" help:"Be a connector to try things with, on standard input and output."`
		Secret      secretGrammar      `cmd:"" help:"List, set and remove the values of inputs."`
		Permissions permissionsGrammar `cmd:"" help:"List what stands for calls, take it back, and say what is to stand."`
		Joins       joinsGrammar       `cmd:"" help:"List which programs may join, and take an answer back."`
		Stop        stopVerb           `cmd:"" help:"Stop everything in the editor's window on this folder."`
		Resume      resumeVerb         `cmd:"" help:"Let calls run again after stop."`
		Activity    activityVerb       `cmd:"" help:"List calls: who asked for what, how it was allowed, and what came of it."`
		Log         recordVerb         `cmd:"" help:"List what was recorded, follow it, or tell everything about one call."`
		Stats       statsVerb          `cmd:"" help:"Count calls: how many, how long they took, which failed."`
		Client      clientGrammar      `cmd:"" help:"Tell agents (Claude Code, Codex, opencode, …) of Pillion, and take that back."`
		Why         whyVerb            `cmd:"" help:"Say why a connector or a tool is not there."`
		Doctor      doctorVerb         `cmd:"" help:"Look at everything that is needed, and say what to do about what is not as it should be."`
		Serve       serveVerb          `cmd:"" help:"Be one MCP server with all connectors behind it, for an agent."`
		Tools       toolsGrammar       `cmd:"" help:"Switch tools off and on, for you alone."`
		Reference   referenceVerb      `cmd:"" hidden:"" help:"Print the reference of the command line: Markdown, a manual page, JSON Schemas."`
		Completion  completionVerb     `cmd:"" help:"Print a script that completes command lines in a shell."`
	} `embed:""`
}

// flags go with every verb.
type flags struct {
	JSON    bool `name:"json" help:"Print the result as JSON."`
	Stdio   bool `help:"Serve an editor on standard input and output."`
	Version bool `name:"version" help:"Print the version."`

	Settings settingFlags `embed:""`
}

// quickGrammar is the command line with one verb alone, for those that must answer at once: a parser takes as long to make as it
// knows verbs. Nil for the others. What it cannot parse is the whole grammar's.
func quickGrammar(verb string) (g any, given *flags) {
	switch verb {
	case "ls":
		var g struct {
			flags `embed:""`

			Ls lsVerb `cmd:""`
		}
		return &g, &g.flags
	case "search":
		var g struct {
			flags `embed:""`

			Search searchVerb `cmd:""`
		}
		return &g, &g.flags
	}
	return nil, nil
}

type mcpGrammar struct {
	List    listVerb    `cmd:"" help:"List the connectors of this folder and of your own file."`
	Add     addVerb     `cmd:"" help:"Add a connector."`
	Remove  removeVerb  `cmd:"" help:"Remove a connector from its file."`
	Approve approveVerb `cmd:"" help:"Show what needs permission, whole, and allow it."`
	Enable  enableVerb  `cmd:"" help:"Switch a connector on, for you and in this folder alone."`
	Disable disableVerb `cmd:"" help:"Switch a connector off, for you and in this folder alone."`
	Log     logVerb     `cmd:"" help:"Print what a connector wrote to its standard error last."`
	Revoke  revokeVerb  `cmd:"" help:"Take back what was decided about a connector."`
}

type permissionsGrammar struct {
	List   permissionsListVerb   `cmd:"" default:"1" help:"List what stands: what may run without a question, asks every time, or is refused."`
	Remove permissionsRemoveVerb `cmd:"" help:"Take one back."`
	Set    permissionsSetVerb    `cmd:"" help:"Say what is to stand for a tool or a connector."`
}

type joinsGrammar struct {
	List   joinsListVerb   `cmd:"" default:"1" help:"List which programs may join your editors' windows without a question, and which never."`
	Forget joinsForgetVerb `cmd:"" help:"Take an answer back."`
}

type demoGrammar struct {
	Serve demoServeVerb `cmd:"" default:"1" hidden:"" help:"Be the connector."`
	Play  demoPlayVerb  `cmd:"" help:"Play a whole session in readable form: a question, a list, a call, its result."`
}

type demoServeVerb struct{}

// Run serves until standard input ends.
func (demoServeVerb) Run(*program) error { return ended(serveDemo()) }

type demoPlayVerb struct{}

// Run plays it.
func (demoPlayVerb) Run(p *program) error { return playDemo(p.stdout, p.executable) }

const description = `A language server for MCP: your editor starts it with --stdio, and your shell reaches the same connectors with the verbs below.

Connectors are MCP servers. Those of your own stand in mcp.json in your configuration folder, those of a project in .mcp.json at its root. A project's run only once you have allowed exactly what its file says.

Exit codes: 0 it worked; 1 it did not; 2 the command line is wrong; 3 not allowed; 4 the connector does not run; 75 a person's answer is missing.

To begin: pillion mcp list; pillion mcp approve; pillion call notes.list_notes`

// runVerb parses the command line, runs its verb and returns the exit code.
func runVerb(arguments []string) int {
	p := newProgram()
	if len(arguments) == 0 {
		arguments = []string{"--help"}
	}
	if arguments[0] == "help" {
		arguments = append(arguments[1:], "--help")
	}
	parsed, isJSON, err := p.parse(arguments)
	var request exitRequest
	switch {
	case errors.As(err, &request):
		return int(request)
	case err != nil:
		p.complain(err)
		p.say("See: " + helpFor(err))
		if takesOneName(err) && len(arguments) > 2 {
			p.say(`A name with spaces goes in quotes: pillion mcp approve "my notes"`)
		}
		return exitUsage
	}
	p.isJSON = isJSON
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the program at once
	p.ctx = ctx
	if lasting := parsed.Selected(); lasting != nil && (lasting.Name == "ls" || lasting.Name == "search") {
		debug.SetGCPercent(-1) // it is over before there is anything to collect, or
		debug.SetMemoryLimit(256 << 20)
	}
	err = parsed.Run(p)
	if out, isChecked := p.stdout.(*checkedWriter); isChecked && out.err != nil && err == nil {
		err = fail(exitFailed, nil, "write the result: %w", out.err)
	}
	p.complain(err)
	return codeOf(err)
}

// helpFor is the line that explains the verb that a command line got to before it went wrong.
func helpFor(err error) string {
	var wrong *kong.ParseError
	if errors.As(err, &wrong) && wrong.Context != nil {
		if verb := wrong.Context.Selected(); verb != nil {
			return "pillion " + verb.Path() + " --help"
		}
	}
	return "pillion --help"
}

// takesOneName reports whether the verb that a command line got to takes one word, which may be a name with spaces.
func takesOneName(err error) bool {
	var wrong *kong.ParseError
	if !errors.As(err, &wrong) || wrong.Context == nil {
		return false
	}
	verb := wrong.Context.Selected()
	return verb != nil && len(verb.Positional) == 1 && verb.Positional[0].Name == "name"
}

// exitRequest is how the parser ends after --help: as an error of [program.parse].
type exitRequest int

func (exitRequest) Error() string { return "" }

func (p *program) parse(arguments []string) (parsed *kong.Context, isJSON bool, err error) {
	defer func() {
		switch reason := recover().(type) {
		case nil:
		case exitRequest:
			err = reason
		default:
			panic(reason)
		}
	}()
	if quick, given := quickGrammar(arguments[0]); quick != nil {
		if parsed, isJSON, err = p.parseWith(quick, given, arguments, kong.NoDefaultHelp()); err == nil {
			return parsed, isJSON, p.useFlags(given.Settings)
		}
	}
	var g grammar
	if parsed, isJSON, err = p.parseWith(&g, &g.flags, arguments); err == nil {
		err = p.useFlags(g.Settings)
	}
	return parsed, isJSON, err
}

// parseWith parses into a grammar with its flags.
func (p *program) parseWith(g any, given *flags, arguments []string, more ...kong.Option) (parsed *kong.Context, isJSON bool, err error) {
	parser, err := p.parser(g, more...)
	if err != nil {
		return nil, false, err
	}
	parsed, err = parser.Parse(arguments)
	isJSON = given.JSON
	switch {
	case given.Version:
		parsed, err = parser.Parse([]string{"version"})
	case given.Stdio || given.Settings.Trace != nil:
		err = errors.New("--stdio and --trace go without a verb")
	}
	return parsed, isJSON, err
}

// parser knows a grammar.
func (p *program) parser(g any, more ...kong.Option) (*kong.Kong, error) {
	return kong.New(g, append(more, kong.Name("pillion"), kong.Description(description),
		kong.Writers(p.stdout, p.stderr), kong.Exit(func(code int) { panic(exitRequest(code)) }),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: 100}))...)
}

// useFlags lets the flags of settings count.
func (p *program) useFlags(flags settingFlags) error {
	var given []settings.Given
	for name, word := range flags.words() {
		setting, _ := settings.Lookup(name)
		g, err := setting.FromFlag(word)
		if err != nil {
			return err
		}
		given = append(given, g)
	}
	p.settings.Set(settings.Flag, given)
	return nil
}

// complain says on standard error why a verb ended.
func (p *program) complain(err error) {
	if err == nil {
		return
	}
	if text := err.Error(); text != "" {
		p.say("pillion: " + editors.Visible(text))
	}
	var f *failure
	if !errors.As(err, &f) {
		return
	}
	for i, step := range f.steps {
		p.sayf("  %d. %s", i+1, editors.Visible(step))
	}
}
