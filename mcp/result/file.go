package result

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"net/url"
	"path/filepath"
	"strconv"
)

// folder keeps what a result leaves behind, under names that Pillion chooses.
type folder struct {
	path  string
	call  string
	count int
}

var (
	errNoFolder = errors.New("there is no folder for it")
	errShared   = errors.New("others may write to its folder")
)

// write makes a new file that only the user may read. It follows no link, not even to the folder, and replaces nothing.
func (f *folder) write(kind, extension string, content string) (path string, err error) {
	if f.path == "" {
		return "", errNoFolder
	}
	in, err := openFolder(f.path)
	if err != nil {
		return "", err
	}
	defer in.close()
	// The caller chose the id of the call: its digest can be no path.
	sum := sha256.Sum256([]byte(f.call))
	prefix := hex.EncodeToString(sum[:8]) + "-" + kind + "-"
	for range 10_000 { // calls of one id
		f.count++
		name := prefix + strconv.Itoa(f.count) + extension
		err := in.create(name, content)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return "", err
		}
		return filepath.Join(f.path, name), nil
	}
	return "", fs.ErrExist
}

// FileURI is the file URI of an absolute path.
func FileURI(path string) string { return fileURI(path) }

func fileURI(path string) string {
	path = filepath.ToSlash(path)
	if path != "" && path[0] != '/' {
		path = "/" + path
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}
