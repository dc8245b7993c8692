package connector

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// stub is what the SDK gets for every reply. It would decode a real result, fail on much of what is worth showing, and take
// some error codes for its own; an error with a code that is nobody's costs it nothing (a result, however short, 64 KiB).
func stub() error { return &jsonrpc.Error{Code: 1, Message: "the reply is with the exchange"} }

// reply handles an answer to one of our requests.
func (f *filter) reply(message frame, isOwned bool) {
	id, isExact, ok := integer(message.id)
	if !ok {
		f.strayReply(message)
		return
	}
	if !isExact {
		f.onWarning("id type", fmt.Sprintf("answers with ids of another type (%s for %d)", visible(string(message.id), 40), id))
	}
	if id > f.highestID() {
		f.onWarning("unknown id", "answered a request that was never sent")
		return
	}
	f.settle(id, func(x *exchange) { f.judge(x, message, isOwned) })
}

func (f *filter) highestID() int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.lastID
}

// settle takes the exchange out and lets judge write its outcome; nil when nobody waits under the id.
func (f *filter) settle(id int64, judge func(*exchange)) *exchange {
	f.mu.Lock()
	x := f.pending[id]
	f.mu.Unlock()
	if x == nil || !x.mayHaveRun() || !f.conclude(x, judge) {
		return nil
	}
	return x
}

// fail gives up waiting for a reply that cannot come, unless it has come.
func (f *filter) fail(x *exchange, failure error) {
	f.conclude(x, func(x *exchange) { x.failure = failure })
}

// conclude takes the exchange out, if it is still in, and lets judge write its outcome.
func (f *filter) conclude(x *exchange, judge func(*exchange)) bool {
	f.mu.Lock()
	if f.pending[x.wireID] != x {
		f.mu.Unlock()
		return false
	}
	delete(f.pending, x.wireID)
	delete(f.tokens, x.token)
	f.mu.Unlock()
	x.mu.Lock()
	judge(x)
	x.mu.Unlock()
	close(x.settled)
	if x.listens != nil {
		f.listenEnded(x)
	}
	if x.sdkID != 0 {
		if sdkID, err := jsonrpc.MakeID(float64(x.sdkID)); err == nil {
			f.forward(&jsonrpc.Response{ID: sdkID, Error: stub()})
		}
	}
	return true
}

// listenEnded acts on the end of a subscription.
func (f *filter) listenEnded(x *exchange) {
	f.onAcknowledged(x.asked, nil)
	switch {
	case x.failure != nil, x.listens.kind == aboutTask: // a task is looked at all the same
	case x.refusal != nil:
		f.onWarning("listen refused", "does not tell when something changes: "+visible(x.refusal.Error(), maxReasonBytes))
	default:
		f.onListenEnd(*x.listens)
	}
}

// judge writes what the reply says into the exchange, whose lock is held.
func (f *filter) judge(x *exchange, message frame, isOwned bool) {
	hasError := message.err != nil && message.err.Kind() != 'n'
	hasResult := message.result != nil && message.result.Kind() != 'n'
	switch {
	case hasError && hasResult:
		x.failure = &MalformedReplyError{Reason: "it has both a result and an error: " + protocolError(message.err).Error()}
	case hasError:
		x.refusal = protocolError(message.err)
	case message.result == nil:
		x.failure = &MalformedReplyError{Reason: "it has neither a result nor an error"}
	case message.result.Kind() != '{':
		x.failure = &MalformedReplyError{Reason: "its result is not an object: " + visible(string(message.result[:min(len(message.result), sampleBytes)]), sampleBytes)}
	case !strings.HasSuffix(x.method, "/list") && isTooDeep(message.result, maxDepth):
		x.failure = &MalformedReplyError{Reason: fmt.Sprintf("its result nests deeper than %d levels", maxDepth)}
	default:
		x.result = message.result
		if !isOwned {
			x.result = bytes.Clone(message.result)
		}
		x.resultType = resultType(x.result)
	}
}

// resultType returns what the result says it is; complete when it says nothing.
func resultType(result []byte) string {
	if !bytes.Contains(result, []byte(`"resultType"`)) {
		return ResultComplete
	}
	kind := ResultComplete
	err := object(result, func(name string, value jsontext.Value) error {
		if name == "resultType" {
			kind, _ = text(value)
		}
		return nil
	})
	if err != nil && !errors.Is(err, errDuplicateName) {
		return ResultComplete
	}
	return kind
}

// protocolError reads an error object of any shape.
func protocolError(raw jsontext.Value) *ProtocolError {
	e := &ProtocolError{}
	err := object(raw, func(name string, value jsontext.Value) error {
		switch name {
		case "code":
			if code, _, ok := integer(value); ok && code == int64(int32(code)) {
				e.Code = int(code)
			}
		case "message":
			e.Message, _ = text(value)
		case "data":
			if len(value) <= maxFormBytes {
				e.Data = value.Clone()
			}
		}
		return nil
	})
	if err == nil && e.Message != "" {
		return e
	}
	if said, ok := text(raw); ok {
		e.Message = said
	} else {
		e.Message = visible(string(raw[:min(len(raw), sampleBytes)]), sampleBytes)
	}
	return e
}

// strayReply handles a reply whose id is none of ours: null, absent or of another kind. Where only one request waits it must
// be meant for that one, which then need not wait until its time is over.
func (f *filter) strayReply(message frame) {
	said := "without an id"
	if message.id != nil {
		said = "with the id " + visible(string(message.id[:min(len(message.id), sampleBytes)]), 40)
	}
	if message.err != nil {
		said += ": " + visible(protocolError(message.err).Message, sampleBytes)
	}
	f.failOnly(&MalformedReplyError{Reason: "it came " + said})
	f.onWarning("stray reply", "sent a reply "+said)
}

// failOnly fails the one request that waits, if it is one.
func (f *filter) failOnly(failure error) {
	f.mu.Lock()
	var id int64
	count := 0
	for pendingID, x := range f.pending {
		if x.mayHaveRun() && x.method != listenMethod {
			id = pendingID
			count++
		}
	}
	f.mu.Unlock()
	if count == 1 {
		f.settle(id, func(x *exchange) { x.failure = failure })
	}
}

// tooLong fails the request whose reply was longer than can be kept.
func (f *filter) tooLong(l line) {
	id, _, ok := integer(jsontext.Value(l.over.id))
	if ok && l.over.isReply() {
		f.messages.Add(1)
		f.settle(id, func(x *exchange) { x.failure = &TooLargeError{Bytes: l.bytes, LimitBytes: maxFrameBytes} })
		f.onWarning("too long", fmt.Sprintf("sent a message of %d bytes, which exceeds the limit of %d MiB", l.bytes, maxFrameBytes>>20))
		return
	}
	f.skip(l.text, l.bytes)
}

// malformed handles a line that begins like a message and is none. What can be told to be a reply fails its request.
func (f *filter) malformed(text []byte, reason error) {
	var s scanner
	s.scan(text)
	if id, _, ok := integer(jsontext.Value(s.id)); ok && s.isReply() {
		f.settle(id, func(x *exchange) {
			x.failure = &MalformedReplyError{Reason: "it is not JSON: " + visible(reason.Error(), sampleBytes)}
		})
	}
	f.skip(text, int64(len(text)))
}

// glued looks for a reply behind other text on the same line. It is not taken for the reply: whoever can make the server
// log a line could then make up results. But its request fails now rather than when its time is over (C15).
func (f *filter) glued(text []byte) {
	for from := 0; ; {
		i := bytes.Index(text[from:], []byte(`{"`))
		if i < 0 {
			return
		}
		from += i
		message, _, err := f.frames.decode(text[from:])
		if err == nil && message.isMessage() && message.method == nil {
			if id, _, ok := integer(message.id); ok {
				f.settle(id, func(x *exchange) {
					x.failure = &MalformedReplyError{Reason: "other output stands on the same line: " + visible(string(text[:min(from, sampleBytes)]), sampleBytes)}
				})
			}
			return
		}
		from += 2
		if from > sampleBytes*20 {
			return // a search in a long line must not take for ever
		}
	}
}
