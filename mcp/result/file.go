package result

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
)

// folder keeps what a result leaves behind, under names that Pillion chooses.
type folder struct {
	path  string
	call  string
	count int
}

// errNoFolder says that nothing is kept here.
var errNoFolder = errors.New("there is no folder for it")

// write makes a new file that only the user may read; it never follows a link or replaces anything.
func (f *folder) write(kind, extension string, content []byte) (string, error) {
	if f.path == "" {
		return "", errNoFolder
	}
	if info, err := os.Lstat(f.path); err != nil {
		return "", err
	} else if !info.IsDir() {
		return "", &fs.PathError{Op: "write into", Path: f.path, Err: errors.New("it is not a folder")}
	}
	// The caller chose the id of the call: its digest can be no path.
	sum := sha256.Sum256([]byte(f.call))
	for range 1000 {
		f.count++
		path := filepath.Join(f.path, hex.EncodeToString(sum[:8])+"-"+kind+"-"+strconv.Itoa(f.count)+extension)
		file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return "", err
		}
		_, err = file.Write(content)
		if err = errors.Join(err, file.Close()); err != nil {
			_ = os.Remove(path)
			return "", err
		}
		return path, nil
	}
	return "", fs.ErrExist
}

func fileURI(path string) string {
	path = filepath.ToSlash(path)
	if path != "" && path[0] != '/' {
		path = "/" + path
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}

func plural(characters int) string {
	if characters == 1 {
		return "1 character"
	}
	return strconv.Itoa(characters) + " characters"
}
