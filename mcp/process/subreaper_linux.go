package process

import (
	"bytes"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// Subreaper makes this process the parent of what its connectors' processes leave behind (prctl(2), PR_SET_CHILD_SUBREAPER).
// So the descent of a process that left its parent, its session and its environment stays known, and it can be ended.
// From the first connector on every child of this process must be started through the guard, because any other one would be
// taken for an orphan. There is one Subreaper in a process; its methods may be called from any goroutine, and a nil one does
// nothing.
type Subreaper struct {
	log *slog.Logger

	mu      sync.Mutex
	own     map[identity]bool // children that this process started and waits for itself
	adopts  bool
	signals chan os.Signal
	done    sync.WaitGroup
}

// NewSubreaper returns one that takes effect with the first connector.
func NewSubreaper(logger *slog.Logger) *Subreaper {
	return &Subreaper{log: logger, own: make(map[identity]bool)}
}

// adopt makes this process the parent of orphans to come. What a login shell left behind before is the user's.
func (s *Subreaper) adopt() {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.adopts {
		return
	}
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		s.log.Warn("orphans of connectors go unseen", "error", err)
		return
	}
	// Other Pillions read it: this process's environment and program are closed to them (S20).
	if err := os.WriteFile("/proc/self/comm", []byte(hostName), 0); err != nil {
		s.log.Warn("connectors of this process are known by their mark alone", "error", err)
	}
	s.adopts = true
	s.signals = make(chan os.Signal, 1)
	signal.Notify(s.signals, syscall.SIGCHLD)
	s.done.Go(s.follow)
}

// hostsConnectors reports whether the process has connectors for children.
func hostsConnectors(pid int) bool {
	name, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/comm")
	return err == nil && string(bytes.TrimSpace(name)) == hostName
}

// Close ends the reaping; orphans that are left are the guard's.
func (s *Subreaper) Close() {
	if s == nil {
		return
	}
	s.mu.Lock()
	if s.adopts {
		signal.Stop(s.signals)
		close(s.signals)
		s.adopts = false
	}
	s.mu.Unlock()
	s.done.Wait()
}

// start has begin start a child that somebody else waits for.
func (s *Subreaper) start(begin func() (pid int, err error)) error {
	if s == nil {
		_, err := begin()
		return err
	}
	// Until the child is written down nobody may look for orphans.
	s.mu.Lock()
	defer s.mu.Unlock()
	pid, err := begin()
	if err != nil {
		return err
	}
	if e, isThere := lookup(pid); isThere {
		s.own[e.identity] = true
	}
	return nil
}

// follow takes from the kernel what orphans leave when they end.
func (s *Subreaper) follow() {
	for range s.signals {
		s.orphans()
	}
}

// orphans lists the living children of this process that it did not start, and reaps those that have ended.
func (s *Subreaper) orphans() []entry {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.adopts {
		return nil
	}
	for child := range s.own {
		if e, isThere := lookup(child.pid); !isThere || e.identity != child {
			delete(s.own, child)
		}
	}
	var living []entry
	for _, pid := range children() {
		e, isThere := lookup(pid)
		switch {
		case !isThere || s.own[e.identity]:
		case e.ended:
			_, _ = unix.Wait4(pid, nil, unix.WNOHANG, nil)
		default:
			living = append(living, e)
		}
	}
	return living
}

// children are the ids of this process's children. The kernel lists them by the thread that has them, where it is built to.
func children() []int {
	lists, _ := filepath.Glob("/proc/self/task/*/children")
	if len(lists) == 0 {
		return childrenInTable()
	}
	var pids []int
	for _, list := range lists {
		text, err := os.ReadFile(list)
		if err != nil { // the thread has ended
			continue
		}
		for _, field := range strings.Fields(string(text)) {
			if pid, err := strconv.Atoi(field); err == nil {
				pids = append(pids, pid)
			}
		}
	}
	return pids
}

func childrenInTable() []int {
	all, _ := entries()
	var pids []int
	for _, e := range all {
		if e.parent == os.Getpid() {
			pids = append(pids, e.pid)
		}
	}
	return pids
}
