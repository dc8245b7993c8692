package process

import "golang.org/x/sys/unix"

// replaceDescriptor makes new the same as old.
func replaceDescriptor(old, new int) error { return unix.Dup2(old, new) }

// pipeAtOnce is what a pipe that can be written to takes without blocking: PIPE_BUF.
const pipeAtOnce = 512
