// Package configdoc turns what is known of a configuration file into the terms of LSP: diagnostics and code actions.
// It reads no file, decides nothing, and sends nothing.
package configdoc
