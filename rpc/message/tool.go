package message

import (
	"errors"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"pillion/rpc"
)

//pillion:section 30 Tools
//
// A tool is known by its connector and its own name. Its id is opaque, its
// label is for people, its served name is for hosts that allow few characters.
//
// A method that takes a tool accepts its id, its label or its served name,
// where that is unique; otherwise it answers -32602 and lists the ids.

// ToolID names a tool. It is opaque.
type ToolID string

// ToolRef is a tool as a caller names it: its id, label or served name.
type ToolRef string

// ToolPermission is what a call of the tool would meet. One that is not known
// reads as ask.
type ToolPermission string

const (
	ToolAuto ToolPermission = "auto" // runs without a question
	ToolAsk  ToolPermission = "ask"  // asks
	ToolDeny ToolPermission = "deny" // is refused
)

// ToolState says whether a tool is offered. Absent it is on; one that is not
// known reads as off.
type ToolState string

const (
	ToolOn          ToolState = "on"          // listed and callable
	ToolOff         ToolState = "off"         // not listed, no context cost
	ToolQuarantined ToolState = "quarantined" // its definition is malformed: named, never offered
)

// Tool is one tool of one connector. Its title, summary, description, schemas
// and annotations are the connector's own words.
type Tool struct {
	ID               ToolID         `json:"id"`
	Label            string         `json:"label"`      // connector.tool, for people
	ServedName       string         `json:"servedName"` // connector__tool, at most 48 bytes
	Connector        ConnectorID    `json:"connector"`
	Name             string         `json:"name"`                               // as the connector calls it
	Title            string         `json:"title,omitzero"`                     // its name for people
	Summary          string         `json:"summary"`                            // first sentence of the description, at most 140 characters
	Description      string         `json:"description,omitzero"`               // whole description
	InputSchemaText  string         `json:"inputSchemaText,omitzero"`           // JSON Schema of the arguments, as received
	OutputSchemaText string         `json:"outputSchemaText,omitzero"`          // JSON Schema of the structured result, as received
	Annotations      jsontext.Value `json:"annotations,omitzero" wire:"object"` // hints of the connector, as received: claims
	Tags             []string       `json:"tags,omitzero"`                      // tags given in the file
	Tokens           int            `json:"tokens"`                             // estimated context cost
	Permission       ToolPermission `json:"permission"`
	Hash             string         `json:"hash"`             // hash of name, description, schemas and annotations
	Changed          []Change       `json:"changed,omitzero"` // what differs from the definition that a standing permission was given for; the permission is suspended
	State            ToolState      `json:"state,omitzero"`
	FoundBy          []FoundBy      `json:"foundBy,omitzero"` // where the words of a query stand, where that was asked for
}

// FoundIn is where a word of a query stands, the best place first. One that is
// not known reads as description.
type FoundIn string

const (
	FoundExact       FoundIn = "exact"       // it is the tool's name, label or served name
	FoundPrefix      FoundIn = "prefix"      // the name begins with it
	FoundTag         FoundIn = "tag"         // it is one of the tags
	FoundSubstring   FoundIn = "substring"   // it stands in the name
	FoundWord        FoundIn = "word"        // a word of the name has the same stem
	FoundPath        FoundIn = "path"        // it stands in connector.tool, across the dot
	FoundConnector   FoundIn = "connector"   // it stands in the connector's name
	FoundDescription FoundIn = "description" // it stands in the title or the description
)

// FoundBy is one word of a query, in lower case, and where it was found.
type FoundBy struct {
	Term string  `json:"term"` // the word
	In   FoundIn `json:"in"`
}

// ToolDetailLevel says how much of each tool is told. One that is not known
// reads as summary.
type ToolDetailLevel string

const (
	ToolSummary ToolDetailLevel = "summary" // without description, schemas and annotations
	ToolFull    ToolDetailLevel = "full"    // everything
)

// ToolsParams says which tools to list. Without any member it is all of them,
// a page at a time.
type ToolsParams struct {
	Connector ConnectorRef    `json:"connector,omitzero"`
	Query     string          `json:"query,omitzero"`  // words to search for, best match first
	Tag       string          `json:"tag,omitzero"`    // only tools that carry this tag
	Limit     int             `json:"limit,omitzero"`  // how many at most; 0 leaves it to Pillion
	Cursor    string          `json:"cursor,omitzero"` // where to go on, from the last answer
	Detail    ToolDetailLevel `json:"detail,omitzero"`
	Explain   bool            `json:"explain,omitzero"` // whether to say why there is what there is, and where each word was found
	All       bool            `json:"all,omitzero"`     // whether those that are off or quarantined are listed too
}

// Check returns what is wrong with the params, as a sentence for -32602.
func (p ToolsParams) Check() error {
	if p.Limit < 0 {
		return fmt.Errorf("limit is %d: it must not be negative", p.Limit)
	}
	return nil
}

// ToolsResult is one page of tools.
type ToolsResult struct {
	Tools      []Tool   `json:"tools"`
	Total      int      `json:"total"`               // how many match in all
	Partial    bool     `json:"partial,omitzero"`    // whether nothing has all words of the query, and this is what has any
	NextCursor string   `json:"nextCursor,omitzero"` // where the next page begins, if there is one
	Why        []Reason `json:"why,omitzero"`        // why tools are missing from the list, where asked for or nothing matched
}

// ToolParams names a tool.
type ToolParams struct {
	Tool ToolRef `json:"tool"`
}

// ToolResult is one tool, whole.
type ToolResult struct {
	Tool       Tool   `json:"tool"`
	TypeScript string `json:"typescript"` // its signature in TypeScript
}

// ToolsChangedParams says which tools of a connector's catalogue are new, gone
// or different. Either the three lists are there, or all is true.
type ToolsChangedParams struct {
	Connector  ConnectorID `json:"connector"`
	Generation int         `json:"generation"`       // the catalogue that now counts
	Added      []ToolID    `json:"added,omitzero"`   // absent when all is true
	Removed    []ToolID    `json:"removed,omitzero"` // absent when all is true
	Changed    []ToolID    `json:"changed,omitzero"` // absent when all is true
	All        bool        `json:"all,omitzero"`     // whether so many changed that they are not listed: ask again
}

// maxListedToolChanges is how many changed tools are listed one by one.
const maxListedToolChanges = 200

// NewToolsChanged returns the params for a change: the lists, or all above 200
// entries.
func NewToolsChanged(connector ConnectorID, generation int, added, removed, changed []ToolID) ToolsChangedParams {
	p := ToolsChangedParams{Connector: connector, Generation: generation}
	if len(added)+len(removed)+len(changed) > maxListedToolChanges {
		p.All = true
		return p
	}
	p.Added, p.Removed, p.Changed = listed(added), listed(removed), listed(changed)
	return p
}

// listed makes an absent list an empty one: omitzero would leave it out.
func listed(ids []ToolID) []ToolID {
	if ids == nil {
		return []ToolID{}
	}
	return ids
}

// ReasonKind is the kind of thing that keeps a tool or connector away. One that
// is not known has no meaning beyond its text.
type ReasonKind string

const (
	ReasonPermission  ReasonKind = "permission"  // needs permission, or is blocked by the user
	ReasonDisabled    ReasonKind = "disabled"    // switched off
	ReasonFiltered    ReasonKind = "filtered"    // left out by the entry's tools or excludeTools
	ReasonProfile     ReasonKind = "profile"     // not in the profile that is chosen
	ReasonShadowed    ReasonKind = "shadowed"    // another connector of that name is used
	ReasonCollision   ReasonKind = "collision"   // several have that name
	ReasonQuarantined ReasonKind = "quarantined" // its definition is malformed
	ReasonNeverListed ReasonKind = "neverListed" // the connector never listed it
	ReasonProblem     ReasonKind = "problem"     // the connector does not run
	ReasonDenied      ReasonKind = "denied"      // a standing rule refuses it, though it is listed
	ReasonMode        ReasonKind = "mode"        // the window's mode refuses it, though it is listed
)

// Reason is one thing that keeps a tool or connector away.
type Reason struct {
	Kind  ReasonKind `json:"kind"`
	Text  string     `json:"text"`           // a sentence for the user
	URI   URI        `json:"uri,omitzero"`   // file that is the cause
	Range *Range     `json:"range,omitzero"` // the cause in that file
}

// WhyParams names the connector or the tool that is asked about: one of them.
type WhyParams struct {
	Connector ConnectorRef `json:"connector,omitzero"`
	Tool      ToolRef      `json:"tool,omitzero"`
}

// Check returns what is wrong with the params, as a sentence for -32602.
func (p WhyParams) Check() error {
	if (p.Connector == "") == (p.Tool == "") {
		return errors.New("name either a connector or a tool")
	}
	return nil
}

// WhyResult lists what keeps it away, in the order in which one meets it. An
// empty list means that nothing does.
type WhyResult struct {
	Reasons []Reason `json:"reasons"`
}

// Tools lists or searches tools, from what is known: it never starts a
// connector. What a query finds has all of its words, the best first: those that
// stand in the name before those in the description; where nothing has all of
// them, it is what has any.
var Tools = rpc.Request[ToolsParams, ToolsResult]{Method: "pillion/tools"}

// ToolDetail tells everything about one tool, one that is off or quarantined
// too. It never starts a connector.
var ToolDetail = rpc.Request[ToolParams, ToolResult]{Method: "pillion/tool"}

// Why tells why a connector or a tool is not there, or may not be called. A name
// that several have is told as a collision; one that nothing has is answered
// -32602, with names that may have been meant.
var Why = rpc.Request[WhyParams, WhyResult]{Method: "pillion/why"}

// ToolsChanged tells that a connector has a new catalogue.
var ToolsChanged = rpc.Event[ToolsChangedParams]{Method: "pillion/toolsChanged"}
