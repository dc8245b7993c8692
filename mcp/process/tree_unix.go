//go:build linux || darwin

package process

import (
	"errors"
	"os"
	"slices"
	"syscall"

	"golang.org/x/sys/unix"
)

// target says which processes belong together.
type target struct {
	leader identity // pid 0: not known, the marker alone counts
	marker string
	since  uint64 // nothing that started earlier belongs to it
}

// members picks the target's living processes out of a process table: the leader, its session and group, what carries the marker, and the descendants of all of them.
func (t target) members(all []entry, environ func(pid int) ([]byte, error)) []entry {
	led := t.leader.pid > 0 && !t.reused(all)
	mark := MarkerVar + "=" + t.marker
	belongs := make(map[int]bool)
	for _, e := range all {
		if e.ended || e.started < t.since || e.pid == os.Getpid() || e.pid == 1 {
			continue
		}
		if led && (e.pid == t.leader.pid || e.session == t.leader.pid || e.group == t.leader.pid) {
			belongs[e.pid] = true
		} else if t.marker == "" {
			continue
		} else if text, err := environ(e.pid); err == nil && holds(text, mark) {
			belongs[e.pid] = true
		}
	}
	addDescendants(all, belongs)
	var members []entry
	for _, e := range all {
		if belongs[e.pid] && !e.ended {
			members = append(members, e)
		}
	}
	return members
}

// reused reports whether the leader's id has gone to a stranger; the kernel gives an id away only when no group and no session has it any more.
func (t target) reused(all []entry) bool {
	for _, e := range all {
		if e.pid == t.leader.pid {
			return e.identity != t.leader
		}
	}
	return false
}

// addDescendants completes pids with the children of its members, their children, and so on.
func addDescendants(all []entry, pids map[int]bool) {
	for grew := true; grew; {
		grew = false
		for _, e := range all {
			if pids[e.parent] && !pids[e.pid] && e.pid != os.Getpid() {
				pids[e.pid] = true
				grew = true
			}
		}
	}
}

// tree is a target under watch. It is used by one goroutine.
type tree struct {
	target
	known   []entry
	beyond  map[identity]bool // run as another user by now: out of reach, so not waited for
	entries func() ([]entry, error)
}

func newTree(t target) *tree {
	tr := &tree{target: t, beyond: make(map[identity]bool), entries: entries}
	if t.leader.pid > 0 {
		tr.known = []entry{{identity: t.leader, group: t.leader.pid}}
	}
	return tr
}

// remains reports whether anything of the tree is left; it reads the whole process table only when those it knew have gone.
func (t *tree) remains() bool {
	for _, member := range t.known {
		if !t.beyond[member.identity] && member.lives() {
			return true
		}
	}
	return t.scan() > 0
}

// scan reads the process table and counts what is left.
func (t *tree) scan() int {
	all, err := t.entries()
	if err != nil {
		// Without a table the group is all that can be seen.
		if t.leader.pid > 0 && unix.Kill(-t.leader.pid, 0) == nil {
			return 1
		}
		return 0
	}
	t.known = t.known[:0]
	for _, member := range t.members(all, environ) {
		if !t.beyond[member.identity] {
			t.known = append(t.known, member)
		}
	}
	return len(t.known)
}

// terminate asks what is left to end; it reports whether there is such a way to ask.
func (t *tree) terminate() bool {
	t.signal(syscall.SIGTERM)
	return true
}

func (t *tree) kill() { t.signal(syscall.SIGKILL) }

func (t *tree) signal(signal syscall.Signal) {
	t.scan()
	grouped := func(member entry) bool { return t.leader.pid > 1 && member.group == t.leader.pid }
	// The group at one stroke first: a fork between two signals would escape the single ones.
	if slices.ContainsFunc(t.known, grouped) {
		_ = unix.Kill(-t.leader.pid, signal)
	}
	for _, member := range t.known {
		if signal == syscall.SIGTERM && grouped(member) {
			continue // a second one means "at once" to some programs
		}
		if err := send(member.identity, signal); errors.Is(err, unix.EPERM) {
			t.beyond[member.identity] = true
		}
	}
}
