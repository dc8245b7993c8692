package node

import (
	"os"
	"path/filepath"
	"strings"
)

const (
	maxInlinedBytes = 48 << 10
	maxInlined      = 8 // files in one result
	maxEntries      = 10_000
)

// written is what lay in the session's folder at one moment: the sizes of its regular files by their names.
type written map[string]int64

// lookIn reads a folder. What is no regular file, or lies deeper, is not there (S22).
func lookIn(root *os.Root) written {
	found := written{}
	folder, err := root.Open(".")
	if err != nil {
		return found
	}
	defer folder.Close()
	entries, _ := folder.ReadDir(maxEntries)
	for _, entry := range entries {
		if info, err := entry.Info(); err == nil && info.Mode().IsRegular() {
			found[entry.Name()] = info.Size()
		}
	}
	return found
}

// part is what is new in a file.
type part struct {
	name string
	text string
	left int64 // bytes that are not in text
}

// isShown reports whether a file is one of those whose text belongs into a result.
func isShown(name string) bool {
	switch filepath.Ext(name) {
	case ".yml", ".yaml", ".log", ".md", ".txt", ".json":
		return true
	}
	return false
}

// since are the texts that are new in the folder, by name.
func (before written) since(root *os.Root, now written) []part {
	var parts []part
	for _, name := range sortedNames(now) {
		from := before[name]
		if now[name] <= from || !isShown(name) || len(parts) == maxInlined {
			continue
		}
		file, err := root.Open(name)
		if err != nil {
			continue
		}
		info, err := file.Stat()
		if err == nil && info.Mode().IsRegular() {
			text := make([]byte, min(now[name]-from, maxInlinedBytes))
			n, _ := file.ReadAt(text, from)
			if n > 0 {
				parts = append(parts, part{name, strings.ToValidUTF8(string(text[:n]), "\uFFFD"), now[name] - from - int64(n)})
			}
		}
		_ = file.Close()
	}
	return parts
}
