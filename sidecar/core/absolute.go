package core

import (
	"fmt"
	"path/filepath"
)

// absolute refuses a relative path in a variable: it would depend on the folder that Pillion was started in.
func absolute(variable, path string) (string, error) {
	if !filepath.IsAbs(path) {
		return "", fmt.Errorf("%s is %q, which is not an absolute path", variable, path)
	}
	return filepath.Clean(path), nil
}
