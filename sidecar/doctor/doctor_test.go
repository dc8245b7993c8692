package doctor

import (
	"testing"

	"pillion/mcp/config"
	"pillion/rpc/message"
)

func TestD3_FilesWithTheirFaults(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]struct {
		level message.DoctorLevel
		text  string
		steps int
	}{
		`{"mcpServers": {}}`: {message.DoctorOK, "0 connectors", 0},
		`{"mcpServers": {"a": {"command": "x"}, "b": {"command": "y", "disabled": true}}}`: {message.DoctorOK, "2 connectors, 1 of them off", 0},
		`{"mcpServers": {"a": {}}}`: {message.DoctorBroken, "1 connector, 1 fault", 1},
		`{"mcpServers": `:           {message.DoctorBroken, "cannot be read as it is, so what was read last counts", 1},
		`{"mcpServers": {"a": {"command": "x", "timeoutt": 3}}}`: {message.DoctorNote, "1 connector, 1 fault", 1},
	} {
		row := fileRow(config.Parse(config.File{Path: "/x/mcp.json", Source: config.SourceUser}, []byte(text)))
		if row.Level != want.level || row.Text != want.text || len(row.Steps) != want.steps {
			t.Errorf("%s: %+v", text, row)
		}
	}
}

// A path is never part of a line to paste where a shell could take it for more than a word (S17).
func TestS17_PathsInSteps(t *testing.T) {
	t.Parallel()
	for path, isPlain := range map[string]bool{"/home/me/mcp.json": true, "/home/me/a b": false, "/x;rm -rf ~": false, "/x$(id)": false, "/x\n": false} {
		if got := shellWord(path) == path; got != isPlain {
			t.Errorf("%q: %s", path, shellWord(path))
		}
	}
}
