//go:build unix

package audit

import "syscall"

const (
	// openFlags keep a link from leading the log elsewhere, and a pipe from holding it up.
	openFlags = syscall.O_NOFOLLOW | syscall.O_NONBLOCK
	// keepOpen says that an open file can be renamed by another window.
	keepOpen = true
)
