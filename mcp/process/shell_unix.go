//go:build linux || darwin

package process

import (
	"path/filepath"
	"strings"
)

// maxNoiseBytes bounds what is read of a login shell's output.
const maxNoiseBytes = 1 << 20

// loginPathCommand prints the PATH between two marks; a shell of any family hands it to sh as one word.
// The mark stands in it in two parts, so that a shell that prints its commands does not print the mark.
func loginPathCommand(mark string) string {
	half := len(mark) / 2
	parts := mark[:half] + " " + mark[half:]
	return `/bin/sh -c 'printf "\n%s%s%s%s%s\n" ` + parts + ` "$PATH" ` + parts + `'`
}

// loginArguments are the arguments, the program's own name first, that make a shell read what it reads at a login in a terminal and then run command.
func loginArguments(shell, command string) []string {
	switch filepath.Base(shell) {
	case "csh", "tcsh": // they take -l only alone; the dash makes it a login
		return []string{"-" + filepath.Base(shell), "-i", "-c", command}
	case "nu":
		return []string{shell, "-l", "-i", "-c", "^" + command}
	case "pwsh":
		return []string{shell, "-Login", "-Command", command}
	}
	return []string{shell, "-l", "-i", "-c", command}
}

// markedPath finds the PATH between two marks; false while it is not whole, and for an empty one.
func markedPath(output, mark string) (string, bool) {
	_, rest, ok := strings.Cut(output, mark)
	if !ok {
		return "", false
	}
	path, _, ok := strings.Cut(rest, mark)
	return path, ok && path != ""
}

// printedPath takes the last line for the PATH when it can be nothing else: a list of absolute folders.
// That is a shell that prints it and knows no command.
func printedPath(output string) (string, bool) {
	lines := strings.Split(strings.TrimRight(output, "\r\n"), "\n")
	last := strings.TrimPrefix(strings.TrimSpace(lines[len(lines)-1]), "PATH=")
	for _, entry := range filepath.SplitList(last) {
		if !filepath.IsAbs(entry) || strings.ContainsAny(entry, "\t\x1b'\"$") {
			return "", false
		}
	}
	return last, last != ""
}
