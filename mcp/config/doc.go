// Package config reads the files that name connectors and says exactly what is
// wrong with them.
// It starts nothing, asks nobody and writes no file: it turns bytes into
// entries, findings with byte spans, an effective list, a hash and an expanded
// definition, and turns one text into another when an entry is added, removed
// or switched off.
//
// Parsing looks at the text alone.
// The environment is read only by [Entry.UnsetVariables] and [Entry.Expand],
// and the disk only by [ReadFile], [WritePath], [CheckUserFile],
// [SameProgram] and, for an entry with an envFile, by [Entry.Expand]; the last
// two are for after consent (S24).
package config
