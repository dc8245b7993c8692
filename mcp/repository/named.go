package repository

import (
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// named lists the files that the definition may name, whether they are there or not. Where it is unclear whether a word is a
// path it is taken for one: what does not exist costs nothing.
func (d Definition) named() []File {
	var files []File
	add := func(word string) {
		name, isInside := d.inside(word)
		if !isInside {
			return
		}
		files = append(files, File{Path: name})
		for _, ending := range endings {
			files = append(files, File{Path: name + ending})
		}
		for _, entry := range folderEntries {
			files = append(files, File{Path: strings.TrimPrefix(name+"/"+entry, "./")})
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
		if isModuleFlag().MatchString(word) && i+1 < len(words) { // python3 -m package.module
			add(strings.ReplaceAll(words[i+1], ".", "/"))
		}
		if rest, isModule := strings.CutPrefix(word, "-m"); isModule && rest != "" {
			add(strings.ReplaceAll(rest, ".", "/"))
		}
	}
	return files
}

// isModuleFlag matches the flag of a module, also behind others: python3 -um package.module.
var isModuleFlag = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^-[A-Za-z]*m$`) })

// endings are what a runner tries where a file is named without one.
var endings = []string{".js", ".mjs", ".cjs", ".ts", ".mts", ".json", ".py"}

// folderEntries are what a runner starts in a folder that it is given.
var folderEntries = []string{"index.js", "index.mjs", "index.cjs", "index.ts", "main.py", "main.ts", "mod.ts", "__init__.py", "__main__.py", "package.json"}

// separators stand between the paths of a word: a flag and its value, a line for a shell, a list.
var separators = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("[\\s'\"`;&|<>(){},=]+|:") })

// partsOf are the words that may be a path: the whole one, and what stands between separators.
func partsOf(word string) []string {
	parts := []string{word}
	if separators().MatchString(word) {
		for _, part := range separators().Split(word, -1) {
			if part != "" {
				parts = append(parts, part)
			}
		}
	}
	if _, value, isSet := strings.Cut(word, "="); isSet { // with its spaces
		parts = append(parts, value)
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
	for _, own := range []string{"/proc/self/cwd/", "/proc/thread-self/cwd/"} {
		if rest, isOwn := strings.CutPrefix(word, own); isOwn {
			word = rest
		}
	}
	if !filepath.IsAbs(word) {
		word = d.folder() + string(filepath.Separator) + word
	}
	under, isUnder := strings.CutPrefix(word, filepath.Clean(d.Root)+string(filepath.Separator))
	if !isUnder {
		relative, err := filepath.Rel(d.Root, word)
		if err != nil {
			return "", false
		}
		under = relative
	}
	under = plain(filepath.ToSlash(under))
	return under, filepath.IsLocal(filepath.FromSlash(under))
}

// plain drops what leads nowhere from a path, but keeps "..": behind a link it leads elsewhere than the words say.
func plain(name string) string {
	parts := slices.DeleteFunc(strings.Split(name, "/"), func(part string) bool { return part == "" || part == "." })
	if len(parts) == 0 {
		return "."
	}
	return strings.Join(parts, "/")
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
	return filepath.Clean(d.Root) + string(filepath.Separator) + dir
}

// variable is one whose value the workspace itself gives; a default does not count then.
var variable = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\$\{(workspaceFolder|workspaceFolderBasename|pathSeparator|CLAUDE_PROJECT_DIR)(:-[^}]*)?\}`)
})

// expanded replaces the variables whose value the workspace itself gives.
func (d Definition) expanded(word string) string {
	return variable().ReplaceAllStringFunc(word, func(found string) string {
		switch name := variable().FindStringSubmatch(found)[1]; name {
		case "workspaceFolderBasename":
			return filepath.Base(d.Root)
		case "pathSeparator":
			return string(filepath.Separator)
		default:
			return d.Root
		}
	})
}
