package host

import (
	"slices"
	"testing"

	"pillion/mcp/config"
)

// What a variable tells an interpreter to read is code of the definition like its arguments.
func TestS2_VariablesOfInterpretersNameCode(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	d := config.Parse(config.File{Path: root + "/.mcp.json", Source: config.SourceProject, Root: root},
		[]byte(`{"mcpServers":{"x":{"command":"node","args":["a.js"],"env":{"NODE_OPTIONS":"--require ./hook.js","GREETING":"./b.js"},"envFile":".env"}}}`))
	defined := new(Host).definedCode(subject{entry: d.Entry("x"), roots: []string{root}}, ground{root: root})
	if want := []string{".env", "--require ./hook.js"}; !slices.Equal(defined.Files, want) {
		t.Errorf("%q, want %q", defined.Files, want)
	}
}
