//go:build e2e

package e2e

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A sandbox is one person's machine: a home, a repository, and the programs on PATH.
type sandbox struct {
	home, repository, bin string
	temporary, runtime    string
}

// newSandbox makes one in which `pillion` is the given program. Its paths are short, because sockets live in it.
func newSandbox(t testing.TB, program string) *sandbox {
	t.Helper()
	root, err := os.MkdirTemp("", "e2e")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if !await(func() bool { return inhabitants(root) == nil }) {
			t.Errorf("left running: %q", inhabitants(root))
		}
		if err := os.RemoveAll(root); err != nil {
			t.Error(err)
		}
	})
	s := &sandbox{
		home: filepath.Join(root, "home"), repository: filepath.Join(root, "home", "shop"),
		bin: filepath.Join(root, "bin"), temporary: filepath.Join(root, "tmp"), runtime: filepath.Join(root, "run"),
	}
	for _, folder := range []string{s.repository, s.bin, s.temporary, s.runtime} {
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(program, filepath.Join(s.bin, "pillion")); err != nil {
		t.Fatal(err)
	}
	return s
}

// environment is complete: nothing of the person who runs the tests reaches the programs.
func (s *sandbox) environment() []string {
	return []string{
		"PATH=" + s.bin + string(os.PathListSeparator) + os.Getenv("PATH"),
		"HOME=" + s.home, "TMPDIR=" + s.temporary, "XDG_RUNTIME_DIR=" + s.runtime,
		"XDG_CONFIG_HOME=" + filepath.Join(s.home, ".config"), "XDG_DATA_HOME=" + filepath.Join(s.home, ".local", "share"),
		"XDG_STATE_HOME=" + filepath.Join(s.home, ".local", "state"), "XDG_CACHE_HOME=" + filepath.Join(s.home, ".cache"),
		// Two processes of Neovim race to make the folder of its log, and the loser writes it into the folder where it was started.
		"NVIM_LOG_FILE=" + filepath.Join(s.temporary, "nvim.log"),
		"LANG=C.UTF-8", "SHELL=/bin/sh", "TERM=xterm-256color",
	}
}

// write puts a file into the repository and answers its path.
func (s *sandbox) write(t testing.TB, name, text string) string {
	t.Helper()
	path := filepath.Join(s.repository, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// A definition is one entry of mcpServers.
type definition struct {
	Command string            `json:"command"`
	Args    []string          `json:"args"`
	Env     map[string]string `json:"env,omitempty"`
}

// writeConfiguration writes the repository's .mcp.json, indented as people have it, and answers its path.
func (s *sandbox) writeConfiguration(t testing.TB, connectors map[string]definition) string {
	t.Helper()
	return s.write(t, ".mcp.json", configuration(t, connectors))
}

// writeUserConfiguration writes the user's own file.
func (s *sandbox) writeUserConfiguration(t testing.TB, connectors map[string]definition) {
	t.Helper()
	s.writeUserText(t, configuration(t, connectors))
}

// writeUserText writes the user's own file as it is given.
func (s *sandbox) writeUserText(t testing.TB, text string) {
	t.Helper()
	folder := filepath.Join(s.home, ".config", "pillion")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "mcp.json"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func configuration(t testing.TB, connectors map[string]definition) string {
	t.Helper()
	text, err := json.MarshalIndent(map[string]any{"mcpServers": connectors}, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return string(text) + "\n"
}

// cache is the folder in which beds/install.sh keeps what it installed.
func cache(t testing.TB) string {
	t.Helper()
	if folder := os.Getenv("PILLION_DEV_CACHE"); folder != "" {
		return folder
	}
	folder, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(folder, "pillion-dev")
}

// everything is the reference connector that has one tool of each kind.
func (s *sandbox) everything(t testing.TB) definition {
	return s.installed(t, "mcp-server-everything")
}

// filesystem is the connector that reads and writes files under the given folders.
func (s *sandbox) filesystem(t testing.TB, folders ...string) definition {
	d := s.installed(t, "mcp-server-filesystem")
	d.Args = append(d.Args, folders...)
	return d
}

// installed puts a program of the beds on this machine's PATH.
func (s *sandbox) installed(t testing.TB, program string) definition {
	t.Helper()
	bed := filepath.Join(cache(t), "servers", "node_modules", ".bin", program)
	if _, err := os.Stat(bed); err != nil {
		t.Fatalf("%v (beds/install.sh servers installs it)", err)
	}
	if err := os.Symlink(bed, filepath.Join(s.bin, program)); err != nil && !errors.Is(err, fs.ErrExist) {
		t.Fatal(err)
	}
	return definition{Command: program, Args: []string{}}
}

// runs names the running processes whose command line holds text.
func runs(text string) []string {
	var found []string
	for _, command := range processes() {
		if strings.Contains(command, text) {
			found = append(found, command)
		}
	}
	return found
}

// inhabitants names the running processes that have a path of this root in their environment.
func inhabitants(root string) []string {
	var found []string
	for pid, command := range processes() {
		environment, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
		if err == nil && strings.Contains(string(environment), root+"/") {
			found = append(found, fmt.Sprintf("%d %s", pid, command))
		}
	}
	return found
}
