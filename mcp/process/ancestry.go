package process

import "os"

// maxGenerations ends the walk up a table that changes while it is read.
const maxGenerations = 4096

// IsDescendantOf reports whether pid is one of ancestors or descends from one.
// The descent of an orphan is lost: the kernel gives it to another parent (see CarriesMarker).
func IsDescendantOf(pid int, ancestors ...int) bool {
	return descends(pid, Parent, ancestors)
}

// IsAncestor reports whether this process descends from pid.
func IsAncestor(pid int) bool {
	return pid > 0 && pid != os.Getpid() && IsDescendantOf(os.Getpid(), pid)
}

func descends(pid int, parent func(int) int, ancestors []int) bool {
	for range maxGenerations {
		if pid <= 0 {
			return false
		}
		for _, ancestor := range ancestors {
			if pid == ancestor {
				return true
			}
		}
		pid = parent(pid)
	}
	return false
}
