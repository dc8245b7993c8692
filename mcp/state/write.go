package state

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// WriteFile writes a whole file so that others see the old one or the new one, and a crash loses neither. A link at path
// is replaced, not followed: who wants its target written resolves it first.
func WriteFile(path string, data []byte, perm fs.FileMode) error {
	temp, err := writeTemp(path, data, perm)
	if err == nil {
		err = rename(temp, path)
		if err != nil {
			_ = os.Remove(temp)
		}
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	syncFolder(filepath.Dir(path))
	return nil
}

// writeTemp writes data to a new file beside path, all the way to the disk.
func writeTemp(path string, data []byte, perm fs.FileMode) (temp string, err error) {
	f, err := os.CreateTemp(filepath.Dir(path), tempPattern(path)) // 0600, never through a link
	if err != nil {
		return "", err
	}
	_, err = f.Write(data)
	if err == nil && perm != 0o600 {
		err = f.Chmod(perm)
	}
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		_ = os.Remove(f.Name())
		return "", err
	}
	return f.Name(), nil
}

func tempPattern(path string) string { return "." + filepath.Base(path) + ".*.tmp" }

// removeTemps removes what writers that died left beside path. Nobody else may be writing it.
func removeTemps(path string) {
	temps, _ := filepath.Glob(filepath.Join(filepath.Dir(path), tempPattern(path)))
	for _, temp := range temps {
		_ = os.Remove(temp)
	}
}
