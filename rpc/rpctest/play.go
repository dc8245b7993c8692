package rpctest

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// PlayOptions adjust how a transcript is played. The zero value plays it strictly.
type PlayOptions struct {
	Vars    map[string]string // values that "${name}" is bound to beforehand
	Update  bool              // rewrite what does not match, and the file
	Replay  bool              // match by id, method and error code alone
	Timeout time.Duration     // for each block and for the end; 0 is ten seconds
}

// Play plays the transcript in the file at path against p, which plays no other,
// and fails the test at the first line that does not hold.
func Play(t testing.TB, path string, p *Peer, o PlayOptions) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	script, err := ParseTranscript(path, text)
	if err != nil {
		t.Fatal(err)
	}
	err = script.Play(p, o)
	if o.Update && string(script.Bytes()) != string(text) {
		if err := os.WriteFile(path, script.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
}

// Play plays the transcript against p and returns the first line that does not
// hold. With Update it changes the transcript.
func (t *Transcript) Play(p *Peer, o PlayOptions) error {
	if o.Timeout == 0 {
		o.Timeout = 10 * time.Second
	}
	pl := &player{peer: p, options: o, names: names{}, ids: map[string]value{}, renamed: map[string]string{}, received: make(chan received), stop: make(chan struct{})}
	for name, v := range o.Vars {
		pl.names[name] = v
	}
	defer close(pl.stop)
	go pl.receive()
	for i := 0; i < len(t.lines); {
		n := 1
		for t.lines[i].verb == expect && i+n < len(t.lines) && (t.lines[i+n].verb == expect || t.lines[i+n].verb == comment) {
			n++
		}
		if err := pl.step(t.lines[i : i+n]); err != nil {
			return fmt.Errorf("%s:%d: %w%s", t.name, t.lines[i].number, err, pl.context())
		}
		i += n
	}
	if err := pl.leftover(); err != nil {
		return fmt.Errorf("%s: %w", t.name, err)
	}
	return nil
}

// player is one run of a transcript.
type player struct {
	peer     *Peer
	options  PlayOptions
	names    names
	ids      map[string]value  // replay: recorded id of a request of Pillion's -> its id now
	renamed  map[string]string // replay: recorded name -> what it is now
	received chan received
	stop     chan struct{}
	backlog  []object // received and not claimed
	ended    error    // why receiving ended
	writeErr error    // the first failed write: the peer may be at its end, rightly
}

// received is one message or the end.
type received struct {
	message object
	err     error
}

// receive reads frames until the end.
func (p *player) receive() {
	in := bufio.NewReader(p.peer.Out)
	for {
		var r received
		text, err := ReadFrame(in)
		if err == nil {
			r.message, err = parseReceived(text)
		}
		r.err = err
		select {
		case p.received <- r:
		case <-p.stop:
			return
		}
		if err != nil {
			return
		}
	}
}

func parseReceived(text []byte) (object, error) {
	v, err := parseValue(text)
	if err != nil {
		return nil, fmt.Errorf("received a body that is not JSON: %w: %.200q", err, text)
	}
	o, isObject := v.(object)
	if !isObject {
		return nil, fmt.Errorf("received a body that is not an object: %.200q", text)
	}
	return o, nil
}

// step plays one line, or one block of expectations.
func (p *player) step(lines []line) error {
	l := &lines[0]
	switch l.verb {
	case comment:
		return nil
	case message, split:
		return p.send(l)
	case body:
		p.write(Frame(l.bytes))
	case fill:
		p.writeFill(l.count)
	case raw:
		p.write(l.bytes)
	case eof:
		// A peer that has ended may have closed it.
		_ = p.peer.In.Close()
	case expect:
		return p.expect(lines)
	case exit:
		return p.exit(l.count)
	case stderr:
		return p.stderr(l.bytes)
	}
	return nil
}

// send sends the message of a line.
func (p *player) send(l *line) error {
	text, err := p.outgoing(l)
	if err != nil {
		return err
	}
	frame := Frame(text)
	if l.verb == message {
		p.write(frame)
		return nil
	}
	for i := range frame {
		p.write(frame[i : i+1])
	}
	return nil
}

// outgoing returns the body of the message of a line: as it is written, escapes and
// all, unless something has to be put into it.
func (p *player) outgoing(l *line) ([]byte, error) {
	text, o := l.json, l.value.(object)
	id, translated := p.ids[idText(o)]
	if _, isRequest := o.member("method"); isRequest {
		translated = false
	}
	if translated || anyName.Match(text) || len(p.renamed) > 0 {
		v, err := p.names.expand(o)
		if err != nil {
			return nil, err
		}
		o = p.rename(v).(object)
		if translated {
			o = o.with("id", id)
		}
		text = appendValue(nil, o)
	}
	if _, present := o.member("jsonrpc"); present || len(o) == 0 {
		return text, nil
	}
	return append([]byte(`{"jsonrpc":"2.0",`), text[1:]...), nil
}

// write writes to the peer. A failure is no failure of the line: a peer that is
// right to end may have done so already. A peer that does not read fails what
// follows.
func (p *player) write(text []byte) {
	if p.writeErr != nil {
		return
	}
	written := make(chan error, 1)
	go func() {
		_, err := p.peer.In.Write(text)
		written <- err
	}()
	timeout := time.NewTimer(p.options.Timeout)
	defer timeout.Stop()
	select {
	case p.writeErr = <-written:
	case <-timeout.C:
		p.writeErr = errors.New("the peer does not read")
	}
}

// writeFill writes a body of blanks without holding it.
func (p *player) writeFill(bytes int) {
	p.write(fmt.Appendf(nil, "Content-Length: %d\r\n\r\n", bytes))
	blanks := []byte(strings.Repeat(" ", 1<<20))
	for bytes > 0 && p.writeErr == nil {
		n := min(bytes, len(blanks))
		p.write(blanks[:n])
		bytes -= n
	}
}

// expect waits until every line of the block has claimed a message.
func (p *player) expect(lines []line) error {
	open := make([]*line, 0, len(lines))
	for i := range lines {
		if lines[i].verb == expect {
			open = append(open, &lines[i])
		}
	}
	timeout := time.NewTimer(p.options.Timeout)
	defer timeout.Stop()
	waiting := p.backlog
	p.backlog = nil
	for {
		for _, m := range waiting {
			if rest, claimed := p.claim(open, m); claimed {
				open = rest
			} else {
				p.backlog = append(p.backlog, m)
			}
		}
		if len(open) == 0 {
			return nil
		}
		m, err := p.next(timeout.C)
		if err != nil {
			return p.unmet(open, err)
		}
		waiting = []object{m}
	}
}

var errTimeout = errors.New("time is up")

// next returns the next message.
func (p *player) next(timeout <-chan time.Time) (object, error) {
	if p.ended != nil {
		return nil, p.ended
	}
	select {
	case r := <-p.received:
		p.ended = r.err
		return r.message, r.err
	case <-timeout:
		return nil, errTimeout
	}
}

// claim lets the first open line that matches have m and returns the others. In a
// replay one notification claims every line of its method: what was told in two
// parts may be told in one.
func (p *player) claim(open []*line, m object) ([]*line, bool) {
	if _, present := m.member("id"); p.options.Replay && !present {
		rest := slices.DeleteFunc(slices.Clone(open), func(l *line) bool { return p.matches(l, m) })
		return rest, len(rest) < len(open)
	}
	for i, l := range open {
		if p.matches(l, m) {
			return append(open[:i:i], open[i+1:]...), true
		}
	}
	if !p.options.Update {
		return open, false
	}
	for i, l := range open {
		if l.value == nil || p.corresponds(l.value.(object), m) {
			l.text = string(expect) + " " + string(appendValue(nil, m.without("jsonrpc")))
			return append(open[:i:i], open[i+1:]...), true
		}
	}
	return open, false
}

// matches reports whether a line is satisfied by m.
func (p *player) matches(l *line, m object) bool {
	if l.value == nil {
		return false
	}
	expected := l.value.(object)
	if !p.options.Replay {
		return p.names.match(expected, m) == ""
	}
	if !p.corresponds(expected, m) || errorCode(expected) != errorCode(m) {
		return false
	}
	if _, isRequest := expected.member("method"); isRequest {
		if id, present := m.member("id"); present {
			p.ids[idText(expected)] = id
		}
	}
	p.learn(expected, m)
	return true
}

// corresponds reports whether m is of the kind that expected describes: the answer
// to the same id, or a message of the same method.
func (p *player) corresponds(expected, m object) bool {
	method, isRequest := expected.member("method")
	got, gotRequest := m.member("method")
	if isRequest || gotRequest {
		return isRequest && gotRequest && method == got
	}
	wanted, present := expected.member("id")
	if !present {
		return false
	}
	id, err := p.names.expand(wanted)
	return err == nil && string(appendValue(nil, id)) == idText(m)
}

// idText returns the id of a message as JSON.
func idText(o object) string {
	id, _ := o.member("id")
	return string(appendValue(nil, id))
}

// errorCode returns the code of an error answer as JSON, and "" for none.
func errorCode(o object) string {
	v, _ := o.member("error")
	fault, isObject := v.(object)
	if !isObject {
		return ""
	}
	code, _ := fault.member("code")
	return string(appendValue(nil, code))
}

// unmet says what was expected and what came instead.
func (p *player) unmet(open []*line, reason error) error {
	var text strings.Builder
	for _, l := range open {
		fmt.Fprintf(&text, "\n  line %d not met: %s", l.number, l.text)
		if l.value == nil {
			continue
		}
		for _, m := range p.backlog {
			if p.corresponds(l.value.(object), m) {
				fmt.Fprintf(&text, "\n    %s", p.names.match(l.value, m))
			}
		}
	}
	if reason == io.EOF {
		reason = errors.New("the peer ended")
	}
	return fmt.Errorf("%w%s", reason, text.String())
}

// exit waits for the end of the peer and checks its code.
func (p *player) exit(code int) error {
	type end struct {
		code int
		err  error
	}
	ended := make(chan end, 1)
	go func() {
		code, err := p.peer.Wait()
		ended <- end{code, err}
	}()
	timeout := time.NewTimer(p.options.Timeout)
	defer timeout.Stop()
	for p.ended == nil {
		m, err := p.next(timeout.C)
		if errors.Is(err, errTimeout) {
			return fmt.Errorf("%w: the peer has not ended", err)
		}
		if err == nil {
			p.backlog = append(p.backlog, m)
		}
	}
	if p.ended != io.EOF {
		return p.ended
	}
	select {
	case got := <-ended:
		if got.code != code {
			return fmt.Errorf("the exit code is %d (%v), expected %d", got.code, got.err, code)
		}
		return nil
	case <-timeout.C:
		return fmt.Errorf("%w: the peer has not ended", errTimeout)
	}
}

// stderr checks what the peer, which has ended, wrote to stderr: nothing, or one
// line that contains wanted.
func (p *player) stderr(wanted []byte) error {
	if p.peer.Stderr == nil {
		return nil
	}
	got := p.peer.Stderr()
	if wanted == nil {
		if got != "" {
			return fmt.Errorf("stderr is %q, expected nothing", got)
		}
		return nil
	}
	if !strings.Contains(got, string(wanted)) || strings.Count(got, "\n") != 1 || !strings.HasSuffix(got, "\n") {
		return fmt.Errorf("stderr is %q, expected one line with %q", got, wanted)
	}
	return nil
}

// leftover fails for an answer that nobody expected.
func (p *player) leftover() error {
	for _, m := range p.backlog {
		if _, isRequest := m.member("method"); !isRequest {
			return fmt.Errorf("an answer that no line expects: %s", shortened(m))
		}
	}
	return nil
}

// context describes, for a failure, what has been received and not claimed.
func (p *player) context() string {
	var text strings.Builder
	for _, m := range p.backlog {
		fmt.Fprintf(&text, "\n  received: %s", shortened(m))
	}
	if p.writeErr != nil {
		fmt.Fprintf(&text, "\n  a write failed: %v", p.writeErr)
	}
	if p.peer.Stderr != nil {
		if s := p.peer.Stderr(); s != "" {
			fmt.Fprintf(&text, "\n  stderr: %s", s)
		}
	}
	return text.String()
}
