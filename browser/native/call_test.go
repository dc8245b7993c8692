package native

import (
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
