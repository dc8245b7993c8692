package host

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
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

// A5: however many entries there are, the file is written and read again once.
func TestA5_ManyEntriesAreOneWrite(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	var reads atomic.Int32
	h.options.Observe = func(e Event) {
		if e.Files {
			reads.Add(1)
		}
	}
	h.Start()
	before := reads.Load()
	var batch config.Batch
	for i := range 2000 {
		batch.Entries = append(batch.Entries, config.NewEntry{Name: fmt.Sprintf("c%d", i), Definition: []byte(`{"command":"x","disabled":true}`)})
	}
	file := config.File{Path: h.user, Source: config.SourceUser}
	document, there, err := h.AddEntries(file, batch)
	if err != nil || len(there) != 0 || len(document.Entries) != 2000 || len(h.Connectors()) != 2000 {
		t.Fatalf("%d entries, %v", len(document.Entries), err)
	}
	if got := reads.Load() - before; got != 1 {
		t.Errorf("the files were read %d times", got)
	}
	info, err := os.Stat(h.user)
	if err != nil {
		t.Fatal(err)
	}
	if _, there, err = h.AddEntries(file, batch); err != nil || len(there) != 2000 {
		t.Errorf("%d stay, %v", len(there), err)
	}
	if again, err := os.Stat(h.user); err != nil || !os.SameFile(info, again) {
		t.Errorf("a file that stays as it is was written: %v", err)
	}
}
