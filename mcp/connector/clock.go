package connector

import (
	"sync"
	"time"
)

// Clock halts the timeouts of a call while somebody other than the server is being waited for.
// The zero value runs. It may be used by several goroutines, and by one call only.
type Clock struct {
	mu     sync.Mutex
	paused int
	timer  *deadline
}

// Pause halts the clock until every Pause has its Resume.
func (c *Clock) Pause() { c.add(1) }

// Resume pairs with Pause.
func (c *Clock) Resume() { c.add(-1) }

func (c *Clock) add(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	was := c.paused > 0
	c.paused = max(c.paused+n, 0)
	if is := c.paused > 0; is != was && c.timer != nil {
		c.timer.halt(is)
	}
}

// drive makes the clock halt the deadline from now on; nil makes it halt none.
func (c *Clock) drive(d *deadline) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.timer = d
	if c.paused > 0 && d != nil {
		d.halt(true)
	}
}

// deadline ends a call that has not progressed for a time, and at the latest after a longer one.
type deadline struct {
	patience time.Duration
	limit    time.Duration
	expire   func(error)

	mu       sync.Mutex
	isHalted bool
	isOver   bool
	idle     time.Duration // left without progress
	total    time.Duration // left whatever happens
	since    time.Time     // idle and total are as of then
	timer    *time.Timer
}

// newDeadline starts the clock. expire is called at most once, with a *TimeoutError.
func newDeadline(patience, limit time.Duration, expire func(error)) *deadline {
	patience = min(patience, limit)
	d := &deadline{patience: patience, limit: limit, expire: expire, idle: patience, total: limit, since: time.Now()}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.timer = time.AfterFunc(patience, d.check)
	return d
}

func (d *deadline) check() {
	d.mu.Lock()
	d.account()
	if d.isOver || d.isHalted {
		d.mu.Unlock()
		return
	}
	left := min(d.idle, d.total)
	if left > 0 {
		d.timer.Reset(left)
		d.mu.Unlock()
		return
	}
	d.isOver = true
	isCap := d.total <= 0 && d.limit > d.patience
	d.mu.Unlock()
	if isCap {
		d.expire(&TimeoutError{After: d.limit, IsCap: true})
	} else {
		d.expire(&TimeoutError{After: d.patience})
	}
}

// account takes the time since the last account off; d.mu is held.
func (d *deadline) account() {
	now := time.Now()
	if !d.isHalted {
		d.idle -= now.Sub(d.since)
		d.total -= now.Sub(d.since)
	}
	d.since = now
}

// progressed gives the call its patience anew. The timer is left to find out when it fires.
func (d *deadline) progressed() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.account()
	d.idle = d.patience
}

func (d *deadline) halt(isHalted bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.account()
	d.isHalted = isHalted
	if isHalted {
		d.timer.Stop()
	} else if !d.isOver {
		d.timer.Reset(max(min(d.idle, d.total), 0))
	}
}

func (d *deadline) stop() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.isOver = true
	d.timer.Stop()
}
