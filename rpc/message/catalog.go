package message

import (
	"fmt"

	"pillion/rpc"
)

//pillion:section 31 Catalogue
//
// What there is in a form for a model, bounded whatever there is.

// CatalogParams say how large a catalogue may be, and what it is for.
type CatalogParams struct {
	Budget        int    `json:"budget,omitzero"`        // how many tokens the text may cost; 0 leaves it to Pillion
	Bias          string `json:"bias,omitzero"`          // words for what matters: tools that they find come first
	ContextTokens int    `json:"contextTokens,omitzero"` // how many tokens the context holds that it is for, for warnings
}

// Check returns what is wrong with the params, as a sentence for -32602.
func (p CatalogParams) Check() error {
	if p.Budget < 0 || p.ContextTokens < 0 {
		return fmt.Errorf("budget is %d and contextTokens %d: they must not be negative", p.Budget, p.ContextTokens)
	}
	return nil
}

// CatalogResult is a text that says which tools there are, made to be pasted.
type CatalogResult struct {
	Text     string   `json:"text"`     // lines; what stands after a tool's name is its connector's own words
	Tokens   int      `json:"tokens"`   // about what it costs, at most the budget
	Shown    int      `json:"shown"`    // how many tools it names
	Total    int      `json:"total"`    // how many there are
	Warnings []string `json:"warnings"` // what is worth a word about what all definitions cost in that context
}

// Catalog lists tools in a text of at most so many tokens, however many there
// are. It never starts a connector.
var Catalog = rpc.Request[CatalogParams, CatalogResult]{Method: "pillion/catalog"}
