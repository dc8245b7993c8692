package connector

import (
	"testing"
	"testing/synctest"
	"time"
)

// expiry runs a deadline of 10 s, and 60 s in all, and returns when and how it expired.
func expiry(t *testing.T, during func(*deadline, *Clock)) (after time.Duration, timeout *TimeoutError) {
	t.Helper()
	synctest.Test(t, func(*testing.T) {
		begun := time.Now()
		expired := make(chan error, 1)
		d := newDeadline(10*time.Second, time.Minute, func(err error) { expired <- err })
		defer d.stop()
		var clock Clock
		clock.drive(d)
		over := make(chan struct{})
		go func() {
			defer close(over)
			during(d, &clock)
		}()
		select {
		case err := <-expired:
			after, timeout = time.Since(begun), err.(*TimeoutError)
		case <-time.After(time.Hour):
		}
		<-over
	})
	return after, timeout
}

func TestE8_Deadline(t *testing.T) {
	every := func(pause time.Duration) func(*deadline, *Clock) {
		return func(d *deadline, _ *Clock) {
			for range 20 {
				time.Sleep(pause)
				d.progressed()
			}
		}
	}
	for _, test := range []struct {
		name   string
		during func(*deadline, *Clock)
		after  time.Duration
		isCap  bool
	}{
		{"no progress", func(*deadline, *Clock) {}, 10 * time.Second, false},
		{"progress once", func(d *deadline, _ *Clock) { time.Sleep(9 * time.Second); d.progressed() }, 19 * time.Second, false},
		{"progress for ever", every(9 * time.Second), time.Minute, true},
		{"progress too late", every(11 * time.Second), 10 * time.Second, false},
		{"halted for 100 s", func(_ *deadline, c *Clock) {
			time.Sleep(4 * time.Second)
			c.Pause()
			c.Pause()
			time.Sleep(50 * time.Second)
			c.Resume()
			time.Sleep(50 * time.Second)
			c.Resume()
		}, 110 * time.Second, false},
		{"halted under the cap", func(d *deadline, c *Clock) {
			c.Pause()
			time.Sleep(100 * time.Second)
			c.Resume()
			every(9*time.Second)(d, c)
		}, 160 * time.Second, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			after, timeout := expiry(t, test.during)
			if timeout == nil || after != test.after || timeout.IsCap != test.isCap {
				t.Errorf("after %s: %v; want %s", after, timeout, test.after)
			}
		})
	}
}

func TestE8_ClockHaltedBeforeTheCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var clock Clock
		clock.Pause()
		d := newDeadline(time.Second, time.Second, func(error) { t.Error("a halted deadline expired") })
		clock.drive(d)
		time.Sleep(time.Hour)
		d.stop()
		clock.Resume()
		time.Sleep(time.Hour)
	})
}
