//go:build unix

package node

// hasPipes says that a program can be given two more pipes, which a browser is spoken to by.
const hasPipes = true
