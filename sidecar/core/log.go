package core

import (
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
)

// maxLogBytes is the size at which the log is set aside for a new one; one old log is kept.
const maxLogBytes = 4 << 20

// NewLogger returns a logger that writes JSON lines to pillion.log in the state folder, from a level on. The file is opened with the first line; one that cannot be opened
// costs the lines and nothing else.
func NewLogger(environ []string, level slog.Leveler) *slog.Logger {
	return slog.New(slog.NewJSONHandler(&logFile{environ: environ}, &slog.HandlerOptions{Level: level}))
}

type logFile struct {
	environ []string

	mu  sync.Mutex
	out io.Writer
}

// Write implements io.Writer; slog hands it one line at a time.
func (l *logFile) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.out == nil {
		l.out = l.open()
	}
	return l.out.Write(line)
}

func (l *logFile) open() io.Writer {
	folders, err := FindFolders(l.environ)
	if err != nil {
		return io.Discard
	}
	path := filepath.Join(folders.State, "pillion.log")
	if info, err := os.Lstat(path); err == nil && info.Size() > maxLogBytes {
		_ = os.Rename(path, path+".old")
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return io.Discard
	}
	return file
}
