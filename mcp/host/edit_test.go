package host

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"pillion/mcp/config"
	"pillion/mcp/state"
)

// A3: windows that edit one file at once lose nothing of each other's.
func TestA3_WindowsEditAtOnce(t *testing.T) {
	t.Parallel()
	root, states := t.TempDir(), filepath.Join(t.TempDir(), "state")
	file := config.File{Path: filepath.Join(root, config.ProjectFileName), Source: config.SourceProject, Root: root}
	var windows sync.WaitGroup
	for i := range 4 {
		folder, err := state.Open(states)
		if err != nil {
			t.Fatal(err)
		}
		windows.Go(func() {
			for j := range 10 {
				name := fmt.Sprintf("c%d-%d", i, j)
				err := Rewrite(t.Context(), folder, file, func(text []byte) ([]byte, error) {
					return config.Insert(text, name, []byte(`{"command":"x"}`), true)
				})
				if err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
		})
	}
	windows.Wait()
	text, err := os.ReadFile(file.Path)
	if err != nil {
		t.Fatal(err)
	}
	if d := config.Parse(file, text); len(d.Entries) != 40 {
		t.Errorf("%d entries are left of 40", len(d.Entries))
	}
}
