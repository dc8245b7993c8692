package message

import (
	"errors"

	"pillion/rpc"
)

//pillion:section 65 Secrets
//
// The values of inputs are kept in the operating system's keyring, or sealed in
// a file of Pillion's own. Each is for one destination, and for one workspace
// folder where the connector that is given it belongs to one; elsewhere the
// input is asked for anew. No message ever holds a value but those that set one.

// Secret says of one value whether it is stored, never what it is.
type Secret struct {
	ID          string `json:"id"`            // the id in the reference
	Source      string `json:"source"`        // whose file refers to it: user
	Root        URI    `json:"root,omitzero"` // workspace folder that it is for; absent where it is for none
	Destination string `json:"destination"`   // program or host that is given it
	Set         bool   `json:"set"`           // whether a value is stored
}

// SecretsResult lists what is stored and what the connectors refer to.
type SecretsResult struct {
	Secrets []Secret `json:"secrets"`
}

// SecretSetParams stores a value.
type SecretSetParams struct {
	ID          string `json:"id"`            // the id in the reference
	Source      string `json:"source"`        // whose file refers to it
	Root        URI    `json:"root,omitzero"` // workspace folder that it is for
	Destination string `json:"destination"`   // program or host that is given it
	Value       string `json:"value"`         // the value, which may be empty
}

// Check returns what is wrong with the params, as a sentence for -32602. It
// never holds the value.
func (p SecretSetParams) Check() error {
	if err := CheckInputValue(p.Value); err != nil {
		return err
	}
	return SecretRemoveParams{p.ID, p.Source, p.Root, p.Destination}.Check()
}

// SecretRemoveParams says which value to forget.
type SecretRemoveParams struct {
	ID          string `json:"id"`            // the id in the reference
	Source      string `json:"source"`        // whose file refers to it
	Root        URI    `json:"root,omitzero"` // workspace folder that it is for
	Destination string `json:"destination"`   // program or host that is given it
}

// Check returns what is wrong with the params, as a sentence for -32602.
func (p SecretRemoveParams) Check() error {
	switch {
	case p.ID == "":
		return errors.New("id is missing")
	case p.Source == "":
		return errors.New("source is missing")
	case p.Destination == "":
		return errors.New("destination is missing")
	}
	return nil
}

// Secrets lists the values that are stored and those that connectors refer to,
// without the values.
//
//pillion:people
var Secrets = rpc.Request[Empty, SecretsResult]{Method: "pillion/secrets"}

// SecretSet stores a value. A connector that runs has the old one until it is
// restarted.
//
//pillion:people
var SecretSet = rpc.Request[SecretSetParams, Empty]{Method: "pillion/secret/set"}

// SecretRemove forgets a value; one that is not there is as good as removed.
//
//pillion:people
var SecretRemove = rpc.Request[SecretRemoveParams, Empty]{Method: "pillion/secret/remove"}
