//go:build windows || darwin

package core

// usualRuntime is empty: there is no such folder here.
func usualRuntime() string { return "" }
