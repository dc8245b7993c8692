package config

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/tidwall/jsonc"

	"pillion/mcp/settings"
)

// definition is the canonical form that is hashed. Its keys never change
// meaning: every stored consent would lapse.
type definition struct {
	Transport string                    `json:"transport"`
	Command   string                    `json:"command,omitzero"`
	Args      []string                  `json:"args,omitempty"`
	Env       [][2]string               `json:"env,omitempty"`
	Cwd       string                    `json:"cwd,omitzero"`
	EnvFile   string                    `json:"envFile,omitzero"`
	URL       string                    `json:"url,omitzero"`
	Headers   [][2]string               `json:"headers,omitempty"`
	Timeout   int64                     `json:"timeout,omitzero"` // nanoseconds
	Options   definitionOptions         `json:"pillion"`
	Extra     map[string]jsontext.Value `json:"extra,omitempty"`
	Inputs    []definitionInput         `json:"inputs,omitempty"`
}

// definitionInput is an input without its description, which only describes.
type definitionInput struct {
	ID       string   `json:"id"`
	IsSecret bool     `json:"secret,omitzero"`
	Options  []string `json:"options,omitempty"`
	Default  string   `json:"default,omitzero"`
}

// definitionOptions are the options that had a place in it before any other. All
// later ones count as they are written, among the extra keys.
type definitionOptions struct {
	Start         string    `json:"start,omitzero"`
	Era           string    `json:"era,omitzero"`
	StartTimeout  int64     `json:"startTimeout,omitzero"` // nanoseconds
	CallTimeout   int64     `json:"callTimeout,omitzero"`  // nanoseconds
	IdleTimeout   int64     `json:"idleTimeout,omitzero"`  // nanoseconds
	MaxConcurrent int       `json:"maxConcurrent,omitzero"`
	InheritEnv    []string  `json:"inheritEnv,omitempty"`
	TrustReadOnly bool      `json:"trustReadOnly,omitzero"`
	Tools         *[]string `json:"tools,omitzero"`
	ExcludeTools  []string  `json:"excludeTools,omitempty"`
}

// hasPlace reports whether an option is among [definitionOptions].
func hasPlace(option settings.Name) bool {
	switch option {
	case settings.Start, settings.Era, settings.StartTimeout, settings.CallTimeout, settings.IdleTimeout, settings.MaxConcurrent,
		settings.InheritEnv, settings.TrustReadOnly, settings.Tools, settings.ExcludeTools:
		return true
	}
	return false
}

// Hash is over the canonical form of the effective, unexpanded definition.
// Whitespace, comments, key order, an explicit or inferred type, and keys that
// only switch or describe (disabled, enabled, description) or are never
// honoured do not count; everything else does, unknown keys included (S2).
func (e *Entry) Hash() string {
	o := e.Options
	d := definition{
		Transport: e.Transport, Command: e.Command, Args: e.Args, Env: pairs(e.Env), Cwd: e.Cwd, EnvFile: e.EnvFile,
		URL: e.URL, Headers: pairs(e.Headers), Timeout: e.Timeout.Nanoseconds(), Extra: e.extra,
		Options: definitionOptions{
			StartTimeout: o.StartTimeout.Nanoseconds(), CallTimeout: o.CallTimeout.Nanoseconds(), IdleTimeout: o.IdleTimeout.Nanoseconds(),
			MaxConcurrent: o.MaxConcurrent, InheritEnv: o.InheritEnv, TrustReadOnly: o.TrustReadOnly, ExcludeTools: o.ExcludeTools,
		},
	}
	if o.Start != StartLazy {
		d.Options.Start = o.Start
	}
	if o.Era != EraAuto {
		d.Options.Era = o.Era
	}
	if o.Tools != nil {
		d.Options.Tools = &o.Tools
	}
	for _, input := range e.Inputs {
		d.Inputs = append(d.Inputs, definitionInput{input.ID, input.IsSecret, input.Options, input.Default})
	}
	h := sha256.New()
	// A file's strings are UTF-8; those of an entry made in code may not be. A key that stands twice is a fault already, and
	// the hash of such an entry is asked for like any other's.
	if err := json.MarshalWrite(h, d, json.Deterministic(true), jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true)); err != nil {
		panic("config: a definition cannot be encoded: " + err.Error())
	}
	return hex.EncodeToString(h.Sum(nil))
}

// pairs orders variables by name: their order in the file means nothing.
func pairs(list []Variable) [][2]string {
	sorted := make([][2]string, len(list))
	for i, v := range list {
		sorted[i] = [2]string{v.Name, v.Value}
	}
	slices.SortStableFunc(sorted, func(a, b [2]string) int { return cmp.Compare(a[0], b[0]) })
	return sorted
}

// canonicalValue is a value without comments and whitespace, its keys ordered
// and its digits kept.
func canonicalValue(raw []byte) jsontext.Value {
	value := jsontext.Value(jsonc.ToJSON(raw))
	if err := value.Format(jsontext.ReorderRawObjects(true), jsontext.AllowDuplicateNames(true)); err != nil {
		encoded, _ := jsontext.AppendQuote(nil, raw)
		return encoded
	}
	return value
}
