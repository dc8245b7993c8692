package repository

import (
	"net/url"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// named lists the files that the definition may name, whether they are there or not. Where it is unclear whether a word is a
// path it is taken for one: what does not exist costs nothing.
func (d Definition) named() []File {
	var files []File
	add := func(word string) {
		if name, isInside := d.inside(word); isInside {
			files = append(files, File{Path: name})
			for _, entry := range folderEntries {
				files = append(files, File{Path: path.Join(name, entry)})
			}
		}
	}
	var words []string
	for _, word := range slices.Concat([]string{d.Command}, d.Args, d.Files) {
		words = append(words, d.expanded(word))
	}
	for i, word := range words {
		for _, part := range partsOf(word) {
			add(part)
		}
		if word == "-m" && i+1 < len(words) { // python3 -m package.module
			module := strings.ReplaceAll(words[i+1], ".", "/")
			add(module)
			add(module + ".py")
		}
		if rest, isModule := strings.CutPrefix(word, "-m"); isModule && rest != "" {
			module := strings.ReplaceAll(rest, ".", "/")
			add(module)
			add(module + ".py")
		}
	}
	return files
}

// folderEntries are what a runner starts in a folder that it is given.
var folderEntries = []string{"index.js", "index.mjs", "index.cjs", "index.ts", "main.py", "main.ts", "mod.ts", "__init__.py", "__main__.py", "package.json"}

// separators stand between the paths of a word: a flag and its value, a line for a shell, a list.
var separators = regexp.MustCompile("[\\s'\"`;&|<>(){},=]+|:")

// partsOf are the words that may be a path: the whole one, and what stands between separators.
func partsOf(word string) []string {
	parts := []string{word}
	if separators.MatchString(word) {
		for _, part := range separators.Split(word, -1) {
			if part != "" {
				parts = append(parts, part)
			}
		}
	}
	if rest, isList := strings.CutPrefix(word, "@"); isList { // a file of arguments
		parts = append(parts, rest)
	}
	if len(word) > 2 && word[0] == '-' { // node -r./hook.js
		parts = append(parts, word[2:])
	}
	return parts
}

// inside is the path of a word in the workspace, relative to it and with slashes. A word that still holds a variable, and one
// that leads out of the workspace, names nothing in it.
func (d Definition) inside(word string) (string, bool) {
	if name, isAddress := addressed(word); isAddress {
		word = name
	}
	if word == "" || strings.ContainsAny(word, "\x00$") || strings.HasPrefix(word, "//") || strings.HasPrefix(word, `\\`) {
		return "", false
	}
	if !filepath.IsAbs(word) {
		word = filepath.Join(d.folder(), word)
	}
	relative, err := filepath.Rel(d.Root, word)
	if err != nil || !filepath.IsLocal(relative) {
		return "", false
	}
	return filepath.ToSlash(relative), true
}

// addressed is the path of a file URL, also of one that lost its scheme to the separators.
func addressed(word string) (name string, isAddress bool) {
	if name, isAddress = strings.CutPrefix(word, "file://"); !isAddress {
		if !strings.HasPrefix(word, "///") {
			return "", false
		}
		name = word[len("//"):]
	}
	if plain, err := url.PathUnescape(name); err == nil {
		name = plain
	}
	return name, true
}

// folder is where the connector starts.
func (d Definition) folder() string {
	dir := d.expanded(d.Dir)
	if filepath.IsAbs(dir) {
		return dir
	}
	return filepath.Join(d.Root, dir)
}

// variable is one whose value the workspace itself gives; a default does not count then.
var variable = regexp.MustCompile(`\$\{(workspaceFolder|workspaceFolderBasename|pathSeparator|CLAUDE_PROJECT_DIR)(:-[^}]*)?\}`)

// expanded replaces the variables whose value the workspace itself gives.
func (d Definition) expanded(word string) string {
	return variable.ReplaceAllStringFunc(word, func(found string) string {
		switch name := variable.FindStringSubmatch(found)[1]; name {
		case "workspaceFolderBasename":
			return filepath.Base(d.Root)
		case "pathSeparator":
			return string(filepath.Separator)
		default:
			return d.Root
		}
	})
}
