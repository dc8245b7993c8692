//go:build !windows

package main

import (
	"slices"
	"strings"
	"testing"

	"pillion/rpc/message"
)

// operation is one thing that can be done, with every door to it: a method of the wire, a verb of the command line, a server
// command of the base protocol. An empty one is a door that it does not have.
type operation struct{ method, verb, command string }

// operations are all of them. What a plugin needs that has views of its own is a method alone; what a shell needs is a verb alone.
func operations() []operation {
	return []operation{
		{"pillion/connectors", "mcp list", "status"}, {"pillion/connectors", "ls", ""}, {"pillion/connector/add", "mcp add", ""}, {"pillion/connector/remove", "mcp remove", "connector.remove"},
		{"pillion/connector/start", "refresh", "connector.start"}, {"pillion/connector/stop", "", "connector.stop"}, {"pillion/connector/restart", "", "connector.restart"},
		{"pillion/connector/set", "mcp enable", "connector.enable"}, {"pillion/connector/set", "mcp disable", "connector.disable"}, {"pillion/tool/set", "tools on", ""}, {"pillion/tool/set", "tools off", ""},
		{"pillion/ask/show", "mcp approve", "connector.allow"}, {"pillion/ask/show", "", "review"}, {"pillion/ask/answer", "answer", "ask.answer"}, {"pillion/asks", "pending", ""},
		{"pillion/ask/answer", "", "connector.putOff"}, {"pillion/ask/answer", "", "connector.deny"},
		{"pillion/consents", "", ""}, {"pillion/consent/revoke", "mcp revoke", "connector.revoke"},
		{"pillion/permissions", "permissions list", ""}, {"pillion/permission/set", "permissions set", ""}, {"pillion/permission/remove", "permissions remove", "permission.remove"},
		{"pillion/joins", "joins list", ""}, {"pillion/join/forget", "joins forget", ""},
		{"pillion/tools", "search", ""}, {"pillion/tool", "types", ""}, {"pillion/tool", "schema", ""}, {"pillion/catalog", "catalog", ""}, {"pillion/tool/call", "call", "tool.call"},
		{"pillion/call", "", ""}, {"pillion/calls", "", ""}, {"pillion/call/cancel", "", ""}, {"pillion/result/read", "", ""},
		{"pillion/task/get", "", ""}, {"pillion/task/result", "", ""}, {"pillion/task/cancel", "", ""},
		{"pillion/resources", "resources list", ""}, {"pillion/resource/read", "resources read", ""}, {"pillion/resource/subscribe", "", ""}, {"pillion/resource/unsubscribe", "", ""},
		{"pillion/prompts", "prompts list", ""}, {"pillion/prompt/get", "prompts get", ""}, {"pillion/complete", "", ""},
		{"pillion/secrets", "secret list", ""}, {"pillion/secret/set", "secret set", ""}, {"pillion/secret/remove", "secret remove", ""},
		{"pillion/imports", "import", "import"}, {"pillion/import", "import", "import"},
		{"pillion/stopAll", "stop", "stopAll"}, {"pillion/mode/set", "resume", "resume"}, {"pillion/mode", "", ""},
		{"pillion/why", "why", ""}, {"pillion/doctor", "doctor", "doctor"}, {"pillion/log", "log", ""}, {"pillion/activity", "activity", ""}, {"pillion/stats", "stats", ""}, {"pillion/events", "log", ""},
		{"", "mcp log", "connector.showLog"}, {"", "", "connector.test"},
		{"pillion/sessions", "", ""}, {"pillion/session/join", "", ""}, {"pillion/session/restart", "", ""}, {"pillion/session/end", "", ""}, {"pillion/workspace/set", "", ""},
		{"pillion/attach", "", ""}, {"pillion/attach/challenge", "", ""},
		// Of the shell alone: they are about the program, its files or another program.
		{"", "version", ""}, {"", "config", ""}, {"", "demo play", ""}, {"", "completion", ""},
		{"", "client status", ""}, {"", "client install", ""}, {"", "client uninstall", ""}, {"", "serve", ""},
		{"pillion/browser", "browser status", ""}, {"pillion/browser/start", "browser start", "browser.start"}, {"pillion/browser/stop", "browser stop", "browser.stop"},
		{"pillion/browser/picture", "", ""}, {"pillion/browser/start", "browser open", ""}, {"pillion/browser/ask", "browser auto", ""}, {"", "browser install", ""},
	}
}

// TestI6_EveryOperationIsKnownByAllItsDoors holds every direction: no method, verb or server command is there that is not an
// operation, and no operation names a door that is not there.
func TestI6_EveryOperationIsKnownByAllItsDoors(t *testing.T) {
	t.Parallel()
	var g grammar
	parser, err := newProgram().parser(&g)
	if err != nil {
		t.Fatal(err)
	}
	var methods, verbs, commands []string
	for _, d := range message.All() {
		if d.Direction == message.DirectionRequest && !strings.HasPrefix(d.Method, "pillion/agent/") { // services for chat plugins (I7)
			methods = append(methods, d.Method)
		}
	}
	for _, verb := range verbsOf(parser.Model.Node) {
		verbs = append(verbs, verb.Path())
	}
	for _, d := range message.Commands() {
		commands = append(commands, strings.TrimPrefix(d.Method, "pillion.server."))
	}
	for _, kind := range []struct {
		name  string
		there []string
		of    func(operation) string
	}{
		{"method", methods, func(o operation) string { return o.method }},
		{"verb", verbs, func(o operation) string { return o.verb }},
		{"server command", commands, func(o operation) string { return o.command }},
	} {
		var named []string
		for _, o := range operations() {
			if door := kind.of(o); door != "" {
				named = append(named, door)
			}
		}
		for _, door := range kind.there {
			if !slices.Contains(named, door) {
				t.Errorf("the %s %s belongs to no operation", kind.name, door)
			}
		}
		for _, door := range named {
			if !slices.Contains(kind.there, door) {
				t.Errorf("there is no %s %s", kind.name, door)
			}
		}
	}
}

// TestI6_WhatServeOffersIsAnOperation holds that each tool which serve offers to agents by itself stands for a method, and that none
// stands for one that people alone may use (S6): what else an agent can use are the connectors' own tools.
func TestI6_WhatServeOffersIsAnOperation(t *testing.T) {
	t.Parallel()
	methods := map[string]message.Declared{}
	for _, d := range message.All() {
		methods[d.Method] = d
	}
	offered := map[string]string{"search": message.Tools.Method, "describe": message.ToolDetail.Method, "call": message.ToolCall.Method}
	w := newWorld(t)
	w.user(w.fake("mine", "echo", nil))
	for _, version := range bothEras {
		tools, err := w.startAgent(t, "agent", version).session.ListTools(t.Context(), nil)
		if err != nil || len(tools.Tools) != len(offered) {
			t.Fatalf("%+v, %v", tools, err)
		}
		for _, tool := range tools.Tools {
			method := offered[tool.Name]
			if !slices.ContainsFunc(operations(), func(o operation) bool { return o.method == method }) {
				t.Errorf("the tool %s belongs to no operation", tool.Name)
			}
			if methods[method].ForPeopleOnly {
				t.Errorf("the tool %s is for people only", tool.Name)
			}
		}
	}
}

// TestI6_WhatChangesTrustHasNoDoorForAgents holds that no method for people alone is what an agent is offered (S6).
func TestI6_WhatChangesTrustHasNoDoorForAgents(t *testing.T) {
	t.Parallel()
	for _, d := range message.All() {
		if strings.HasPrefix(d.Method, "pillion/agent/") && d.ForPeopleOnly {
			t.Errorf("%s is for people only, and for agents", d.Method)
		}
	}
}
