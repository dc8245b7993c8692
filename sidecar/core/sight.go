package core

import (
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"
)

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
