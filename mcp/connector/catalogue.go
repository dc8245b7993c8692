package connector

import "github.com/go-json-experiment/json/jsontext"

// Catalogue is one complete generation of what the server offers. It never changes once published.
type Catalogue struct {
	// Generation counts up by one for each catalogue of a connector that differs from the one before.
	Generation  int
	Tools       []Tool // in the server's order
	Quarantined []Quarantined
	// Counts of what else is announced and listed.
	Resources         int
	ResourceTemplates int
	Prompts           int
}

// Tool is one tool as listed. Everything in it is the server's claim.
type Tool struct {
	Name        string
	Title       string
	Description string
	// The schemas and annotations are the bytes as received; OutputSchema and Annotations are nil when absent.
	InputSchema  jsontext.Value
	OutputSchema jsontext.Value
	Annotations  jsontext.Value
	// The hints are nil when absent.
	ReadOnly    *bool
	Destructive *bool
	Idempotent  *bool
	OpenWorld   *bool
	// TaskSupport is execution.taskSupport: "", "forbidden", "optional", "required".
	TaskSupport string
	// Hash is over name, description, schemas and annotations; key order and white space play no part.
	Hash string
}

// Quarantined is a tool that was listed but cannot be offered.
type Quarantined struct {
	// Index is the place in the server's list.
	Index int
	// Name is empty where the tool has none that is a string.
	Name   string
	Reason string
}
