//go:build !windows && !darwin

package core

import (
	"fmt"
	"path/filepath"
)

// stateFolder follows the XDG base directory specification.
func stateFolder(look func(string) (string, bool), home string) (string, error) {
	if given := firstSet(look, "PILLION_STATE_DIR"); given != "" {
		return absolute("PILLION_STATE_DIR", given)
	}
	if given := firstSet(look, "XDG_STATE_HOME"); filepath.IsAbs(given) {
		return filepath.Join(given, "pillion"), nil
	}
	if home == "" {
		return "", fmt.Errorf("find the state folder: HOME is not set")
	}
	return filepath.Join(home, ".local", "state", "pillion"), nil
}

// cacheFolder is empty where there is none: what is kept in it can be had again.
func cacheFolder(look func(string) (string, bool), home string) string {
	if given := firstSet(look, "PILLION_CACHE_DIR"); given != "" {
		if !filepath.IsAbs(given) {
			return ""
		}
		return given
	}
	if given := firstSet(look, "XDG_CACHE_HOME"); filepath.IsAbs(given) {
		return filepath.Join(given, "pillion")
	}
	if home == "" {
		return ""
	}
	return filepath.Join(home, ".cache", "pillion")
}
