package result

import (
	"errors"
	"os"
)

// opened is a folder that stays the same whatever becomes of its path.
type opened struct{ root *os.Root }

func openFolder(path string) (opened, error) {
	before, err := os.Lstat(path)
	if err != nil {
		return opened{}, err
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		return opened{}, err
	}
	after, err := root.Stat(".")
	if err == nil && (!before.IsDir() || !os.SameFile(before, after)) {
		err = &os.PathError{Op: "open", Path: path, Err: errShared}
	}
	if err != nil {
		_ = root.Close()
		return opened{}, err
	}
	return opened{root}, nil
}

// create makes a file, whole or not at all.
func (o opened) create(name, content string) error {
	f, err := o.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(content)
	if err = errors.Join(err, f.Close()); err != nil {
		_ = o.root.Remove(name)
	}
	return err
}

func (o opened) close() { _ = o.root.Close() }
