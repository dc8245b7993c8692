// Package mcptest has connectors to test with: good, slow, rude and dying ones, run as real processes from the test binary.
// It knows nothing of the packages that it tests; what every transport must do with such a peer is [Suite].
package mcptest

// Main turns the test binary into a fake connector when [Command] started it, and then does not return. Call it first in
// TestMain.
func Main() {}

// Command returns how to start a fake connector from a test binary whose TestMain calls [Main].
// mode is a list as described at [Modes]; env has to be added to the child's environment.
func Command(mode string) (path string, args, env []string) { panic("not yet") }
