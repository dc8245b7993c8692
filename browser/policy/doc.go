// Package policy decides where a browser may go: which requests pass, which are asked about, and which never leave (S14, S22).
// Its decisions are functions over values; it looks nothing up, asks nobody and stops nothing.
package policy
