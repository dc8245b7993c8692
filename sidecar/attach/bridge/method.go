package bridge

import (
	"bytes"
	"cmp"

	"github.com/go-json-experiment/json/jsontext"
)

// The methods of MCP that matter here.
const (
	methodInitialize  = "initialize"
	methodInitialized = "notifications/initialized"
	methodCancelled   = "notifications/cancelled"
	methodPing        = "ping"
	methodDiscover    = "server/discover"
	methodCall        = "tools/call"
	methodSubscribe   = "resources/subscribe"
	methodUnsubscribe = "resources/unsubscribe"
	methodSetLevel    = "logging/setLevel"
	methodListen      = "subscriptions/listen"
	methodListening   = "notifications/subscriptions/acknowledged"

	metaRequest      = "pillion/request"
	metaClient       = "io.modelcontextprotocol/clientInfo"
	metaVersion      = "io.modelcontextprotocol/protocolVersion"
	metaSubscription = "io.modelcontextprotocol/subscriptionId"
)

// lists are the methods whose last answer holds while no server is there.
var lists = map[string]bool{
	"tools/list": true, "resources/list": true, "resources/templates/list": true, "prompts/list": true, methodDiscover: true,
}

func isList(method string) bool { return lists[method] }

// isSentAgain reports whether a request that a server took away with it is sent to the next: it changes nothing and asks nobody.
func (f *flight) isSentAgain() bool {
	switch f.method {
	case methodInitialize, methodListen, methodSubscribe, methodUnsubscribe, methodSetLevel, methodPing:
		return true
	}
	return f.list != ""
}

// isLasting reports whether a request is in flight for as long as it is not cancelled.
func (f *flight) isLasting() bool { return f.method == methodListen }

// listKey tells what is asked for from all else: the method with its params, but for what says who asks.
func listKey(e envelope) string {
	key := []byte(e.method)
	_ = members(e.params, func(name string, value jsontext.Value) {
		if name != "_meta" {
			key = append(append(append(key, 0), name...), 0)
			key = append(key, value...)
		}
	})
	return string(key)
}

// isModern reports whether a request is one of MCP 2026-07-28 or later, by its params.
func isModern(params jsontext.Value) bool { return member(member(params, "_meta"), metaVersion) != nil }

// lost is the answer to a request that went away with its server (U9).
func (f *flight) lost() []byte {
	if f.method == methodCall && f.state != stateAsking {
		return f.failed("the editor reloaded while the call ran; it may have run: check what it has done before you call it again")
	}
	return f.failed("the editor reloaded before you answered; call again. Nothing ran.")
}

// failed is the answer to a request that came to nothing: of a call a result, which a model can read.
func (f *flight) failed(reason string) []byte {
	if f.method != methodCall {
		return errorOf(f.id, -32603, reason)
	}
	kind := ""
	if f.isModern {
		kind = `"resultType":"complete",`
	}
	return resultOf(f.id, concat(`{`, kind, `"content":[{"type":"text","text":`, quoted(reason), `}],"isError":true,"_meta":{"pillion/outcome":"cancelled"}}`))
}

// spoken is what the client has said that every server must hear (MCP 2025-11-25 lifecycle).
type spoken struct {
	client        string         // what the client calls itself
	hello         []byte         // the request initialize
	welcome       jsontext.Value // what it was answered; nil before
	initialized   []byte
	level         []byte            // the last request for a level of logs
	subscriptions map[string][]byte // the requests, by the resource
}

func (s *spoken) heard(e envelope, line []byte) {
	if s.client == "" && e.kind == request {
		s.client = clientOf(e)
	}
	switch e.method {
	case methodInitialize:
		s.hello, s.welcome, s.initialized = bytes.Clone(line), nil, nil
	case methodInitialized:
		s.initialized = bytes.Clone(line)
	case methodSetLevel:
		s.level = bytes.Clone(line)
	case methodSubscribe:
		s.subscriptions[unquoted(member(e.params, "uri"))] = bytes.Clone(line)
	case methodUnsubscribe:
		delete(s.subscriptions, unquoted(member(e.params, "uri")))
	}
}

// clientOf is what a client says of itself, in either era.
func clientOf(e envelope) string {
	info := member(e.params, "clientInfo")
	if e.method != methodInitialize {
		info = member(member(e.params, "_meta"), metaClient)
	}
	return cmp.Or(unquoted(member(info, "title")), unquoted(member(info, "name")))
}

// changes are the notifications that lists are others by now, as far as a client was told that there are such.
func (s *spoken) changes() [][]byte {
	offered := member(s.welcome, "capabilities")
	var all [][]byte
	for _, list := range []string{"tools", "resources", "prompts"} {
		if string(member(member(offered, list), "listChanged")) == "true" {
			all = append(all, concat(`{"jsonrpc":"2.0","method":"notifications/`, list, `/list_changed"}`))
		}
	}
	return all
}

// changesOf are those of a subscription, as far as it was acknowledged (MCP 2026-07-28 subscriptions).
func changesOf(id, params jsontext.Value) [][]byte {
	agreed := member(params, "notifications")
	var all [][]byte
	for _, list := range []string{"tools", "resources", "prompts"} {
		if string(member(agreed, list+"ListChanged")) == "true" {
			all = append(all, concat(`{"jsonrpc":"2.0","method":"notifications/`, list, `/list_changed","params":{"_meta":{`, quoted(metaSubscription), `:`, id, `}}}`))
		}
	}
	return all
}
