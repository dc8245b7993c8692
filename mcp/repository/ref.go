package repository

import (
	"io"
	"os"
	"strings"
)

// maxHeadBytes bounds what is read of the name of a branch.
const maxHeadBytes = 4096

// refOf reads which branch is checked out. Of a worktree whose repository lies elsewhere it knows nothing.
func refOf(root *os.Root) string {
	info, err := root.Stat(".git/HEAD")
	if err != nil || !info.Mode().IsRegular() {
		return ""
	}
	file, err := root.OpenFile(".git/HEAD", os.O_RDONLY|nonBlocking, 0)
	if err != nil {
		return ""
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxHeadBytes))
	if err != nil {
		return ""
	}
	line, _, _ := strings.Cut(string(text), "\n")
	return strings.TrimSpace(strings.TrimPrefix(line, "ref:"))
}
