package imports

import (
	"fmt"
	"path/filepath"
	"slices"

	"pillion/mcp/config"
)

// UnreadableError says why nothing can be brought in from a file.
type UnreadableError struct{ Path, Reason string }

func (e *UnreadableError) Error() string { return "file " + e.Path + " " + e.Reason }

// Document is one file as it was understood. It is immutable.
type Document struct {
	Place Place
	// Entries are in the order of the file; names are unique.
	Entries []Entry
	// Notes are what is to be said of the file as a whole.
	Notes []Remark
	// inputs are what the file describes for ${input:…}, by id.
	inputs map[string]value
	// places are those of the entries, by name.
	places map[string]int
}

// Entry is one connector as the file writes it.
type Entry struct {
	Name string
	// value is what the file says of it.
	value value
	// off is true where the file switches it off elsewhere.
	off bool
	// notes are what the file says of it elsewhere.
	notes []Remark
}

// Remark is one sentence about what was not, or not simply, carried over. It
// never holds a value of the file.
type Remark struct {
	// Name is the connector's, empty for the file as a whole.
	Name string
	// Key is the place in the source, such as "env.TOKEN"; empty for the whole
	// entry.
	Key string
	// Message has no full stop.
	Message string
}

// Names are those of the entries.
func (d *Document) Names() []string {
	names := make([]string, len(d.Entries))
	for i, e := range d.Entries {
		names[i] = e.Name
	}
	return names
}

// Choose returns the names that are meant, each once: all where none is given.
// A name that the file does not have is an *UnreadableError.
func (d *Document) Choose(names []string) ([]string, error) {
	if len(names) == 0 {
		return d.Names(), nil
	}
	var chosen []string
	isChosen := map[string]bool{}
	for _, name := range names {
		switch {
		case d.find(name) < 0:
			return nil, &UnreadableError{d.Place.Path, "names no connector " + shown(name)}
		case !isChosen[name]:
			chosen, isChosen[name] = append(chosen, name), true
		}
	}
	return chosen, nil
}

// Parse reads a file's text. folders are the workspace folders, for what a
// program keeps by folder in a file of the user's. What is refused is an
// *UnreadableError.
func Parse(p Place, folders []string, text []byte) (*Document, error) {
	root, err := tree(p.Format, text)
	if err != nil {
		return nil, &UnreadableError{p.Path, err.Error()}
	}
	if root.kind != anObject {
		return nil, &UnreadableError{p.Path, "holds " + string(root.kind) + " where an object belongs"}
	}
	d := &Document{Place: p, inputs: map[string]value{}, places: map[string]int{}}
	if err := d.read(root, folders); err != nil {
		return nil, &UnreadableError{p.Path, err.Error()}
	}
	if len(d.Entries) > maxEntries {
		return nil, &UnreadableError{p.Path, fmt.Sprintf("names more than %d connectors", maxEntries)}
	}
	return d, nil
}

func tree(f Format, text []byte) (value, error) {
	if len(text) > maxFileBytes {
		return value{}, fmt.Errorf("has more than %d bytes", maxFileBytes)
	}
	switch f {
	case VSCode:
		return parseJSON(text, true, "servers", "inputs", "sandbox", "mcpServers")
	case Zed:
		return parseJSON(text, true, "context_servers")
	case Codex:
		return parseTOML(text)
	case OpenCode:
		return parseJSON(text, true, "mcp")
	case Gemini:
		return parseJSON(text, true, "mcpServers", "mcp")
	case Cursor:
		return parseJSON(text, true, "mcpServers")
	case MCPHub:
		return parseJSON(text, true, "mcpServers", "nativeMCPServers", "inputs")
	case ClaudeCode:
		return parseJSON(text, false, "mcpServers", "projects")
	case ClaudeDesktop, Windsurf:
		return parseJSON(text, false, "mcpServers")
	}
	return value{}, fmt.Errorf("has a format that is not known")
}

// ServersKey is the key that a format keeps its connectors under.
func ServersKey(f Format) string {
	switch f {
	case VSCode:
		return "servers"
	case Zed:
		return "context_servers"
	case Codex:
		return "mcp_servers"
	case OpenCode:
		return "mcp"
	}
	return "mcpServers"
}

func (d *Document) read(root value, folders []string) error {
	key := ServersKey(d.Place.Format)
	if d.Place.Format == ClaudeCode {
		d.readProjects(root.get("projects"), folders)
	}
	if err := d.readServers(key, root.get(key)); err != nil {
		return err
	}
	switch d.Place.Format {
	case VSCode:
		d.readInputs(root.get("inputs"))
		if root.get("mcpServers").kind != something {
			d.note("mcpServers", "VS Code reads connectors under \"servers\" alone, and so what stands here stays behind")
		}
		if root.get("sandbox").kind != something {
			d.note("sandbox", "Pillion has no sandbox of its own; what is set here stays behind")
		}
	case Gemini:
		d.readAllowed(root.get("mcp"))
	case MCPHub:
		d.readInputs(root.get("inputs"))
		if native := root.get("nativeMCPServers"); len(native.members) > 0 {
			d.note("nativeMCPServers", "servers that are written in Lua run inside Neovim alone and stay behind")
		}
	}
	return nil
}

func (d *Document) note(key, message string) {
	d.Notes = append(d.Notes, Remark{Key: key, Message: message})
}

func (d *Document) readServers(key string, servers value) error {
	switch servers.kind {
	case something:
		return nil
	case anObject:
	default:
		return fmt.Errorf("holds %s under %q where an object belongs", servers.kind, key)
	}
	for _, m := range servers.members {
		if i := d.find(m.key); i >= 0 {
			d.Entries[i].say("", "there is another of this name for all folders, which stays behind")
			continue
		}
		d.add(Entry{Name: m.key, value: m.value})
	}
	return nil
}

func (d *Document) add(e Entry) {
	d.places[e.Name] = len(d.Entries)
	d.Entries = append(d.Entries, e)
}

func (d *Document) find(name string) int {
	if at, isThere := d.places[name]; isThere {
		return at
	}
	return -1
}

func (e *Entry) say(key, message string) {
	e.notes = append(e.notes, Remark{e.Name, key, message})
}

// readProjects reads what Claude Code keeps for single folders. Those of the
// folders that are open go before those for all folders.
func (d *Document) readProjects(projects value, folders []string) {
	elsewhere := 0
	for _, p := range projects.members {
		local := p.value.get("mcpServers")
		if !slices.ContainsFunc(folders, func(folder string) bool { return filepath.Clean(folder) == filepath.Clean(p.key) }) {
			elsewhere += len(local.members)
			continue
		}
		off := p.value.get("disabledMcpServers").strings()
		for _, m := range local.members {
			if d.find(m.key) >= 0 {
				d.note("projects", "the connector "+shown(m.key)+" is there for two of the folders; the first counts")
				continue
			}
			e := Entry{Name: m.key, value: m.value, off: slices.Contains(off, m.key)}
			e.say("projects", "Claude Code has it in the folder "+config.ShownName(p.key)+" alone; in your own file it is there in every folder")
			d.add(e)
		}
	}
	if elsewhere > 0 {
		d.note("projects", fmt.Sprintf("%d more are kept for folders that are not open here", elsewhere))
	}
}

// readAllowed reads which connectors Gemini CLI does not start.
func (d *Document) readAllowed(mcp value) {
	allowed, excluded := mcp.get("allowed"), mcp.get("excluded").strings()
	for i := range d.Entries {
		e := &d.Entries[i]
		switch {
		case slices.Contains(excluded, e.Name):
			e.off = true
			e.say("mcp.excluded", "it is excluded there and comes switched off")
		case allowed.kind == anArray && !slices.Contains(allowed.strings(), e.Name):
			e.off = true
			e.say("mcp.allowed", "it is not among those allowed there and comes switched off")
		}
	}
}

func (d *Document) readInputs(inputs value) {
	for _, input := range inputs.items {
		if id := input.get("id"); id.kind == aString {
			if _, isTwice := d.inputs[id.text]; isTwice {
				input = value{} // readers differ in which of the two they take
			}
			d.inputs[id.text] = input
		}
	}
}

// shown is a piece of the file as a message shows it: escaped, quoted, short.
func shown(s string) string {
	const most = 64
	if r := []rune(s); len(r) > most {
		s = string(r[:most]) + "…"
	}
	return `"` + config.ShownName(s) + `"`
}
