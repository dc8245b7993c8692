//go:build !windows

package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestK8_WhatIsNoFileIsRefused holds that nothing is waited for, and that no link is replaced.
func TestK8_WhatIsNoFileIsRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		put  func(path string) error
		says string
	}{
		"FIFO":              {func(path string) error { return syscall.Mkfifo(path, 0o600) }, "is no regular file"},
		"device":            {func(path string) error { return os.Symlink("/dev/zero", path) }, "is no regular file"},
		"link to nowhere":   {func(path string) error { return os.Symlink(path+".gone", path) }, "is a link that leads to no file"},
		"more than the cap": {func(path string) error { return os.WriteFile(path, make([]byte, maxClientFileBytes+1), 0o600) }, "is larger than 16 MiB"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			path := filepath.Join(w.home, ".claude.json")
			if err := c.put(path); err != nil {
				t.Fatal(err)
			}
			before, err := os.Lstat(path)
			if err != nil {
				t.Fatal(err)
			}
			if o := w.expect(exitFailed, "client", "install", "claude-code", "--yes"); !strings.Contains(o.stderr, path) || !strings.Contains(o.stderr, c.says) {
				t.Error(o)
			}
			if after, err := os.Lstat(path); err != nil || after.Mode() != before.Mode() {
				t.Errorf("became %v: %v", after, err)
			}
		})
	}
}
