package connector

import "sync"

// Clock halts the timeouts of a call while somebody other than the server is being waited for.
// The zero value runs. It may be used by several goroutines, and by one call only.
type Clock struct {
	mu     sync.Mutex
	paused int
	timer  interface{ halt(bool) }
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
