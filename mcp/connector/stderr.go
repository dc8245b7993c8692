package connector

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"pillion/mcp/redact"
)

// OldLogSuffix stands behind the name of a log file that was set aside when it had grown too large.
const OldLogSuffix = ".1"

const (
	maxLogFileBytes = 4 << 20 // of each of the two files
	maxLogLineBytes = 64 << 10
	maxTailLines    = 20
	maxTailLine     = 500
)

// journal is where everything goes that the server prints beside the protocol: a log file of two generations, and the last
// lines in memory. Secrets are taken out on the way in. It holds a bounded amount whatever comes.
type journal struct {
	secrets *redact.Set

	mu       sync.Mutex
	redactor io.WriteCloser
	file     *rotating // nil when there is no log file
	tail     tail
	column   int // bytes since the last line end
}

func newJournal(path string, secrets *redact.Set, onLine func(string)) (*journal, error) {
	j := &journal{secrets: secrets, tail: tail{onLine: onLine}}
	var err error
	if path != "" {
		j.file, err = openRotating(path)
	}
	j.redactor = secrets.Writer(journalEnd{j})
	return j, err
}

// journalEnd is what the redactor writes to; the journal is locked.
type journalEnd struct{ *journal }

func (e journalEnd) Write(b []byte) (int, error) {
	e.tail.add(b)
	if e.file != nil {
		e.file.write(b)
	}
	return len(b), nil
}

// copyFrom takes everything that comes until the stream ends.
func (j *journal) copyFrom(in io.Reader, onRead func(bytes int)) {
	buffer := make([]byte, 32<<10)
	for {
		n, err := in.Read(buffer)
		if n > 0 {
			onRead(n)
			j.write(buffer[:n])
		}
		if err != nil {
			j.flush()
			return
		}
	}
}

// write takes bytes as they come, and ends lines that have become too long.
func (j *journal) write(b []byte) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for len(b) > 0 {
		part := b[:min(len(b), maxLogLineBytes-j.column)]
		if i := bytes.LastIndexByte(part, '\n'); i >= 0 {
			j.column = len(part) - i - 1
		} else {
			j.column += len(part)
		}
		_, _ = j.redactor.Write(part) // its end is the journal, which does not fail
		b = b[len(part):]
		if j.column >= maxLogLineBytes {
			_, _ = j.redactor.Write([]byte("\n"))
			j.column = 0
		}
	}
}

// note writes a line of Pillion's own, beginning with a mark that tells it from the server's.
func (j *journal) note(line string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.file == nil {
		return
	}
	if j.column > 0 {
		j.file.write([]byte("\n"))
		j.column = 0
	}
	line, _ = j.secrets.Text(line)
	j.file.write([]byte("[pillion " + time.Now().Format(time.RFC3339) + "] " + line + "\n"))
}

// flush lets go of what was held back as the possible beginning of a secret.
func (j *journal) flush() {
	j.mu.Lock()
	defer j.mu.Unlock()
	_ = j.redactor.Close()
	j.redactor = j.secrets.Writer(journalEnd{j})
}

// close closes the file.
func (j *journal) close() {
	j.flush()
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.file != nil {
		j.file.close()
	}
}

// last returns the last lines, oldest first, made visible.
func (j *journal) last() []string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.tail.last()
}

// telling is the line that says best why the program ended.
func (j *journal) telling() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.tail.telling()
}

// tail keeps the last lines of a stream.
type tail struct {
	onLine  func(line string) // nil for nobody
	lines   []string
	current []byte
	alarm   string // the last line that named an error
	since   int    // how many lines came after it
}

// add takes bytes; a carriage return ends a line too, as progress bars write them.
func (t *tail) add(b []byte) {
	// All but the last of a flood would be dropped again.
	if most := maxTailLines * maxTailLine * 2; len(b) > most {
		b = b[len(b)-most:]
	}
	for len(b) > 0 {
		i := bytes.IndexAny(b, "\r\n")
		part := b
		if i >= 0 {
			part = b[:i]
		}
		t.current = append(t.current, part[:min(len(part), maxTailLine-len(t.current))]...)
		if i < 0 {
			return
		}
		t.end()
		b = b[i+1:]
	}
}

func (t *tail) end() {
	line := visible(string(t.current), maxTailLine)
	t.current = t.current[:0]
	if line == "" {
		return
	}
	if t.onLine != nil {
		t.onLine(line)
	}
	if t.since++; namesError(line) {
		t.alarm, t.since = line, 0
	} else if t.since > maxAlarmAge {
		t.alarm = ""
	}
	if len(t.lines) == maxTailLines {
		copy(t.lines, t.lines[1:])
		t.lines = t.lines[:maxTailLines-1]
	}
	t.lines = append(t.lines, line)
}

func (t *tail) last() []string {
	lines := append([]string(nil), t.lines...)
	if line := visible(string(t.current), maxTailLine); line != "" {
		lines = append(lines, line)
	}
	return lines[max(len(lines)-maxTailLines, 0):]
}

// telling is the line that says best why the program ended.
func (t *tail) telling() string { return telling(t.last(), t.alarm) }

// rotating is a log file that is set aside, over the one set aside before, when it has grown too large. What cannot be
// written is lost: a full disk must not stop a server.
type rotating struct {
	path  string
	file  *os.File
	bytes int64
}

func openRotating(path string) (*rotating, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	r := &rotating{path: path}
	return r, r.open()
}

func (r *rotating) open() error {
	file, err := os.OpenFile(r.path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	r.file, r.bytes = file, 0
	if info, err := file.Stat(); err == nil {
		r.bytes = info.Size()
	}
	return nil
}

func (r *rotating) write(b []byte) {
	if r.file == nil {
		return
	}
	if r.bytes > 0 && r.bytes+int64(len(b)) > maxLogFileBytes {
		r.rotate()
	}
	if r.file != nil {
		n, _ := r.file.Write(b)
		r.bytes += int64(n)
	}
}

// rotate closes first, because Windows renames no open file.
func (r *rotating) rotate() {
	r.close()
	if os.Rename(r.path, r.path+OldLogSuffix) != nil {
		_ = os.Truncate(r.path, 0)
	}
	_ = r.open()
}

func (r *rotating) close() {
	if r.file != nil {
		_ = r.file.Close()
		r.file = nil
	}
}
