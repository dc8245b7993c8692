package connector

import (
	"reflect"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"pillion/mcp/catalog"
)

// Catalogue is one complete generation of what the server offers. It never changes once published.
type Catalogue struct {
	// Generation counts up by one for each catalogue of a connector that differs from the one before.
	Generation  int
	Tools       []Tool // in the server's order
	Quarantined []Quarantined
	// What else is announced and listed, in the server's order; an entry that cannot be read is left out and warned of.
	Resources         []Resource
	ResourceTemplates []ResourceTemplate
	Prompts           []Prompt
}

// isSameAs reports whether another generation offers exactly the same. It looks at all of the tools that is shown or sent: two
// that only spell the same schema differently are two.
func (next *Catalogue) isSameAs(other *Catalogue) bool {
	return slices.EqualFunc(next.Tools, other.Tools, func(a, b Tool) bool {
		// The hash first: of two that differ it nearly always tells at once.
		return a.Hash == b.Hash && reflect.DeepEqual(a, b)
	}) && slices.Equal(next.Quarantined, other.Quarantined) && next.HasSameResources(other) && next.HasSamePrompts(other)
}

// HasSameResources reports whether another generation lists exactly the same resources and templates.
func (next *Catalogue) HasSameResources(other *Catalogue) bool {
	return same(next.Resources, other.Resources) && same(next.ResourceTemplates, other.ResourceTemplates)
}

// HasSamePrompts reports whether another generation lists exactly the same prompts.
func (next *Catalogue) HasSamePrompts(other *Catalogue) bool {
	return same(next.Prompts, other.Prompts)
}

func same[E any](entries, others []E) bool {
	return slices.EqualFunc(entries, others, func(a, b E) bool { return reflect.DeepEqual(a, b) })
}

// Resource is something that can be read from the server. Everything in it is the server's claim.
type Resource struct {
	URI         string
	Name        string
	Title       string
	Description string
	MIMEType    string
	SizeBytes   int64          // 0 when unknown
	Annotations jsontext.Value `json:",omitzero"` // an object, nil when absent
	Passed
}

// ResourceTemplate stands for many resources: its URITemplate is one of RFC 6570. Everything in it is the server's claim.
type ResourceTemplate struct {
	URITemplate string
	Name        string
	Title       string
	Description string
	MIMEType    string
	Annotations jsontext.Value `json:",omitzero"` // as those of a [Resource]
	Passed
}

// Prompt is something that the server writes for a model. Everything in it is the server's claim.
type Prompt struct {
	Name        string
	Title       string
	Description string
	Arguments   []PromptArgument
	Passed
}

// PromptArgument is one argument of a prompt; its value is a text.
type PromptArgument struct {
	Name        string
	Title       string
	Description string
	IsRequired  bool
}

// Passed is what is said of an entry for whoever shows it.
type Passed = catalog.Passed

// Tool is one tool as listed. Everything in it is the server's claim.
type Tool = catalog.Tool

// Quarantined is a tool that was listed but cannot be offered.
type Quarantined struct {
	// Index is the place in the server's list.
	Index int
	// Name is empty where the tool has none that is a string.
	Name   string
	Reason string
}
