package editors

import (
	"cmp"
	"strings"

	"pillion/rpc/message"
)

// widenHeading is the fixed first line for a change that gives more.
func widenHeading(change message.WidenChange) string {
	switch change {
	case message.WidenRule:
		return "Pillion asks: is this to stand for calls from now on?"
	case message.WidenRuleRemove:
		return "Pillion asks: no longer hold to this rule of yours, so that calls may run that it stops?"
	case message.WidenConnector:
		return "Pillion asks: may this connector be on for you?"
	case message.WidenTool:
		return "Pillion asks: may this tool be listed again, to your editor and to agents?"
	case message.WidenMode:
		return "Pillion asks: may calls run again?"
	}
	return "Pillion asks: may this be changed? It gives more than stands now."
}

// widenText shows a change that gives more, whole.
func widenText(ask message.Ask, body message.WidenBody, how string) string {
	var d document
	d.say("%s", widenHeading(body.Change))
	d.say(foreignNote)
	if body.Change == message.WidenConnector {
		d.say("A connector that is on runs as you: it can read your files and keys. Switch on what you know.")
	}
	d.gap()
	if body.Name != "" {
		d.say("connector")
		d.say("| %s", Quoted(body.Name))
	}
	if body.Tool != "" && len(body.Tools) == 0 {
		d.value("tool", body.Name+"."+body.Tool)
	}
	if len(body.Now) == 0 {
		d.say("No rule stands about it now: its calls ask, unless they only read on a connector that is yours or trusted.")
	}
	d.values("what holds now", body.Now)
	d.value("what will hold", body.Then)
	if body.Scope != "" {
		d.say("it counts %s", countsWhere(body.Scope, body.Root))
	}
	d.conditions(body.Where)
	d.values("variables of yours that it reads", body.Reads)
	d.value("in the file", body.URI.FsPath())
	if body.DefinitionText != "" {
		d.say("as it stands there")
		d.WriteString(Lines(Dedented(body.DefinitionText)))
	}
	d.covered(body.Tools)
	d.gap()
	d.value("asked for by", askerText(ask.Asker))
	d.value("hash of what is shown", body.Hash)
	return d.end("Nothing has changed yet. A yes counts for exactly this; what has become other by then is not changed.", how, "")
}

func (d *document) conditions(where []message.Condition) {
	for _, c := range where {
		d.value("only where this argument", c.Path)
		d.value("is", string(c.Equals))
		d.value("matches", c.Glob)
		d.value("is a path in the folder", c.Under)
	}
}

// covered shows the tools that a standing yes is for, as they describe themselves.
func (d *document) covered(tools []message.Tool) {
	for _, tool := range tools {
		d.gap()
		d.value("tool", tool.Label)
		d.lines("what its connector says that it does", tool.Description)
		if tool.InputSchemaText != "" {
			d.say("arguments that it takes")
			d.WriteString(Lines(tool.InputSchemaText))
		}
	}
}

// countsWhere is where a permission counts.
func countsWhere(scope message.PermissionScope, root message.URI) string {
	switch scope {
	case message.PermissionSession:
		return "until the session ends"
	case message.PermissionProject:
		if path := root.FsPath(); path != "" {
			return "in " + Visible(path)
		}
		return "in the folders of this window"
	case message.PermissionUser:
		return "in every folder"
	}
	return Visible(string(scope))
}

// widenPrompt has what is foreign last: nothing after it is Pillion's.
func widenPrompt(body message.WidenBody) string {
	now := cmp.Or(strings.Join(body.Now, "; "), "calls ask")
	switch body.Change {
	case message.WidenMode:
		return "Pillion: may calls run again? Now: " + neutral(now) + ". Then: " + neutral(body.Then)
	case message.WidenConnector:
		return "Pillion: may the connector " + called(body.Name) + " be on for you? Now: " + neutral(now)
	case message.WidenTool:
		return "Pillion: may this tool be listed again? " + called(body.Name+"."+body.Tool)
	case message.WidenRuleRemove:
		return "Pillion: no longer hold to this rule, so that calls may run that it stops? " + neutral(now)
	}
	return "Pillion: is this to stand from now on? " + called(body.Then) + ". Now: " + neutral(now)
}
