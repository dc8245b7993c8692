package connector

import (
	"fmt"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

const maxForeignIDBytes = 1 << 10

// requested answers a request of the server, without the SDK, whose answer to an elicitation would follow "$ref" in its schema
// without end.
func (f *filter) requested(of *exchange, method string, id, params jsontext.Value) {
	if len(id) > maxForeignIDBytes || id.Kind() != '"' && id.Kind() != '0' {
		f.onWarning("request id", "sent a request whose id is neither a string nor a number")
		return
	}
	f.mu.Lock()
	isModern := f.isModern
	f.mu.Unlock()
	if isModern {
		// MCP 2026-07-28: servers must not send requests, and clients never send responses.
		f.onWarning("request", fmt.Sprintf("sent a request (%s), which this protocol revision does not allow", visible(method, 60)))
		return
	}
	if method != "ping" {
		f.onInquiry(of, method, id, params)
		return
	}
	if !f.wire.answer(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":{}}`+"\n", id)) {
		f.onWarning("unread answers", "does not read the answers to its requests")
	}
}

// notified acts on a notification of the server.
func (f *filter) notified(of *exchange, method string, params jsontext.Value) {
	switch method {
	case progressNotification:
		f.progressed(params)
	case toolsChanged:
		f.onList(toolList)
	case resourcesChanged:
		f.onList(resourceList | templateList)
	case resourceUpdated:
		f.onUpdate(uriOf(params))
	case acknowledgedNotification:
		f.acknowledged(params)
	case taskNotification, taskStatusNotification:
		f.onTask(params)
	case cancelledNotification:
		f.withdrawn(params)
	case elicitationDone:
		f.onPageDone(params)
	case logNotification:
		f.onLog(of, params)
	case promptsChanged:
		f.onList(promptList)
	}
}

// withdrawn ends a request of the server that it does not wait for any more, or a subscription that it says it has ended, the
// one request of ours that it may cancel (MCP 2026-07-28).
func (f *filter) withdrawn(params jsontext.Value) {
	id, ok := int64(0), false
	_ = object(params, func(name string, value jsontext.Value) error {
		if name == "requestId" {
			id, _, ok = integer(value)
			f.onWithdraw(string(value))
		}
		return nil
	})
	f.mu.Lock()
	x := f.pending[id]
	f.mu.Unlock()
	if ok && x != nil && x.listens != nil {
		f.settle(id, func(*exchange) {})
	}
}

// progressed hands progress to the call whose token it names; all other tokens are nobody's.
func (f *filter) progressed(params jsontext.Value) {
	var p Progress
	var token int64
	hasToken, hasProgress := false, false
	err := object(params, func(name string, value jsontext.Value) error {
		switch name {
		case "progressToken":
			if spelt, ok := text(value); ok {
				value = jsontext.Value(spelt)
			}
			var failed error
			token, failed = strconv.ParseInt(string(value), 10, 64)
			hasToken = failed == nil
		case "progress":
			p.Progress, hasProgress = number(value)
		case "total":
			p.Total, _ = number(value)
		case "message":
			p.Message, _ = text(value)
		}
		return nil
	})
	if err != nil || !hasToken || !hasProgress {
		return
	}
	f.mu.Lock()
	x := f.tokens[token]
	f.mu.Unlock()
	if x != nil {
		x.progressed(p)
	}
}
