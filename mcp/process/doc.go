// Package process starts the programs behind connectors and makes sure that nothing of them stays: process groups and sessions, the guard that outlives the sidecar, environments, the login shell's PATH, and what the kernel says about a process.
// It does not know the protocol spoken over the pipes, does not read configuration, and keeps no list of what should run.
//
// # How nothing is left behind
//
// Every process starts in a session of its own with a marker in its environment (MarkerVar).
// What belongs to it is its session, its group, every descendant, and everything that carries its marker; a process that leaves the group with setsid is still found by the marker.
// The leader's exit is the end of all of it: what it leaves behind gets the rest of the stop order.
// Until that is done the exited leader is not reaped, so that its id can't be given to a stranger while it is still a target.
// The guard, a process in its own session, holds the read end of a pipe and the list of what runs, and does the same when the sidecar dies without having done it.
// On Windows a job object per process does all of this in the kernel.
package process
