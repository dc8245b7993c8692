// Package personal keeps what a user wants otherwise than the files say, for himself and repository by repository: which
// connectors and tools are off, what is pinned, which profile is chosen, and which variables stand in for which (A12).
//
// It only says what is wanted. It allows nothing to run, reads no configuration file and holds no variable's value: what it
// switches on still needs every yes that it needed before, and what it names is looked up by others.
//
// What takes away counts for whatever folder stands at a path; what gives, a connector that its file has off or a variable,
// counts for exactly the folder that it was said in (S2). A repository goes before what was said for everywhere.
package personal
