package process

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// registration is one process tree as the guard knows it.
type registration struct {
	ticket  int
	marker  string
	since   uint64 // nothing that started earlier belongs to it
	leader  int    // 0: about to start
	started uint64 // of the leader
}

// line is the registration as a command to the guard process.
// The marker stands last because a connector's id may hold spaces.
func (r registration) line() string {
	return fmt.Sprintf("keep %d %d %d %d %s\n", r.ticket, r.since, r.leader, r.started, r.marker)
}

func releaseLine(ticket int) string { return fmt.Sprintf("release %d\n", ticket) }

// maxRegistered bounds what a guard keeps, far above what one window runs.
const maxRegistered = 100_000

// readRegistrations follows the commands to their end and returns what is registered then.
// A line that is no command counts for nothing.
func readRegistrations(in io.Reader) map[int]registration {
	kept := make(map[int]registration)
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadSlice('\n')
		if err == bufio.ErrBufferFull {
			continue
		}
		if err != nil {
			return kept // a part of a line is a command that was never finished
		}
		apply(kept, strings.TrimSuffix(string(line), "\n"))
	}
}

func apply(kept map[int]registration, line string) {
	verb, rest, _ := strings.Cut(line, " ")
	switch verb {
	case "release":
		if ticket, err := strconv.Atoi(rest); err == nil {
			delete(kept, ticket)
		}
	case "keep":
		if r, ok := parseKeep(rest); ok && len(kept) < maxRegistered {
			kept[r.ticket] = r
		}
	}
}

func parseKeep(text string) (registration, bool) {
	fields := strings.SplitN(text, " ", 5)
	if len(fields) != 5 {
		return registration{}, false
	}
	ticket, err1 := strconv.Atoi(fields[0])
	since, err2 := strconv.ParseUint(fields[1], 10, 64)
	leader, err3 := strconv.Atoi(fields[2])
	started, err4 := strconv.ParseUint(fields[3], 10, 64)
	for _, err := range []error{err1, err2, err3, err4} {
		if err != nil {
			return registration{}, false
		}
	}
	r := registration{ticket, fields[4], since, leader, started}
	// A leader without a start time, or process 1, could be anybody.
	if leader < 0 || leader == 1 || leader > 0 && started == 0 || !isMarker(r.marker) {
		return registration{}, false
	}
	return r, true
}
