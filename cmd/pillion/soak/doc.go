// Package soak lets the shipped program run for minutes under everything that goes wrong at once: twenty connectors of the kit,
// two editors on one home, random calls, cancels, kills and edits of the files, and then counts what is left.
// It holds no code of the program, and it tests no single fault: those stand in the package cases.
package soak
