package message

import (
	"errors"
	"fmt"
)

//pillion:section 61 Changes that give more
//
// What takes away is done when it is asked for. What gives more (a standing yes,
// the end of a refusal, a connector that was off, a mode in which more runs) is
// never done by a request: the request opens a question of the kind widen, its
// result names it, and nothing has changed until somebody says yes to it.

// WidenChange is what is to be changed. One that is not known is shown by its
// words.
type WidenChange string

const (
	WidenRule       WidenChange = "rule"       // a rule is made
	WidenRuleRemove WidenChange = "ruleRemove" // a rule that refuses or asks is taken back
	WidenConnector  WidenChange = "connector"  // a connector that is off is switched on
	WidenTool       WidenChange = "tool"       // a tool that is off is switched on
	WidenMode       WidenChange = "mode"       // the window's mode
)

// WidenBody asks whether a change that gives more is to be made, and shows all
// of it.
type WidenBody struct {
	Change         WidenChange     `json:"change"`
	Connector      ConnectorID     `json:"connector,omitzero"`
	Name           string          `json:"name,omitzero"`           // name of the connector
	URI            URI             `json:"uri,omitzero"`            // file that defines it
	Tool           string          `json:"tool,omitzero"`           // the tool's own name; absent: no single one
	Scope          PermissionScope `json:"scope,omitzero"`          // where it counts
	Root           URI             `json:"root,omitzero"`           // workspace folder that it counts in
	Where          []Condition     `json:"where,omitzero"`          // what the arguments must be, all of it
	Now            []string        `json:"now"`                     // what holds now, a phrase each
	Then           string          `json:"then"`                    // what will hold, as a phrase
	Hash           string          `json:"hash"`                    // hash of all that is shown; the answer counts for nothing else
	DefinitionText string          `json:"definitionText,omitzero"` // the entry of a connector as the file has it
	Reads          []string        `json:"reads,omitzero"`          // variables of the user's environment that the entry refers to
	Tools          []Tool          `json:"tools,omitzero"`          // tools that a standing yes will cover, in full
}

// WidenDecision is what was decided about a change. One that is not known is no
// answer.
type WidenDecision string

const (
	WidenKeep WidenDecision = "keep" // it stays as it is
	WidenMake WidenDecision = "make" // the change is made
)

// WidenAnswer decides about a change.
type WidenAnswer struct {
	Decision WidenDecision `json:"decision"`
}

// ParseWidenAnswer returns the answer that raw is, or an error that says why it
// is none.
func ParseWidenAnswer(raw []byte) (WidenAnswer, error) { return parseAnswer[WidenAnswer](raw) }

func (a WidenAnswer) checkAnswer() error {
	switch a.Decision {
	case WidenKeep, WidenMake:
		return nil
	}
	return fmt.Errorf("decision %q is unknown", a.Decision)
}

// Titles returns the titles of the question, the safest first.
func (b WidenBody) Titles() []Title { return []Title{TitleKeep, TitleMake} }

// Widen returns the decision that the title stands for in a question about a
// change.
func (t Title) Widen() (WidenDecision, bool) {
	switch t {
	case TitleKeep:
		return WidenKeep, true
	case TitleMake:
		return WidenMake, true
	}
	return "", false
}

// WantedChange is a change that somebody wants to be asked about. It names
// exactly one.
type WantedChange struct {
	Rule       *PermissionSetParams `json:"rule,omitzero"`       // a rule to make
	RemoveRule RuleID               `json:"removeRule,omitzero"` // a rule to take back
	Connector  ConnectorRef         `json:"connector,omitzero"`  // a connector to switch on
	Tool       ToolRef              `json:"tool,omitzero"`       // a tool to switch on
	ToolScope  ToolScope            `json:"toolScope,omitzero"`  // how far the tool is switched
	Mode       Mode                 `json:"mode,omitzero"`       // a mode to change to
}

// Check returns what is wrong with the change, as a sentence for -32602.
func (w WantedChange) Check() error {
	named := 0
	for _, isNamed := range []bool{w.Rule != nil, w.RemoveRule != "", w.Connector != "", w.Tool != "", w.Mode != ""} {
		if isNamed {
			named++
		}
	}
	switch {
	case named != 1:
		return errors.New("change must name exactly one of rule, removeRule, connector, tool and mode")
	case w.ToolScope != "" && w.Tool == "":
		return errors.New("toolScope goes with tool")
	case w.Rule != nil:
		return w.Rule.Check()
	case w.Tool != "":
		return ToolSetParams{Tool: w.Tool, State: ToolOn, Scope: w.ToolScope}.Check()
	case w.Mode != "":
		return ModeParams{Mode: w.Mode}.Check()
	}
	return nil
}
