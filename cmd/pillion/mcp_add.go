package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"pillion/editors"
	"pillion/mcp/config"
	"pillion/mcp/host"
	"pillion/mcp/redact"
	"pillion/rpc"
	"pillion/rpc/message"
	"pillion/sidecar"
	"pillion/sidecar/core"
)

type addVerb struct {
	Name    string   `arg:"" help:"What the connector is to be called."`
	Command []string `arg:"" optional:"" help:"The program and its arguments, after --."`
	Env     []string `short:"e" sep:"none" placeholder:"K=V" help:"A variable for the program; K alone refers to yours of that name."`
	URL     string   `placeholder:"URL" help:"The address of a remote connector, in place of a program."`
	Header  []string `short:"H" sep:"none" placeholder:"N: V" help:"A header to send to the address."`
	Project bool     `help:"Write it into this folder's .mcp.json in place of your own file."`
	Force   bool     `help:"Replace an entry of that name."`
}

// Help explains the verb.
func (addVerb) Help() string {
	return `For example:

  pillion mcp add notes -- npx -y @example/notes-server@1.2.3
  pillion mcp add tickets -e TICKETS_TOKEN --project -- tickets-mcp
  pillion mcp add wiki --url https://wiki.example/mcp -H 'Authorization: Bearer ${WIKI_TOKEN}'

Shows the whole entry and asks for a yes on the terminal itself; nothing else is one, neither an argument nor a pipe. With a yes the entry is written, started once, and its tools are listed.

Without a yes nothing runs: an entry of your own is written switched off ("disabled": true), and one of the project waits for permission as every entry of a project does. pillion mcp approve shows either again. Where there is no terminal the exit code is then 75, after another answer 3.

With --json: {"connector": Connector, "allowed": boolean, "tools": [Tool], "warnings": [string]}.`
}

// addShape is what mcp add --json prints.
type addShape struct {
	Connector message.Connector `json:"connector"`
	Allowed   bool              `json:"allowed"`
	Tools     []message.Tool    `json:"tools"` // what it listed when it was started once
	Warnings  []string          `json:"warnings"`
}

// definition is an entry as it is written.
type definition struct {
	Type     string            `json:"type,omitzero"`
	Command  string            `json:"command,omitzero"`
	Args     []string          `json:"args,omitzero"`
	Env      map[string]string `json:"env,omitzero"`
	URL      string            `json:"url,omitzero"`
	Headers  map[string]string `json:"headers,omitzero"`
	Disabled bool              `json:"disabled,omitzero"`
}

// Run shows, asks, writes and looks.
func (v addVerb) Run(p *program) error {
	if err := forPeople(); err != nil {
		return err
	}
	entry, err := v.definition()
	if err != nil {
		return fail(exitUsage, []string{"See: pillion mcp add --help"}, "%w", err)
	}
	h, err := p.host(ownOptions{})
	if err != nil {
		return err
	}
	defer h.close()
	file, err := v.file(h.Core)
	if err != nil {
		return err
	}
	preview, err := v.preview(file, entry)
	if err != nil {
		return err
	}
	if !v.Force && hasEntry(h, preview.ID) {
		return fail(exitFailed, []string{"Replace it: pillion mcp add --force …"}, "%s has a connector %q already", file.Path, v.Name)
	}
	d, noPerson := openDevice()
	// An entry of the project is written first: it waits, and its question is the one that the editor shows as well.
	isAllowed := false
	if !v.Project && noPerson == nil {
		isAllowed, err = d.approves(p.ctx, addQuestion(preview))
		if err != nil {
			return fail(exitUnanswered, nil, "%w; nothing was written", errUndecided)
		}
	}
	entry.Disabled = !v.Project && !isAllowed
	added, err := v.write(h, file, entry)
	if err != nil {
		return err
	}
	return p.finishAdd(h, d, added, v.warnings(added, entry))
}

func (v addVerb) definition() (definition, error) {
	var d definition
	var err error
	switch {
	case (v.URL == "") == (len(v.Command) == 0):
		return d, errors.New("give either a program after -- or an address with --url")
	case v.URL == "" && len(v.Header) > 0:
		return d, errors.New("headers go with --url")
	case v.URL != "" && len(v.Env) > 0:
		return d, errors.New("variables go with a program")
	case v.URL != "":
		d.Type, d.URL = config.TransportHTTP, v.URL
		d.Headers, err = pairsOf(v.Header, ":", false)
		return d, err
	}
	d.Command, d.Args = v.Command[0], v.Command[1:]
	d.Env, err = pairsOf(v.Env, "=", true)
	return d, err
}

// pairsOf reads values of the form name, separator, value. A name alone refers to the caller's variable of that name, where
// that is allowed.
func pairsOf(texts []string, separator string, isReferring bool) (map[string]string, error) {
	if len(texts) == 0 {
		return nil, nil
	}
	pairs := map[string]string{}
	for _, text := range texts {
		name, value, isPair := strings.Cut(text, separator)
		name = strings.TrimSpace(name)
		if separator == ":" {
			value = strings.TrimSpace(value)
		}
		if !isPair && isReferring {
			value = "${" + name + "}"
		}
		if _, isThere := pairs[name]; isThere || name == "" || !isPair && !isReferring {
			return nil, fmt.Errorf("%q is not one name and value with %q between", text, separator)
		}
		pairs[name] = value
	}
	return pairs, nil
}

func (v addVerb) file(c *core.Core) (config.File, error) {
	if !v.Project {
		return config.File{Path: c.Folders.UserFile, Source: config.SourceUser}, nil
	}
	home, _ := os.UserHomeDir()
	files := config.ProjectFiles(c.Roots(), home)
	if len(files) == 0 {
		return config.File{}, fail(exitUsage, nil, "this folder is not one of a project")
	}
	return files[0], nil
}

// preview is the entry as it would stand in a file of its own.
func (v addVerb) preview(file config.File, d definition) (*config.Entry, error) {
	text, err := rpc.Marshal(d)
	if err != nil {
		return nil, err
	}
	whole, err := config.Insert(nil, v.Name, text, true)
	if err != nil {
		return nil, fail(exitUsage, nil, "%w", err)
	}
	entry := config.Parse(file, whole).Entry(v.Name)
	if entry == nil {
		return nil, fail(exitUsage, nil, "a connector cannot be called %q", v.Name)
	}
	if fault := entry.Fault; fault != nil && fault.Severity == config.Error {
		return nil, fail(exitUsage, nil, "%s; nothing was written", fault.Text())
	}
	return entry, nil
}

func hasEntry(h *ownHub, id string) bool {
	found, err := h.Connector(id)
	return err == nil && found.ID == id
}

func (v addVerb) write(h *ownHub, file config.File, d definition) (*config.Entry, error) {
	text, err := rpc.Marshal(d)
	if err != nil {
		return nil, err
	}
	return h.AddEntry(file, v.Name, text, v.Force)
}

// warnings are what a person should know of the entry.
func (v addVerb) warnings(added *config.Entry, d definition) []string {
	warnings := []string{}
	for _, finding := range added.Findings {
		warnings = append(warnings, finding.Text())
	}
	for _, values := range []map[string]string{d.Env, d.Headers} {
		for name, value := range values {
			if !strings.Contains(value, "${") && redact.LooksSecret(name, value) {
				warnings = append(warnings, fmt.Sprintf("the value of %q looks like a secret and stands in the file as it is: write ${%s} and keep the value in your environment", name, variableName(name)))
			}
		}
	}
	return warnings
}

// variableName is a name that an environment variable may have.
func variableName(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' {
			return r
		}
		return '_'
	}, strings.ToUpper(name))
}

// addQuestion shows an entry that the command line names.
func addQuestion(entry *config.Entry) string {
	once := "started once"
	if entry.URL != "" {
		once = "connected to once"
	}
	return ownQuestion(entry, "the command line", "as it will stand there", "With a yes it is written and "+once+". With anything else it is written switched off: nothing runs and nothing is sent.")
}

// ownQuestion shows an entry of the user's own, whole, with words that are not Pillion's marked as such (S17).
func ownQuestion(entry *config.Entry, from, standing, ending string) string {
	var b strings.Builder
	say := func(lines ...string) { b.WriteString(strings.Join(lines, "\n") + "\n") }
	show := func(name string, values ...string) {
		if len(values) == 0 || len(values) == 1 && values[0] == "" {
			return
		}
		say(name)
		for _, value := range values {
			say("| " + editors.Visible(value))
		}
	}
	shown := entry.Shown()
	asks, risk := "may this connector of your own run on this machine, in every folder?", "A connector that you allow runs as you: it can read your files and keys. Allow what you know."
	if entry.URL != "" {
		asks, risk = "may this connector of your own be connected to, from every folder?", "Whoever is at the address reads what is sent there: the arguments of calls, and the headers. Allow whom you know."
	}
	say("Pillion asks: "+asks, `Lines that begin with "| " are not Pillion's words: they come from `+from+`.`, risk, "")
	show("connector", entry.Name)
	show("program", shown.Command)
	show("arguments, one a line", shown.Args...)
	for _, variable := range shown.Env {
		show("variable that it is given", variable.Name+" = "+variable.Value)
	}
	show("address", shown.URL)
	for _, header := range shown.Headers {
		show("header that is sent", header.Name+": "+header.Value)
	}
	show("variables of yours that it reads", shown.Reads...)
	for _, finding := range entry.Findings {
		if finding.Severity <= config.Warning {
			show("look twice", finding.Text())
		}
	}
	show("in the file", entry.File.Path)
	say(standing)
	b.WriteString(editors.Lines(editors.Dedented(entry.Text)))
	say("", ending)
	return b.String()
}

// finishAdd allows and starts what was added, where a person says so, and tells what came of it.
func (p *program) finishAdd(h *ownHub, d *device, entry *config.Entry, warnings []string) error {
	shape := addShape{Tools: []message.Tool{}, Warnings: warnings}
	code, err := p.settleAdded(h, d, entry, &shape)
	if err != nil {
		return err
	}
	if p.isJSON {
		if err := p.printJSON(shape); err != nil {
			return err
		}
		return ended(code)
	}
	p.printAdded(shape)
	return ended(code)
}

func (p *program) settleAdded(h *ownHub, d *device, entry *config.Entry, shape *addShape) (code int, err error) {
	found, err := h.Connector(entry.ID)
	if err != nil {
		return exitFailed, err
	}
	shape.Connector = sidecar.ConnectorMessage(found)
	if shape.Connector.State == message.ConnectorWaiting && d != nil {
		// The code is of a folder: the yes is to exactly this definition there (S1).
		if _, _, err := p.allow(p.ctx, h, d, shape.Connector); err != nil && !errors.Is(err, errUndecided) {
			return exitFailed, err
		}
		if found, err = h.Connector(entry.ID); err != nil {
			return exitFailed, err
		}
		shape.Connector = sidecar.ConnectorMessage(found)
	}
	switch shape.Connector.State {
	case message.ConnectorWaiting, message.ConnectorDisabled, message.ConnectorDenied:
		if d == nil {
			return exitUnanswered, nil
		}
		return exitNotAllowed, nil
	}
	shape.Allowed = true
	started, err := h.StartConnector(p.ctx, entry.ID)
	if err != nil {
		return exitFailed, err
	}
	shape.Connector = sidecar.ConnectorMessage(started)
	shape.Warnings = append(shape.Warnings, started.Warnings...)
	for _, tool := range h.Tools() {
		if tool.Connector == entry.ID {
			shape.Tools = append(shape.Tools, sidecar.ToolMessage(tool, message.ToolSummary))
		}
	}
	if shape.Connector.State != message.ConnectorReady {
		return exitDown, nil
	}
	return exitOK, nil
}

func (p *program) printAdded(shape addShape) {
	c := shape.Connector
	p.sayf("%s is written to %s.", editors.Quoted(c.Name), editors.Visible(c.URI.FsPath()))
	for _, warning := range shape.Warnings {
		p.say("Look twice: " + editors.Visible(warning))
	}
	switch c.State {
	case message.ConnectorDisabled:
		p.say("It is switched off and did not run. Show it and switch it on, in a terminal: " + host.ApproveCommand(c.Name))
	case message.ConnectorWaiting:
		p.say("It needs permission and did not run. Review and allow, in a terminal: " + host.ApproveCommand(c.Name))
	case message.ConnectorReady:
		rows := make([][]string, len(shape.Tools))
		for i, tool := range shape.Tools {
			rows[i] = []string{tool.Label, tool.Summary}
		}
		p.table([]string{"TOOL", "WHAT IT DOES"}, rows)
		p.sayf("It runs: %s, about %d tokens.", editors.Counted(c.Tools, "tool"), c.Tokens)
	default:
		p.explainOne(c)
	}
}

// explainOne says on standard error why a connector does not run.
func (p *program) explainOne(c message.Connector) {
	p.say(editors.Quoted(c.Name) + ": " + editors.StateWords(c.State) + ".")
	if c.Problem == nil {
		return
	}
	p.say(editors.Visible(c.Problem.Reason))
	for i, step := range c.Problem.Steps {
		p.sayf("  %d. %s", i+1, editors.Visible(step))
	}
}
