package host

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// disk tells the judgement of a call where the paths in its arguments lead; it implements permission.Disk.
type disk struct{}

func (disk) Real(path string) (string, bool) {
	real, err := filepath.EvalSymlinks(path)
	return real, err == nil
}

func (disk) IsLink(path string) bool {
	info, err := os.Lstat(path)
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist)
	}
	// What is neither a file nor a folder of the usual kind, such as a junction of Windows, may lead elsewhere.
	return info.Mode()&(fs.ModeSymlink|fs.ModeIrregular) != 0
}
