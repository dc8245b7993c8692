package catalog

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"pillion/mcp/state"
)

// The bounds of what is kept: whatever is oldest goes first.
const (
	maxKeptLists = 500
	maxKeptBytes = 256 << 20
	maxKeptAge   = 180 * 24 * time.Hour
)

// The names of the files.
const (
	listSuffix   = ".list"
	brokenSuffix = ".broken"
	lockName     = "lists.lock"
)

// Store keeps lists in a private folder of the user's, one file for each definition. What it holds can be lost at any time, at the
// price of a start. Its methods may be called at once, by several processes too.
type Store struct {
	folder *state.Folder
	rooms  sync.Pool // of *[]byte, that files are read into whose words are copied
}

// NewStore returns the store in a folder; without one it keeps nothing.
func NewStore(folder *state.Folder) *Store { return &Store{folder: folder} }

// Key names the list of a definition in its place; the parts may hold anything.
func Key(parts ...string) string {
	digest := sha256.New()
	for _, part := range parts {
		fmt.Fprintf(digest, "%q\n", part)
	}
	return hex.EncodeToString(digest.Sum(nil))
}

// Head returns what is known of a list without reading it. An error that [fs.ErrNotExist] knows says that there is none, a
// [*state.NewerError] that a newer Pillion wrote it.
func (s *Store) Head(key string) (Head, error) {
	f, info, err := s.open(key)
	if err != nil {
		return Head{}, err
	}
	defer f.Close()
	line := make([]byte, 4<<10)
	n, err := io.ReadFull(f, line)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return Head{}, s.fault(key, errBroken)
	}
	if line = line[:n]; bytes.IndexByte(line, '\n') < 0 {
		rest, err := io.ReadAll(io.LimitReader(f, maxHeadBytes))
		if err != nil {
			return Head{}, err
		}
		line = append(line, rest...)
	}
	head, _, err := decodeHead(line, key)
	if err != nil {
		return Head{}, s.fault(key, err)
	}
	head.Head.ListedAt = info.ModTime()
	return head.Head, nil
}

// Summaries returns a list without its schemas and without Others; errors are as [Store.Head]'s.
func (s *Store) Summaries(key string) (*List, error) { return s.read(key, false) }

// Read returns a list; errors are as [Store.Head]'s.
func (s *Store) Read(key string) (*List, error) { return s.read(key, true) }

func (s *Store) read(key string, isWhole bool) (*List, error) {
	f, info, err := s.open(key)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	length := info.Size()
	if length > maxListBytes {
		return nil, s.fault(key, errTooLarge)
	}
	var file []byte
	if !isWhole {
		room, has := s.rooms.Get().(*[]byte)
		if !has {
			room = new([]byte)
		}
		defer s.rooms.Put(room)
		*room = slices.Grow((*room)[:0], int(length))[:length]
		if file, err = readWords(f, *room, key); err != nil {
			return nil, s.fault(key, err)
		}
	} else {
		file = make([]byte, length)
		if _, err := io.ReadFull(f, file); err != nil {
			return nil, s.fault(key, errBroken)
		}
	}
	list, err := decode(file, key, isWhole)
	if err != nil {
		return nil, s.fault(key, err)
	}
	list.ListedAt = info.ModTime()
	return list, nil
}

// readWords reads the head and the first section into a file's room, and no more of a large one than a piece over.
func readWords(f io.Reader, room []byte, key string) ([]byte, error) {
	const piece = 16 << 10
	n, err := io.ReadFull(f, room[:min(len(room), piece)])
	if err != nil {
		return nil, errBroken
	}
	head, length, err := decodeHead(room[:n], key)
	if err != nil {
		return nil, err
	}
	want := length + head.Words
	switch {
	case want > len(room):
		return nil, errBroken
	case want <= n:
		return room[:n], nil
	}
	if _, err := io.ReadFull(f, room[n:want]); err != nil {
		return nil, errBroken
	}
	return room[:want], nil
}

func (s *Store) open(key string) (*os.File, fs.FileInfo, error) {
	if s.folder == nil {
		return nil, nil, fs.ErrNotExist
	}
	path := s.path(key)
	before, err := os.Lstat(path) // opening a pipe would wait for its writer
	if err != nil {
		return nil, nil, err
	}
	if !before.Mode().IsRegular() {
		return nil, nil, s.fault(key, errors.New("it is no regular file"))
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err == nil && !os.SameFile(before, info) {
		err = s.fault(key, errors.New("it was replaced while it was opened"))
	}
	if err != nil {
		_ = f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

func (s *Store) path(key string) string { return s.folder.Path(key + listSuffix) }

// fault is what is wrong with a file, with its path.
func (s *Store) fault(key string, err error) error {
	var newer newerError
	switch {
	case errors.As(err, &newer):
		return &state.NewerError{Path: s.path(key), Version: newer.version, Known: fileVersion}
	case errors.Is(err, errOlder): // and is written anew once it is listed
		return &fs.PathError{Op: "read", Path: s.path(key), Err: fs.ErrNotExist}
	}
	return &state.BrokenError{Path: s.path(key), Reason: err}
}

// Write keeps a list. One that is kept already is only noted to have been listed again. A file of a newer Pillion stays as it is,
// and the error is a [*state.NewerError]; a broken one is set aside.
func (s *Store) Write(ctx context.Context, key string, list *List) error {
	if s.folder == nil {
		return nil
	}
	file, err := encode(key, list)
	if err != nil {
		return fmt.Errorf("keep the list %s: %w", key, err)
	}
	unlock, err := s.folder.Lock(ctx, lockName)
	if err != nil {
		return fmt.Errorf("keep the list %s: %w", key, err)
	}
	defer unlock()
	path := s.path(key)
	_, err = s.Head(key)
	var newer *state.NewerError
	switch {
	case errors.As(err, &newer):
		return err
	case err == nil:
		if kept, err := os.ReadFile(path); err == nil && bytes.Equal(kept, file) {
			now := time.Now()
			return os.Chtimes(path, now, now)
		}
	case !errors.Is(err, fs.ErrNotExist):
		if err := os.Rename(path, path+brokenSuffix); err != nil {
			return fmt.Errorf("set %s aside: %w", path, err)
		}
	}
	return state.WriteFile(path, file, 0o600)
}

// SetAside gives a list that cannot be read another name, so that it is not read again; one of a newer Pillion stays.
func (s *Store) SetAside(ctx context.Context, key string) error {
	unlock, err := s.folder.Lock(ctx, lockName)
	if err != nil {
		return err
	}
	defer unlock()
	var broken *state.BrokenError
	if _, err := s.Read(key); !errors.As(err, &broken) {
		return nil
	}
	return os.Rename(s.path(key), s.path(key)+brokenSuffix)
}

// Remove forgets a list; one that is not there is as good as removed.
func (s *Store) Remove(key string) error {
	if s.folder == nil {
		return nil
	}
	if err := os.Remove(s.path(key)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Prune removes the oldest of what is kept, as far as it is more than may be, and what died writers have left.
func (s *Store) Prune(ctx context.Context) error {
	if s.folder == nil {
		return nil
	}
	unlock, err := s.folder.Lock(ctx, lockName)
	if err != nil {
		return err
	}
	defer unlock()
	entries, err := os.ReadDir(s.folder.Path())
	if err != nil {
		return err
	}
	var kept []fs.FileInfo
	for _, entry := range entries {
		info, err := entry.Info()
		switch {
		case err != nil, entry.IsDir():
		case strings.HasSuffix(entry.Name(), listSuffix), strings.HasSuffix(entry.Name(), listSuffix+brokenSuffix):
			kept = append(kept, info)
		case strings.HasPrefix(entry.Name(), ".") && strings.HasSuffix(entry.Name(), ".tmp"):
			_ = os.Remove(s.folder.Path(entry.Name()))
		}
	}
	slices.SortFunc(kept, func(a, b fs.FileInfo) int { return b.ModTime().Compare(a.ModTime()) })
	var bytesSoFar int64
	var failures []error
	for i, info := range kept {
		bytesSoFar += info.Size()
		if i >= maxKeptLists || bytesSoFar > maxKeptBytes || time.Since(info.ModTime()) > maxKeptAge {
			failures = append(failures, os.Remove(filepath.Join(s.folder.Path(), info.Name())))
		}
	}
	return errors.Join(failures...)
}
