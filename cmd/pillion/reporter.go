package main

import (
	"sync"
	"time"

	"pillion/editors"
	"pillion/rpc"
)

// reporter passes a window's progress on to the call that is being made.
type reporter struct {
	mu     sync.Mutex
	report func(progress)
}

func (r *reporter) follow(report func(progress)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.report = report
}

// take reads one value of $/progress; the beginning and the end say nothing that a terminal shows.
func (r *reporter) take(value []byte) {
	var said struct {
		Kind       string `json:"kind"`
		Message    string `json:"message"`
		Percentage *int   `json:"percentage"`
	}
	if rpc.Unmarshal(value, &said) != nil || said.Kind != "report" {
		return
	}
	p := progress{message: said.Message, percent: -1}
	if said.Percentage != nil {
		p.percent = *said.Percentage
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.report != nil {
		r.report(p)
	}
}

// quietTime is how long a call may take before its progress is told, and how far apart what is told lies (U7).
const quietTime = time.Second

// progressLines tells progress on standard error, one line a second.
func (p *program) progressLines() func(progress) {
	last := time.Now()
	return func(said progress) {
		if time.Since(last) < quietTime {
			return
		}
		last = time.Now()
		switch {
		case said.percent >= 0 && said.message != "":
			p.sayf("%3d%% %s", said.percent, editors.Visible(said.message))
		case said.percent >= 0:
			p.sayf("%3d%%", said.percent)
		case said.message != "":
			p.say(editors.Visible(said.message))
		}
	}
}
