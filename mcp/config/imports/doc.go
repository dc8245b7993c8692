// Package imports finds what other programs were told about MCP servers and
// turns their entries into Pillion's.
// It runs nothing, expands nothing, asks nobody and writes no file: it lists
// places, reads what lies there, and returns definitions with a report of what
// could not be carried over.
//
// The disk is read only by [Read] and [Find]; everything else is pure. A file
// that lies in a workspace folder is a project's, and is read under a project
// file's rules (S24).
package imports
