package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"pillion/editors"
	"pillion/mcp/config"
	"pillion/mcp/config/imports"
	"pillion/mcp/host"
	"pillion/rpc/message"
	"pillion/sidecar"
)

type importVerb struct {
	File    string   `arg:"" optional:"" help:"The file to import from; without one what was found is listed."`
	Names   []string `arg:"" optional:"" help:"Which of its connectors; all of them without one."`
	From    string   `placeholder:"PROGRAM" help:"Whose file it is, where its name does not say, such as vscode or claude-code."`
	Project bool     `help:"Write into this folder's .mcp.json in place of your own file."`
	Force   bool     `help:"Replace entries of the same names."`
}

// Help explains the verb.
func (importVerb) Help() string {
	return `For example:

  pillion import
  pillion import ~/.cursor/mcp.json
  pillion import .vscode/mcp.json notes --project

Without a file it lists the files of other programs that are on this machine and in this folder, with how many connectors each names. Nothing is run for it, and no variable is read.

With a file its entries are converted and written, and what could not be carried over is said, a sentence each. What was approved in the other program is not carried over. Each entry is shown whole and asked about, as with pillion mcp add: without a yes one of your own is written switched off, and one of the project's waits. Nothing is started. A file that lies in this folder is the project's and goes into its .mcp.json alone.

Exit codes: 0 everything that was written may run; 3 something was not allowed; 75 there was no terminal to ask at; 1 nothing could be imported.

With --json: {"found": [{"file", "format", "root", "names", "problem"}]}, or {"file": string, "imported": [{"connector": Connector, "allowed": boolean}], "report": [{"name", "key", "message"}]}.`
}

// importsShape is what import --json prints without a file.
type importsShape struct {
	Found []foundShape `json:"found"`
}

type foundShape struct {
	File    string   `json:"file"`
	Format  string   `json:"format"`
	Root    string   `json:"root,omitzero"` // the project that it belongs to
	Names   []string `json:"names"`
	Problem string   `json:"problem,omitzero"`
}

// importShape is what import FILE --json prints.
type importShape struct {
	File     string                 `json:"file"`
	Imported []importedShape        `json:"imported"`
	Report   []message.ImportRemark `json:"report"`
}

type importedShape struct {
	Connector message.Connector `json:"connector"`
	Allowed   bool              `json:"allowed"`
}

// Run lists, or imports.
func (v importVerb) Run(p *program) error {
	if v.File == "" {
		return v.list(p)
	}
	return p.withOwnHost(func(h *ownHub) error { return v.from(p, h) })
}

func (v importVerb) from(p *program, h *ownHub) error {
	file, err := addVerb{Project: v.Project}.file(h.Core)
	if err != nil {
		return err
	}
	document, err := v.open(h)
	if err != nil {
		return err
	}
	target := imports.TargetFor(file, document.Place)
	if err := document.Allowed(target); err != nil {
		return fail(exitUsage, []string{"Import it there, in that folder: pillion import --project " + document.Place.Path}, "%w", err)
	}
	names, err := document.Choose(v.Names)
	if err != nil {
		return fail(exitUsage, nil, "%w", err)
	}
	d, _ := openDevice() // without one nothing is allowed
	run := &importRun{program: p, hub: h, device: d, target: target, document: document, isForced: v.Force, wasOff: map[string]bool{},
		shape: importShape{File: document.Place.Path, Imported: []importedShape{}, Report: []message.ImportRemark{}}}
	return run.all(names)
}

func (v importVerb) list(p *program) error {
	h, err := p.host(ownOptions{})
	if err != nil {
		return err
	}
	defer h.close()
	shape := importsShape{Found: []foundShape{}}
	rows := [][]string{}
	for _, found := range imports.Find(h.Machine()) {
		one := foundShape{File: found.Place.Path, Format: string(found.Place.Format), Root: found.Place.Root, Names: append([]string{}, found.Names...)}
		count := strconv.Itoa(len(one.Names))
		if found.Problem != nil {
			one.Problem, count = found.Problem.Error(), "-"
		}
		shape.Found = append(shape.Found, one)
		whose := "you"
		if one.Root != "" {
			whose = "project"
		}
		row := []string{found.Place.Format.Title(), count, whose, one.File}
		if !p.isTerminal {
			row = append([]string{one.Format}, append(row[1:], strings.Join(one.Names, ","), one.Problem)...)
		}
		rows = append(rows, row)
	}
	if p.isJSON {
		return p.printJSON(shape)
	}
	if len(rows) == 0 && p.isTerminal {
		p.print("No files of other programs were found. Add a connector: pillion mcp add <name> -- <command>")
		return nil
	}
	p.table([]string{"PROGRAM", "CONNECTORS", "OF", "FILE"}, rows)
	if p.isTerminal {
		for _, one := range shape.Found {
			if one.Problem != "" {
				p.print("\n" + editors.Visible(one.Problem))
			}
		}
		p.print("\nTo import from one: pillion import <file>")
	}
	return nil
}

// open reads the file.
func (v importVerb) open(h *ownHub) (*imports.Document, error) {
	path, err := filepath.Abs(v.File)
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(path); err != nil {
		return nil, fail(exitUsage, nil, "%w", err)
	}
	machine := h.Machine()
	place := imports.PlaceOf(path, machine)
	if v.From != "" {
		place.Format = imports.Format(v.From)
	}
	if !slices.Contains(imports.Formats(), place.Format) {
		return nil, fail(exitUsage, []string{"Say it: pillion import --from <program> …, one of " + formatNames()}, "it is not clear which program's file %s is", path)
	}
	// What lies in a repository is the repository's, though the folder is not open here.
	if !slices.Contains(imports.Places(machine), place) && place.Root == "" {
		if repository := repositoryOf(filepath.Dir(path)); repository != "" && repository != machine.Home {
			place.Root = repository
		}
	}
	document, err := imports.Open(place, machine)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fail(exitUsage, []string{"See what there is: pillion import"}, "there is no file %s", path)
	case err != nil:
		return nil, fail(exitFailed, nil, "%w", err)
	}
	return document, nil
}

func formatNames() string {
	var names []string
	for _, format := range imports.Formats() {
		names = append(names, string(format))
	}
	return strings.Join(names, ", ")
}

// importRun is the import of one file's entries.
type importRun struct {
	*program
	hub      *ownHub
	device   *device // nil where nobody can be asked
	target   imports.Target
	document *imports.Document
	isForced bool
	shape    importShape
	wasOff   map[string]bool // in the source, by name
	// isUnanswered is true where a question got no answer, isRefused where it got another than yes.
	isUnanswered, isRefused bool
}

func (r *importRun) all(names []string) error {
	r.report(r.document.Notes...)
	batch, err := r.decide(names)
	if written := r.write(batch); written != nil && (err == nil || errors.Is(err, errUndecided)) {
		err = written
	}
	if errors.Is(err, errUndecided) {
		r.isUnanswered, err = true, nil
	}
	if r.isJSON {
		if printed := r.printJSON(r.shape); printed != nil {
			return printed
		}
	} else {
		r.print(fmt.Sprintf("%d of %d are written to %s.", len(r.shape.Imported), len(names), editors.Visible(r.target.File.Path)))
		r.explainWaiting()
	}
	switch {
	case err != nil:
		return err
	case r.isUnanswered:
		return ended(exitUnanswered)
	case r.isRefused:
		return ended(exitNotAllowed)
	case len(r.shape.Imported) == 0:
		return ended(exitFailed)
	}
	return nil
}

func (r *importRun) explainWaiting() {
	for _, one := range r.shape.Imported {
		switch one.Connector.State {
		case message.ConnectorDisabled:
			r.say(editors.Quoted(one.Connector.Name) + " is switched off. Show it and switch it on, in a terminal: " + host.ApproveCommand(one.Connector.Name))
		case message.ConnectorWaiting:
			r.say(editors.Quoted(one.Connector.Name) + " needs permission. Review and allow, in a terminal: " + host.ApproveCommand(one.Connector.Name))
		}
	}
}

// report says at once what was not carried over.
func (r *importRun) report(remarks ...imports.Remark) {
	for _, one := range remarks {
		r.shape.Report = append(r.shape.Report, message.ImportRemark{Name: one.Name, Key: one.Key, Message: one.Message})
		if r.isJSON {
			continue
		}
		line := one.Message
		if one.Key != "" {
			line = one.Key + ": " + line
		}
		if one.Name != "" {
			line = one.Name + ": " + line
		}
		r.say(editors.Visible(line))
	}
}

// decide converts the entries and asks about them, before anything is written.
func (r *importRun) decide(names []string) (config.Batch, error) {
	batch := config.Batch{IsReplacing: r.isForced}
	there := r.there()
	for _, name := range names {
		converted, _ := r.document.Convert(name, r.target)
		r.report(converted.Report...)
		if converted.Definition == nil {
			continue
		}
		if there != nil && there.Entry(name) != nil && !r.isForced {
			r.report(imports.Remark{Name: name, Message: "it is not imported: there is a connector of this name already, which --force replaces"})
			continue
		}
		definition, err := r.decided(converted)
		if err != nil {
			return batch, err
		}
		r.wasOff[name] = converted.Disabled
		batch.Entries = append(batch.Entries, config.NewEntry{Name: name, Definition: definition, Inputs: converted.Inputs})
	}
	return batch, nil
}

// there is the file as it stands; nil for none.
func (r *importRun) there() *config.Document {
	for _, document := range r.hub.Documents() {
		if document.File.Path == r.target.File.Path {
			return document
		}
	}
	return nil
}

// write writes all entries by one edit, and asks about those that wait.
func (r *importRun) write(batch config.Batch) error {
	if len(batch.Entries) == 0 {
		return nil
	}
	document, _, err := r.hub.AddEntries(r.target.File, batch)
	if err != nil {
		return err
	}
	for _, one := range batch.Entries {
		entry := document.Entry(one.Name)
		if entry == nil {
			continue
		}
		if err := r.settle(entry, r.wasOff[one.Name]); err != nil {
			return err
		}
	}
	return nil
}

// preview is the entry as it will stand in the file.
func (r *importRun) preview(converted imports.Converted) (*config.Entry, error) {
	one := config.NewEntry{Name: converted.Name, Definition: converted.Definition, Inputs: converted.Inputs}
	whole, _, err := config.Batch{Entries: []config.NewEntry{one}}.Write(nil, true)
	if err != nil {
		return nil, err
	}
	entry := config.Parse(r.target.File, whole).Entry(converted.Name)
	if entry == nil {
		return nil, fmt.Errorf("the connector %q cannot be read back", converted.Name)
	}
	return entry, nil
}

// decided is the definition as it is written: of the user's own switched off without a yes (S6). An entry of the project is
// written first, and its question is the one that the editor shows as well.
func (r *importRun) decided(converted imports.Converted) ([]byte, error) {
	if r.target.File.Source != config.SourceUser || converted.Disabled {
		return converted.Definition, nil
	}
	if r.device != nil {
		preview, err := r.preview(converted)
		if err != nil {
			return nil, err
		}
		isYes, err := r.device.approves(r.ctx, importQuestion(preview, r.document.Place))
		if err != nil {
			return nil, errUndecided
		}
		if isYes {
			return converted.Definition, nil
		}
	}
	return host.SwitchedOff(converted.Definition)
}

// settle asks about what waits, and keeps what came of it.
func (r *importRun) settle(entry *config.Entry, wasOff bool) error {
	found, err := r.hub.Connector(entry.ID)
	if err != nil {
		return err
	}
	one := importedShape{Connector: sidecar.ConnectorMessage(found)}
	if one.Connector.State == message.ConnectorWaiting && r.device != nil {
		// The code is of a folder: the yes is to exactly this definition there (S1).
		_, _, err := r.allow(r.ctx, r.hub, r.device, one.Connector)
		if errors.Is(err, errUndecided) {
			r.shape.Imported = append(r.shape.Imported, one)
			return err
		}
		if err != nil {
			return err
		}
		if found, err = r.hub.Connector(entry.ID); err != nil {
			return err
		}
		one.Connector = sidecar.ConnectorMessage(found)
	}
	switch one.Connector.State {
	case message.ConnectorWaiting, message.ConnectorDisabled, message.ConnectorDenied:
		r.isUnanswered = r.isUnanswered || r.device == nil && !wasOff
		r.isRefused = r.isRefused || r.device != nil && !wasOff
	default:
		one.Allowed = true
	}
	r.shape.Imported = append(r.shape.Imported, one)
	return nil
}

// importQuestion shows an entry that is to be the user's own, whole.
func importQuestion(entry *config.Entry, from imports.Place) string {
	may := "may run"
	if entry.URL != "" {
		may = "may be connected to"
	}
	return ownQuestion(entry, "a file of "+from.Format.Title()+" on this machine", "as it will stand there",
		"With a yes it is written and "+may+". With anything else it is written switched off: nothing runs and nothing is sent.")
}
