package browser

import "github.com/go-json-experiment/json"

// standingKey is where a result of a provider's tool says how the browser itself stands, in its _meta.
const standingKey = "pillion/browser"

// Standing is how the browser behind a provider stands. The zero value says nothing.
type Standing struct {
	Runs  bool   `json:"runs,omitzero"`
	Fault string `json:"fault,omitzero"` // why it does not start, and what to do, for a person
}

// Meta is the _meta of a result that tells it; nil where there is nothing to tell.
func (s Standing) Meta() map[string]any {
	if s == (Standing{}) {
		return nil
	}
	return map[string]any{standingKey: s}
}

// StandingOf is what a result of a provider's tool, as MCP has it, tells.
func StandingOf(result []byte) Standing {
	var told struct {
		Meta struct {
			Browser Standing `json:"pillion/browser"`
		} `json:"_meta"`
	}
	if json.Unmarshal(result, &told) != nil {
		return Standing{}
	}
	return told.Meta.Browser
}
