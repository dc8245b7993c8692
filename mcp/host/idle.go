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
	s.life.isUsed = s.life.isUsed || by > 0
	h.rearm(s)
}

// rearm ends the connector after its idle time without a call (C7); h.mu is held.
func (h *Host) rearm(s *slot) {
	s.disarm()
	after := idleTimeOf(s.entry)
	if s.life.activity != activityReady || s.life.calls > 0 || s.leases > 0 || len(s.subscriptions) > 0 || after < 0 {
		return
	}
	var timer *time.Timer
	timer = time.AfterFunc(after, func() {
		h.locked(func() {
			if s.idle == timer { // else it was disarmed while it waited for the lock
				s.isRemoved = s.isRemoved || s.main != nil && s.leases == 0
				h.ask(s, wishIdle)
			}
		})
	})
	s.idle = timer
}

// idleTimeOf is how long a connector stays up without a call; negative for one that does so as long as it may run: what it holds
// would be lost with it (A6).
func idleTimeOf(entry *config.Entry) time.Duration {
	switch written := entry.Options.IdleTimeout; {
	case entry.Options.Start == config.StartEager, written == 0 && isStateful(entry):
		return -1
	default:
		return cmp.Or(written, defaultIdleTimeout)
	}
}

// disarm is called with Host.mu held.
func (s *slot) disarm() {
	if s.idle != nil {
		s.idle.Stop()
		s.idle = nil
	}
}
