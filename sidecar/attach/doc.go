// Package attach is the owner-only socket that terminals and agents join a window through: it makes the socket and its
// files, finds the windows that are open, and proves to each side that the other knows the window's token (S21).
// It serves no method but those of the proof, and never listens where another user could reach.
package attach
