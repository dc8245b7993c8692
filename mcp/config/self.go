package config

import (
	"os"
	"strings"
)

// RunsPillion reports whether a command names Pillion by what is written,
// directly or through a package runner or shell, the demo connector excepted
// (A11). It looks at nothing on the disk; what it cannot see, the marker in the
// environment stops.
func RunsPillion(command string, args []string) bool {
	return runsPillion(command, args, 4)
}

func runsPillion(command string, args []string, depth int) bool {
	if depth == 0 {
		return false
	}
	name := programName(command)
	switch name {
	case "pillion":
		return len(args) == 0 || strings.TrimRight(args[0], ";&|") != "demo" // also within a line of a shell
	case "npx", "bunx", "pnpx", "npm", "pnpm", "yarn", "bun", "uvx", "pipx", "uv", "mise", "nix":
		for i, arg := range args {
			if strings.HasPrefix(arg, "-") || isRunnerWord(arg) {
				continue
			}
			return packageName(arg) == "pillion" && runsPillion("pillion", args[i+1:], depth-1)
		}
	case "env", "nice", "nohup", "exec", "sudo":
		for i, arg := range args {
			if !strings.HasPrefix(arg, "-") && !strings.Contains(arg, "=") {
				return runsPillion(arg, args[i+1:], depth-1)
			}
		}
	case "cmd", "sh", "bash", "zsh", "dash", "fish", "pwsh", "powershell":
		return shellRunsPillion(args, depth)
	}
	return false
}

// shellRunsPillion looks at the first command of a shell's line.
func shellRunsPillion(args []string, depth int) bool {
	for i, arg := range args {
		switch strings.ToLower(arg) {
		case "/c", "-c", "-lc", "-ic", "/d", "/s", "-command", "/s/c":
			continue
		}
		words := strings.Fields(strings.Join(args[i:], " "))
		if len(words) == 0 {
			return false
		}
		return runsPillion(strings.Trim(words[0], `"'`), words[1:], depth-1)
	}
	return false
}

func isRunnerWord(arg string) bool {
	switch arg {
	case "run", "exec", "x", "dlx", "tool", "--":
		return true
	}
	return false
}

// programName is the last part of a path without a Windows extension.
func programName(command string) string {
	name := command[strings.LastIndexAny(command, `/\`)+1:]
	name = strings.ToLower(name)
	for _, extension := range []string{".exe", ".cmd", ".bat", ".ps1"} {
		name = strings.TrimSuffix(name, extension)
	}
	return name
}

// packageName is a package without scope and version.
func packageName(arg string) string {
	if strings.HasPrefix(arg, "@") {
		_, arg, _ = strings.Cut(arg, "/")
	}
	arg, _, _ = strings.Cut(arg, "@")
	return arg
}

// SameProgram reports whether a resolved program is the running executable
// itself, links followed; for after consent. The demo connector is the caller's
// to except.
func SameProgram(program, executable string) bool {
	a, err := os.Stat(program)
	if err != nil {
		return false
	}
	b, err := os.Stat(executable)
	return err == nil && os.SameFile(a, b)
}
