package connector

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

const sideLists = resourceList | templateList | promptList

// markChanged notes that lists are to be fetched again; it never blocks.
func (s *session) markChanged(l lists) {
	s.dirtyMu.Lock()
	s.dirty |= l
	if l&toolList != 0 {
		s.tools.told++
	}
	s.dirtyMu.Unlock()
	signal(s.changed)
}

func signal(to chan struct{}) {
	select {
	case to <- struct{}{}:
	default:
	}
}

// due are lists that are to be fetched now.
type due struct {
	said lists // the server has said that they changed
	aged lists // they are too old for whoever uses them
	told int   // how often it had said so of its tools by then
}

func (s *session) takeDue() due {
	s.dirtyMu.Lock()
	defer s.dirtyMu.Unlock()
	d := due{said: s.dirty, aged: s.fresh.wanted, told: s.tools.told}
	s.dirty, s.fresh.wanted = 0, 0
	return d
}

// announced are the lists that the server has.
func (s *session) announced() lists {
	var l lists
	if s.answer.features.tools.isAnnounced {
		l |= toolList
	}
	if s.answer.features.resources.isAnnounced {
		l |= resourceList | templateList
	}
	if s.answer.features.prompts.isAnnounced {
		l |= promptList
	}
	return l
}

// pace is how often lists are fetched because the server says that they changed (C31).
type pace struct {
	pause time.Duration // after the last fetch
	last  time.Time
}

// next is the pace after a fetch for which the server had asked, and whether it asks for nothing too often to be left unsaid.
func (p pace) next(hasNews bool, t tuning) (after pace, isStorm bool) {
	if hasNews {
		return pace{pause: t.sync, last: p.last}, false
	}
	pause := min(2*p.pause, t.maxSync)
	return pace{pause: pause, last: p.last}, p.pause < t.maxSync && pause == min(8*t.sync, t.maxSync)
}

// left is how long is still to be waited, at the first pace again after a quiet time.
func (p pace) left(now time.Time, t tuning) (same pace, left time.Duration) {
	if now.Sub(p.last) > 2*p.pause {
		p.pause = t.sync
	}
	return p, p.pause - now.Sub(p.last)
}

// keepListed fetches lists again when the server says that they changed: at once after a quiet time, then at most once a
// second, and ever more rarely while nothing new comes of it. What comes in during a fetch leads to one more. What is too old for
// whoever uses it goes along, and says nothing of how often the server asks.
func (s *session) keepListed() {
	t := s.connector.tuning
	p := pace{pause: t.sync}
	for {
		select {
		case <-s.ctx.Done():
			return
		case <-s.changed:
		}
		var left time.Duration
		if p, left = p.left(time.Now(), t); !s.rest(left) {
			return
		}
		d := s.takeDue()
		hasNews, err := s.fetchDue(d)
		p.last = time.Now()
		if err != nil || d.said == 0 {
			continue
		}
		isStorm := false
		if p, isStorm = p.next(hasNews, t); isStorm {
			s.connector.warn("storm", "says again and again that its lists changed when they did not")
		}
	}
}

// fetchDue fetches what is due and wakes those who wait for it.
func (s *session) fetchDue(d due) (hasNews bool, err error) {
	all := d.said | d.aged
	hasNews, toolsErr, err := s.connector.refresh(s.ctx, s, all&s.announced())
	s.refreshed(all)
	if all&toolList != 0 {
		s.relisted(d.told, toolsErr)
	}
	if err != nil {
		s.connector.warn("list", fmt.Sprintf("could not be listed again, the list before stands: %v", err))
	}
	return hasNews, err
}

// rest is sleep for the time of the session, cut short when somebody waits for a list.
func (s *session) rest(d time.Duration) bool {
	if d <= 0 {
		return s.ctx.Err() == nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-s.hurry:
		return true
	case <-s.ctx.Done():
		return false
	}
}

// sleep waits and reports whether ctx still stands.
func sleep(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return ctx.Err() == nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// firstList fetches everything that is announced. Without tools, where they are announced, there is no start; the other
// lists may follow.
func (c *Connector) firstList(ctx context.Context, s *session) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(s.ctx, func() { cancel(context.Cause(s.ctx)) })()
	announced := s.announced()
	if announced&toolList == 0 {
		c.warn("no tools", "announces no tools")
	}
	next := Catalogue{Tools: []Tool{}}
	var side sync.WaitGroup
	sideCtx, cancelSide := context.WithTimeout(ctx, c.tuning.sideList)
	defer cancelSide()
	found := make([]listed, len(kinds()))
	for i, k := range kinds() {
		if k.list&announced&sideLists != 0 {
			side.Go(func() { found[i] = s.fetchList(sideCtx, k) })
		}
	}
	if announced&toolList != 0 {
		tools := s.fetchList(ctx, kinds()[0])
		for try := 1; tools.err != nil && try < c.tuning.listTries && sleep(ctx, c.tuning.listRetry); try++ {
			tools = s.fetchList(ctx, kinds()[0])
		}
		if tools.err != nil {
			cancelSide()
			side.Wait()
			return fmt.Errorf("its tools could not be listed: %w", tools.err)
		}
		next.take(toolList, tools.entries, s.isMirroring())
	}
	side.Wait()
	for i, k := range kinds() {
		if k.list&announced&sideLists == 0 {
			continue
		}
		if found[i].err == nil {
			c.warnOfEntries(k, next.take(k.list, found[i].entries, false))
			continue
		}
		if errors.Is(found[i].err, context.DeadlineExceeded) {
			s.markChanged(k.list)
		}
		c.warn("list "+k.member, fmt.Sprintf("%s: %s", k.method, visible(found[i].err.Error(), maxReasonBytes)))
	}
	c.publish(next)
	return nil
}

// refresh fetches the lists and publishes a generation if one differs. A list that cannot be had stays as it is, and leads to
// the error; toolsErr is that of the tools alone.
func (c *Connector) refresh(ctx context.Context, s *session, want lists) (hasNews bool, toolsErr, err error) {
	c.mu.Lock()
	next := *c.catalogue
	c.mu.Unlock()
	for _, k := range kinds() {
		if k.list&want == 0 {
			continue
		}
		found := s.fetchList(ctx, k)
		if found.err != nil {
			err = errors.Join(err, fmt.Errorf("%s: %w", k.method, found.err))
			if k.list == toolList {
				toolsErr = found.err
			}
			continue
		}
		c.warnOfEntries(k, next.take(k.list, found.entries, s.isMirroring()))
	}
	return c.publish(next), toolsErr, err
}

// isMirroring reports whether headers repeat arguments.
func (s *session) isMirroring() bool {
	return s.connector.definition.URL != "" && s.answer.era == EraModern
}

// take replaces one list; the warning says what of it cannot be used.
func (next *Catalogue) take(list lists, entries []jsontext.Value, isMirroring bool) (warning string) {
	switch list {
	case toolList:
		next.Tools, next.Quarantined = readTools(entries, isMirroring)
	case resourceList:
		next.Resources, warning = readEntries(entries, (*Resource).read, (*Resource).check)
	case templateList:
		next.ResourceTemplates, warning = readEntries(entries, (*ResourceTemplate).read, (*ResourceTemplate).check)
	case promptList:
		next.Prompts, warning = readEntries(entries, (*Prompt).read, (*Prompt).check)
	}
	return warning
}

func (c *Connector) warnOfEntries(k kind, warning string) {
	if warning != "" {
		c.warn("entries of "+k.member, fmt.Sprintf("%s: %s", k.method, visible(warning, maxReasonBytes)))
	}
}

// publish makes the catalogue the next generation in one step, unless it is equal to the last.
func (c *Connector) publish(next Catalogue) bool {
	c.mu.Lock()
	if c.catalogue != nil {
		next.Generation = c.catalogue.Generation
		if c.catalogue.isSameAs(&next) {
			c.mu.Unlock()
			return false
		}
	}
	next.Generation++
	c.catalogue = &next
	c.changes.add(Change{State: c.state, Phase: c.phase, Catalogue: &next})
	c.mu.Unlock()
	c.changes.flush()
	return true
}

// listed is one list, or why there is none.
type listed struct {
	entries []jsontext.Value
	err     error
}

// fetchList fetches a whole list. A server that announces what it does not have has an empty list (C33).
func (s *session) fetchList(ctx context.Context, k kind) listed {
	ctx, cancel := context.WithTimeout(ctx, s.connector.definition.StartTimeout)
	defer cancel()
	ttl := time.Duration(0)
	entries, warning, err := listAll(ctx, k.member, s.answer.era == EraModern, func(ctx context.Context, cursor *string) (jsontext.Value, error) {
		x := newExchange(k.method)
		if cursor != nil {
			quoted, _ := jsontext.AppendQuote(nil, *cursor)
			x.members = []member{{"cursor", quoted}}
		}
		err := k.ask(withExchange(ctx, x), s.client)
		x.finish()
		if x.isSettled() {
			raw, err := x.outcome()
			if err == nil && s.answer.era == EraModern {
				ttl = ttlOf(raw, ttl, cursor == nil)
			}
			return raw, err
		}
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		return nil, err
	})
	s.fetched(k.list, ttl)
	if isMethodNotFound(err) {
		// Templates have no announcement of their own, so nothing is wrong there.
		if k.list != templateList {
			s.connector.warn("list "+k.member, fmt.Sprintf("announces %s but does not know %s", k.member, k.method))
		}
		return listed{entries: []jsontext.Value{}}
	}
	if warning != "" {
		s.connector.warn("list "+k.member, fmt.Sprintf("%s: %s", k.method, warning))
	}
	return listed{entries: entries, err: err}
}
