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
