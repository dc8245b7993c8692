package policy

import (
	"io/fs"
	"os"
	"path/filepath"
)

// DefaultPath is where an administrator puts the policy of the machine.
func DefaultPath() string {
	folder := os.Getenv("ProgramData")
	if folder == "" {
		folder = `C:\ProgramData`
	}
	return filepath.Join(folder, "Pillion", "policy.json")
}

// checkOwner leaves it to the access list of the folder, which users may not write by default.
func checkOwner(fs.FileInfo, int) error { return nil }
