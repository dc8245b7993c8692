package host

import (
	"cmp"
	"time"

	"pillion/mcp/config"
)

// busy keeps a connector from going idle while it works.
func (h *Host) busy(s *slot, by int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	s.life.calls += by
	h.rearm(s)
}

// rearm ends the connector after its idle time without a call (C7); h.mu is held.
func (h *Host) rearm(s *slot) {
	s.disarm()
	if s.life.activity != activityReady || s.life.calls > 0 || s.entry.Options.Start == config.StartEager {
		return
	}
	var timer *time.Timer
	timer = time.AfterFunc(cmp.Or(s.entry.Options.IdleTimeout, defaultIdleTimeout), func() {
		h.locked(func() {
			if s.idle == timer { // else it was disarmed while it waited for the lock
				h.ask(s, wishIdle)
			}
		})
	})
	s.idle = timer
}

// disarm is called with Host.mu held.
func (s *slot) disarm() {
	if s.idle != nil {
		s.idle.Stop()
		s.idle = nil
	}
}
