package config

import (
	"slices"
	"strings"
)

// IsUnpinned reports whether what the entry runs is fetched by a runner that is free to bring another version than last time.
// What cannot be told counts as such; what lies on this machine does not.
func (e *Entry) IsUnpinned() bool { return isUnpinned(e.Command, e.Args) }

func isUnpinned(command string, args []string) bool {
	program := programName(command)
	switch program {
	case "cmd", "sh", "bash", "zsh", "dash", "env":
		return isUnpinnedInShell(args)
	}
	r, isRunner := runners()[program]
	if !isRunner {
		return false
	}
	if args, isRunner = r.after(args); !isRunner {
		return false
	}
	named := r.fetched(args)
	return !slices.ContainsFunc(named, func(f fetched) bool { return isLocal(f.name) }) &&
		(len(named) == 0 || slices.ContainsFunc(named, func(f fetched) bool { return !r.pins(f.name) }))
}

// isUnpinnedInShell looks for a runner in what a shell is given.
func isUnpinnedInShell(args []string) bool {
	words := strings.Fields(strings.Join(args, " "))
	for i, word := range words {
		if _, isRunner := runners()[programName(word)]; isRunner && isUnpinned(word, words[i+1:]) {
			return true
		}
	}
	return false
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

// fetched is one thing that a runner is told to fetch.
type fetched struct {
	name    string
	at      int  // its place among the arguments behind the verb
	isApart bool // it is an argument of its own
}

// fetched are the things that are fetched: those of the runner's options, else the first argument that is none.
func (r runner) fetched(args []string) []fetched {
	var named []fetched
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
			if i < len(args) {
				named = append(named, fetched{name: args[i], at: i, isApart: true})
			}
			return named
		case slices.Contains(r.flags, option):
		case !hasValue && i+1 < len(args):
			i++
			value = args[i]
			fallthrough
		default:
			if slices.Contains(r.packages, option) {
				named = append(named, fetched{name: value, at: i, isApart: !hasValue})
			}
		}
	}
	return named
}

// isLocal reports whether the name is a path of this machine, which nobody fetches.
func isLocal(name string) bool {
	return strings.HasPrefix(name, ".") || strings.HasPrefix(name, "/") || strings.HasPrefix(name, "~") || strings.HasPrefix(name, "file:")
}
