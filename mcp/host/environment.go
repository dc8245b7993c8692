package host

import (
	"path/filepath"
	"runtime"
	"strings"

	"pillion/mcp/config"
)

func (h *Host) home() string {
	for _, name := range []string{"HOME", "USERPROFILE"} {
		if home, isSet := lookupIn(h.options.Environ, name); isSet {
			return home
		}
	}
	return ""
}

// lookup looks variables up for an entry of a project folder.
func (h *Host) lookup(project string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		if name == config.ProjectDirVariable {
			return project, true
		}
		return lookupIn(h.options.Environ, name)
	}
}

func lookupIn(environ []string, name string) (string, bool) {
	for i := len(environ) - 1; i >= 0; i-- {
		key, value, found := strings.Cut(environ[i], "=")
		if found && (key == name || (runtime.GOOS == "windows" && strings.EqualFold(key, name))) {
			return value, true
		}
	}
	return "", false
}

// The folders below the one that connectors work in and log to.
const (
	workFolder = "work"
	logFolder  = "logs"
)

// scratch is a path below that folder.
func (h *Host) scratch(elem ...string) string {
	if h.options.Scratch == "" {
		return h.options.Folder.Path(elem...)
	}
	return filepath.Join(append([]string{h.options.Scratch}, elem...)...)
}

func (h *Host) ownFolder(entry *config.Entry) string { return h.scratch(workFolder, entry.ID) }

// LogFile is where a connector's stderr is kept; it need not exist.
func (h *Host) LogFile(id string) string { return h.scratch(logFolder, id+".log") }
