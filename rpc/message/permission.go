package message

import (
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"pillion/rpc"
)

//pillion:section 60 Permissions
//
// A standing permission holds for exactly the definition and the tools that it
// was given for; when one of them changes it is suspended. Deny beats
// everything. The mode stands above all of them and is the window's.

// PermissionDecision is what a rule says. One that is not known is refused, and
// in a list reads as ask.
type PermissionDecision string

const (
	PermissionAllow PermissionDecision = "allow" // runs without a question
	PermissionAsk   PermissionDecision = "ask"   // asks every time
	PermissionDeny  PermissionDecision = "deny"  // is refused
)

// Known reports whether the decision is one of those declared here.
func (d PermissionDecision) Known() bool {
	switch d {
	case PermissionAllow, PermissionAsk, PermissionDeny:
		return true
	}
	return false
}

// RuleID names a rule.
type RuleID string

// PermissionRule is one standing rule.
type PermissionRule struct {
	ID        RuleID             `json:"id"`
	Connector ConnectorID        `json:"connector"`
	Tool      *string            `json:"tool"` // the tool's own name; null: all tools of the connector
	Decision  PermissionDecision `json:"decision"`
	Scope     PermissionScope    `json:"scope"`
	SessionID SessionID          `json:"sessionId,omitzero"` // session that it holds for
	Hash      string             `json:"hash,omitzero"`      // hash of the tool that it was given for
	Where     []Condition        `json:"where,omitzero"`     // what the arguments must be, all of it
	At        time.Time          `json:"at"`                 // when it was made
	Label     string             `json:"label"`              // the rule as a phrase for the user
	Name      string             `json:"name"`               // name of the connector, also of one that is not here
	Source    Source             `json:"source"`             // file that the connector is of
	Root      URI                `json:"root,omitzero"`      // workspace folder that it holds in
	By        string             `json:"by,omitzero"`        // whose word it is
	Suspended bool               `json:"suspended,omitzero"` // true: the connector or the tool is another than it was given for, so it allows nothing
}

// Condition is a demand on one value of a call's arguments. It names exactly
// one of equals, glob and under. Whatever is not sure is a no: a value that is
// missing or of another type, a path that is relative, goes up or through a
// link.
type Condition struct {
	Path   string         `json:"path"`            // which value, as a JSON pointer
	Equals jsontext.Value `json:"equals,omitzero"` // it is this string, number, boolean or null; a number as it is spelt
	Glob   string         `json:"glob,omitzero"`   // it is a string that matches this glob
	Under  string         `json:"under,omitzero"`  // it is this folder or a path below it, absolute both
}

// PermissionsResult lists every rule.
type PermissionsResult struct {
	Rules []PermissionRule `json:"rules"`
}

// PermissionSetParams says what to make a rule of.
type PermissionSetParams struct {
	Connector ConnectorRef       `json:"connector"`
	Tool      jsontext.Value     `json:"tool" wire:"ToolRef?"` // null: all tools of the connector; it must be there
	Decision  PermissionDecision `json:"decision"`
	Scope     PermissionScope    `json:"scope"`
	Hash      string             `json:"hash,omitzero"`  // hash of the tool as it was shown; another one is refused
	Where     []Condition        `json:"where,omitzero"` // what the arguments must be, all of it
}

// Check returns what is wrong with the params, as a sentence for -32602.
func (p PermissionSetParams) Check() error {
	switch {
	case p.Connector == "":
		return errors.New("connector is missing")
	case !p.Decision.Known():
		return fmt.Errorf("decision %q is unknown: use allow, ask or deny", p.Decision)
	case !p.Scope.Known():
		return fmt.Errorf("scope %q is unknown: use session, project or user", p.Scope)
	}
	for _, c := range p.Where {
		if err := c.check(); err != nil {
			return err
		}
	}
	_, _, err := p.ToolRef()
	return err
}

// ToolRef returns the tool that the rule is for, or that it is for all tools of
// the connector. Only null says all: a client that leaves the member out has
// said nothing.
func (p PermissionSetParams) ToolRef() (ref ToolRef, all bool, err error) {
	switch {
	case len(p.Tool) == 0:
		return "", false, errors.New("tool is missing: name one, or null for all")
	case p.Tool.Kind() == jsontext.KindNull:
		return "", true, nil
	}
	if err := json.Unmarshal(p.Tool, &ref); err != nil || ref == "" {
		return "", false, errors.New("tool is not the name of one: name one, or null for all")
	}
	return ref, false, nil
}

// OneTool returns the member tool of [PermissionSetParams] for one tool.
func OneTool(ref ToolRef) jsontext.Value {
	text, err := jsontext.AppendQuote(nil, string(ref))
	if err != nil {
		return nil // not UTF-8: no tool has such a name, and Check refuses it
	}
	return text
}

// AllTools returns the member tool of [PermissionSetParams] for all tools of a
// connector.
func AllTools() jsontext.Value { return jsontext.Value("null") }

func (c Condition) check() error {
	demands := 0
	for _, isThere := range []bool{len(c.Equals) > 0, c.Glob != "", c.Under != ""} {
		if isThere {
			demands++
		}
	}
	if demands != 1 {
		return fmt.Errorf("condition on %q must name exactly one of equals, glob and under", c.Path)
	}
	return nil
}

// PermissionSetResult holds the rule that was made, or the one that is asked
// about and has neither id nor time yet.
type PermissionSetResult struct {
	Rule  PermissionRule `json:"rule"`
	AskID AskID          `json:"askId,omitzero"` // question that was opened instead: nothing has changed yet
}

// PermissionRemoveParams names the rule to remove.
type PermissionRemoveParams struct {
	ID RuleID `json:"id"`
}

// PermissionRemoveResult says whether it is removed or asked about.
type PermissionRemoveResult struct {
	AskID AskID `json:"askId,omitzero"` // question that was opened instead: nothing has changed yet
}

// Mode says what may run in a window at all. One that is not known is refused.
type Mode string

const (
	ModeAsk    Mode = "ask"    // what the rules say
	ModePlan   Mode = "plan"   // read-only tools alone
	ModePaused Mode = "paused" // nothing
)

// Known reports whether the mode is one of those declared here.
func (m Mode) Known() bool {
	switch m {
	case ModeAsk, ModePlan, ModePaused:
		return true
	}
	return false
}

// ModeParams says which mode to change to.
type ModeParams struct {
	Mode Mode `json:"mode"`
}

// Check returns what is wrong with the params, as a sentence for -32602.
func (p ModeParams) Check() error {
	if !p.Mode.Known() {
		return fmt.Errorf("mode %q is unknown: use ask, plan or paused", p.Mode)
	}
	return nil
}

// ModeResult is the mode that counts.
type ModeResult struct {
	Mode Mode `json:"mode"`
}

// ModeSetResult is the mode that counts.
type ModeSetResult struct {
	Mode  Mode  `json:"mode"`
	AskID AskID `json:"askId,omitzero"` // question that was opened instead: nothing has changed yet
}

// Permissions lists every rule.
//
//pillion:people
var Permissions = rpc.Request[Empty, PermissionsResult]{Method: "pillion/permissions"}

// PermissionSet makes a rule that asks or refuses. For a standing yes, and for
// what would take the place of a refusal, it opens the question.
//
//pillion:people
var PermissionSet = rpc.Request[PermissionSetParams, PermissionSetResult]{Method: "pillion/permission/set"}

// PermissionRemove removes a rule that allows; one that is not there is as good
// as removed. For one that refuses or asks it opens the question.
//
//pillion:people
var PermissionRemove = rpc.Request[PermissionRemoveParams, PermissionRemoveResult]{Method: "pillion/permission/remove"}

// ModeCurrent tells which mode the window is in.
var ModeCurrent = rpc.Request[Empty, ModeResult]{Method: "pillion/mode"}

// ModeSet changes the mode. For one in which more runs it opens the question.
//
//pillion:people
var ModeSet = rpc.Request[ModeParams, ModeSetResult]{Method: "pillion/mode/set"}

// StopAll cancels every call, withdraws its question, ends every connector and
// changes the mode to paused, which [ModeSet] asks to undo.
var StopAll = rpc.Request[Empty, Empty]{Method: "pillion/stopAll"}
