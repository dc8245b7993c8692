package repository

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// workspace makes a folder with files; a text "-> target" makes a link, one that ends in a slash a folder.
func workspace(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		var err error
		if target, isLink := strings.CutPrefix(text, "-> "); isLink {
			err = os.Symlink(target, path)
		} else {
			err = os.WriteFile(path, []byte(text), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func look(t *testing.T, d Definition) State {
	t.Helper()
	state, err := Look(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	return state
}

func paths(state State) (named, steering []string) {
	for _, file := range state.Files {
		if file.Steers {
			steering = append(steering, file.Path)
		} else {
			named = append(named, file.Path)
		}
	}
	return named, steering
}

func TestS2_NamedFiles(t *testing.T) {
	t.Parallel()
	root := workspace(t, map[string]string{
		"server.js": "1", "src/index.ts": "2", "conf/x.json": "3", "run.sh": "4", "pkg/mod.py": "5", "pkg/__main__.py": "6",
		"args.txt": "7", "a b.js": "8", ".env.local": "9", "sub/deep/tool.js": "10",
	})
	for _, test := range []struct {
		name string
		d    Definition
		want []string
	}{
		{"a script", Definition{Command: "node", Args: []string{"server.js"}}, []string{"server.js"}},
		{"with a dot", Definition{Command: "node", Args: []string{"./server.js"}}, []string{"server.js"}},
		{"absolute", Definition{Command: "node", Args: []string{filepath.Join(root, "server.js")}}, []string{"server.js"}},
		{"through the workspace variable", Definition{Command: "node", Args: []string{"${workspaceFolder}/server.js"}}, []string{"server.js"}},
		{"the project's variable with a default", Definition{Command: "node", Args: []string{"${CLAUDE_PROJECT_DIR:-.}/server.js"}}, []string{"server.js"}},
		{"behind a flag", Definition{Command: "x", Args: []string{"--config=${workspaceFolder}/conf/x.json"}}, []string{"conf/x.json"}},
		{"a URL", Definition{Command: "node", Args: []string{"--import", "file://" + root + "/server.js"}}, []string{"server.js"}},
		{"a URL with an escape", Definition{Command: "node", Args: []string{"--import=file://" + root + "/a%20b.js"}}, []string{"a b.js"}},
		{"behind a short flag", Definition{Command: "node", Args: []string{"-r./server.js", "x"}}, []string{"server.js"}},
		{"what a variable tells an interpreter", Definition{Command: "node", Args: []string{"x"}, Files: []string{"--require ./server.js"}}, []string{"server.js"}},
		{"a folder", Definition{Command: "node", Args: []string{"src"}}, []string{"src/index.ts"}},
		{"a shell's line", Definition{Command: "sh", Args: []string{"-c", "cd . && ./run.sh;node 'server.js'"}}, []string{"run.sh", "server.js"}},
		{"a module", Definition{Command: "python3", Args: []string{"-m", "pkg.mod"}}, []string{"pkg/mod.py"}},
		{"a package", Definition{Command: "python3", Args: []string{"-mpkg"}}, []string{"pkg/__main__.py"}},
		{"a file of arguments", Definition{Command: "x", Args: []string{"@args.txt"}}, []string{"args.txt"}},
		{"a space in the name", Definition{Command: "node", Args: []string{"a b.js"}}, []string{"a b.js"}},
		{"the program", Definition{Command: "./run.sh"}, []string{"run.sh"}},
		{"an envFile", Definition{Command: "x", Files: []string{".env.local"}}, []string{".env.local"}},
		{"from another folder", Definition{Dir: "sub/deep", Command: "node", Args: []string{"tool.js", "../../server.js"}}, []string{"server.js", "sub/deep/tool.js"}},
		{"a folder through the variable", Definition{Dir: "${workspaceFolder}/sub", Command: "node", Args: []string{"deep/tool.js"}}, []string{"sub/deep/tool.js"}},
		{"the kernel's own name of the folder", Definition{Command: "sh", Args: []string{"/proc/self/cwd/run.sh"}}, []string{"run.sh"}},
		{"without its ending", Definition{Command: "node", Args: []string{"server"}}, []string{"server.js"}},
		{"a module behind other flags", Definition{Command: "python3", Args: []string{"-um", "pkg.mod"}}, []string{"pkg/mod.py"}},
		{"a flag and a space", Definition{Command: "node", Args: []string{"--require=./a b.js"}}, []string{"a b.js"}},
		{"nothing here", Definition{Command: "npx", Args: []string{"-y", "good@1.0.0", "/etc/passwd", "../server.js", "${HOME}/server.js", "\x00", strings.Repeat("x", 5000)}}, nil},
	} {
		test.d.Root = root
		if named, _ := paths(look(t, test.d)); !slices.Equal(named, test.want) {
			t.Errorf("%s: %q, want %q", test.name, named, test.want)
		}
	}
}

func TestS2_SteeringFilesFromTheFolderToTheRoot(t *testing.T) {
	t.Parallel()
	root := workspace(t, map[string]string{
		"package.json": "1", ".npmrc": "2", "a/package.json": "3", "a/b/.env": "4", "other/package.json": "5", "a/b/main.go": "6",
	})
	_, steering := paths(look(t, Definition{Root: root, Dir: "a/b", Command: "npx", Args: []string{"good"}}))
	if want := []string{".npmrc", "a/b/.env", "a/package.json", "package.json"}; !slices.Equal(steering, want) {
		t.Errorf("%q, want %q", steering, want)
	}
	_, steering = paths(look(t, Definition{Root: root, Dir: filepath.Dir(root), Command: "npx"}))
	if steering != nil {
		t.Errorf("of a folder elsewhere: %q", steering)
	}
}

func TestS2_EachChangeIsSeen(t *testing.T) {
	t.Parallel()
	root := workspace(t, map[string]string{"server.js": "1", "package.json": "1", ".git/HEAD": "ref: refs/heads/main\n"})
	d := Definition{Root: root, Command: "node", Args: []string{"server.js"}}
	before := look(t, d)
	if before.Ref != "refs/heads/main" || len(before.Files) != 2 || !isHashed(before.Files[0]) {
		t.Fatalf("%+v", before)
	}
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("server.js", "1") // the same content saved again
	write("other.js", "x")
	if after := look(t, d); !slices.Equal(sums(after), sums(before)) {
		t.Errorf("nothing changed: %+v, before %+v", after, before)
	}
	for name, text := range map[string]string{"server.js": "2", "package.json": "2", ".npmrc": "new"} {
		last := look(t, d)
		if write(name, text); slices.Equal(sums(look(t, d)), sums(last)) {
			t.Errorf("%s: the change is not seen", name)
		}
	}
	write(".git/HEAD", "0123456789012345678901234567890123456789\n")
	if ref := look(t, d).Ref; ref != "0123456789012345678901234567890123456789" {
		t.Errorf("ref %q", ref)
	}
}

func sums(state State) (all []string) {
	for _, file := range state.Files {
		all = append(all, file.Path+" "+file.Sum)
	}
	return all
}

func TestS2_AFileThatIsSwappedAndSwappedBackIsAnother(t *testing.T) {
	t.Parallel()
	root := workspace(t, map[string]string{"server.js": "good", "evil.js": "evil"})
	d := Definition{Root: root, Command: "node", Args: []string{"server.js"}}
	before := look(t, d)
	path, aside := filepath.Join(root, "server.js"), filepath.Join(root, "aside")
	for _, step := range [][2]string{{path, aside}, {filepath.Join(root, "evil.js"), path}, {path, filepath.Join(root, "evil.js")}, {aside, path}} {
		if err := os.Rename(step[0], step[1]); err != nil {
			t.Fatal(err)
		}
	}
	after := look(t, d)
	if !slices.Equal(sums(after), sums(before)) || runtime.GOOS != "windows" && after.Files[0].Stamp == before.Files[0].Stamp {
		t.Errorf("before %+v, after %+v", before, after)
	}
}

func TestS24_NothingOutsideIsRead(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("links need a privilege there")
	}
	outside := workspace(t, map[string]string{"secret": "s", "dir/x.js": "x"})
	root := workspace(t, map[string]string{
		"inside.js": "1", "link.js": "-> inside.js", "out.js": "-> " + filepath.Join(outside, "secret"), "dir": "-> " + filepath.Join(outside, "dir"),
		".git": "-> " + outside, "loop.js": "-> loop.js", "device.js": "-> /dev/zero",
	})
	state := look(t, Definition{Root: root, Command: "node", Args: []string{"link.js", "out.js", "dir/x.js", "loop.js", "device.js"}})
	for _, file := range state.Files {
		if isHashed(file) != (file.Path == "link.js") {
			t.Errorf("%+v", file)
		}
	}
	if state.Ref != "" || len(state.Files) < 3 {
		t.Errorf("%+v", state)
	}
}

func TestS2_OnlyRegularFilesOfABoundedSize(t *testing.T) {
	t.Parallel()
	root := workspace(t, map[string]string{"large.js": ""})
	if err := os.Truncate(filepath.Join(root, "large.js"), maxFileBytes+1); err != nil {
		t.Fatal(err)
	}
	makePipe(t, filepath.Join(root, "pipe.js"))
	state := look(t, Definition{Root: root, Command: "node", Args: []string{"large.js", "pipe.js"}})
	for _, file := range state.Files {
		if isHashed(file) {
			t.Errorf("hashed: %+v", file)
		}
	}
	if len(state.Files) == 0 || !strings.HasPrefix(state.Files[0].Sum, "too large: 67108865 bytes; ") {
		t.Errorf("%+v", state.Files)
	}
}

// What is not watched must not be taken for unchanged, and no number of names keeps a steering file from being seen.
func TestS2_MoreFilesThanAreWatchedAreAnError(t *testing.T) {
	t.Parallel()
	files := map[string]string{"package.json": "1"}
	var names []string
	for i := range maxFiles {
		names = append(names, fmt.Sprintf("f%d.js", i))
		files[names[i]] = "1"
	}
	root := workspace(t, files)
	if state := look(t, Definition{Root: root, Command: "node", Args: names[1:]}); len(state.Files) != maxFiles {
		t.Errorf("%d files", len(state.Files))
	}
	if state, err := Look(t.Context(), Definition{Root: root, Command: "node", Args: names}); err == nil {
		t.Errorf("%d files and no error", len(state.Files))
	}
}

func TestLook_Ends(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	root := workspace(t, map[string]string{"a.js": "1"})
	if _, err := Look(ctx, Definition{Root: root, Command: "node", Args: []string{"a.js"}}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if _, err := Look(t.Context(), Definition{Root: filepath.Join(root, "gone")}); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

func FuzzNamed(f *testing.F) {
	root := f.TempDir()
	f.Add("${workspaceFolder}/../x", "--a=b:c@d", "\x00")
	f.Fuzz(func(t *testing.T, dir, word, file string) {
		for _, one := range (Definition{Root: root, Dir: dir, Command: word, Files: []string{file}}).named() {
			if !filepath.IsLocal(filepath.FromSlash(one.Path)) {
				t.Errorf("%q leads out", one.Path)
			}
		}
	})
}

// What the words say and where the kernel goes are two things behind a link.
func TestS2_AWayBackBehindALink(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("links need a privilege there")
	}
	root := workspace(t, map[string]string{"real.sh": "decoy", "sub/real.sh": "runs", "sub/deep/x": "", "link": "-> sub/deep", "sub/package.json": "1"})
	named, _ := paths(look(t, Definition{Root: root, Command: "sh", Args: []string{"link/../real.sh"}}))
	if !slices.Contains(named, "link/../real.sh") {
		t.Errorf("%q", named)
	}
	named, steering := paths(look(t, Definition{Root: root, Dir: "link/..", Command: "sh", Args: []string{"real.sh"}}))
	if !slices.Contains(named, "link/../real.sh") || !slices.Contains(steering, "sub/package.json") {
		t.Errorf("%q, steered by %q", named, steering)
	}
}

func TestS2_WhatIsNotHashedIsAnotherOnceItIsWritten(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("links need a privilege there")
	}
	outside := workspace(t, map[string]string{"a.sh": "a", "b.sh": "b"})
	root := workspace(t, map[string]string{"link.sh": "-> " + filepath.Join(outside, "a.sh"), "proc.sh": "-> /proc/self/cwd/x.sh"})
	d := Definition{Root: root, Command: "sh", Args: []string{"link.sh"}}
	before := look(t, d)
	path := filepath.Join(root, "link.sh")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(outside, "b.sh"), path); err != nil {
		t.Fatal(err)
	}
	if after := look(t, d); len(after.Files) != 1 || slices.Equal(sums(after), sums(before)) {
		t.Errorf("%+v, before %+v", after, before)
	}
	if state, err := Look(t.Context(), Definition{Root: root, Command: "sh", Args: []string{"proc.sh"}}); err == nil {
		t.Errorf("%+v", state)
	}
}

func TestS2_ManyNamesOfOneFileAreHashedOnce(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("links need a privilege there")
	}
	files := map[string]string{}
	var names []string
	for i := range 50 {
		name := fmt.Sprintf("link%d.js", i)
		files[name], names = "-> large.js", append(names, name)
	}
	root := workspace(t, files)
	for _, name := range []string{"large.js", "a.js", "b.js", "c.js", "d.js", "e.js"} {
		if err := os.WriteFile(filepath.Join(root, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(filepath.Join(root, name), maxFileBytes); err != nil {
			t.Fatal(err)
		}
	}
	if state := look(t, Definition{Root: root, Command: "node", Args: names}); len(state.Files) != 50 {
		t.Errorf("%d files", len(state.Files))
	}
	if _, err := Look(t.Context(), Definition{Root: root, Command: "node", Args: []string{"a.js", "b.js", "c.js", "d.js", "e.js"}}); err == nil {
		t.Error("there is no end to what is hashed")
	}
}

// isHashed reports whether the sum of a file stands for its content.
func isHashed(f File) bool { return len(f.Sum) == sha256.Size*2 && !strings.Contains(f.Sum, " ") }
