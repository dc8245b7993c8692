package audit

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
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
		err := eachLine(f, func(line []byte, _ int64) bool {
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
		err := eachLine(f, func(line []byte, _ int64) bool {
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

// File is one file of the log, as it was found.
type File struct {
	ID   string // tells it from every other file, whatever it is called by then
	Size int64  // in bytes
}

// EachSince hands to yield, oldest first, the records that stand in each file behind the bytes that since returns for it, with
// where their line ends, until it returns false. A line without an end is left for another time. It returns the files that there
// are, oldest first; one without a whole line is none yet.
func (l *Log) EachSince(since func(File) int64, yield func(file File, end int64, r Record) bool) ([]File, error) {
	opened, err := l.files()
	defer closeAll(opened)
	if err != nil {
		return nil, err
	}
	var found []File
	for _, f := range opened {
		file, err := identify(f)
		if err != nil {
			return nil, fmt.Errorf("read the audit log: %w", err)
		}
		if file.ID == "" {
			continue
		}
		found = append(found, file)
		start, more := since(file), true
		if start >= file.Size {
			continue
		}
		err = eachLine(io.NewSectionReader(f, start, file.Size-start), func(line []byte, end int64) bool {
			if r, ok := parseLine(line); ok && end > 0 {
				more = yield(file, start+end, r)
			}
			return more
		})
		if err != nil {
			return nil, fmt.Errorf("read the audit log: %w", err)
		}
		if !more {
			return found, nil
		}
	}
	return found, nil
}

// identify tells a file by its first line, which stays while the file is renamed and grows.
func identify(f *os.File) (File, error) {
	info, err := f.Stat()
	if err != nil {
		return File{}, err
	}
	file := File{Size: info.Size()}
	err = eachLine(io.NewSectionReader(f, 0, file.Size), func(line []byte, end int64) bool {
		if end > 0 {
			sum := sha256.Sum256(line)
			file.ID = hex.EncodeToString(sum[:16])
		}
		return false
	})
	return file, err
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
// end is somebody's unfinished write, or the last words of one who died: parseLine tells. With each comes where it ends in r, 0
// for one without an end.
func eachLine(r io.Reader, yield func(line []byte, end int64) bool) error {
	b := bufio.NewReaderSize(r, 64<<10)
	var long []byte
	var at int64
	skip := false
	for {
		part, err := b.ReadSlice('\n')
		at += int64(len(part))
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
		end := at
		if err == io.EOF {
			end = 0
		}
		if line = bytes.TrimSuffix(line, []byte("\n")); len(line) > 0 && !skip && !yield(line, end) {
			return nil
		}
		if err == io.EOF {
			return nil
		}
		long, skip = long[:0], false
	}
}
