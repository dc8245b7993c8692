// Package configdoc turns what is known of a configuration file into the terms of LSP: diagnostics, code actions, hover,
// completion, code lenses, inlay hints, definition, symbols, folding, rename and formatting, one file each. All of them are
// functions of a [Document] and [Facts].
// It reads no file, decides nothing, and sends nothing.
package configdoc
