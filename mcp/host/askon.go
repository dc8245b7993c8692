package host

import (
	"context"
	"errors"
	"sync"
	"time"

	"pillion/mcp/permission"
)

// heldTime is how long a yes holds whose caller has given up, for the identical call (U8).
const heldTime = 5 * time.Minute

// askKey is what makes two calls identical: whose they are, what they call as it is defined now, and with which bytes.
type askKey struct {
	session, tool, hash, definition, version, arguments string
}

// keptAsk is a question that stays when its caller gives up.
type keptAsk struct {
	key      askKey
	answered chan struct{}  // closed once what follows is set
	answer   ApprovalAnswer // if err is nil
	err      error
	withdraw context.CancelFunc
	// release lets the session's next question be put, once what came of this one has had its effect.
	release func()

	// What follows is guarded by the book.
	isWaited bool // somebody waits for the answer
	isOver   bool // its session is
	expiry   *time.Timer
	// stands acts on an answer that nobody waits for.
	stands func(ApprovalAnswer)
}

// keptAsks are the questions that stay.
type keptAsks struct {
	mu   sync.Mutex
	open map[*keptAsk]bool
	// left are those that nobody waits for, open or with a yes to one call.
	left map[askKey]*keptAsk
}

func newKeptAsks() *keptAsks {
	return &keptAsks{open: map[*keptAsk]bool{}, left: map[askKey]*keptAsk{}}
}

// take is the question about an identical call that was given up, or nil. It serves whoever takes it alone.
func (b *keptAsks) take(key askKey) *keptAsk {
	b.mu.Lock()
	defer b.mu.Unlock()
	k := b.left[key]
	if k == nil {
		return nil
	}
	delete(b.left, key)
	if k.expiry != nil {
		k.expiry.Stop()
	}
	k.isWaited = true
	return k
}

func (b *keptAsks) add(k *keptAsk) {
	b.mu.Lock()
	defer b.mu.Unlock()
	k.isWaited, b.open[k] = true, true
}

// answeredWith is the end of a question; one that nobody waits for has its effect now, or is held.
func (b *keptAsks) answeredWith(k *keptAsk, answer ApprovalAnswer, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.open, k)
	k.answer, k.err = answer, err
	close(k.answered)
	if !k.isWaited {
		b.settle(k)
	}
}

// leave is for a caller that has given up.
func (b *keptAsks) leave(k *keptAsk) {
	b.mu.Lock()
	defer b.mu.Unlock()
	k.isWaited = false
	switch {
	case k.isOver:
		k.withdraw()
	case b.open[k]:
		b.left[k.key] = k
	default:
		b.settle(k)
	}
}

// settle does with an answer what can be done without its caller; b.mu is held.
func (b *keptAsks) settle(k *keptAsk) {
	if b.left[k.key] == k {
		delete(b.left, k.key)
	}
	switch {
	case k.err != nil || k.isOver || k.answer.Decision == DecideDecline:
	case k.answer.Decision != DecideOnce:
		k.stands(k.answer)
	default:
		b.left[k.key] = k
		k.expiry = time.AfterFunc(heldTime, func() { b.expire(k) })
	}
	k.release()
}

func (b *keptAsks) expire(k *keptAsk) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.left[k.key] == k {
		delete(b.left, k.key)
	}
}

// end withdraws the questions of sessions that are over, and forgets what is held for them.
func (b *keptAsks) end(isOver func(session string) bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for k := range b.open {
		if k.isOver = k.isOver || isOver(k.key.session); k.isOver && !k.isWaited {
			k.withdraw()
		}
	}
	for key, k := range b.left {
		if !isOver(key.session) {
			continue
		}
		delete(b.left, key)
		if k.expiry != nil {
			k.expiry.Stop()
		}
	}
}

// askOn is [call.ask] for a caller that may give up before there is an answer: the question stays, and a yes to it is one to the
// identical call.
func (c *call) askOn(ctx context.Context, at target, subject permission.Subject, verdict permission.Verdict) *Result {
	h := c.host
	kept := h.keptAsks.take(c.askKey(at))
	if kept == nil {
		release, refusal, err := h.approvals.enter(ctx, c.request.SessionID, c.request.TurnID)
		if err != nil {
			return c.cancelled(ctx)
		}
		if refusal != "" {
			declined := c.ended(StatusDeclined, refusal)
			return &declined
		}
		kept = c.keepAsking(at, subject, verdict, release)
	}
	select {
	case <-kept.answered:
	case <-ctx.Done():
		hasGivenUp := c.given.Err() != nil && !errors.Is(context.Cause(ctx), ErrClosed) && !h.isClosing()
		if !hasGivenUp {
			kept.withdraw()
		}
		h.keptAsks.leave(kept)
		if !hasGivenUp {
			return c.cancelled(ctx)
		}
		ended := c.ended(StatusCancelled, "cancelled while its user was asked; nothing ran. The question stays, and a yes holds for five minutes for exactly this call")
		return &ended
	}
	defer kept.release()
	switch {
	case errors.Is(kept.err, ErrNobody):
		return c.unasked()
	case kept.err != nil:
		return c.cancelled(ctx)
	}
	return c.answered(ctx, at, subject, kept.answer)
}

func (c *call) askKey(at target) askKey {
	return askKey{
		session: c.request.SessionID, tool: at.tool.ID, hash: at.tool.Hash, definition: at.key, version: at.subject.ServerVersion,
		arguments: string(c.arguments),
	}
}

// keepAsking puts the question, which lasts until it is answered, its session ends, or the host does.
func (c *call) keepAsking(at target, subject permission.Subject, verdict permission.Verdict, release func()) *keptAsk {
	h := c.host
	lasting, withdraw := context.WithCancel(h.lifetime)
	later := *c // what an answer does that comes when the call is over
	later.place = nil
	kept := &keptAsk{key: c.askKey(at), answered: make(chan struct{}), withdraw: withdraw, release: sync.OnceFunc(release), stands: func(answer ApprovalAnswer) {
		h.besides(func() { // not here: the book is locked, and a permission is written to the disk
			late := later
			_ = late.answered(h.lifetime, at, subject, answer)
		})
	}}
	h.keptAsks.add(kept)
	approval := c.approval(at, subject, verdict)
	ask := func() {
		defer withdraw()
		h.record(later.askRecord(verdict.Reason))
		answer, err := h.options.Asker.Approve(lasting, approval)
		if err == nil {
			h.record(later.answerRecord(answer))
		}
		h.keptAsks.answeredWith(kept, answer, err)
	}
	if !h.besides(ask) {
		withdraw()
		h.keptAsks.answeredWith(kept, ApprovalAnswer{}, ErrClosed)
	}
	return kept
}

// besides runs f as one of the host's workers; false is for a host that is closing.
func (h *Host) besides(f func()) (isRunning bool) {
	h.locked(func() {
		if isRunning = !h.isClosing(); isRunning {
			h.workers.Go(f)
		}
	})
	return isRunning
}
