package connector

import (
	"os"
	"strconv"
)

// isAlive reports whether there is a process of the id.
func isAlive(pid string) bool {
	n, err := strconv.Atoi(pid)
	if err != nil {
		return false
	}
	p, err := os.FindProcess(n)
	if err == nil {
		_ = p.Release()
	}
	return err == nil
}
