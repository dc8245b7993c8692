package connector

import "context"

// wire is how messages leave for the server. None of its methods waits for the server.
type wire interface {
	// send queues a message.
	send(outgoing) error
	// answer queues an answer to a request of the server and reports whether there was room.
	answer(frame []byte) bool
	// cancel is told that the reply to a request that has left is no longer wanted, with the notification that says so.
	cancel(x *exchange, notice outgoing)
	// close ends the traffic; what is queued is not sent.
	close()
}

// link is the way to a server and back, and the server's life as far as Pillion has a hand in it: a program over its pipes,
// or a remote server over HTTP. What comes from the server goes to the filter, whichever it is.
type link interface {
	wire
	// begin starts what moves the messages, as workers of the session.
	begin()
	// agree is told what the handshake came to, before anything follows it.
	agree(*answer)
	// hasEnded reports whether no answer can come any longer.
	hasEnded() bool
	// obituary says why it has.
	obituary() *Problem
	// unanswered and refused say why there was no handshake, of a server that lives.
	unanswered(*silentError) *Problem
	refused(*refusedError) *Problem
	// end ends it, politely, and returns when nothing is left of it but the workers, which end by themselves then.
	end()
	// hurry cuts the politeness of end short.
	hurry()
	// describe fills in what the status has of it.
	describe(*Status)
}

var (
	_ link = (*program)(nil)
	_ link = (*remote)(nil)
)

// finish ends the session and returns when nothing of it is left; the end of ctx cuts the patience short.
func (s *session) finish(ctx context.Context) {
	s.finishing.Do(func() { go s.cleanUp() })
	select {
	case <-s.gone:
	case <-ctx.Done():
		s.link.hurry()
		<-s.gone
	}
}

// cleanUp ends the server first: what it says on its way out is still read, so that it can flush (C19).
func (s *session) cleanUp() {
	s.cancel(errStopped)
	s.filter.close()
	s.link.end()
	<-s.filter.ended
	if s.client != nil {
		// All calls were cancelled and the stream has ended, so it has nothing to wait for.
		_ = s.client.Close()
	}
	s.workers.Wait()
	s.journal.close()
	c := s.connector
	c.mu.Lock()
	if c.session == s {
		c.session = nil
	}
	c.mu.Unlock()
	close(s.gone)
}
