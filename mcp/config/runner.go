package config

import (
	"slices"
	"strings"
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
	// Mark stands between the name and a version: "@", "==" or ":".
	Mark string
}

// Runners are the programs that fetch what they run, with what each is for.
func Runners() map[string]string {
	return map[string]string{
		"npx": "runs a package of npm", "bunx": "runs a package of npm with Bun", "pnpx": "runs a package of npm with pnpm",
		"uvx": "runs a package of PyPI", "pipx": "runs a package of PyPI", "docker": "runs an image", "podman": "runs an image",
	}
}

// Package is what the entry lets a runner fetch; false where it is no runner's.
// It follows from what is written alone.
func (e *Entry) Package() (Package, bool) {
	if e.Transport != TransportStdio {
		return Package{}, false
	}
	runner := programName(e.Command)
	sub, rest := "", 0
	switch runner {
	case "npx", "bunx", "pnpx", "uvx":
	case "npm", "pnpm", "yarn", "bun", "pipx", "docker", "podman":
		if len(e.Args) == 0 {
			return Package{}, false
		}
		sub, rest = e.Args[0], 1
		words := map[string][]string{"npm": {"exec", "x"}, "pnpm": {"dlx"}, "yarn": {"dlx"}, "bun": {"x"}, "pipx": {"run"}, "docker": {"run"}, "podman": {"run"}}
		if !slices.Contains(words[runner], sub) {
			return Package{}, false
		}
	case "uv":
		if len(e.Args) < 2 || e.Args[0] != "tool" || e.Args[1] != "run" {
			return Package{}, false
		}
		rest = 2
	default:
		return Package{}, false
	}
	at := packageArg(runner, e.Args, rest)
	if at < 0 || strings.Contains(e.Args[at], "${") {
		return Package{}, false
	}
	p := Package{Runner: runner, Arg: at}
	p.split(e.Args[at])
	return p, p.Name != ""
}

// packageArg finds the argument that names what is run.
func packageArg(runner string, args []string, from int) int {
	for i := from; i < len(args); i++ {
		arg := args[i]
		switch {
		case arg == "--":
		case !strings.HasPrefix(arg, "-"):
			return i
		case takesPackage(runner, arg):
			if i+1 < len(args) {
				return i + 1
			}
			return -1
		case strings.Contains(arg, "="):
		case takesValue(runner, arg):
			i++
		}
	}
	return -1
}

func takesPackage(runner, flag string) bool {
	switch runner {
	case "npx", "npm", "bunx", "bun", "pnpx", "pnpm", "yarn":
		return flag == "-p" || flag == "--package"
	case "uvx", "uv":
		return flag == "--from"
	case "pipx":
		return flag == "--spec"
	}
	return false
}

func takesValue(runner, flag string) bool {
	switch runner {
	case "docker", "podman":
		// Everything else that is common has none, or stands with an equals sign.
		return !slices.Contains([]string{"-i", "-t", "-it", "-ti", "-d", "--rm", "--interactive", "--tty", "--init", "--privileged", "--read-only", "--detach", "--no-healthcheck", "-P", "--publish-all", "-q", "--quiet"}, flag)
	case "uvx", "uv":
		return slices.Contains([]string{"--with", "--python", "-p", "--index", "--index-url", "--default-index", "--extra-index-url", "--directory", "--project", "--env-file"}, flag)
	case "pipx":
		return slices.Contains([]string{"--python", "--pip-args", "--index-url", "-i"}, flag)
	}
	return slices.Contains([]string{"-c", "--call", "--registry", "--cache", "--prefix", "-w", "--workspace", "--loglevel"}, flag)
}

// split takes the version off what a runner is told.
func (p *Package) split(spec string) {
	version := ""
	switch p.Runner {
	case "docker", "podman":
		p.Mark, p.Name = ":", spec
		if _, digest, ok := strings.Cut(spec, "@"); ok {
			p.IsPinned = digest != ""
			return
		}
		if i := strings.LastIndexByte(spec, ':'); i > strings.LastIndexByte(spec, '/') {
			p.Name, version = spec[:i], spec[i+1:]
		}
	case "uvx", "uv", "pipx":
		p.Mark, p.Name = "==", spec
		if i := strings.IndexAny(spec, "=<>~!@"); i > 0 {
			p.Name, version = strings.TrimRight(spec[:i], " "), strings.TrimLeft(spec[i:], "=@ ")
		}
	default:
		p.Mark, p.Name = "@", spec
		if strings.Contains(spec, "#") {
			p.IsPinned = true // a commit or a tag of a repository
			return
		}
		if strings.Contains(spec, ":") || strings.HasPrefix(spec, ".") || strings.HasPrefix(spec, "/") {
			return
		}
		if i := strings.LastIndexByte(spec, '@'); i > 0 {
			p.Name, version = spec[:i], spec[i+1:]
		}
	}
	p.IsPinned = isExact(version)
}

// isExact reports whether a version names one release: neither a tag that moves
// nor a range.
func isExact(version string) bool {
	if version == "" || strings.ContainsAny(version, "^~<>*| ") {
		return false
	}
	switch version {
	case "latest", "next", "beta", "alpha", "canary", "main", "master", "edge", "nightly", "stable", "x":
		return false
	}
	return strings.ContainsAny(version, "0123456789")
}
