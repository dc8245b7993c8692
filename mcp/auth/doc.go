// Package auth keeps the values that connectors are given and nobody else may see: in the keyring of the operating system, or
// where there is none in a sealed file.
// It asks nobody, never lists a value, and does not know what one is for.
package auth
