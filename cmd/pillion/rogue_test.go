//go:build !windows

package main

func rogue() int { return 0 }
