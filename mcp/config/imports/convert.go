package imports

import (
	"slices"
	"strings"

	"pillion/mcp/config"
)

// Target is the file that entries are brought into.
type Target struct {
	// File is the user's own or a project's.
	File config.File
	// Origin is what the entry says of where it comes from; empty for nothing.
	Origin string
}

// TargetFor is a file as the target of a place's entries. In the user's own file
// they say where they come from; a project's is everybody's, and says nothing of
// one person's machine.
func TargetFor(file config.File, from Place) Target {
	t := Target{File: file}
	if file.Source == config.SourceUser {
		t.Origin = from.Path
	}
	return t
}

// Converted is what became of one entry.
type Converted struct {
	Name string
	// Definition is the new entry's value as JSON; nil where the entry cannot be
	// brought in.
	Definition []byte
	// Disabled is true where the definition says so.
	Disabled bool
	// Inputs are what the definition refers to as ${input:…} and the source
	// describes.
	Inputs []config.NewInput
	// Report is what a person should know, in the order of the source.
	Report []Remark
}

// Allowed says why the file's entries must not go into a target, or returns
// nil: those of a project stay with it, where they need permission.
func (d *Document) Allowed(t Target) error {
	switch {
	case d.Place.Root == "" || t.File.Source == config.SourceProject && t.File.Root == d.Place.Root:
		return nil
	case t.File.Source == config.SourceProject:
		return &UnreadableError{d.Place.Path, "is a file of the project " + d.Place.Root + " and goes into that one's " + config.ProjectFileName + " alone"}
	}
	return &UnreadableError{d.Place.Path, "is a project's file and goes into the project's " + config.ProjectFileName + " alone"}
}

// Convert turns the entry of a name into one of Pillion's for a target; it
// reports false for a name that the file does not have. What the result says
// comes from the entry alone: nothing is looked up.
func (d *Document) Convert(name string, t Target) (Converted, bool) {
	i := d.find(name)
	if i < 0 {
		return Converted{}, false
	}
	c := &conversion{
		format: d.Place.Format, dialect: dialectOf(d.Place.Format), target: t, entry: &d.Entries[i],
		inputs: d.inputs, report: slices.Clone(d.Entries[i].notes),
	}
	return c.convert(), true
}

// pair is a name and its value.
type pair struct{ name, value string }

// conversion is one entry on its way.
type conversion struct {
	format  Format
	dialect dialect
	target  Target
	entry   *Entry
	inputs  map[string]value
	report  []Remark
	// carried are the inputs that come along.
	carried []config.NewInput
	// refusal is why the entry cannot be brought in; empty for none.
	refusal string
	// isUnknown is true once a reference that Pillion refuses was reported.
	isUnknown bool

	transport            string
	command              string
	hasCommand           bool
	args                 []string
	env, headers         []pair
	cwd, envFile         string
	url, urlKey          string
	isOff                bool
	callMS               int64
	description          string
	startTimeout         string
	tools, excludedTools []string
	hasTools             bool
}

func (c *conversion) toProject() bool { return c.target.File.Source == config.SourceProject }

func (c *conversion) say(key, message string) {
	if slices.Contains(c.report, Remark{c.entry.Name, key, message}) {
		return
	}
	c.report = append(c.report, Remark{c.entry.Name, key, message})
}

func (c *conversion) refuse(message string) {
	if c.refusal == "" {
		c.refusal = message
	}
}

func (c *conversion) convert() Converted {
	c.isOff = c.entry.off
	entry := c.entry.value
	switch {
	case entry.kind != anObject:
		c.refuse("the entry is " + string(entry.kind) + " where an object belongs")
	case len(entry.members) > maxItems:
		c.refuse("the entry has too many keys")
	default:
		c.read(entry)
	}
	if c.refusal == "" {
		c.settle()
	}
	return c.result()
}

// read goes through the keys of the source.
func (c *conversion) read(entry value) {
	if c.format == Zed {
		entry = c.zed(entry)
	}
	for _, m := range entry.members {
		c.key(m.key, m.value)
	}
}

// zed brings the older shapes into today's.
func (c *conversion) zed(entry value) value {
	if entry.get("command").kind == something && entry.get("url").kind == something && entry.get("settings").kind != something {
		c.refuse("it comes from an extension of Zed, which alone can start it")
		return entry
	}
	nested := entry.get("command")
	if nested.kind != anObject {
		return entry
	}
	flat := value{kind: anObject}
	for _, m := range entry.members {
		if m.key != "command" {
			flat.members = append(flat.members, m)
			continue
		}
		for _, inner := range nested.members {
			if inner.key == "path" {
				inner.key = "command"
			}
			flat.members = append(flat.members, inner)
		}
	}
	return flat
}

func (c *conversion) key(key string, v value) {
	switch meaningOf(c.format, key) {
	case theCommand:
		c.readCommand(key, v)
	case theArguments:
		c.args = append(c.args, c.list(key, v)...)
	case theVariables:
		c.pairs(key, v, &c.env)
	case theFolder:
		c.cwd = c.str(key, v)
	case theVariableFile:
		c.envFile = c.str(key, v)
	case theAddress:
		c.address(key, v, "")
	case theHTTPAddress:
		c.address(key, v, config.TransportHTTP)
	case theHeaders:
		c.pairs(key, v, &c.headers)
	case theTransport:
		c.readTransport(key, v)
	case theDescription:
		c.description = c.plain(key, v)
	case approvals:
		c.say(key, "what was approved elsewhere is never honoured: Pillion asks, and remembers your answers itself")
	case signIn:
		c.say(key, "Pillion does not carry a sign-in over; sign in again, or write what is needed into headers or env")
	case nothing:
	case unknownKey:
		c.say(key, leftBehind(c.format, key))
	default:
		c.setting(key, v)
	}
}

// setting reads what says when and how much, rather than what runs.
func (c *conversion) setting(key string, v value) {
	switch meaningOf(c.format, key) {
	case switchedOff, switchedOn:
		c.readSwitch(key, v)
	case callMilliseconds:
		c.callTimeout(key, v, 1)
	case callSeconds:
		c.callTimeout(key, v, 1000)
	case startMilliseconds:
		c.readStartTimeout(key, v, 1)
	case startSeconds:
		c.readStartTimeout(key, v, 1000)
	case onlyTools:
		c.tools, c.hasTools = c.toolNames(key, v), true
	case withoutTools:
		c.excludedTools = append(c.excludedTools, c.toolNames(key, v)...)
	case forwardedVariables:
		c.forwarded(key, v)
	case bearerVariable:
		if name := c.variableNamed(key, v); name != "" {
			c.add(&c.headers, key, pair{"Authorization", "Bearer " + name})
		}
	case headerVariables:
		for _, m := range c.object(key, v) {
			if name := c.variableNamed(key+"."+m.key, m.value); name != "" {
				c.add(&c.headers, key+"."+m.key, pair{m.key, name})
			}
		}
	}
}

// settle decides what the entry is.
func (c *conversion) settle() {
	switch {
	case c.hasCommand && c.url != "":
		c.refuse("it has both a program and an address, and which of them counts is not clear")
	case c.hasCommand && c.transport != "" && c.transport != config.TransportStdio:
		c.refuse("it has a program, but its type is that of an address")
	case c.url != "" && c.transport == config.TransportStdio:
		c.refuse("it has an address, but its type is that of a program")
	case c.hasCommand:
		c.transport = config.TransportStdio
		c.unused(theHeaders, headerVariables, bearerVariable)
	case c.url != "":
		if c.transport == "" {
			c.transport = c.defaultTransport()
		}
		c.unused(theArguments, theVariables, forwardedVariables, theFolder, theVariableFile)
	default:
		c.refuse("it has neither a program nor an address")
	}
	c.secrets()
}

// unused reports the keys of these meanings: the kind of connector has no use
// for them.
func (c *conversion) unused(meanings ...meaning) {
	for _, m := range c.entry.value.members {
		if slices.Contains(meanings, meaningOf(c.format, m.key)) && len(m.value.members)+len(m.value.items)+len(m.value.text) > 0 {
			c.say(m.key, "it has no effect on a connector of this kind and stays behind")
		}
	}
}

// defaultTransport is what an address without a type means to the program.
func (c *conversion) defaultTransport() string {
	if c.format == Gemini {
		return config.TransportSSE
	}
	return config.TransportHTTP
}

// result writes the definition and reads it back as Pillion will.
func (c *conversion) result() Converted {
	if c.refusal == "" {
		definition := c.definition()
		if refusal := c.judge(definition); refusal == "" {
			return Converted{Name: c.entry.Name, Definition: definition, Disabled: c.isOff, Inputs: c.carried, Report: c.report}
		} else {
			c.refuse(refusal)
		}
	}
	c.say("", "it is not imported: "+c.refusal)
	return Converted{Name: c.entry.Name, Report: c.report}
}

// judge says why Pillion could do nothing with a definition, or returns "".
func (c *conversion) judge(definition []byte) string {
	text, _, err := config.Batch{Entries: []config.NewEntry{{Name: c.entry.Name, Definition: definition, Inputs: c.carried}}}.Write(nil, true)
	if err != nil {
		return strings.TrimPrefix(err.Error(), "edit configuration: ")
	}
	entry := config.Parse(c.target.File, text).Entry(c.entry.Name)
	switch {
	case entry == nil:
		return "it cannot be read back"
	case entry.Pillion:
		return "this is Pillion, for other agents"
	}
	for _, f := range entry.Findings {
		// An entry with a reference that cannot be expanded is written all the
		// same: it says what is missing.
		isReference := f.Code == config.CodeReference || f.Code == config.CodeInput
		switch {
		case f.Code == config.CodeReference && c.isUnknown:
		case f.Severity == config.Error && !isReference:
			return f.Text()
		case f.Severity <= config.Warning || isReference:
			c.say("", f.Text())
		}
	}
	return ""
}
