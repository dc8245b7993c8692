package native

import (
	"errors"
	"io/fs"
	"strings"
	"syscall"
	"testing"

	"pillion/browser/devtools"
)

func TestH2_AFullDiskSaysWhatToDo(t *testing.T) {
	full := &fs.PathError{Op: "mkdir", Path: "/tmp/x", Err: syscall.ENOSPC}
	for step, err := range map[string]error{
		"100 MB":    &devtools.StartError{Program: "/usr/bin/chromium", Err: full},
		"Make room": &folderError{full},
	} {
		if said := explain(err); !strings.Contains(said, "/tmp/x") || !strings.Contains(said, step) || standing(err).Fault != said {
			t.Errorf("%s: %s", step, said)
		}
	}
}

// Who is told why, is told what to do first, and what the browser said last and little of it.
func TestH2_AMissingSandboxSaysWhatToDo(t *testing.T) {
	start := &devtools.StartError{Program: "/usr/bin/chromium", Said: "No usable sandbox! " + strings.Repeat("x", 5000), Err: errors.New("it ended")}
	text := explain(start)
	if before, said, _ := strings.Cut(text, "It said:"); !strings.Contains(before, "browserSandbox") || !strings.Contains(said, "No usable sandbox!") || len(text) > 1000 {
		t.Errorf("%s", text)
	}
}
