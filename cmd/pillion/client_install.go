package main

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"time"

	"pillion/editors"
	"pillion/mcp/config/agents"
)

type clientInstallVerb struct {
	Agent     string `arg:"" help:"The agent: claude-code, codex, opencode, gemini, copilot, cursor, vscode, codecompanion or avante."`
	Yes       bool   `help:"Write the entry, and what --switch-off says, without asking."`
	SwitchOff bool   `help:"Switch the agent's own copies of this project's connectors off, so that it has each of them once."`
	PreAllow  bool   `help:"Keep the agent from asking about Pillion's tools, so that Pillion alone asks. This is asked for on the terminal, whatever --yes says."`
}

// Help explains the verb.
func (clientInstallVerb) Help() string {
	return `Adds one entry to the agent's own user-level file that runs "pillion serve --attach": the agent has the connectors of whichever editor's window is open on its folder, and what must be asked is asked there. The agent is told to wait ten minutes for a call.

It shows what becomes of the file and asks on the terminal itself. Where the agent can do it, two more things are offered, each on its own: to switch off the agent's own copies of the same connectors, and to keep the agent from asking about Pillion's tools itself. Pillion asks about calls as before.

  pillion client install claude-code
  pillion client install codex --yes        the entry alone, without a question
  pillion client uninstall codex            takes everything back

The file as it was is kept in Pillion's state folder; pillion client uninstall restores it byte for byte where nothing else changed it since, and else takes out what was added. Comments, order and everything else stay. What Pillion cannot edit, Lua above all, is printed to be written by hand.

Without a terminal nothing is changed unless there is --yes, and the exit code is 75.

With --json: {"agent", "title", "state", "files": [{"path", "backup"}], "changes": [{"file", "kind", "path", "value"}], "byHand", "notes"}.`
}

// clientShape is what client install and uninstall --json print, and client status for each agent.
type clientShape struct {
	Agent   string              `json:"agent"`
	Title   string              `json:"title"`
	State   string              `json:"state"`   // installed, changed (an entry that Pillion would write otherwise), absent, byHand
	Files   []clientFileShape   `json:"files"`   // that were written, or that Pillion's entry stands in
	Changes []clientChangeShape `json:"changes"` // that were made, or taken back
	ByHand  string              `json:"byHand,omitzero"`
	Notes   []string            `json:"notes"`
}

type clientFileShape struct {
	Path   string `json:"path"`
	Backup string `json:"backup,omitzero"` // the file as it was before
}

type clientChangeShape struct {
	File  string   `json:"file"`
	Kind  string   `json:"kind"` // set: the value stands at the path; add: it is in the list there
	Path  []string `json:"path"`
	Value string   `json:"value"` // as JSON
}

// The states of an agent.
const (
	clientInstalled = "installed"
	clientChanged   = "changed"
	clientAbsent    = "absent"
	clientByHand    = "byHand"
)

func shapeOf(a agents.Agent, state string) clientShape {
	return clientShape{Agent: a.Name, Title: a.Title, State: state, Files: []clientFileShape{}, Changes: []clientChangeShape{}, Notes: append([]string{}, a.Notes...)}
}

func (s *clientShape) addChanges(changes []agents.Change) {
	for _, c := range changes {
		s.Changes = append(s.Changes, clientChangeShape{c.File, string(c.Kind), c.Path, string(c.Value)})
	}
}

// Run installs it.
func (v clientInstallVerb) Run(p *program) error {
	if err := forPeople(); err != nil {
		return err
	}
	c, err := p.clientPlan(v.Agent)
	if err != nil {
		return err
	}
	if text := c.agent.ByHand(); text != "" {
		return v.byHand(p, c.agent, text)
	}
	asker := &clientAsker{program: p, plan: c, isYes: v.Yes}
	asker.device, asker.nobody = openDevice()
	if err := v.plan(asker); err != nil {
		return err
	}
	return v.write(p, asker)
}

// plan asks for each part on its own.
func (v clientInstallVerb) plan(a *clientAsker) error {
	c := a.plan
	err := a.offer(question{"Pillion is to be added to " + c.agent.Title + ", which then has Pillion's tools.", v.Yes, true}, []agents.Change{c.agent.Entry(c.machine, c.program)})
	if err != nil {
		return err
	}
	ofProject, all, err := a.program.connectorNames()
	if err != nil {
		return err
	}
	entry := c.agent.Entry(c.machine, c.program)
	text, err := c.text(entry.File)
	if err != nil {
		return err
	}
	if off := c.agent.Off(c.machine, ofProject, all, text); len(off) > 0 && (v.SwitchOff || !v.Yes) {
		err := a.offer(question{c.agent.Title + " has copies of its own of these connectors. They are to be switched off there, so that it has each of them once.", v.Yes && v.SwitchOff, v.SwitchOff}, off)
		if err != nil {
			return err
		}
	}
	if c.agent.CanAllow() && (v.PreAllow || !v.Yes) {
		return a.offer(question{c.agent.Title + " is to stop asking about Pillion's tools itself. Pillion asks about calls as before.", false, v.PreAllow}, []agents.Change{c.agent.Allow(c.machine)})
	}
	if v.PreAllow {
		a.program.sayf("No file of %s keeps it from asking about Pillion's tools.", c.agent.Title)
	}
	return nil
}

func (v clientInstallVerb) byHand(p *program, a agents.Agent, text string) error {
	if p.isJSON {
		shape := shapeOf(a, clientByHand)
		shape.ByHand = text
		return p.printJSON(shape)
	}
	p.print(visible(text))
	p.sayf("Write this into your configuration of %s. %s", a.Title, strings.Join(a.Notes, " "))
	return nil
}

func (v clientInstallVerb) write(p *program, a *clientAsker) error {
	c := a.plan
	shape := shapeOf(c.agent, clientInstalled)
	shape.addChanges(c.changes)
	if len(c.changes) == 0 {
		if a.declined > 0 {
			return fail(exitNotAllowed, nil, "nothing was changed")
		}
		if p.isJSON {
			return p.printJSON(shape)
		}
		p.print(c.agent.Title + " has Pillion already; nothing was changed.")
		return nil
	}
	store, err := p.clientStore()
	if err != nil {
		return err
	}
	files, err := store.remember(p.ctx, c, time.Now())
	if err != nil {
		return err
	}
	if err := c.write(); err != nil {
		return err
	}
	for _, path := range sortedKeys(c.texts) {
		if file := files[path]; file != nil {
			shape.Files = append(shape.Files, clientFileShape{path, file.Backup})
		}
	}
	if p.isJSON {
		return p.printJSON(shape)
	}
	v.print(p, shape)
	return nil
}

func (clientInstallVerb) print(p *program, shape clientShape) {
	p.print("Pillion is added to " + shape.Title + ".")
	for _, file := range shape.Files {
		text := "Written: " + editors.Visible(file.Path)
		if file.Backup != "" {
			text += ", as it was before: " + editors.Visible(file.Backup)
		}
		p.print(text)
	}
	for _, note := range shape.Notes {
		p.print(note)
	}
	p.print("Take it back: pillion client uninstall " + shape.Agent)
}

// question is what is asked about one part of a plan.
type question struct {
	sentence string
	// isGiven is set where nothing need be asked.
	isGiven bool
	// isWanted is set where the part was asked for, or is the whole point: that it cannot be asked about is an error then.
	isWanted bool
}

// clientAsker asks about the parts of a plan.
type clientAsker struct {
	program  *program
	plan     *clientPlan
	device   *device
	nobody   error // why there is no device
	isYes    bool
	declined int
}

// offer shows what changes would do, and takes them into the plan with a yes.
func (a *clientAsker) offer(q question, changes []agents.Change) error {
	texts, made, err := a.plan.would(changes)
	if err != nil {
		if q.isWanted {
			return err
		}
		a.program.complain(err)
		return nil
	}
	if len(made) == 0 {
		return nil
	}
	isYes := q.isGiven
	switch {
	case isYes:
	case a.device == nil && !q.isWanted:
		return nil
	case a.device == nil:
		steps := []string{"Run it in a terminal, and answer the question there"}
		if !a.isYes {
			steps = append(steps, "Or add --yes: the entry is then written without a question")
		}
		return fail(exitUnanswered, steps, "nothing was changed: %w", a.nobody)
	default:
		if isYes, err = a.asks(q.sentence, texts); err != nil {
			return err
		}
	}
	if isYes {
		a.plan.take(texts, made)
		return nil
	}
	if a.declined++; len(a.plan.changes) == 0 && a.declined == 1 && isEntry(a.plan, made) {
		return fail(exitNotAllowed, nil, "nothing was changed")
	}
	return nil
}

// isEntry reports whether changes are those of the entry itself, without which the others are nothing.
func isEntry(c *clientPlan, made []agents.Change) bool {
	entry := c.agent.Entry(c.machine, c.program)
	return slices.ContainsFunc(made, func(m agents.Change) bool { return m.File == entry.File && slices.Equal(m.Path, entry.Path) })
}

func (a *clientAsker) asks(sentence string, texts map[string][]byte) (bool, error) {
	answer, err := a.device.ask(a.program.ctx, sentence+"\n\n"+a.plan.difference(texts)+"\n", "Type yes to write this, anything else is no: ")
	if errors.Is(err, errUndecided) {
		err = nil
	}
	return answer == "yes", err
}

type clientUninstallVerb struct {
	Agent string `arg:"" help:"The agent, as in pillion client status."`
}

// Help explains the verb.
func (clientUninstallVerb) Help() string {
	return `Takes back what pillion client install wrote: a file that nothing else changed since is byte for byte what it was, one that was not there is removed; out of any other what was added is taken out, and what was switched off is as it was. The agent asks and has its own copies as before. That takes away and needs no question.

With --json: as pillion client install, with the changes that were taken back.`
}

// Run takes it back.
func (v clientUninstallVerb) Run(p *program) error {
	if err := forPeople(); err != nil {
		return err
	}
	c, err := p.clientPlan(v.Agent)
	if err != nil {
		return err
	}
	if text := c.agent.ByHand(); text != "" {
		return fail(exitFailed, []string{"Take it out of your own configuration by hand"}, "Pillion writes nothing for %s", c.agent.Title)
	}
	store, err := p.clientStore()
	if err != nil {
		return err
	}
	all, err := store.Read()
	if err != nil {
		return err
	}
	record := all.Agents[v.Agent]
	if len(record.Files) == 0 { // it was written by hand, or the state is gone
		entry := c.agent.Entry(c.machine, c.program)
		record.Files = map[string]*clientFile{entry.File: {HasExisted: true, Changes: []agents.Change{entry}}}
	}
	shape, err := v.takeBack(c, record)
	if err != nil {
		return err
	}
	if _, err := store.Update(p.ctx, func(all *clientRecords) error { delete(all.Agents, v.Agent); return nil }); err != nil {
		return err
	}
	if p.isJSON {
		return p.printJSON(shape)
	}
	if len(shape.Files) == 0 {
		p.print(c.agent.Title + " does not have Pillion; nothing was changed.")
		return nil
	}
	for _, file := range shape.Files {
		p.print("Taken back: " + editors.Visible(file.Path) + ".")
	}
	return nil
}

func (v clientUninstallVerb) takeBack(c *clientPlan, record clientRecord) (clientShape, error) {
	shape := shapeOf(c.agent, clientAbsent)
	shape.Notes = []string{}
	paths := make([]string, 0, len(record.Files))
	for path := range record.Files {
		paths = append(paths, path)
	}
	slices.Sort(paths)
	for _, path := range paths {
		file := record.Files[path]
		text, err := c.text(path)
		if err != nil {
			return shape, err
		}
		if text == nil {
			continue // gone, with what was written there
		}
		before, isWhole, err := file.takeBack(text)
		if err != nil {
			return shape, fail(exitFailed, []string{"Take it out by hand", "The file as it was is " + cmp.Or(file.Backup, "not there")}, "%s is left as it is: %w", path, err)
		}
		if !isWhole && string(before) == string(text) {
			continue
		}
		if err := replaceFile(path, text, before); err != nil {
			return shape, err
		}
		shape.Files = append(shape.Files, clientFileShape{path, file.Backup})
		shape.addChanges(file.Changes)
	}
	return shape, nil
}

type clientStatusVerb struct{}

// Help explains the verb.
func (clientStatusVerb) Help() string {
	return `Lists the agents that Pillion knows how to tell of itself, and which of them have it: installed, changed (there is an entry, but not the one that Pillion would write: another program, another time to wait), absent, or byHand (you write it, and Pillion cannot tell). It changes nothing.

On a terminal it is a table. In a pipe it is one agent a line, with tabs between its name, its state and its file. With --json: {"agents": [{"agent", "title", "state", "files": [{"path"}], …}]}.`
}

// clientsShape is what client status --json prints.
type clientsShape struct {
	Agents []clientShape `json:"agents"`
}

// Run lists them.
func (clientStatusVerb) Run(p *program) error {
	shape := clientsShape{Agents: []clientShape{}}
	for _, name := range agents.Names() {
		c, err := p.clientPlan(name)
		if err != nil {
			return err
		}
		one, err := c.status()
		if err != nil {
			p.complain(err) // the others are told
			one = shapeOf(c.agent, clientAbsent)
		}
		shape.Agents = append(shape.Agents, one)
	}
	if p.isJSON {
		return p.printJSON(shape)
	}
	rows := make([][]string, len(shape.Agents))
	for i, a := range shape.Agents {
		file := ""
		if len(a.Files) > 0 {
			file = a.Files[0].Path
		}
		rows[i] = []string{a.Agent, a.State, file}
	}
	p.table([]string{"AGENT", "STATE", "FILE"}, rows)
	if p.isTerminal {
		p.print("\nAdd Pillion to one: pillion client install <agent>")
	}
	return nil
}

func (c *clientPlan) status() (clientShape, error) {
	if text := c.agent.ByHand(); text != "" {
		shape := shapeOf(c.agent, clientByHand)
		shape.ByHand = text
		return shape, nil
	}
	entry := c.agent.Entry(c.machine, c.program)
	shape := shapeOf(c.agent, clientAbsent)
	shape.Files = append(shape.Files, clientFileShape{Path: entry.File})
	text, err := c.text(entry.File)
	if err != nil {
		return shape, err
	}
	if len(entry.Present(text)) > 0 {
		shape.State = clientChanged
		if entry.Holds(text) {
			shape.State = clientInstalled
		}
	}
	return shape, nil
}
