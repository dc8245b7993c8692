package repository

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

const (
	// maxFileBytes bounds a file that is hashed; a larger one stands for when it was written.
	maxFileBytes = 64 << 20
	// maxTotalBytes bounds what is hashed for one definition.
	maxTotalBytes = 256 << 20
	// maxFiles bounds how many files one definition can name.
	maxFiles = 256
)

// Definition is what of a connector's definition says which code it runs, as it is written: variables other than
// ${workspaceFolder} and its kin stay unexpanded, and name no file then.
type Definition struct {
	// Root is the workspace folder; only what lies in it counts.
	Root string
	// Dir is the folder the connector starts in, empty for the root.
	Dir     string
	Command string
	Args    []string
	// Files are further texts that name files: an envFile, and what a variable tells an interpreter.
	Files []string
}

// File is one file of the workspace.
type File struct {
	// Path is relative to the workspace, with slashes.
	Path string
	// Sum is the SHA-256 of its content in hexadecimal, or a sentence that says why there is none.
	Sum string
	// Steers is set for a file that no definition names but that runners read: package.json, .npmrc and their kin.
	Steers bool
	// Stamp changes whenever the file is written or replaced, also by what it was before.
	Stamp string
}

// State is the code as it stands.
type State struct {
	// Ref is the branch that is checked out ("refs/heads/main"), or the commit where none is; empty without a repository, and
	// where its files lie outside the workspace.
	Ref string
	// Files are the files that are there, by path.
	Files []File
}

// Look reads the state. It fails where the workspace cannot be read at all, where the definition names more files than can be
// watched, and when ctx ends.
func Look(ctx context.Context, d Definition) (State, error) {
	root, err := os.OpenRoot(d.Root)
	if err != nil {
		return State{}, fmt.Errorf("look at the code in %s: %w", d.Root, err)
	}
	defer root.Close()
	looking := lookout{ctx: ctx, root: root, sums: map[string]string{}}
	files := map[string]File{}
	for _, candidate := range slices.Concat(d.named(), d.steering()) {
		candidate.Path = looking.straight(candidate.Path)
		if _, isKnown := files[candidate.Path]; isKnown {
			continue
		}
		err := looking.at(&candidate)
		switch {
		case errors.Is(err, fs.ErrNotExist) || errors.Is(err, errFolder) || isPathError(err):
			continue
		case files[candidate.Path].Path != "": // many lie behind one link that leads out
			continue
		case err == nil && len(files) == maxFiles:
			err = fmt.Errorf("the definition and its runner read more than %d files there", maxFiles)
		}
		if err != nil {
			return State{}, fmt.Errorf("look at the code in %s: %w", d.Root, err)
		}
		files[candidate.Path] = candidate
	}
	return State{Ref: refOf(root), Files: slices.SortedFunc(maps.Values(files), func(a, b File) int { return cmp.Compare(a.Path, b.Path) })}, nil
}

var errFolder = errors.New("a folder")

// isPathError tells a word that happens to look like a path, such as one with a NUL or of too many bytes.
func isPathError(err error) bool { return errors.Is(err, fs.ErrInvalid) || isNameTooLong(err) }

// lookout is one look at a workspace.
type lookout struct {
	ctx  context.Context
	root *os.Root
	sums map[string]string // of files that were hashed already, by stamp: many names may stand for one
	read int64
}

// straight is a path without the ways back in it, where they lead to the same file: behind a link they do not.
func (l *lookout) straight(name string) string {
	if !strings.Contains(name, "..") {
		return name
	}
	short := path.Clean(name)
	there, err1 := l.root.Stat(filepath.FromSlash(name))
	here, err2 := l.root.Stat(filepath.FromSlash(short))
	if err1 == nil && (err2 != nil || !os.SameFile(there, here)) {
		return name
	}
	return short
}

// at looks at a file of the workspace; links are followed as long as they stay in it. What is not hashed gets a sum that
// changes whenever it is written or replaced.
func (l *lookout) at(file *File) error {
	name := filepath.FromSlash(file.Path)
	// Before it is opened: opening a device or a pipe may act or hang.
	info, err := l.root.Stat(name)
	switch {
	case l.ctx.Err() != nil:
		return l.ctx.Err()
	case err != nil && (errors.Is(err, fs.ErrNotExist) || isPathError(err)):
		return err
	case err != nil:
		return l.ledOut(file)
	case info.IsDir():
		return errFolder
	}
	file.Stamp = stampOf(info)
	if why := whyNotHashed(info); why != "" {
		file.Sum = why + "; " + file.Stamp
		return nil
	}
	if sum, isKnown := l.sums[file.Stamp]; isKnown && file.Stamp != "" {
		file.Sum = sum
		return nil
	}
	return l.hash(file, name)
}

func (l *lookout) hash(file *File, name string) error {
	in, err := l.root.OpenFile(name, os.O_RDONLY|nonBlocking, 0)
	if err != nil {
		return l.ledOut(file)
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return err
	}
	file.Stamp = stampOf(info)
	if why := whyNotHashed(info); why != "" {
		file.Sum = why + "; " + file.Stamp
		return nil
	}
	hash := sha256.New()
	read, err := io.Copy(hash, io.LimitReader(&cancelled{l.ctx, in}, maxFileBytes+1))
	l.read += read
	switch {
	case err != nil:
		return err
	case l.read > maxTotalBytes:
		return fmt.Errorf("the files that the definition names hold more than %d MiB", maxTotalBytes>>20)
	case read > maxFileBytes:
		file.Sum = tooLarge(read) + "; " + file.Stamp
		return nil
	}
	file.Sum = hex.EncodeToString(hash.Sum(nil))
	l.sums[file.Stamp] = file.Sum
	return nil
}

// ledOut is a file that cannot be read, or that lies outside by a link on the way to it: the link stands for it, as it is.
// One into /proc could be anything, the workspace too.
func (l *lookout) ledOut(file *File) error {
	file.Sum = "unreadable, or a link out of the workspace"
	parts := strings.Split(file.Path, "/")
	for i := range parts {
		way := filepath.FromSlash(strings.Join(parts[:i+1], "/"))
		info, err := l.root.Lstat(way)
		if err != nil {
			break
		}
		file.Sum += "; " + stampOf(info)
		target, err := l.root.Readlink(way)
		if err != nil {
			continue
		}
		if strings.Contains(filepath.ToSlash(target), "/proc/") {
			return fmt.Errorf("%s is a link to %s, where anything may stand", file.Path, target)
		}
		if _, err := l.root.Stat(way); err != nil {
			file.Path = filepath.ToSlash(way)
			break
		}
	}
	file.Stamp = file.Sum
	return nil
}

func whyNotHashed(info fs.FileInfo) string {
	switch {
	case !info.Mode().IsRegular():
		return "no regular file"
	case info.Size() > maxFileBytes:
		return tooLarge(info.Size())
	}
	return ""
}

func tooLarge(size int64) string { return fmt.Sprintf("too large: %d bytes", size) }

// cancelled is a reader that fails when ctx has ended.
type cancelled struct {
	ctx context.Context
	in  io.Reader
}

func (c *cancelled) Read(b []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.in.Read(b)
}

// steering lists what runners read in the folder they start in and in those above it, up to the workspace's own.
func (d Definition) steering() []File {
	dir, isInside := d.start()
	if !isInside {
		return nil
	}
	var files []File
	for {
		for _, name := range steeringNames {
			files = append(files, File{Path: path.Join(dir, name), Steers: true})
		}
		if dir == "." {
			return files
		}
		dir = path.Dir(dir)
	}
}

// start is the folder that the connector starts in, as the kernel finds it, relative to the workspace.
func (d Definition) start() (string, bool) {
	root, err := filepath.EvalSymlinks(d.Root)
	if err != nil {
		return "", false
	}
	folder, err := filepath.EvalSymlinks(d.folder())
	if err != nil {
		return d.inside(d.folder())
	}
	relative, err := filepath.Rel(root, folder)
	return filepath.ToSlash(relative), err == nil && filepath.IsLocal(relative)
}

// steeringNames are the files by which a repository has a say in what a runner runs (S2).
var steeringNames = []string{
	"package.json", "package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml", "pnpm-workspace.yaml", ".pnpmfile.cjs",
	"yarn.lock", ".yarnrc", ".yarnrc.yml", "bun.lock", "bun.lockb", "bunfig.toml", ".npmrc",
	"deno.json", "deno.jsonc", "deno.lock",
	"pyproject.toml", "uv.lock", "uv.toml", "poetry.lock", "Pipfile", "Pipfile.lock", "requirements.txt", ".python-version",
	"Makefile", "makefile", "GNUmakefile", "justfile", "Justfile", ".justfile",
	".env", ".envrc", ".tool-versions", "mise.toml", ".mise.toml", ".nvmrc", ".node-version",
}
