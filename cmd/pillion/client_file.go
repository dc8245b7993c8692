package main

import (
	"fmt"
	"io"
	"io/fs"
	"os"
)

// maxClientFileBytes bounds an agent's file: none that a person keeps comes near.
const maxClientFileBytes = 16 << 20

// readClientFile reads an agent's file, through links. The error is fs.ErrNotExist where nothing is there at all:
// a link that leads nowhere is refused, as writing would put a file in its place.
func readClientFile(path string) ([]byte, error) {
	// Before it is opened: opening a FIFO waits for who writes to it.
	info, err := os.Stat(path)
	if err != nil {
		if link, linkErr := os.Lstat(path); linkErr == nil && link.Mode()&fs.ModeSymlink != 0 {
			return nil, fail(exitFailed, []string{"Make what it leads to, or remove the link"}, "%s is a link that leads to no file", path)
		}
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	if !info.Mode().IsRegular() {
		return nil, fail(exitFailed, nil, "%s is no regular file", path)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxClientFileBytes+1))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	if len(text) > maxClientFileBytes {
		return nil, fail(exitFailed, nil, "%s is larger than %d MiB", path, maxClientFileBytes>>20)
	}
	return text, nil
}
