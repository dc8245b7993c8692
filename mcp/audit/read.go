package audit

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// maxLineBytes bounds a line that is read; Pillion writes none that long.
const maxLineBytes = 1 << 20

// Find returns the records of a call, oldest first, by whichever window, also one that has crashed.
func (l *Log) Find(callID string) ([]Record, error) {
	quoted, err := jsontext.AppendQuote(nil, callID)
	if err != nil || callID == "" {
		return nil, nil // no record has such an id
	}
	files, err := l.files()
	defer closeAll(files)
	if err != nil {
		return nil, err
	}
	var found []Record
	for _, f := range slices.Backward(files) {
		var here []Record
		err := eachLine(f, func(line []byte) bool {
			if bytes.Contains(line, quoted) {
				if r, ok := parseLine(line); ok && r.CallID == callID {
					here = append(here, r)
				}
			}
			return true
		})
		if err != nil {
			return nil, fmt.Errorf("read the audit log: %w", err)
		}
		if len(here) == 0 && len(found) > 0 {
			break // a call's records lie together
		}
		found = append(here, found...)
	}
	return found, nil
}

// Each hands every record to yield, oldest first, until it returns false. Lines that can't be read are skipped.
func (l *Log) Each(yield func(Record) bool) error {
	files, err := l.files()
	defer closeAll(files)
	if err != nil {
		return err
	}
	for _, f := range files {
		more := true
		err := eachLine(f, func(line []byte) bool {
			if r, ok := parseLine(line); ok {
				more = yield(r)
			}
			return more
		})
		if err != nil {
			return fmt.Errorf("read the audit log: %w", err)
		}
		if !more {
			return nil
		}
	}
	return nil
}

// files opens all files, oldest first, with what is queued here in them. The caller closes them.
func (l *Log) files() ([]*os.File, error) {
	_ = l.Flush(context.Background()) // what could not be written can't be read
	ctx, cancel := context.WithTimeout(context.Background(), rotateWait)
	defer cancel()
	if unlock, err := l.folder.Lock(ctx, "audit.lock"); err == nil {
		defer unlock() // nobody rotates while the files are opened
	}
	var files []*os.File
	for n := l.o.Keep; n >= 0; n-- {
		f, err := os.OpenFile(l.name(n), os.O_RDONLY|openFlags, 0)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return files, fmt.Errorf("read the audit log: %w", err)
		}
		files = append(files, f)
	}
	return files, nil
}

func closeAll(files []*os.File) {
	for _, f := range files {
		_ = f.Close()
	}
}

// eachLine hands every line to yield until it returns false; one that is too long is skipped, and a last one without an
// end is somebody's unfinished write, or the last words of one who died: parseLine tells.
func eachLine(r io.Reader, yield func([]byte) bool) error {
	b := bufio.NewReaderSize(r, 64<<10)
	var long []byte
	skip := false
	for {
		part, err := b.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			if skip = skip || len(long)+len(part) > maxLineBytes; !skip {
				long = append(long, part...)
			}
			continue
		}
		if err != nil && err != io.EOF {
			return err
		}
		line := part
		if len(long) > 0 {
			line = append(long, part...)
		}
		if line = bytes.TrimSuffix(line, []byte("\n")); len(line) > 0 && !skip && !yield(line) {
			return nil
		}
		if err == io.EOF {
			return nil
		}
		long, skip = long[:0], false
	}
}
