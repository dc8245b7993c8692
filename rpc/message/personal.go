package message

import (
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"pillion/rpc"
)

//pillion:section 62 The personal layer
//
// What one user wants otherwise than the files say, for himself: which
// connectors and tools are off, what is pinned, which profile is chosen, and
// which variables the connectors of a folder are given from elsewhere. It is
// kept in the user's own state, folder by folder, never in a file of the team.
//
// Off is not denied: what is off is not listed and costs nothing. Switching on
// never replaces a permission: a connector of a folder still waits for it.

// ProfileName names a profile of the configuration files.
type ProfileName string

// DisabledBy says who keeps a connector off. One that is not known has no
// meaning beyond its name.
type DisabledBy string

const (
	DisabledByFile    DisabledBy = "file"    // its own entry
	DisabledByProject DisabledBy = "project" // a project's file, about a connector of the user's own
	DisabledByUser    DisabledBy = "user"    // the personal layer
	DisabledByProfile DisabledBy = "profile" // the profile that is chosen, or that none is
)

// ConnectorSetParams says what is wanted of a connector in this workspace.
// What is absent stays as it is.
type ConnectorSetParams struct {
	Connector ConnectorRef   `json:"connector"`
	Enabled   *bool          `json:"enabled,omitzero"`                     // on goes before what a project has off
	Profile   jsontext.Value `json:"profile,omitzero" wire:"ProfileName?"` // counts for it instead of the folder's; null or empty: the folder's
	Pinned    *bool          `json:"pinned,omitzero"`                      // whether it is listed first
}

// Check returns what is wrong with the params, as a sentence for -32602.
func (p ConnectorSetParams) Check() error {
	if p.Connector == "" {
		return errors.New("connector is missing")
	}
	_, err := chosenProfile(p.Profile)
	return err
}

// ChosenProfile is the profile that is asked for, empty for none; nil leaves it.
func (p ConnectorSetParams) ChosenProfile() *string { return profileOf(p.Profile) }

// ConnectorSetResult is the connector as it stands afterwards.
type ConnectorSetResult struct {
	Connector Connector `json:"connector"`
	AskID     AskID     `json:"askId,omitzero"` // question that was opened about switching it on: it is off yet
}

// ToolScope says how far a tool is switched. Absent it is project; one that is
// not known is refused.
type ToolScope string

const (
	ToolScopeProject ToolScope = "project" // in this workspace
	ToolScopeUser    ToolScope = "user"    // in all of them; for connectors of the user's own file
)

// ToolSetParams switches one tool.
type ToolSetParams struct {
	Tool  ToolRef   `json:"tool"`  // one that was never listed goes by its label
	State ToolState `json:"state"` // on or off
	Scope ToolScope `json:"scope,omitzero"`
}

// Check returns what is wrong with the params, as a sentence for -32602.
func (p ToolSetParams) Check() error {
	switch {
	case p.Tool == "":
		return errors.New("tool is missing")
	case p.State != ToolOn && p.State != ToolOff:
		return fmt.Errorf("state is %q: it must be on or off", p.State)
	case p.Scope != "" && p.Scope != ToolScopeProject && p.Scope != ToolScopeUser:
		return fmt.Errorf("scope is %q: it must be project or user", p.Scope)
	}
	return nil
}

// ToolSetResult is the tool as it stands afterwards.
type ToolSetResult struct {
	Tool Tool `json:"tool"`
}

// WorkspaceSetParams says what is wanted of a workspace folder. What is absent
// stays as it is; with the folder alone nothing changes.
type WorkspaceSetParams struct {
	Root    URI               `json:"root"`
	Profile jsontext.Value    `json:"profile,omitzero" wire:"ProfileName?"` // null or empty: none
	Env     map[string]string `json:"env,omitzero"`                         // all of them from now on, each a reference such as ${WORK_TOKEN}, never a value
}

// Check returns what is wrong with the params, as a sentence for -32602.
func (p WorkspaceSetParams) Check() error {
	_, err := chosenProfile(p.Profile)
	return err
}

// ChosenProfile is the profile that is asked for, empty for none; nil leaves it.
func (p WorkspaceSetParams) ChosenProfile() *string { return profileOf(p.Profile) }

// WorkspaceSetResult is what is wanted of the folder afterwards.
type WorkspaceSetResult struct {
	Root    URI               `json:"root"`
	Profile *ProfileName      `json:"profile"` // null for none
	Env     map[string]string `json:"env"`     // references by the names of variables
}

func profileOf(raw jsontext.Value) *string {
	choice, err := chosenProfile(raw)
	if err != nil {
		return nil
	}
	return choice
}

func chosenProfile(raw jsontext.Value) (*string, error) {
	name := ""
	switch {
	case len(raw) == 0:
		return nil, nil
	case raw.Kind() == jsontext.KindNull:
		return &name, nil
	}
	if json.Unmarshal(raw, &name) != nil {
		return nil, errors.New("profile is not the name of one: name one, or null for none")
	}
	return &name, nil
}

// ConnectorSet changes what the user wants of a connector, in no file. For one
// that a file or a profile has off, and that is to be on, it opens the question
// that shows its definition; what the user alone switched off is on at once.
//
//pillion:people
var ConnectorSet = rpc.Request[ConnectorSetParams, ConnectorSetResult]{Method: "pillion/connector/set"}

// ToolSet switches a tool on or off for the user, in no file. On takes back no
// more than that the user switched it off: what a file leaves out stays out.
//
//pillion:people
var ToolSet = rpc.Request[ToolSetParams, ToolSetResult]{Method: "pillion/tool/set"}

// WorkspaceSet changes what the user wants of a workspace folder, in no file. A
// connector that reads one of the variables is another definition afterwards,
// and needs permission again.
//
//pillion:people
var WorkspaceSet = rpc.Request[WorkspaceSetParams, WorkspaceSetResult]{Method: "pillion/workspace/set"}
