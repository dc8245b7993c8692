package host

import (
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"pillion/mcp/config"
	"pillion/mcp/process"
)

// A reason is one line in a row of an editor: the folders of PATH stand with the step that needs them.
func TestD2_ProgramThatIsNotOnPath(t *testing.T) {
	t.Parallel()
	entry := &config.Entry{Name: "notes", Command: "npx", File: config.File{}}
	got := programProblem(entry, &process.NotFoundError{Program: "npx", Path: strings.Join([]string{"/usr/bin", "/opt/bin"}, string(filepath.ListSeparator)), Reason: fs.ErrNotExist})
	if got.Reason != `program "npx" not found in the 2 folders of PATH` || !strings.Contains(strings.Join(got.Steps, "\n"), "It was looked for in /usr/bin, /opt/bin.") {
		t.Errorf("%+v", got)
	}
	got = programProblem(entry, &process.NotFoundError{Program: "./run", Detail: "there is no program /a/run", Reason: fs.ErrNotExist})
	if got.Reason != `program "./run" not found: there is no program /a/run` || strings.Contains(strings.Join(got.Steps, "\n"), "looked for") {
		t.Errorf("%+v", got)
	}
}
