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
	// maxFileBytes bounds a file that is hashed; a larger one stands for its size alone.
	maxFileBytes = 64 << 20
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
	// Sum is the SHA-256 of its content in hexadecimal, or a sentence that says why there is none; see [File.IsHashed].
	Sum string
	// Steers is set for a file that no definition names but that runners read: package.json, .npmrc and their kin.
	Steers bool
	// Stamp changes whenever the file is written or replaced, also by what it was before.
	Stamp string
}

// IsHashed reports whether the sum stands for the content, so that an equal one means that nothing changed.
func (f File) IsHashed() bool { return len(f.Sum) == sha256.Size*2 && !strings.Contains(f.Sum, " ") }

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
	files := map[string]File{}
	for _, candidate := range slices.Concat(d.named(), d.steering()) {
		if _, isKnown := files[candidate.Path]; isKnown {
			continue
		}
		sum, stamp, err := sumOf(ctx, root, candidate.Path)
		switch {
		case ctx.Err() != nil:
			return State{}, fmt.Errorf("look at the code in %s: %w", d.Root, ctx.Err())
		case errors.Is(err, fs.ErrNotExist) || errors.Is(err, errFolder) || isPathError(err):
			continue
		case err != nil: // os.Root has no name for a link that leads out
			sum = "unreadable, or a link out of the workspace"
		}
		if len(files) == maxFiles {
			return State{}, fmt.Errorf("look at the code in %s: the definition and its runner read more than %d files there", d.Root, maxFiles)
		}
		candidate.Sum, candidate.Stamp = sum, stamp
		files[candidate.Path] = candidate
	}
	return State{Ref: refOf(root), Files: slices.SortedFunc(maps.Values(files), func(a, b File) int { return cmp.Compare(a.Path, b.Path) })}, nil
}

var errFolder = errors.New("a folder")

// isPathError tells a word that happens to look like a path, such as one with a NUL or of too many bytes.
func isPathError(err error) bool { return errors.Is(err, fs.ErrInvalid) || isNameTooLong(err) }

// sumOf hashes a regular file of the workspace; links are followed as long as they stay in it.
func sumOf(ctx context.Context, root *os.Root, name string) (sum, stamp string, err error) {
	// Before it is opened: opening a device or a pipe may act or hang.
	info, err := root.Stat(filepath.FromSlash(name))
	switch {
	case err != nil:
		return "", "", err
	case info.IsDir():
		return "", "", errFolder
	case whyNotHashed(info) != "":
		return whyNotHashed(info), stampOf(info), nil
	}
	file, err := root.OpenFile(filepath.FromSlash(name), os.O_RDONLY|nonBlocking, 0)
	if err != nil {
		return "", "", err
	}
	defer file.Close()
	if info, err = file.Stat(); err != nil {
		return "", "", err
	}
	if why := whyNotHashed(info); why != "" {
		return why, stampOf(info), nil
	}
	hash := sha256.New()
	read, err := io.Copy(hash, io.LimitReader(&cancelled{ctx, file}, maxFileBytes+1))
	switch {
	case err != nil:
		return "", "", err
	case read > maxFileBytes:
		return tooLarge(read), stampOf(info), nil
	}
	return hex.EncodeToString(hash.Sum(nil)), stampOf(info), nil
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
	dir, isInside := d.inside(d.folder())
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

// steeringNames are the files by which a repository has a say in what a runner runs (S2).
var steeringNames = []string{
	"package.json", "package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml", "pnpm-workspace.yaml", ".pnpmfile.cjs",
	"yarn.lock", ".yarnrc", ".yarnrc.yml", "bun.lock", "bun.lockb", "bunfig.toml", ".npmrc",
	"deno.json", "deno.jsonc", "deno.lock",
	"pyproject.toml", "uv.lock", "uv.toml", "poetry.lock", "Pipfile", "Pipfile.lock", "requirements.txt", ".python-version",
	"Makefile", "makefile", "GNUmakefile", "justfile", "Justfile", ".justfile",
	".env", ".envrc", ".tool-versions", "mise.toml", ".mise.toml", ".nvmrc", ".node-version",
}
