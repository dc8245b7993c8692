package connector

import (
	"encoding/base64"
	"net/http"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// addMethod adds the headers in which servers and what is before them read a request without its body (MCP 2026-07-28
// streamable HTTP).
func (r *remote) addMethod(headers http.Header, o outgoing, at terms, body []byte) {
	x := o.exchange
	switch {
	case x != nil && x.method == "initialize":
		// It agrees on a version and is of no session yet (C57).
		headers.Del("Mcp-Protocol-Version")
		headers.Del("Mcp-Session-Id")
		return
	case x != nil && x.method == "server/discover":
		headers.Set("Mcp-Protocol-Version", modernVersion)
	case !at.isModern:
		return
	}
	method := o.method
	if x != nil {
		method = x.method
	}
	if method == "" {
		return
	}
	headers.Set("Mcp-Method", method)
	var frames frameDecoder
	message, _, err := frames.decode(body)
	if err != nil {
		return
	}
	key := map[string]string{"tools/call": "name", "prompts/get": "name", "resources/read": "uri", "tasks/get": "taskId", "tasks/update": "taskId", "tasks/cancel": "taskId"}[method]
	var named string
	var arguments jsontext.Value
	_ = object(message.params, func(name string, value jsontext.Value) error {
		if said, ok := text(value); ok && name == key {
			named = said
			headers.Set("Mcp-Name", headerValue(said))
		}
		if name == "arguments" {
			arguments = value
		}
		return nil
	})
	if method == "tools/call" {
		for _, m := range r.session.connector.mirrored(named) {
			if value, ok := m.in(arguments); ok {
				headers.Set("Mcp-Param-"+m.header, value)
			}
		}
	}
}

// mirrored are the arguments of a tool that headers repeat.
func (c *Connector) mirrored(tool string) []mirrored {
	c.mu.Lock()
	catalogue := c.catalogue
	c.mu.Unlock()
	if catalogue == nil {
		return nil
	}
	for _, t := range catalogue.Tools {
		if t.Name == tool {
			found, _ := mirroredOf(t.InputSchema)
			return found
		}
	}
	return nil
}

// headerValue is the value as a header can carry it: in base64 behind a mark where it could not be told from others.
func headerValue(value string) string {
	isPlain := !strings.ContainsFunc(value, func(c rune) bool { return c < 0x20 || c > 0x7e }) &&
		value == strings.Trim(value, " \t") && !(strings.HasPrefix(value, "=?base64?") && strings.HasSuffix(value, "?="))
	if isPlain {
		return value
	}
	return "=?base64?" + base64.StdEncoding.EncodeToString([]byte(value)) + "?="
}
