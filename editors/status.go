package editors

import (
	"fmt"
	"strings"

	"pillion/rpc/message"
)

// StateWords are the words that people read for a state (U6).
func StateWords(state message.ConnectorState) string {
	switch state {
	case message.ConnectorWaiting:
		return "needs permission"
	case message.ConnectorDenied:
		return "blocked by you"
	case message.ConnectorDisabled:
		return "disabled"
	case message.ConnectorStarting:
		return "starting"
	case message.ConnectorReady:
		return "ready"
	case message.ConnectorIdle:
		return "ready, starts on use"
	case message.ConnectorLogin:
		return "sign in"
	case message.ConnectorFailed:
		return "does not run"
	case message.ConnectorStopping:
		return "stopping"
	}
	return string(state)
}

// OffWords are the words for a connector that somebody keeps off; the first of them counts.
func OffWords(by []message.DisabledBy) string {
	if len(by) == 0 {
		return StateWords(message.ConnectorDisabled)
	}
	switch by[0] {
	case message.DisabledByProject:
		return "switched off by the project"
	case message.DisabledByUser:
		return "switched off by you"
	case message.DisabledByProfile:
		return "not in the profile"
	}
	return "switched off in its file"
}

// Status is what the status document shows.
type Status struct {
	Connectors []message.Connector
	Tools      []message.Tool
	Rules      []message.PermissionRule
	Mode       message.Mode
	// Faults name the files that give no connectors.
	Faults []string
	// Asks is how many questions are open.
	Asks int
}

// Text is the document that lists every connector with its tools and what to do about it, what stands, and the files that give
// no connectors.
func (s Status) Text() string {
	connectors, tools, faults := s.Connectors, s.Tools, s.Faults
	var d document
	d.say("Pillion: connectors")
	d.say(foreignNote)
	d.mode(s.Mode)
	if s.Asks > 0 {
		d.say("Unanswered: %s. Run pillion.server.review.", Counted(s.Asks, "question"))
	}
	d.values("files that cannot be used", faults)
	for _, c := range connectors {
		d.gap()
		d.connector(c)
		for _, tool := range tools {
			if tool.Connector == c.ID {
				d.say("%s%s [%s]", toolLine(tool.Label), Visible(tool.Summary), permissionWords(tool.Permission))
			}
		}
	}
	if len(connectors) == 0 && len(faults) == 0 {
		d.gap()
		d.say("There is none. Write .mcp.json in this folder, or add your own with: pillion mcp add <name> -- <command>")
	}
	d.rules(s.Rules)
	return d.end("To call a tool: the code action of its line, or pillion.server.tool.call with the tool's name and an object of arguments.",
		"To do something about a connector: the code actions of the line with its name.")
}

// toolLine is how the line of a tool begins in the status document.
func toolLine(label string) string { return "| " + Visible(label) + " — " }

// connectorLine is the line with the name of a connector in the status document.
func connectorLine(name string) string { return "| " + Quoted(name) }

// IsToolLine reports whether a line of the status document is that of the tool with this label.
func IsToolLine(line, label string) bool { return strings.HasPrefix(line, toolLine(label)) }

// IsConnectorLine reports whether a line of the status document is the one with the name of a connector.
func IsConnectorLine(line, name string) bool {
	return strings.TrimSuffix(line, "\r") == connectorLine(name)
}

func (d *document) mode(mode message.Mode) {
	switch mode {
	case message.ModePaused:
		d.say("Pillion is paused: nothing runs. To resume: pillion.server.resume")
	case message.ModePlan:
		d.say("Plan mode: only tools that only read may run. To end it: pillion.server.resume")
	}
}

// rules lists what stands, each with what takes it back (U5).
func (d *document) rules(rules []message.PermissionRule) {
	if len(rules) == 0 {
		return
	}
	d.gap()
	d.say("standing permissions of calls; to take one back, use a code action of this document, or pillion.server.permission.remove with its id")
	for _, r := range rules {
		d.say("| %s", RuleLine(r))
	}
}

// RuleLine is a rule on one line: what it says, where it counts, since when, whose word it is, and its id.
func RuleLine(r message.PermissionRule) string {
	line := Visible(r.Label) + " (" + countsWhere(r.Scope, r.Root) + "), since " + r.At.UTC().Format("2006-01-02 15:04")
	if r.By != "" {
		line += ", by " + byWords(r.By)
	}
	if r.Suspended {
		line += ", suspended: it was given for another definition"
	}
	return line + " [" + Visible(string(r.ID)) + "]"
}

// byWords names where a rule came from as questions do.
func byWords(by string) string {
	if by == string(message.AskerCLI) {
		return "a terminal"
	}
	return Visible(by)
}

func (d *document) connector(c message.Connector) {
	d.say("connector")
	d.say("%s", connectorLine(c.Name))
	line := StateWords(c.State)
	if c.Tools > 0 {
		line += fmt.Sprintf(", %s, about %d tokens", Counted(c.Tools, "tool"), c.Tokens)
	}
	d.say("%s", line)
	d.value("from", c.URI.FsPath())
	if c.ShadowedBy != "" {
		d.say("Another connector of this name is used in its place.")
	}
	if len(c.DisabledBy) > 0 {
		d.say("It is %s. Run pillion.server.connector.enable to switch it on.", OffWords(c.DisabledBy))
	}
	if c.State == message.ConnectorWaiting {
		d.say("Run pillion.server.connector.allow to review it.")
	}
	d.values("look at", c.Warnings)
	if p := c.Problem; p != nil {
		d.value("why", p.Reason)
		for i, step := range p.Steps {
			d.say("%d. %s", i+1, Visible(step))
		}
		if p.LogURI != "" {
			d.value("log", p.LogURI.FsPath())
		}
	}
}

func permissionWords(p message.ToolPermission) string {
	switch p {
	case message.ToolAuto:
		return "runs without a question"
	case message.ToolDeny:
		return "refused"
	}
	return "asks"
}

// StatusLine counts the connectors by state.
func StatusLine(connectors []message.Connector) string {
	counts := map[string]int{}
	var order []string
	for _, c := range connectors {
		words := StateWords(c.State)
		if counts[words] == 0 {
			order = append(order, words)
		}
		counts[words]++
	}
	parts := make([]string, len(order))
	for i, words := range order {
		parts[i] = fmt.Sprintf("%d %s", counts[words], words)
	}
	if len(parts) == 0 {
		return "Pillion: no connectors"
	}
	return "Pillion: connectors: " + strings.Join(parts, ", ")
}
