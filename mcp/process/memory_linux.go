package process

import (
	"bytes"
	"os"
	"strconv"
)

// ResidentBytes is how much memory a process holds now; 0 where that cannot be told.
func ResidentBytes(pid int) int64 {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/statm")
	if err != nil {
		return 0
	}
	fields := bytes.Fields(text) // proc_pid_statm(5): size, resident, … in pages
	if len(fields) < 2 {
		return 0
	}
	pages, err := strconv.ParseInt(string(fields[1]), 10, 64)
	if err != nil {
		return 0
	}
	return pages * int64(os.Getpagesize())
}
