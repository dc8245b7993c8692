package core

import (
	"fmt"
	"path/filepath"
)

func stateFolder(look func(string) (string, bool), home string) (string, error) {
	if given := firstSet(look, "PILLION_STATE_DIR"); given != "" {
		return absolute("PILLION_STATE_DIR", given)
	}
	if home == "" {
		return "", fmt.Errorf("find the state folder: HOME is not set")
	}
	return filepath.Join(home, "Library", "Application Support", "pillion", "state"), nil
}

// cacheFolder is empty where there is none: what is kept in it can be had again.
func cacheFolder(look func(string) (string, bool), home string) string {
	if given := firstSet(look, "PILLION_CACHE_DIR"); given != "" {
		if !filepath.IsAbs(given) {
			return ""
		}
		return given
	}
	if home == "" {
		return ""
	}
	return filepath.Join(home, "Library", "Caches", "pillion")
}
