package install

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"pillion/mcp/state"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// Node says the version beside it; npm keeps what it was run with, and does what the file "does" says.
const (
	fakeNode = `#!/bin/sh
PATH=/usr/bin:/bin
cat "${0%/*}/version"
`
	fakeNPM = `#!/bin/sh
beside=${0%/*}
printf '%s\n' "$@" >"$beside/args"
/usr/bin/env >"$beside/env"
pwd >"$beside/dir"
PATH=/usr/bin:/bin
cp package.json package-lock.json "$beside"
mkdir -p node_modules/@playwright/mcp
case $(cat "$beside/does" 2>/dev/null) in
E*) echo "npm error code $(cat "$beside/does")" >&2; exit 1 ;;
hang) echo ha >node_modules/@playwright/mcp/cli.js; touch "$beside/hangs"; while :; do sleep 1000; done ;;
nothing) ;;
*) printf whole >node_modules/@playwright/mcp/cli.js ;;
esac
`
)

// machine is a PATH with a Node and an npm.
type machine struct {
	t    *testing.T
	bin  string
	home string
}

func newMachine(t *testing.T, version string) *machine {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("programs have other names there")
	}
	m := &machine{t: t, bin: t.TempDir(), home: t.TempDir()}
	for name, text := range map[string]string{"node": fakeNode, "npm": fakeNPM} {
		if err := os.WriteFile(filepath.Join(m.bin, name), []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	m.write("version", version)
	return m
}

func (m *machine) write(name, text string) {
	m.t.Helper()
	if err := os.WriteFile(filepath.Join(m.bin, name), []byte(text), 0o600); err != nil {
		m.t.Fatal(err)
	}
}

func (m *machine) installer() *Installer {
	return New(Options{Folder: filepath.Join(m.home, "browsers"), Path: m.bin, Environ: []string{
		"HOME=" + m.home, "NODE_OPTIONS=--require ./evil.js", "NODE_PATH=evil", "npm_config_script_shell=evil",
		"npm_config_registry=https://mirror.example/", "NPM_CONFIG_PREFIX=/evil",
	}})
}

// leaves are what lies in the folder, but for the lock.
func (m *machine) leaves() []string {
	var found []string
	entries, _ := os.ReadDir(filepath.Join(m.home, "browsers"))
	for _, entry := range entries {
		if entry.Name() != lockName {
			found = append(found, entry.Name())
		}
	}
	return found
}

// seen is what npm wrote down, as lines.
func (m *machine) seen(name string) []string {
	m.t.Helper()
	text, err := os.ReadFile(filepath.Join(m.bin, name))
	if err != nil {
		m.t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
}

func reason(err error) Reason {
	var fault *Error
	if errors.As(err, &fault) {
		return fault.Reason
	}
	return ""
}

func TestH2_InstallsOnce(t *testing.T) {
	m := newMachine(t, "v22.12.0")
	i := m.installer()
	if _, err := i.Locate(Playwright); reason(err) != NotThere {
		t.Fatal(err)
	}
	var said []string
	made, err := i.Install(t.Context(), Playwright, func(text string) { said = append(said, text) })
	if err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(made.Script); err != nil || string(text) != "whole" || made.Node != filepath.Join(m.bin, "node") {
		t.Errorf("%+v: %q, %v", made, text, err)
	}
	if len(said) < 2 {
		t.Errorf("progress: %q", said)
	}
	m.write("does", "EINTEGRITY") // npm is not run again
	for _, again := range []func() (Program, error){
		func() (Program, error) { return i.Install(t.Context(), Playwright, nil) },
		func() (Program, error) { return m.installer().Locate(Playwright) },
	} {
		if found, err := again(); err != nil || found != made {
			t.Errorf("%+v, %v", found, err)
		}
	}
	if left := m.leaves(); len(left) != 1 {
		t.Errorf("left: %q", left)
	}
}

func TestS1_NpmSeesNothingOfTheWorkspace(t *testing.T) {
	m := newMachine(t, "v22.12.0")
	workspace := t.TempDir()
	t.Chdir(workspace)
	evil := filepath.Join(workspace, "bin")
	if err := os.MkdirAll(evil, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"bin/npm": "#!/bin/sh\nexit 0\n", "bin/node": "#!/bin/sh\necho v99.0.0\n", ".npmrc": "registry=https://evil.example/"} {
		if err := os.WriteFile(filepath.Join(workspace, name), []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	i := m.installer()
	i.o.Path = strings.Join([]string{evil, "bin", ".", "", m.bin}, string(os.PathListSeparator))
	i.o.Outside = []string{workspace}
	if _, err := i.Install(t.Context(), Playwright, nil); err != nil {
		t.Fatal(err)
	}
	if dir := m.seen("dir"); !strings.HasPrefix(dir[0], filepath.Join(m.home, "browsers")) {
		t.Errorf("it ran in %s", dir)
	}
	if given := m.seen("args"); given[0] != "ci" || !slices.Contains(given, "--ignore-scripts") || !slices.Contains(given, "--no-audit") {
		t.Errorf("arguments: %q", given)
	}
	env := m.seen("env")
	for _, variable := range env {
		name, value, _ := strings.Cut(variable, "=")
		if strings.Contains(value, "evil") || name == "PATH" && value != m.bin {
			t.Errorf("it saw %s", variable)
		}
	}
	if !slices.Contains(env, "npm_config_registry=https://mirror.example/") {
		t.Errorf("the user's own registry is missing: %q", env)
	}
	for _, name := range manifests {
		want, err := locks.ReadFile("playwright/" + name)
		if got := strings.Join(m.seen(name), "\n") + "\n"; err != nil || got != string(want) {
			t.Errorf("%s is %q", name, got)
		}
	}
}

func TestH2_WhatGoesWrongIsSaidAndASecondTryWorks(t *testing.T) {
	for does, want := range map[string]Reason{
		"ENOTFOUND": Offline, "ECONNREFUSED": Offline, "ENOSPC": NoSpace, "EROFS": NotAllowed, "ETARGET": NotServed,
		"EINTEGRITY": Altered, "EOTHER": Other, "nothing": Other,
	} {
		t.Run(does, func(t *testing.T) {
			m := newMachine(t, "v22.12.0")
			m.write("does", does)
			_, err := m.installer().Install(t.Context(), Playwright, nil)
			var fault *Error
			if !errors.As(err, &fault) || fault.Reason != want || len(fault.Steps()) == 0 || fault.Clause() == "" || fault.Kind != Playwright {
				t.Errorf("%v", err)
			}
			if left := m.leaves(); len(left) != 0 {
				t.Errorf("left: %q", left)
			}
			m.write("does", "")
			if _, err := m.installer().Install(t.Context(), Playwright, nil); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestH2_NodeIsLookedAtFirst(t *testing.T) {
	for version, want := range map[string]Reason{"v18.20.0": OldNode, "v20.18.1": OldNode, "v20.19.0": "", "v23.0.0": "", "nonsense": NoNode} {
		m := newMachine(t, version)
		err := m.installer().CheckNode(t.Context(), ChromeDevTools)
		if reason(err) != want {
			t.Errorf("%s: %v", version, err)
		}
	}
	m := newMachine(t, "v22.12.0")
	for _, test := range []struct {
		gone string
		want Reason
	}{{"npm", NoNPM}, {"node", NoNode}} {
		if err := os.Remove(filepath.Join(m.bin, test.gone)); err != nil {
			t.Fatal(err)
		}
		if _, err := m.installer().Install(t.Context(), Playwright, nil); reason(err) != test.want {
			t.Errorf("without %s: %v", test.gone, err)
		}
	}
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func TestH2_CancelledHalfWayLeavesNothing(t *testing.T) {
	m := newMachine(t, "v22.12.0")
	m.write("does", "hang")
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		_, err := m.installer().Install(ctx, Playwright, nil)
		done <- err
	}()
	for {
		if _, err := os.Lstat(filepath.Join(m.bin, "hangs")); err == nil {
			break
		}
		select {
		case err := <-done:
			t.Fatal(err)
		default:
			runtime.Gosched()
		}
	}
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if left := m.leaves(); len(left) != 0 {
		t.Errorf("left: %q", left)
	}
}

// What a window that was killed left is neither taken for the browser nor kept.
func TestH2_LeftoversGo(t *testing.T) {
	m := newMachine(t, "v22.12.0")
	r := must(Playwright.release())
	for _, name := range []string{tempPrefix + "1", filepath.Base(m.installer().folderOf(Playwright, r))} {
		if err := os.MkdirAll(filepath.Join(m.home, "browsers", name, "node_modules"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := m.installer().Install(t.Context(), Playwright, nil); err != nil {
		t.Fatal(err)
	}
	if left := m.leaves(); len(left) != 1 {
		t.Errorf("left: %q", left)
	}
}

func TestH2_WindowsWaitForEachOther(t *testing.T) {
	m := newMachine(t, "v22.12.0")
	folder, err := state.Open(filepath.Join(m.home, "browsers"))
	if err != nil {
		t.Fatal(err)
	}
	unlock, err := folder.Lock(t.Context(), lockName)
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	programs := make([]Program, 4)
	for n := range programs {
		all.Go(func() {
			made, err := m.installer().Install(t.Context(), Playwright, nil)
			if err != nil {
				t.Error(err)
			}
			programs[n] = made
		})
	}
	if _, err := os.Lstat(filepath.Join(m.bin, "args")); err == nil {
		t.Error("npm ran without the lock")
	}
	unlock()
	all.Wait()
	for _, one := range programs {
		if one != programs[0] || one.Script == "" {
			t.Errorf("%+v", programs)
		}
	}
}

// The lock files pin everything, and name no registry.
func TestS1_LockFilesArePinned(t *testing.T) {
	for _, kind := range Kinds() {
		r, err := kind.release()
		if err != nil {
			t.Fatal(err)
		}
		var lock struct {
			Packages map[string]struct {
				Version, Resolved, Integrity string
				HasInstallScript             bool
			}
		}
		if err := json.Unmarshal(r.files["package-lock.json"], &lock); err != nil {
			t.Fatal(err)
		}
		if len(lock.Packages) < 2 {
			t.Errorf("%s: %d packages", kind, len(lock.Packages))
		}
		for name, one := range lock.Packages {
			if name != "" && (one.Version == "" || !strings.HasPrefix(one.Integrity, "sha512-") || one.Resolved != "") {
				t.Errorf("%s: %s is %+v", kind, name, one)
			}
		}
		if strings.Contains(string(r.files["package-lock.json"])+string(r.files["package.json"]), "://") {
			t.Errorf("%s names an address", kind)
		}
	}
}

func TestParseVersion(t *testing.T) {
	for text, want := range map[string]nodeVersion{"v20.20.2\n": {20, 20}, "v24.0.0-nightly": {24, 0}, "": {}, "20": {}, "v.1.2": {}} {
		got, err := parseVersion(text)
		if (err == nil) != (want != nodeVersion{}) || err == nil && got != want {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
}
