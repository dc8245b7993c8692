package host

import (
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"pillion/mcp/config"
	"pillion/mcp/place"
)

// consentRoot is the workspace folder whose code the entry runs, and so the one that a yes is bound to.
// It is empty for an entry of the user's own that touches no workspace (B3, S1).
func (h *Host) consentRoot(at subject) string {
	entry := at.entry
	if entry.File.Source == config.SourceBuiltin {
		return ""
	}
	if entry.File.Source == config.SourceProject {
		return entry.File.Root
	}
	if len(at.roots) == 0 {
		return ""
	}
	if entry.UsesWorkspace() {
		return at.roots[0] // what ${workspaceFolder} and relative paths stand for
	}
	values := h.namedBy(at)
	slices.Sort(values) // most are as they come out what they were as written
	values = slices.Compact(values)
	for _, root := range at.roots {
		folder := at.memo.Folder(root)
		if slices.ContainsFunc(values, func(value string) bool { return names(value, folder) }) {
			return root
		}
	}
	return ""
}

// namedBy are the values of an entry that say what code it runs, as written and as they come out (S1). Only of the user's own
// file are values expanded before consent, and no file is read for it (B6).
func (h *Host) namedBy(at subject) []string {
	entry := at.entry
	written := append([]string{entry.Command, entry.Cwd, entry.EnvFile}, entry.Args...)
	for _, variable := range entry.Env {
		if config.IsLoaderVariable(variable.Name) {
			written = append(written, variable.Value)
		}
	}
	values := slices.Clone(written)
	look := h.lookup(at)
	expanded, findings := (&config.Entry{File: entry.File, Transport: config.TransportStdio, Command: "x", Args: written}).
		Expand(config.Scope{Root: at.project(), Dir: h.ownFolder(entry), Home: h.home(), Lookup: look,
			Input: func(string) (string, bool) { return "", true }, // a value is judged once it is given; see reachesWorkspace
		})
	if len(findings) == 0 { // else it cannot start either
		values = append(values, expanded.Args...)
	}
	for _, value := range slices.Clone(values) {
		if plain, err := url.PathUnescape(value); err == nil && plain != value {
			values = append(values, plain)
		}
		if strings.ContainsAny(value, "$~") { // what a shell would make of it
			value = os.Expand(value, func(name string) string { value, _ := look(name); return value })
			values = append(values, strings.ReplaceAll(value, "~/", h.home()+"/"))
		}
	}
	folder := h.ownFolder(entry)
	for _, value := range slices.Clone(values) {
		if strings.Contains(value, "..") && !filepath.IsAbs(value) {
			values = append(values, filepath.Join(folder, value))
		}
	}
	return values
}

// names reports whether a value is a path in a folder, or holds one: behind a flag, in a URL, a mount or a line for a shell.
// Where it is unclear it does.
func names(value string, folder place.Folder) bool {
	if folder.Has(value) {
		return true
	}
	if _, path, found := strings.Cut(value, "="); found && folder.Has(path) {
		return true
	}
	return holds(value, folder.Path()) || holds(value, folder.Real())
}

// holds reports whether a path that begins with the root stands somewhere in the text.
func holds(text, root string) bool {
	text, root = folded(text), folded(root)
	for from := 0; ; {
		at := strings.Index(text[from:], root)
		if at < 0 {
			return false
		}
		at += from
		if !continuesName(text[at+len(root):]) && !isWithinPath(text[:at]) {
			return true
		}
		from = at + 1
	}
}

// continuesName reports whether what follows belongs to the last name before it: /repo-two is not /repo.
func continuesName(after string) bool {
	return after != "" && isNameByte(after[0])
}

// isWithinPath reports whether what stands before makes it a deeper part of another absolute path: /home/me/repo is not /repo.
func isWithinPath(before string) bool {
	start := len(before)
	for start > 0 && (before[start-1] == '/' || isNameByte(before[start-1])) {
		start--
	}
	path := before[start:]
	return strings.HasPrefix(path, "/") && strings.Trim(path, "/") != ""
}

func isNameByte(c byte) bool {
	return c == '.' || c == '-' || c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c >= 0x80
}

// folded is a path with slashes, and without regard to case where the file system has none.
func folded(path string) string {
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		path = strings.ToLower(path)
	}
	return filepath.ToSlash(path)
}
