// Package repository looks at the code of a workspace that a connector's definition runs: the files it names, the files that
// steer its runner, and the branch that is checked out. It is what a yes covers beside the definition itself (S2).
// It runs and expands nothing, follows no link out of the workspace, and does not see what the named files import.
package repository
