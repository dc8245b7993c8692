package node

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

const (
	maxInlinedBytes = 48 << 10
	maxInlined      = 8 // files in one result
	maxPictureBytes = 20 << 20
	maxEntries      = 10_000
	maxDepth        = 2
)

// written is what lay in the session's folder at one moment: the sizes of its regular files by their paths below it.
type written map[string]int64

// lookIn looks at where the server writes. What is no regular file is not there, and no link is followed (S22).
func lookIn(root *os.Root) written {
	found, seen := written{}, 0
	for _, folder := range []string{writtenFolder, temporaryFolder} {
		_ = fs.WalkDir(root.FS(), folder, func(path string, entry fs.DirEntry, err error) error {
			if seen++; err != nil || seen > maxEntries || strings.Count(path, "/") > maxDepth {
				return fs.SkipDir
			}
			isWanted := isPicture(path) || folder == writtenFolder && isShown(path)
			if info, err := entry.Info(); isWanted && err == nil && info.Mode().IsRegular() {
				found[path] = info.Size()
			}
			return nil
		})
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

func isPicture(name string) bool {
	switch filepath.Ext(name) {
	case ".png", ".jpg", ".jpeg", ".webp":
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
		if text := read(root, name, from, min(now[name]-from, maxInlinedBytes)); len(text) > 0 {
			parts = append(parts, part{name, strings.ToValidUTF8(string(text), "\uFFFD"), now[name] - from - int64(len(text))})
		}
	}
	return parts
}

// picturesSince are the pictures that are new in the folder, whole; what they are is for the reader of the result to see.
func (before written) picturesSince(root *os.Root, now written) [][]byte {
	var pictures [][]byte
	for _, name := range sortedNames(now) {
		if _, isOld := before[name]; isOld || !isPicture(name) || now[name] > maxPictureBytes || len(pictures) == maxInlined {
			continue
		}
		if bytes := read(root, name, 0, now[name]); len(bytes) > 0 {
			pictures = append(pictures, bytes)
		}
	}
	return pictures
}

// read is a part of a file, as far as it is a regular one.
func read(root *os.Root, name string, from, length int64) []byte {
	file, err := root.Open(name)
	if err != nil {
		return nil
	}
	defer file.Close()
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	bytes := make([]byte, length)
	n, _ := file.ReadAt(bytes, from)
	return bytes[:n]
}
