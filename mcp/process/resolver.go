package process

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// Resolver finds programs.
type Resolver struct {
	Path string   // the PATH to search
	Ext  []string // PATHEXT: a program is a file with one of these extensions; nil: a file that may be executed, on Windows its usual extensions
}

// NotFoundError is a program that Look did not find.
type NotFoundError struct {
	Program string
	Path    string // the PATH that was searched; "" when the program was named with a folder
	Detail  string // what was there instead, a clause; may be ""
	Reason  error  // fs.ErrNotExist, or fs.ErrPermission for a file that may not be executed
}

func (e *NotFoundError) Error() string {
	text := fmt.Sprintf("program %q not found", e.Program)
	if e.Path != "" || !hasFolder(e.Program) {
		text += " in PATH=" + e.Path
	}
	if e.Detail != "" {
		text += ": " + e.Detail
	}
	return text
}

func (e *NotFoundError) Unwrap() error { return e.Reason }

// Look finds program: one named with a folder relative to dir, a bare one in the entries of Path that are absolute.
// The result is absolute and not followed through links, because some programs look at the name they are run by.
// The error is a *NotFoundError.
func (r Resolver) Look(program, dir string) (abs string, err error) {
	if program == "" || strings.ContainsRune(program, 0) {
		return "", &NotFoundError{Program: program, Path: r.Path, Reason: fs.ErrNotExist}
	}
	if hasFolder(program) {
		return r.lookNamed(program, dir)
	}
	missing := &NotFoundError{Program: program, Path: r.Path, Reason: fs.ErrNotExist}
	for _, entry := range filepath.SplitList(r.Path) {
		found, err := r.runnable(filepath.Join(entry, program))
		switch {
		case !filepath.IsAbs(entry):
			continue // also "": a relative entry means a folder that somebody else chose
		case err == nil:
			return found, nil
		case errors.Is(err, fs.ErrPermission) && missing.Detail == "":
			missing.Reason, missing.Detail = fs.ErrPermission, found+" may not be executed"
		}
	}
	return "", missing
}

func (r Resolver) lookNamed(program, dir string) (string, error) {
	path := program
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	found, err := r.runnable(path)
	if err == nil && filepath.IsAbs(found) {
		return found, nil
	}
	missing := &NotFoundError{Program: program, Reason: fs.ErrNotExist}
	switch {
	case err == nil:
		missing.Detail = fmt.Sprintf("%q is not absolute", found)
	case errors.Is(err, fs.ErrPermission):
		missing.Reason, missing.Detail = fs.ErrPermission, found+" may not be executed"
	default:
		missing.Detail = "there is no program " + path
	}
	return "", missing
}

// runnable finds the file to run for a path, and returns the path it looked at last with an error.
func (r Resolver) runnable(path string) (string, error) {
	extensions := r.Ext
	if extensions == nil && runtime.GOOS == "windows" {
		extensions = []string{".com", ".exe", ".bat", ".cmd"}
	}
	if extensions == nil {
		return path, checkRunnable(path, true)
	}
	// On Windows a file without an extension is never a program: "npx" beside "npx.cmd" is a shell script.
	own := filepath.Ext(path)
	if own != "" && slices.ContainsFunc(extensions, func(ext string) bool { return strings.EqualFold(ext, own) }) {
		if checkRunnable(path, false) == nil {
			return path, nil
		}
	}
	for _, ext := range extensions {
		if checkRunnable(path+ext, false) == nil {
			return path + ext, nil
		}
	}
	return path, fs.ErrNotExist
}

// checkRunnable is nil for a regular file, behind links too, that may be executed if that is a matter of permission.
func checkRunnable(path string, permission bool) error {
	switch file, err := os.Stat(path); {
	case err != nil && errors.Is(err, fs.ErrPermission):
		return fs.ErrPermission
	case err != nil || !file.Mode().IsRegular():
		return fs.ErrNotExist
	case permission && !mayExecute(path):
		return fs.ErrPermission
	}
	return nil
}

// hasFolder reports whether a program is named with a folder.
func hasFolder(program string) bool {
	return strings.ContainsRune(program, '/') || strings.ContainsRune(program, filepath.Separator) || filepath.VolumeName(program) != ""
}
