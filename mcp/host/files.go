package host

import (
	"cmp"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"pillion/mcp/config"
	"pillion/mcp/parts"
	"pillion/mcp/place"
)

// Reload reads the configuration files again and brings the connectors in line with them.
// A file that no longer parses leaves its connectors as its last good version had them (A8, C03); one that is refused,
// as its link leads out of its folder or others may write it, has none (S3, S24).
func (h *Host) Reload() { h.reload(h.Roots) }

// reload reads the files of these folders, which count from the moment on that their entries are judged.
func (h *Host) reload(folders func() []string) {
	h.reloading.Lock() // what is read last is what counts
	defer h.reloading.Unlock()
	roots := folders()
	read := h.readDocuments(roots)
	h.lastGood = lastGood(h.lastGood, read)
	entries := h.withBuiltins(h.effective(roots))
	grounds := make([]ground, len(entries))
	memo := new(place.Memo) // most entries ask the same of the disk
	parts.EachOf(len(entries), worthReads, func(i int) { grounds[i] = h.look(subject{entry: entries[i].Entry, roots: roots, memo: memo}) })
	standing := foldersOf(roots)
	h.locked(func() { h.folders = standing })
	h.updateDecisions()
	policies := h.readPolicies()
	var event Event
	h.locked(func() {
		h.roots, h.documents, h.policies = roots, read, policies
		h.adopt(entries, grounds)
		h.judgeEach()
	})
	recalled := h.recall(maps.Values(h.slots))
	h.locked(func() { event = h.tellAll() })
	event.Tools = append(recalled.Tools, event.Tools...)
	event.Resources, event.Prompts = recalled.Resources, recalled.Prompts
	event.Files = true
	h.notify(event)
	if h.options.IsStill { // nothing starts by itself, and so nobody looks for it
		h.lookAtCode(func(s *slot) bool { return s.standing.needsYes })
	}
}

// readDocuments reads the files that there are, by path.
func (h *Host) readDocuments(roots []string) map[string]*config.Document {
	files := append([]config.File{{Path: h.options.UserFile, Source: config.SourceUser}}, config.ProjectFiles(roots, h.home())...)
	read := make(map[string]*config.Document, len(files))
	for _, file := range files {
		if document := h.readDocument(file); document != nil {
			read[file.Path] = document
		}
	}
	return read
}

// lastGood are the documents that count: one that does not parse leaves its last good version standing, one that is
// refused does not.
func lastGood(before, read map[string]*config.Document) map[string]*config.Document {
	good := make(map[string]*config.Document, len(read))
	for path, document := range read {
		if !document.Parsed && !document.Refused {
			document = before[path]
		}
		if document != nil && document.Parsed {
			good[path] = document
		}
	}
	return good
}

func (h *Host) readDocument(file config.File) *config.Document {
	if file.Path == "" {
		return nil
	}
	text, err := config.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		var refusal *config.RefusedError
		return &config.Document{File: file, Refused: errors.As(err, &refusal), Findings: []config.Finding{{Code: config.CodeSyntax, Severity: config.Error, Message: err.Error()}}}
	}
	return config.Parse(file, text)
}

// effective merges the last good documents; for whoever reloads.
func (h *Host) effective(roots []string) []config.EffectiveEntry {
	var projects []*config.Document
	for _, root := range roots {
		if document := h.lastGood[filepath.Join(root, config.ProjectFileName)]; document != nil {
			projects = append(projects, document)
		}
	}
	return config.Effective(h.lastGood[h.options.UserFile], projects)
}

// Documents returns the configuration files as they were last read, broken ones too.
func (h *Host) Documents() []*config.Document {
	h.mu.Lock()
	defer h.mu.Unlock()
	documents := slices.Collect(maps.Values(h.documents))
	slices.SortFunc(documents, func(a, b *config.Document) int { return cmp.Compare(a.File.Path, b.File.Path) })
	return documents
}

// cleanRoots drops what can be no workspace folder: relative paths, the root of the file system, the home folder (U33),
// a file, and a folder that is named twice. A folder that is not there stays: it may be made again (A8).
func cleanRoots(roots []string, home string) []string {
	var clean []string
	var seen []os.FileInfo
	if info, err := os.Stat(home); err == nil {
		seen = append(seen, info)
	}
	for _, root := range roots {
		root = filepath.Clean(root)
		if !filepath.IsAbs(root) || root == filepath.Dir(root) {
			continue
		}
		info, err := os.Stat(root)
		if errors.Is(err, fs.ErrNotExist) && root != filepath.Clean(home) && !slices.Contains(clean, root) {
			clean = append(clean, root)
		}
		if err != nil || !info.IsDir() {
			continue
		}
		if slices.ContainsFunc(seen, func(other os.FileInfo) bool { return os.SameFile(info, other) }) {
			continue
		}
		seen = append(seen, info)
		clean = append(clean, root)
	}
	return clean
}
