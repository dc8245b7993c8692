//go:build !linux && !darwin && !windows

package watch

// remoteKind is not known here.
func remoteKind(string) string { return "" }
