package config

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// ErrBusy is returned for a file that somebody else writes again and again.
var ErrBusy = errors.New("is being written by another program")

// maxAttempts bounds how often a file that changed meanwhile is edited anew.
const maxAttempts = 5

// Rewrite replaces a file's text by what edit makes of it, all of it or
// nothing; an absent file is an empty text. Whoever reads it meanwhile sees the
// old text or the new one. edit may be called again with another text: when
// another program has written the file since it was read, its text counts.
// Windows of Pillion keep each other out by a lock of their own.
//
// A project file that is a link, or lies behind one that leads out of its root,
// is a *RefusedError, and nothing is written anywhere, whatever is put in its
// place meanwhile (S24). A user file's link is followed to its target.
func Rewrite(f File, edit func(text []byte) ([]byte, error)) error {
	folder, name, err := openFolder(f)
	if err != nil {
		return err
	}
	defer folder.Close()
	for range maxAttempts {
		err := rewriteIn(folder, name, f, edit)
		if !errors.Is(err, ErrBusy) {
			return err
		}
	}
	return fmt.Errorf("write file %s: %w", f.Path, ErrBusy)
}

// openFolder opens the folder that a file is written in, and names the file in
// it. What is done by the folder's handle is done there, wherever its name
// leads by then.
func openFolder(f File) (*os.Root, string, error) {
	if f.Source != SourceProject && f.Root == "" {
		return openUserFolder(f.Path)
	}
	relative, err := filepath.Rel(f.Root, f.Path)
	if err != nil || !filepath.IsAbs(f.Root) || !filepath.IsLocal(relative) || relative == "." {
		return nil, "", &RefusedError{f.Path, "is not inside the folder " + f.Root}
	}
	root, err := os.OpenRoot(f.Root)
	if err != nil {
		return nil, "", fmt.Errorf("write file: %w", err)
	}
	within, name := filepath.Split(relative)
	if within == "" {
		return root, name, nil
	}
	defer root.Close()
	folder, err := root.OpenRoot(filepath.Clean(within))
	if err != nil {
		return nil, "", outsideOr(err, f.Path)
	}
	return folder, name, nil
}

func openUserFolder(path string) (*os.Root, string, error) {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return nil, "", fmt.Errorf("write file: %w", err)
		}
	case err != nil:
		return nil, "", fmt.Errorf("write file: %w", err)
	case info.Mode()&fs.ModeSymlink != 0:
		target, err := filepath.EvalSymlinks(path)
		if err != nil {
			return nil, "", &RefusedError{path, "is a link that leads nowhere"}
		}
		path = target
	}
	folder, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return nil, "", fmt.Errorf("write file: %w", err)
	}
	return folder, filepath.Base(path), nil
}

func rewriteIn(folder *os.Root, name string, f File, edit func([]byte) ([]byte, error)) error {
	text, before, err := readToWrite(folder, name, f)
	if err != nil {
		return err
	}
	edited, err := edit(text)
	if err != nil {
		return err
	}
	if before != nil && bytes.Equal(text, edited) {
		return nil
	}
	mode := fs.FileMode(0o644)
	switch {
	case f.Source == SourceUser:
		mode = 0o600
	case before != nil:
		mode = before.Mode().Perm()
	}
	temp, err := writeBeside(folder, name, edited, mode)
	if err != nil {
		return fmt.Errorf("write file: %w", err)
	}
	if err = checkUnchanged(folder, name, before); err == nil {
		err = replaceIn(folder, temp, name)
	}
	if err != nil {
		_ = folder.Remove(temp)
		return fmt.Errorf("write file: %w", err)
	}
	return nil
}

// readToWrite reads a file that is to be written, if it is there, and says
// which file that was.
func readToWrite(folder *os.Root, name string, f File) ([]byte, fs.FileInfo, error) {
	seen, err := folder.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil, nil
	case err != nil:
		return nil, nil, outsideOr(err, f.Path)
	case seen.Mode()&fs.ModeSymlink != 0 && f.Source != SourceUser:
		return nil, nil, &RefusedError{f.Path, "is a link, and a project's file is never written through one"}
	case !seen.Mode().IsRegular():
		return nil, nil, &RefusedError{f.Path, "is not a regular file"}
	}
	file, err := folder.OpenFile(name, os.O_RDONLY|openNonBlocking, 0)
	if err != nil {
		return nil, nil, outsideOr(err, f.Path)
	}
	defer file.Close()
	opened, err := file.Stat()
	if err != nil {
		return nil, nil, fmt.Errorf("read file: %w", err)
	}
	if !os.SameFile(seen, opened) {
		return nil, nil, ErrBusy
	}
	if f.Source == SourceUser {
		if err := checkOwned(file, f.Path); err != nil {
			return nil, nil, err
		}
	}
	text, err := readAll(file, f.Path, MaxFileBytes)
	return text, opened, err
}

// writeBeside writes a new file beside the one that it will replace, all the
// way to the disk.
func writeBeside(folder *os.Root, name string, text []byte, mode fs.FileMode) (string, error) {
	temp := "." + name + "." + rand.Text() + ".tmp"
	file, err := folder.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600) // never through a link
	if err != nil {
		return "", err
	}
	_, err = file.Write(text)
	if err == nil && mode != 0o600 {
		err = file.Chmod(mode)
	}
	if err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err != nil {
		_ = folder.Remove(temp)
		return "", err
	}
	return temp, nil
}

// checkUnchanged holds that a file is the one that was read, or none where
// there was none: what an editor saved meanwhile must not be lost.
func checkUnchanged(folder *os.Root, name string, before fs.FileInfo) error {
	now, err := folder.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist) && before == nil:
		return nil
	case errors.Is(err, fs.ErrNotExist):
		return ErrBusy
	case err != nil:
		return err
	case before == nil || !os.SameFile(before, now) || before.Size() != now.Size() || !before.ModTime().Equal(now.ModTime()):
		return ErrBusy
	}
	return nil
}
