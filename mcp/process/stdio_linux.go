package process

import "golang.org/x/sys/unix"

// replaceDescriptor makes new the same as old.
func replaceDescriptor(old, new int) error { return unix.Dup3(old, new, 0) }

// pipeAtOnce is what a pipe that can be written to takes without blocking: PIPE_BUF.
const pipeAtOnce = 4096
