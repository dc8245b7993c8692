package host

import (
	"path/filepath"
	"runtime"
	"strings"

	"pillion/mcp/config"
	"pillion/mcp/personal"
)

func (h *Host) home() string {
	for _, name := range []string{"HOME", "USERPROFILE"} {
		if home, isSet := lookupIn(h.options.Environ, name); isSet {
			return home
		}
	}
	return ""
}

// lookup looks variables up for an entry: where the user says that one comes from another, that other one is looked up (A12).
func (h *Host) lookup(at subject) func(string) (string, bool) {
	return func(name string) (string, bool) {
		if name == config.ProjectDirVariable {
			return at.project(), true
		}
		if reference, isGiven := at.env[name]; isGiven {
			name, _ = personal.Variable(reference) // checked when it was said, and when it was read
		}
		return lookupIn(h.options.Environ, name)
	}
}

// HasVariable reports whether a variable has a value for a connector, and never which (B6). Of an id that is not known it tells
// what Pillion's own environment has.
func (h *Host) HasVariable(id, name string) bool {
	look := func(name string) (string, bool) { return lookupIn(h.options.Environ, name) }
	_ = h.stepOn(id, func(s *slot) error {
		look = h.lookup(h.subjectAt(s))
		return nil
	})
	_, isSet := look(name)
	return isSet
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

func (h *Host) ownFolder(entry *config.Entry) string { return h.scratch(workFolder, entry.ProcessID()) }

func (h *Host) logFile(entry *config.Entry) string {
	return h.scratch(logFolder, entry.ProcessID()+".log")
}

// LogFile is where the stderr of a connector is kept, by its id; it need not exist. The names of one process have one.
func (h *Host) LogFile(id string) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	if s := h.slotOf(id); s != nil {
		return h.logFile(s.entry)
	}
	return h.scratch(logFolder, id+".log")
}
