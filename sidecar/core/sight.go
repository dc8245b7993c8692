package core

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// HasProgram reports whether a bare name is a program in one of the absolute folders of PATH. Nothing is run, and no other
// place is looked at, so that it may be asked of a definition that nobody has allowed yet (B6).
func (c *Core) HasProgram(name string) bool {
	if name == "" || strings.ContainsAny(name, `/\`) {
		return false
	}
	path, _ := lookup(c.environ)("PATH")
	endings := []string{""}
	if runtime.GOOS == "windows" {
		endings = append(endings, ".exe", ".cmd", ".bat", ".com", ".ps1")
	}
	for _, folder := range filepath.SplitList(path) {
		if !filepath.IsAbs(folder) || strings.HasPrefix(folder, `\\`) {
			continue
		}
		for _, ending := range endings {
			info, err := os.Stat(filepath.Join(folder, name+ending))
			if err == nil && info.Mode().IsRegular() && (runtime.GOOS == "windows" || info.Mode()&0o111 != 0) {
				return true
			}
		}
	}
	return false
}

// Variables are the names of the environment's variables, sorted.
func (c *Core) Variables() []string {
	var names []string
	for _, variable := range c.environ {
		if name, _, ok := strings.Cut(variable, "="); ok && name != "" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// HasFile reports false where a workspace folder surely has no file of a relative name. Links that lead out of it are not
// followed, and what cannot be told counts as there (S24).
func HasFile(root, relative string) bool {
	folder, err := os.OpenRoot(root)
	if err != nil {
		return true
	}
	defer folder.Close()
	_, err = folder.Lstat(relative)
	return !errors.Is(err, fs.ErrNotExist)
}
