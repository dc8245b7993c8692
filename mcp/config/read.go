package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"pillion/mcp/place"
)

// RefusedError says why a file is not read or written although it may be there.
type RefusedError struct{ Path, Reason string }

func (e *RefusedError) Error() string { return "file " + e.Path + ": " + e.Reason }

// ReadFile reads a file, at most MaxFileBytes of it. An absent file is
// fs.ErrNotExist. A project file that resolves outside its root, a device, and
// a user file that others can write to are a *RefusedError (S3, S24).
func ReadFile(f File) ([]byte, error) { return ReadFileUpTo(f, MaxFileBytes) }

// ReadFileUpTo is [ReadFile] with a bound of its own.
func ReadFileUpTo(f File, maxBytes int64) ([]byte, error) {
	if f.Source == SourceProject || f.Root != "" {
		file, err := openInside(f.Root, f.Path)
		if err != nil {
			return nil, err
		}
		defer file.Close()
		return readAll(file, f.Path, maxBytes)
	}
	file, err := openRegular(f.Path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if f.Source == SourceUser {
		if err := checkOwned(file, f.Path); err != nil {
			return nil, err
		}
	}
	return readAll(file, f.Path, maxBytes)
}

// maxEnvFileBytes bounds an envFile.
const maxEnvFileBytes = 1 << 20

// readEnvFile reads a file named by an entry, inside root unless root is empty.
func readEnvFile(path, root string) ([]byte, error) {
	open := func() (*os.File, error) { return openRegular(path) }
	if root != "" {
		open = func() (*os.File, error) { return openInside(root, path) }
	}
	file, err := open()
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return readAll(file, path, maxEnvFileBytes)
}

func readAll(file *os.File, path string, most int64) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(file, most+1))
	if err != nil {
		return nil, fmt.Errorf("read file: %w", err)
	}
	if int64(len(text)) > most {
		return nil, &RefusedError{path, fmt.Sprintf("has more than %d bytes", most)}
	}
	return text, nil
}

// openRegular opens a file that is one. Not blocking matters for what became a
// pipe since anybody looked.
func openRegular(path string) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_RDONLY|openNonBlocking, 0)
	if err != nil {
		return nil, fmt.Errorf("read file: %w", err)
	}
	return regular(file, path)
}

func regular(file *os.File, path string) (*os.File, error) {
	info, err := file.Stat()
	if err != nil {
		file.Close()
		return nil, fmt.Errorf("read file: %w", err)
	}
	if !info.Mode().IsRegular() {
		file.Close()
		return nil, &RefusedError{path, "is not a regular file"}
	}
	return file, nil
}

// openInside opens a file of a folder, following links only where they stay
// inside it. Where a link leads outside, nothing outside is looked at.
func openInside(folder, path string) (*os.File, error) {
	if !filepath.IsAbs(folder) || !contains(folder, path) {
		return nil, &RefusedError{path, "is not inside the folder " + folder}
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, fmt.Errorf("read file: %w", err)
	}
	defer root.Close()
	relative, err := filepath.Rel(folder, path)
	if err != nil {
		return nil, &RefusedError{path, "is not inside the folder " + folder}
	}
	relative, err = resolveInside(root, folder, relative)
	if err != nil {
		return nil, err
	}
	file, err := root.OpenFile(relative, os.O_RDONLY|openNonBlocking, 0)
	if err != nil {
		return nil, outsideOr(err, path)
	}
	return regular(file, path)
}

// outsideOr tells a path that leaves its root, for which os.Root has no error
// value, from what else can go wrong with it.
func outsideOr(err error, path string) error {
	var failed *fs.PathError
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) || !errors.As(err, &failed) || isSystemError(failed.Err) {
		return fmt.Errorf("read file: %w", err)
	}
	return &RefusedError{path, "leads outside its folder"}
}

// maxLinks is how many links are followed before a circle is assumed.
const maxLinks = 40

// resolveInside follows the links that a file itself is, absolute ones too,
// which os.Root does not follow even where they stay inside.
func resolveInside(root *os.Root, folder, relative string) (string, error) {
	path := filepath.Join(folder, relative)
	for range maxLinks {
		info, err := root.Lstat(relative)
		if err != nil {
			return "", outsideOr(err, path)
		}
		if info.Mode()&fs.ModeSymlink == 0 {
			return relative, nil
		}
		target, err := root.Readlink(relative)
		if err != nil {
			return "", outsideOr(err, path)
		}
		if !filepath.IsAbs(target) {
			relative = filepath.Join(filepath.Dir(relative), target)
		} else if relative, err = insideOf(folder, target); err != nil {
			return "", &RefusedError{path, "is a link that leads outside its folder"}
		}
		if !filepath.IsLocal(relative) {
			return "", &RefusedError{path, "is a link that leads outside its folder"}
		}
	}
	return "", &RefusedError{path, "is a link that leads back to itself"}
}

// insideOf makes an absolute path relative to a folder, under the folder's own
// name or the one its links lead to.
func insideOf(folder, path string) (string, error) {
	if contains(folder, path) {
		return filepath.Rel(folder, path)
	}
	resolved, err := filepath.EvalSymlinks(folder)
	if err != nil {
		return "", err
	}
	return filepath.Rel(resolved, path)
}

// UserFile is the path of the user's own file: PILLION_MCP_CONFIG, else
// mcp.json in PILLION_CONFIG_DIR, else in the platform's configuration folder.
// home is the user's home folder. A relative path in one of the two is an
// error: it would depend on the folder that Pillion was started in.
func UserFile(lookup func(name string) (string, bool), home string) (string, error) {
	if path, ok := lookup("PILLION_MCP_CONFIG"); ok && path != "" {
		if !filepath.IsAbs(path) {
			return "", &RefusedError{path, "PILLION_MCP_CONFIG is not an absolute path"}
		}
		return filepath.Clean(path), nil
	}
	folder, err := UserFolder(lookup, home)
	if err != nil {
		return "", err
	}
	return filepath.Join(folder, "mcp.json"), nil
}

// UserFolder is the folder of the user's own files: PILLION_CONFIG_DIR, else
// pillion in the platform's configuration folder; its errors are those of
// [UserFile].
func UserFolder(lookup func(name string) (string, bool), home string) (string, error) {
	if folder, ok := lookup("PILLION_CONFIG_DIR"); ok && folder != "" {
		if !filepath.IsAbs(folder) {
			return "", &RefusedError{folder, "PILLION_CONFIG_DIR is not an absolute path"}
		}
		return filepath.Clean(folder), nil
	}
	folder := userConfigFolder(runtime.GOOS, lookup, home)
	if !filepath.IsAbs(folder) {
		return "", &RefusedError{"mcp.json", "the user's configuration folder is not known"}
	}
	return filepath.Join(folder, "pillion"), nil
}

func userConfigFolder(system string, lookup func(string) (string, bool), home string) string {
	switch system {
	case "windows":
		if folder, _ := lookup("APPDATA"); folder != "" {
			return folder
		}
		return filepath.Join(home, "AppData", "Roaming")
	case "darwin":
		return filepath.Join(home, "Library", "Application Support")
	}
	// The XDG specification ignores a relative path.
	if folder, _ := lookup("XDG_CONFIG_HOME"); strings.HasPrefix(folder, "/") {
		return folder
	}
	return filepath.Join(home, ".config")
}

// CheckUserFile refuses a user file that lies in one of the workspace folders
// (S3), by its name or by where its links lead.
func CheckUserFile(path string, folders []string) error {
	for _, folder := range folders {
		if place.LiesIn(path, folder) {
			return &RefusedError{path, "is the user's own file and lies in the workspace folder " + folder}
		}
	}
	return nil
}
