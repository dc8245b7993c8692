package config

// RunsPillion reports whether a command names Pillion by what is written, the
// demo connector excepted (A11). It looks at nothing on the disk.
func RunsPillion(command string, args []string) bool { panic("unfinished") }

// SameProgram reports whether a resolved program is the running executable
// itself, links followed; for after consent. The demo connector is the caller's
// to except.
func SameProgram(program, executable string) bool { panic("unfinished") }
