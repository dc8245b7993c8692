package devtools

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// NotFoundError says that this machine has no browser that could be used.
type NotFoundError struct {
	Looked []string // the names and paths that were looked for
	Reason string   // a clause on the one that was named; may be ""
}

func (e *NotFoundError) Error() string {
	if e.Reason != "" {
		return e.Reason
	}
	return "there is no Chrome, Chromium or Edge on this machine"
}

// Search says where a browser may be taken from.
type Search struct {
	Program string   // an absolute path that somebody chose; "" looks in the usual places
	Path    string   // the PATH; entries that are not absolute are passed over
	Outside []string // absolute folders that no browser may lie in: the workspace's (S1)
	Getenv  func(string) string
}

// Find is the absolute path of the browser to start. The error is a *NotFoundError.
func Find(s Search) (string, error) {
	if s.Program != "" {
		return s.named()
	}
	var looked []string
	for _, name := range names(runtime.GOOS) {
		looked = append(looked, name)
		for _, entry := range filepath.SplitList(s.Path) {
			path := filepath.Join(entry, name)
			if filepath.IsAbs(entry) && s.isUsable(path) {
				return path, nil
			}
		}
	}
	for _, path := range places(runtime.GOOS, s.Getenv) {
		looked = append(looked, path)
		if s.isUsable(path) {
			return path, nil
		}
	}
	return "", &NotFoundError{Looked: looked}
}

func (s Search) named() (string, error) {
	switch {
	case !filepath.IsAbs(s.Program):
		return "", &NotFoundError{Looked: []string{s.Program}, Reason: "the browser's path " + s.Program + " is not absolute"}
	case s.isInside(s.Program):
		return "", &NotFoundError{Looked: []string{s.Program}, Reason: "the browser " + s.Program + " lies in the workspace"}
	case !s.isUsable(s.Program):
		return "", &NotFoundError{Looked: []string{s.Program}, Reason: "there is no program " + s.Program}
	}
	return s.Program, nil
}

func (s Search) isUsable(path string) bool {
	file, err := os.Stat(path)
	if err != nil || !file.Mode().IsRegular() || runtime.GOOS != "windows" && file.Mode()&0o111 == 0 {
		return false
	}
	return !s.isInside(path)
}

// isInside reports whether the path, by its name or by where its links lead, is of a folder that no browser may lie in.
func (s Search) isInside(path string) bool {
	real, err := filepath.EvalSymlinks(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return true
	}
	return slices.ContainsFunc(s.Outside, func(folder string) bool {
		realFolder, err := filepath.EvalSymlinks(folder)
		if err != nil {
			realFolder = folder
		}
		return lies(path, folder) || real != "" && lies(real, realFolder)
	})
}

func lies(path, folder string) bool {
	relative, err := filepath.Rel(folder, path)
	return err == nil && relative != ".." && !strings.HasPrefix(relative, ".."+string(filepath.Separator))
}

// names are what browsers are called in a PATH, the quickest to start first.
func names(goos string) []string {
	if goos == "windows" {
		return []string{"chrome-headless-shell.exe", "chrome.exe", "chromium.exe", "msedge.exe"}
	}
	return []string{
		"chromium-headless-shell", "chrome-headless-shell",
		"google-chrome-stable", "google-chrome", "chrome", "chromium", "chromium-browser", "microsoft-edge-stable", "microsoft-edge",
	}
}

// places are where browsers lie that are in no PATH.
func places(goos string, getenv func(string) string) []string {
	switch goos {
	case "darwin":
		return []string{
			"/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
			"/Applications/Chromium.app/Contents/MacOS/Chromium",
			"/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
		}
	case "windows":
		var found []string
		for _, program := range []string{`Google\Chrome\Application\chrome.exe`, `Chromium\Application\chrome.exe`, `Microsoft\Edge\Application\msedge.exe`} {
			for _, variable := range []string{"PROGRAMFILES", "PROGRAMFILES(X86)", "LOCALAPPDATA"} {
				if folder := getenv(variable); filepath.IsAbs(folder) {
					found = append(found, filepath.Join(folder, program))
				}
			}
		}
		return found
	}
	return []string{
		"/usr/lib/chromium/chromium-headless-shell", "/opt/google/chrome/chrome", "/usr/lib/chromium/chromium",
		"/usr/lib/chromium-browser/chromium-browser", "/opt/microsoft/msedge/msedge",
	}
}
