package config

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// runner is a program that fetches what it runs.
type runner struct {
	// verbs are the words that must come first, one of them; empty where the program does nothing else.
	verbs []string
	// flags are the options that stand alone, packages those whose value is what is fetched; every other option takes a value.
	flags, packages []string
	isPinned        *regexp.Regexp
}

// What pins a version: one that is written out, no range and no name that can be moved.
var (
	exactNode  = regexp.MustCompile(`^(npm:|jsr:)?(@[^/@]+/)?[^/@]+@v?\d+\.\d+\.\d+[-+.\w]*$`)
	exactPyth  = regexp.MustCompile(`^[^=@\s]+(\[[^\]]*\])?(==|@)\d[^*,\s]*$`)
	exactGo    = regexp.MustCompile(`^[^@]+@(v\d+\.\d+\.\d+[-+.\w]*|[0-9a-f]{12,40})$`)
	exactImage = regexp.MustCompile(`^([^@]*@sha256:[0-9a-f]{64}|(.*/)?[^/:@]+:[^/:@]*[^/:@])$`)
	exactGit   = regexp.MustCompile(`^git\+[^#]*[#@][0-9a-f]{40}$`)
)

var (
	nodeFlags  = []string{"-y", "--yes", "-q", "--quiet", "--no-install", "--silent", "--prefer-online", "--prefer-offline", "--bun", "--no"}
	pythFlags  = []string{"-q", "--quiet", "-v", "--verbose", "--offline", "--isolated", "--no-cache", "-n", "--refresh", "--native-tls", "--no-config"}
	imageFlags = []string{"-i", "-t", "-it", "-ti", "-d", "--rm", "--init", "--interactive", "--tty", "--privileged", "--read-only", "--detach", "--no-healthcheck", "--sig-proxy", "-P"}
)

// runnerOf is the runner of a program's name, without its folder and ending.
func runnerOf(program string) (runner, bool) {
	node := runner{flags: nodeFlags, packages: []string{"-p", "--package"}, isPinned: exactNode}
	python := runner{flags: pythFlags, packages: []string{"--from", "--spec"}, isPinned: exactPyth}
	with := func(r runner, verbs ...string) (runner, bool) { r.verbs = verbs; return r, true }
	switch program {
	case "npx", "bunx", "pnpx":
		return with(node)
	case "npm":
		return with(node, "exec", "x")
	case "pnpm", "yarn":
		return with(node, "dlx")
	case "bun":
		return with(node, "x")
	case "uvx":
		return with(python)
	case "uv":
		return with(python, "tool run")
	case "pipx":
		return with(python, "run")
	case "docker", "podman", "nerdctl":
		return with(runner{flags: imageFlags, isPinned: exactImage}, "run", "container run")
	case "go":
		return with(runner{flags: []string{"-race", "-v", "-x"}, isPinned: exactGo}, "run")
	case "deno":
		return with(runner{flags: []string{"-A", "-q", "-r"}, isPinned: exactNode}, "run", "x")
	}
	return runner{}, false
}

// IsUnpinned reports whether what the entry runs is fetched by a runner that is free to bring another version than last time.
// What cannot be told counts as such; what lies on this machine does not.
func (e *Entry) IsUnpinned() bool { return isUnpinned(e.Command, e.Args) }

func isUnpinned(command string, args []string) bool {
	program := programOf(command)
	switch program {
	case "cmd", "sh", "bash", "zsh", "dash", "env":
		return isUnpinnedInShell(args)
	}
	r, isRunner := runnerOf(program)
	if !isRunner {
		return false
	}
	if args, isRunner = r.after(args); !isRunner {
		return false
	}
	named := r.fetched(args)
	return !slices.ContainsFunc(named, isLocal) && (len(named) == 0 || slices.ContainsFunc(named, func(name string) bool {
		return !r.isPinned.MatchString(name) && !exactGit.MatchString(name) || strings.HasSuffix(name, ":latest") || strings.Contains(name, "${")
	}))
}

// isUnpinnedInShell looks for a runner in what a shell is given.
func isUnpinnedInShell(args []string) bool {
	words := strings.Fields(strings.Join(args, " "))
	for i, word := range words {
		if _, isRunner := runnerOf(programOf(word)); isRunner && isUnpinned(word, words[i+1:]) {
			return true
		}
	}
	return false
}

func programOf(command string) string {
	name := strings.ToLower(path.Base(strings.ReplaceAll(command, `\`, "/")))
	for _, ending := range []string{".exe", ".cmd", ".bat", ".ps1"} {
		name = strings.TrimSuffix(name, ending)
	}
	return name
}

// after are the arguments behind the runner's verb; false where it does something else.
func (r runner) after(args []string) ([]string, bool) {
	if len(r.verbs) == 0 {
		return args, true
	}
	for _, verb := range r.verbs {
		words := strings.Fields(verb)
		if len(args) >= len(words) && slices.Equal(args[:len(words)], words) {
			return args[len(words):], true
		}
	}
	return nil, false
}

// fetched are the names of what is fetched: those of its options, else the first argument that is none.
func (r runner) fetched(args []string) []string {
	var named []string
	for i := 0; i < len(args); i++ {
		option, value, hasValue := strings.Cut(args[i], "=")
		switch {
		case !strings.HasPrefix(args[i], "-"), args[i] == "--":
			if len(named) > 0 {
				return named
			}
			if args[i] == "--" {
				i++
			}
			return args[min(i, len(args)):min(i+1, len(args))]
		case slices.Contains(r.flags, option):
		case !hasValue && i+1 < len(args):
			i++
			value = args[i]
			fallthrough
		default:
			if slices.Contains(r.packages, option) {
				named = append(named, value)
			}
		}
	}
	return named
}

// isLocal reports whether the name is a path of this machine, which nobody fetches.
func isLocal(name string) bool {
	return strings.HasPrefix(name, ".") || strings.HasPrefix(name, "/") || strings.HasPrefix(name, "~") || strings.HasPrefix(name, "file:")
}
