// Command fakestdio is the fake connector of package mcptest as a program of its own, for scripts: fakestdio MODE.
// It is a test's peer and nothing to install.
package main

func main() { panic("not yet") }
