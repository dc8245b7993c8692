package config

import (
	"regexp"
	"strings"
	"sync"
)

// Package is what a runner such as npx or docker is told to fetch and run.
type Package struct {
	// Runner is the program that fetches it, such as "npx".
	Runner string
	// Name is the package without a version.
	Name string
	// IsPinned reports whether every start runs the same version of it.
	IsPinned bool
	// Arg is its place among the arguments.
	Arg int
	// Mark stands between the name and a version: "@", "==", ":" or "#".
	Mark string
}

// runner is a program that fetches what it runs.
type runner struct {
	// does says what it runs, for people.
	does string
	// verbs are the words that must come first, one of them; empty where the program does nothing else.
	verbs []string
	// flags are the options that stand alone, packages those whose value is what is fetched; every other option takes a value.
	flags, packages []string
	isPinned        *regexp.Regexp
	mark            string
}

// What pins a version: one that is written out, no range and no name that can be moved.
const (
	exactNode  = `(npm:|jsr:)?(@[^/@]+/)?[^/@]+@v?\d+\.\d+\.\d+[-+.\w]*`
	exactPyth  = `[^=@\s]+(\[[^\]]*\])?(==|@)\d[^*,\s]*`
	exactGo    = `[^@]+@(v\d+\.\d+\.\d+[-+.\w]*|[0-9a-f]{12,40})`
	exactImage = `[^@]*@sha256:[0-9a-f]{64}|(.*/)?[^/:@]+:[^/:@]*[^/:@]`
	exactGit   = `(git\+|github:|gitlab:|bitbucket:)[^#]*[#@][0-9a-f]{40}`
)

// pinnedAs compiles one of them, beside a commit of a repository.
func pinnedAs(pattern string) *regexp.Regexp {
	return regexp.MustCompile("^(" + pattern + "|" + exactGit + ")$")
}

var (
	nodeFlags  = []string{"-y", "--yes", "-q", "--quiet", "--no-install", "--silent", "--prefer-online", "--prefer-offline", "--bun", "--no"}
	pythFlags  = []string{"-q", "--quiet", "-v", "--verbose", "--offline", "--isolated", "--no-cache", "-n", "--refresh", "--native-tls", "--no-config"}
	imageFlags = []string{"-i", "-t", "-it", "-ti", "-d", "--rm", "--init", "--interactive", "--tty", "--privileged", "--read-only", "--detach", "--no-healthcheck", "--sig-proxy", "-P"}
)

// runners are the programs that fetch what they run, by name; never changed.
var runners = sync.OnceValue(func() map[string]runner {
	node := runner{does: "runs a package of npm", flags: nodeFlags, packages: []string{"-p", "--package"}, isPinned: pinnedAs(exactNode), mark: "@"}
	python := runner{does: "runs a package of PyPI", flags: pythFlags, packages: []string{"--from", "--spec"}, isPinned: pinnedAs(exactPyth), mark: "=="}
	image := runner{does: "runs an image", flags: imageFlags, isPinned: pinnedAs(exactImage), mark: ":"}
	with := func(r runner, verbs ...string) runner { r.verbs = verbs; return r }
	return map[string]runner{
		"npx": node, "bunx": node, "pnpx": node, "npm": with(node, "exec", "x"), "pnpm": with(node, "dlx"), "yarn": with(node, "dlx"), "bun": with(node, "x"),
		"uvx": python, "uv": with(python, "tool run"), "pipx": with(python, "run"),
		"docker": with(image, "run", "container run"), "podman": with(image, "run", "container run"), "nerdctl": with(image, "run", "container run"),
		"go":   with(runner{does: "runs a package of Go", flags: []string{"-race", "-v", "-x"}, isPinned: pinnedAs(exactGo), mark: "@"}, "run"),
		"deno": with(runner{does: "runs a module with Deno", flags: []string{"-A", "-q", "-r"}, isPinned: node.isPinned, mark: "@"}, "run", "x"),
	}
})

// Runners are the programs that fetch what they run, with what each is for.
func Runners() map[string]string {
	all := map[string]string{}
	for name, r := range runners() {
		all[name] = r.does
	}
	return all
}

// Downloads reports whether a program with these arguments is a runner that may fetch what it runs.
func Downloads(program string, args []string) bool {
	r, isRunner := runners()[programName(program)]
	if isRunner {
		_, isRunner = r.after(args)
	}
	return isRunner
}

// Package is what the entry lets a runner fetch, as an argument of its own; false where there is no such thing.
// It follows from what is written alone.
func (e *Entry) Package() (Package, bool) {
	name := programName(e.Command)
	r, isRunner := runners()[name]
	if !isRunner {
		return Package{}, false
	}
	args, isRunner := r.after(e.Args)
	if !isRunner {
		return Package{}, false
	}
	for _, f := range r.fetched(args) {
		if f.isApart && !isLocal(f.name) && !strings.Contains(f.name, "${") {
			p := Package{Runner: name, Mark: r.mark, IsPinned: r.pins(f.name), Arg: len(e.Args) - len(args) + f.at}
			p.Name, p.Mark = r.split(f.name)
			return p, true
		}
	}
	return Package{}, false
}

// split takes the version off what a runner is told, and says what stands before one.
func (r runner) split(spec string) (name, mark string) {
	if at := strings.IndexByte(spec, '#'); at > 0 || strings.HasPrefix(spec, "git") && strings.Contains(spec, ":") {
		name, _, _ = strings.Cut(spec, "#") // a repository: its version is a commit
		return name, "#"
	}
	switch r.mark {
	case ":":
		name, _, _ = strings.Cut(spec, "@")
		if i := strings.LastIndexByte(name, ':'); i > strings.LastIndexByte(name, '/') {
			name = name[:i]
		}
		return name, r.mark
	case "==":
		if i := strings.IndexAny(spec, "=<>~!@"); i > 0 {
			spec = strings.TrimRight(spec[:i], " ")
		}
		return spec, r.mark
	}
	if i := strings.LastIndexByte(spec, '@'); i > 0 {
		spec = spec[:i]
	}
	return spec, r.mark
}

// pins reports whether what a runner is told names one version for ever.
func (r runner) pins(spec string) bool {
	return r.isPinned.MatchString(spec) && !strings.HasSuffix(spec, ":latest") && !strings.Contains(spec, "${")
}
