package configdoc

import (
	"go.lsp.dev/protocol"

	"pillion/mcp/config"
	"pillion/mcp/host"
)

// Facts are what is known beside the text. What is nil is not known, and nothing is said of it.
type Facts struct {
	// Connectors are those of the file, by the names of their entries.
	Connectors map[string]Connector
	// IsSet tells whether a variable has a value for an entry; the value is nobody's business here.
	IsSet func(e *config.Entry, variable string) bool
	// HasProgram tells whether a program of a bare name is on the PATH, HasFile whether a file is in the folder of a project's
	// file. Neither looks anywhere else (S24).
	HasProgram func(name string) bool
	HasFile    func(relative string) bool
	// Variables are the names of the environment's variables.
	Variables func() []string
	// Names are those of the user's own connectors, which a project's file may narrow.
	Names []string
	// Version is the version of a package that is there already, if it is known.
	Version func(e *config.Entry, p config.Package) string
	// Tools are those that a connector lists.
	Tools func(id string) []host.Tool
}

// Connector is one connector of the file.
type Connector struct {
	host.Connector
	// IsCurrent is true where the text of its entry is what the host knows: of one that was edited since, its state says nothing.
	IsCurrent bool
	// ChangedTools are the tools that are others by now than a standing yes was given to.
	ChangedTools []string
	// Shadow is where the entry stands that is used instead.
	Shadow *protocol.Location
}

// connector returns what is known of an entry as it is written.
func (f Facts) connector(e *config.Entry) (Connector, bool) {
	if e == nil {
		return Connector{}, false
	}
	c, isKnown := f.Connectors[e.Name]
	return c, isKnown && c.IsCurrent
}
