//go:build unix

package config

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func TestS24_PipeDoesNotBlock(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	f := projectFile(root)
	if err := syscall.Mkfifo(f.Path, 0o600); err != nil {
		t.Skip(err)
	}
	if _, err := ReadFile(f); !isRefused(err) {
		t.Errorf("project: %v", err)
	}
	if _, err := ReadFile(File{Path: f.Path, Source: SourceUser}); !isRefused(err) {
		t.Errorf("user: %v", err)
	}
}

func TestS3_UserFileThatOthersCanWriteIsRefused(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "f")
	path := filepath.Join(folder, "mcp.json")
	write(t, path, "{}")
	f := File{Path: path, Source: SourceUser}
	modes := func(file, dir os.FileMode) {
		t.Helper()
		for name, mode := range map[string]os.FileMode{path: file, folder: dir} {
			if err := os.Chmod(name, mode); err != nil {
				t.Fatal(err)
			}
		}
	}
	modes(0o644, 0o755)
	if _, err := ReadFile(f); err != nil {
		t.Error(err)
	}
	modes(0o666, 0o755)
	if _, err := ReadFile(f); !isRefused(err) {
		t.Errorf("file: %v", err)
	}
	modes(0o600, 0o777)
	if _, err := ReadFile(f); !isRefused(err) {
		t.Errorf("folder: %v", err)
	}
	modes(0o600, 0o777|os.ModeSticky)
	if _, err := ReadFile(f); err != nil {
		t.Errorf("sticky folder: %v", err)
	}
	if os.Geteuid() != 0 {
		t.Skip("giving a file away needs root")
	}
	modes(0o600, 0o755)
	if err := os.Chown(path, 54321, 54321); err != nil {
		t.Skip(err)
	}
	if _, err := ReadFile(f); !isRefused(err) {
		t.Errorf("another's: %v", err)
	}
}
