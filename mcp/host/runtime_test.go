package host

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

func TestB6_OnlyAbsoluteFoldersOfPathAreLookedAt(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("programs are told by their endings there")
	}
	bin, login := t.TempDir(), t.TempDir()
	for path, mode := range map[string]os.FileMode{filepath.Join(bin, "tool"): 0o755, filepath.Join(bin, "data"): 0o644, filepath.Join(login, "late"): 0o755} {
		if err := os.WriteFile(path, nil, mode); err != nil {
			t.Fatal(err)
		}
	}
	h := &Host{options: Options{Environ: []string{"PATH=" + bin + ":relative:."}}, loginPath: func() string { return login }}
	for name, want := range map[string]bool{
		"tool": true, "late": true, "gone": false, "data": false, "runtime_test.go": false, "": false, "bin/tool": false,
	} {
		if got := h.HasProgram(name); got != want {
			t.Errorf("%q: %v", name, got)
		}
	}
}
