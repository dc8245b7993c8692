package bridge

import (
	"bufio"
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// link is one server.
type link struct {
	Upstream
	isLobby bool
	ended   chan struct{} // closed when nothing more is read

	writing sync.Mutex

	// What follows is guarded by the bridge's mu.
	isToBegin bool                     // the client's word that it has begun is not there yet
	asked     map[string]bool          // what it waits for the client to answer
	own       map[string]chan struct{} // requests of the bridge's own
}

func newLink(u Upstream) *link {
	return &link{Upstream: u, isToBegin: true, ended: make(chan struct{}), asked: map[string]bool{}, own: map[string]chan struct{}{}}
}

// serves reports whether a request goes to this server: the lobby has what all servers have.
func (l *link) serves(method string) bool {
	return !l.isLobby || isList(method) || method == methodInitialize || method == methodPing || method == methodSetLevel
}

// named is a request as this server is sent it: one that tells how far a call has come is told what to call it.
func (l *link) named(e envelope, line []byte) []byte {
	if !l.IsTelling || e.method != methodCall {
		return line
	}
	return withRequest(line, e)
}

// send writes one message. That it cannot be written is seen by the end of what is read.
func (l *link) send(line []byte) {
	l.writing.Lock()
	defer l.writing.Unlock()
	if _, err := l.Stream.Write(append(line, '\n')); err != nil {
		_ = l.Stream.Close()
	}
}

// keepServed has the client served by one server after the other, until ctx ends.
func (b *Bridge) keepServed(ctx context.Context) {
	b.awaitWish(ctx)
	for isFirst := true; ctx.Err() == nil; isFirst = false {
		u, err := b.dial(ctx)
		switch {
		case ctx.Err() != nil:
			if err == nil {
				_ = u.Stream.Close()
			}
			return
		case err != nil:
			b.refuse(err)
			b.awaitWish(ctx)
			continue
		}
		b.serve(ctx, newLink(u), !isFirst)
	}
}

// awaitWish waits until something waits for a server.
func (b *Bridge) awaitWish(ctx context.Context) {
	for {
		select {
		case <-b.wanted:
		case <-ctx.Done():
			return
		}
		b.mu.Lock()
		isAny := len(b.waiting) > 0
		b.mu.Unlock()
		if isAny {
			return
		}
	}
}

// dial finds the next server; what all servers answer alike is answered meanwhile.
func (b *Bridge) dial(ctx context.Context) (Upstream, error) {
	b.mu.Lock()
	client := b.spoken.client
	b.mu.Unlock()
	if b.options.Lobby == nil {
		return b.options.Dial(ctx, client)
	}
	lobby, cancel := context.WithCancel(ctx)
	var waiting sync.WaitGroup
	waiting.Go(func() {
		patience := time.NewTimer(lobbyTime)
		defer patience.Stop()
		select {
		case <-patience.C:
		case <-lobby.Done():
			return
		}
		stream, err := b.options.Lobby(lobby)
		if err != nil {
			b.log.Debug("nothing is answered meanwhile", "error", err)
			return
		}
		l := newLink(Upstream{Stream: stream})
		l.isLobby = true
		b.serve(lobby, l, false)
	})
	u, err := b.options.Dial(ctx, client)
	cancel()
	waiting.Wait()
	return u, err
}

// refuse tells everybody who waits that no server takes the client.
func (b *Bridge) refuse(err error) {
	b.log.Info("no server takes the client", "error", err)
	b.mu.Lock()
	b.refused, b.until = err, time.Now().Add(refusalTime)
	var told [][]byte
	for _, f := range b.waiting {
		delete(b.flights, keyOf(f.id))
		told = append(told, f.failed(err.Error()))
	}
	b.waiting, b.bytes = nil, 0
	b.mu.Unlock()
	for _, line := range told {
		b.tell(line)
	}
}

// serve has a server serve the client until it goes, or a better one is there, or ctx ends.
func (b *Bridge) serve(ctx context.Context, l *link, isAnother bool) {
	defer func() {
		_ = l.Stream.Close()
		<-l.ended
		b.lose(l)
	}()
	b.mu.Lock()
	b.next = l
	b.mu.Unlock()
	go b.readServer(l)
	stop := context.AfterFunc(ctx, func() { _ = l.Stream.Close() })
	defer stop()
	if err := b.replay(ctx, l); err != nil {
		b.log.Warn("a server was left: it does not take what was said before", "error", err)
		return
	}
	b.begin(l, isAnother)
	for {
		select {
		case <-l.ended:
			return
		case <-ctx.Done():
			return
		case <-l.Better:
			if b.leave(l) {
				return
			}
			select {
			case <-b.settled:
			case <-l.ended:
				return
			case <-ctx.Done():
				return
			}
		}
	}
}

// replay says to a server what the client has said to one before.
func (b *Bridge) replay(ctx context.Context, l *link) error {
	b.mu.Lock()
	said := b.spoken
	b.mu.Unlock()
	if said.welcome == nil {
		return nil // what was said waits, or there is nothing to be said in this era
	}
	ctx, cancel := context.WithTimeout(ctx, replayTime)
	defer cancel()
	if err := b.ask(ctx, l, said.hello); err != nil {
		return err
	}
	if said.initialized != nil {
		b.mu.Lock()
		l.isToBegin = false
		b.mu.Unlock()
		l.send(said.initialized)
	}
	if said.level != nil {
		if err := b.ask(ctx, l, said.level); err != nil {
			return err
		}
	}
	b.mu.Lock()
	var subscriptions [][]byte
	for _, line := range b.spoken.subscriptions {
		subscriptions = append(subscriptions, line)
	}
	b.mu.Unlock()
	for _, line := range subscriptions {
		if err := b.ask(ctx, l, line); err != nil {
			return err
		}
	}
	return nil
}

var errLeft = errors.New("it has gone")

// ask sends a request of the client's once more, and waits for its answer, which is nobody's.
func (b *Bridge) ask(ctx context.Context, l *link, line []byte) error {
	answered := make(chan struct{})
	b.mu.Lock()
	id := b.nextID()
	l.own[keyOf(id)] = answered
	b.mu.Unlock()
	l.send(withID(line, id))
	select {
	case <-answered:
		return nil
	case <-l.ended:
		return errLeft
	case <-ctx.Done():
		return ctx.Err()
	}
}

// begin sends on what waits, in order, and then all that comes.
func (b *Bridge) begin(l *link, isAnother bool) {
	for {
		next, isDone := b.takeWaiting(l)
		for _, line := range next {
			l.send(line)
		}
		if isDone {
			break
		}
	}
	if l.isLobby {
		return
	}
	b.mu.Lock()
	isAnother = isAnother || b.isEarly
	b.isEarly = false
	changes := b.spoken.changes()
	b.mu.Unlock()
	if !isAnother {
		return
	}
	for _, line := range changes {
		b.tell(line)
	}
}

// takeWaiting is what waits for this server; where nothing does, the server is the one that serves from now on.
func (b *Bridge) takeWaiting(l *link) (next [][]byte, isDone bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if l.isToBegin && b.spoken.initialized != nil {
		l.isToBegin = false
		next = append(next, b.spoken.initialized)
	}
	var rest []*flight
	for _, f := range b.waiting {
		if !l.serves(f.method) {
			rest = append(rest, f)
			continue
		}
		f.link, f.isLate = l, b.isEarly && f.isLasting()
		b.bytes -= len(f.line)
		next = append(next, l.named(open(f.line), f.line))
	}
	b.waiting = rest
	if len(next) > 0 {
		return next, false
	}
	b.now = l
	if !l.isLobby {
		b.refused = nil
	}
	return nil, true
}

// leave takes the client from a server, if nothing is in flight there.
func (b *Bridge) leave(l *link) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, f := range b.flights {
		if f.link == l && !f.isLasting() {
			return false
		}
	}
	b.now = nil
	return true
}

// lose ends what went away with a server, and keeps what is sent to the next.
func (b *Bridge) lose(l *link) {
	b.mu.Lock()
	if b.now == l {
		b.now = nil
	}
	b.next = nil
	var told [][]byte
	for key, f := range b.flights {
		if f.link != l {
			continue
		}
		if answer := b.seen(f); answer != nil {
			delete(b.flights, key)
			told = append(told, answer)
			continue
		}
		if f.isSentAgain() {
			f.isReplayed = f.isLasting()
			b.wait(f)
			continue
		}
		delete(b.flights, key)
		told = append(told, f.lost())
	}
	b.mu.Unlock()
	for _, line := range told {
		b.tell(line)
	}
}

func (b *Bridge) readServer(l *link) {
	defer close(l.ended)
	reader := bufio.NewReaderSize(l.Stream, 64<<10)
	var kept []byte
	for {
		line, err := readLine(reader, kept)
		if err != nil {
			if !errors.Is(err, io.EOF) {
				b.log.Debug("a server has gone", "error", err)
			}
			return
		}
		kept = line
		for _, one := range b.fromServer(l, line) {
			b.tell(one)
		}
	}
}

// fromServer takes one message of a server and returns what the client is told.
func (b *Bridge) fromServer(l *link, line []byte) [][]byte {
	e := open(line)
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e.kind {
	case request:
		l.asked[keyOf(e.id)] = true
	case notification:
		switch e.method {
		case StateMethod:
			if f := b.flights[keyOf(jsontext.Value(unquoted(member(e.params, "request"))))]; f != nil && f.link == l {
				f.state = unquoted(member(e.params, "state"))
			}
			return nil
		case methodListening:
			return b.listening(e, line)
		}
	case response:
		return b.answered(l, e, line)
	}
	return [][]byte{line}
}

// listening is for the acknowledgement of a subscription: of one that was sent again, or that comes after lists of the lobby, the
// client is told what may have changed.
func (b *Bridge) listening(e envelope, line []byte) [][]byte {
	id := member(member(e.params, "_meta"), metaSubscription)
	switch f := b.flights[keyOf(id)]; {
	case f != nil && f.isReplayed:
		return changesOf(id, e.params)
	case f != nil && f.isLate:
		return append([][]byte{line}, changesOf(id, e.params)...)
	}
	return [][]byte{line}
}

func (b *Bridge) answered(l *link, e envelope, line []byte) [][]byte {
	key := keyOf(e.id)
	if own, isOwn := l.own[key]; isOwn {
		delete(l.own, key)
		close(own)
		return nil
	}
	f := b.flights[key]
	if f == nil || f.link != l {
		if e.id.Kind() == 'n' {
			return [][]byte{line} // to what was no message
		}
		return nil
	}
	delete(b.flights, key)
	if e.result != nil {
		result := append(jsontext.Value(nil), e.result...)
		switch {
		case f.list != "" && l.isLobby:
			b.isEarly = true
		case f.list != "":
			b.lists[f.list] = result
		}
		if f.method == methodInitialize {
			b.spoken.welcome = result
		}
	}
	select {
	case b.settled <- struct{}{}:
	default:
	}
	return [][]byte{line}
}
