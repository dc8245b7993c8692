package demo

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	maxNoteBytes = 64 << 10
	maxNotes     = 1000
	noteSuffix   = ".md"
)

// maxNoteNameBytes leaves room for the suffix on every system.
const maxNoteNameBytes = 64

// isNoteName keeps names to one plain file name of letters, digits, "_" and "-". It is no pattern: compiling one would cost
// the start of every Pillion.
func isNoteName(name string) bool {
	for i, c := range []byte(name) {
		isPlain := 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9'
		if !isPlain && (i == 0 || c != '_' && c != '-') {
			return false
		}
	}
	return name != "" && len(name) <= maxNoteNameBytes
}

var errNoNote = errors.New("there is no such note")

// notes is where notes are kept.
type notes interface {
	// list returns the sizes in bytes by name.
	list() (map[string]int64, error)
	read(name string) (string, error) // errNoNote when absent
	write(name, content string) error
	close() error
}

// openNotes opens the notes in the folder, which is created, or in memory when it is empty.
func openNotes(folder string) (notes, error) {
	if folder == "" {
		return &memory{content: map[string]string{
			"welcome": "Welcome to Pillion. These notes live in memory and are gone when the connector stops.\n",
			"ideas":   "- Ask for a chart.\n- Write a note, and see the question that comes first.\n- Cancel slow_count half-way.\n",
		}}, nil
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, fmt.Errorf("open notes: %w", err)
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, fmt.Errorf("open notes: %w", err)
	}
	return &directory{root: root}, nil
}

type memory struct {
	mu      sync.Mutex
	content map[string]string
}

func (m *memory) list() (map[string]int64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	sizes := make(map[string]int64, len(m.content))
	for name, content := range m.content {
		sizes[name] = int64(len(content))
	}
	return sizes, nil
}

func (m *memory) read(name string) (string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	content, ok := m.content[name]
	if !ok {
		return "", errNoNote
	}
	return content, nil
}

func (m *memory) write(name, content string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, isOld := m.content[name]; !isOld && len(m.content) >= maxNotes {
		return fmt.Errorf("there are %d notes already", maxNotes)
	}
	m.content[name] = content
	return nil
}

func (m *memory) close() error { return nil }

// directory keeps notes as files; the root confines them to the folder whatever links lie in it.
type directory struct {
	root *os.Root
}

func (d *directory) list() (map[string]int64, error) {
	entries, err := fs.ReadDir(d.root.FS(), ".")
	if err != nil {
		return nil, err
	}
	sizes := map[string]int64{}
	for _, entry := range entries {
		name, ok := strings.CutSuffix(entry.Name(), noteSuffix)
		info, err := entry.Info()
		if !ok || err != nil || !info.Mode().IsRegular() || !isNoteName(name) {
			continue
		}
		sizes[name] = info.Size()
	}
	return sizes, nil
}

func (d *directory) read(name string) (string, error) {
	info, err := d.root.Lstat(name + noteSuffix)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", errNoNote
	case err != nil:
		return "", err
	case !info.Mode().IsRegular():
		return "", errNoNote
	case info.Size() > maxNoteBytes:
		return "", fmt.Errorf("the note is larger than %d KiB", maxNoteBytes>>10)
	}
	content, err := d.root.ReadFile(name + noteSuffix)
	return string(content), err
}

func (d *directory) write(name, content string) error {
	return d.root.WriteFile(name+noteSuffix, []byte(content), 0o600)
}

func (d *directory) close() error { return d.root.Close() }

type noNote struct{}

type noteList struct {
	Notes []noteEntry `json:"notes" jsonschema:"in alphabetical order"`
}

type noteEntry struct {
	Name  string `json:"name"`
	Bytes int64  `json:"bytes" jsonschema:"size of the text"`
}

type noteChoice struct {
	Name string `json:"name" jsonschema:"a name from list_notes"`
}

type noteText struct {
	Name string `json:"name" jsonschema:"letters, digits, - and _, at most 64"`
	Text string `json:"text" jsonschema:"the whole new text, at most 64 KiB"`
}

func addNoteTools(server *mcp.Server, notes notes) {
	mcp.AddTool(server, &mcp.Tool{
		Name:        "list_notes",
		Title:       "List notes",
		Description: "Lists the names and sizes of all notes.",
		Annotations: readOnly(),
	}, func(context.Context, *mcp.CallToolRequest, noNote) (*mcp.CallToolResult, noteList, error) {
		sizes, err := notes.list()
		if err != nil {
			return nil, noteList{}, fmt.Errorf("list notes: %w", err)
		}
		return listResult(sizes)
	})
	mcp.AddTool(server, &mcp.Tool{
		Name:        "read_note",
		Title:       "Read a note",
		Description: "Returns the text of one note.",
		Annotations: readOnly(),
	}, func(_ context.Context, _ *mcp.CallToolRequest, choice noteChoice) (*mcp.CallToolResult, any, error) {
		content, err := notes.read(choice.Name)
		if errors.Is(err, errNoNote) || !isNoteName(choice.Name) {
			return refusal("There is no note %q. Call list_notes for the names.", choice.Name), nil, nil
		}
		if err != nil {
			return nil, nil, fmt.Errorf("read note %q: %w", choice.Name, err)
		}
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: content}}}, nil, nil
	})
	mcp.AddTool(server, &mcp.Tool{
		Name:        "write_note",
		Title:       "Write a note",
		Description: "Writes a note. A note of the same name is replaced, its old text is lost.",
		Annotations: &mcp.ToolAnnotations{IdempotentHint: true, DestructiveHint: new(true), OpenWorldHint: new(false)},
	}, func(_ context.Context, _ *mcp.CallToolRequest, note noteText) (*mcp.CallToolResult, any, error) {
		if !isNoteName(note.Name) {
			return refusal("%q cannot be the name of a note: use letters, digits, - and _, at most 64.", note.Name), nil, nil
		}
		if len(note.Text) > maxNoteBytes {
			return refusal("A note holds at most %d KiB; this text has %d bytes.", maxNoteBytes>>10, len(note.Text)), nil, nil
		}
		if err := notes.write(note.Name, note.Text); err != nil {
			return nil, nil, fmt.Errorf("write note %q: %w", note.Name, err)
		}
		return &mcp.CallToolResult{Content: []mcp.Content{text("Wrote note %q (%d bytes).", note.Name, len(note.Text))}}, nil, nil
	})
}

func listResult(sizes map[string]int64) (*mcp.CallToolResult, noteList, error) {
	list := noteList{Notes: []noteEntry{}}
	var lines strings.Builder
	for _, name := range slices.Sorted(maps.Keys(sizes)) {
		list.Notes = append(list.Notes, noteEntry{Name: name, Bytes: sizes[name]})
		fmt.Fprintf(&lines, "%s (%d bytes)\n", name, sizes[name])
	}
	if len(list.Notes) == 0 {
		lines.WriteString("There are no notes yet.")
	}
	content := []mcp.Content{&mcp.TextContent{Text: strings.TrimSuffix(lines.String(), "\n")}}
	return &mcp.CallToolResult{Content: content}, list, nil
}
