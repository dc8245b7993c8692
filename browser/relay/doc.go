// Package relay is the proxy that every connection of one browser goes through, so that what no page tells of before it happens
// (sockets, workers, what the browser does of its own accord, names that lead elsewhere by now) reaches only what was granted (S22).
// It listens on loopback for that browser alone, which proves itself with a secret; it decides nothing that package policy does
// not, and shows nobody what passes.
package relay
