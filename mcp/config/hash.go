package config

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/tidwall/jsonc"
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
	Timeout   time.Duration             `json:"timeout,omitzero,format:nano"`
	Options   definitionOptions         `json:"pillion"`
	Extra     map[string]jsontext.Value `json:"extra,omitempty"`
}

type definitionOptions struct {
	Start         string        `json:"start,omitzero"`
	Era           string        `json:"era,omitzero"`
	StartTimeout  time.Duration `json:"startTimeout,omitzero,format:nano"`
	CallTimeout   time.Duration `json:"callTimeout,omitzero,format:nano"`
	IdleTimeout   time.Duration `json:"idleTimeout,omitzero,format:nano"`
	MaxConcurrent int           `json:"maxConcurrent,omitzero"`
	InheritEnv    []string      `json:"inheritEnv,omitempty"`
	TrustReadOnly bool          `json:"trustReadOnly,omitzero"`
	Tools         *[]string     `json:"tools,omitzero"`
	ExcludeTools  []string      `json:"excludeTools,omitempty"`
}

// Hash is over the canonical form of the effective, unexpanded definition.
// Whitespace, comments, key order, an explicit or inferred type, and keys that
// only switch or describe (disabled, enabled, description) or are never
// honoured do not count; everything else does, unknown keys included (S2).
func (e *Entry) Hash() string {
	o := e.Options
	d := definition{
		Transport: e.Transport, Command: e.Command, Args: e.Args, Env: pairs(e.Env), Cwd: e.Cwd, EnvFile: e.EnvFile,
		URL: e.URL, Headers: pairs(e.Headers), Timeout: e.Timeout, Extra: e.extra,
		Options: definitionOptions{
			StartTimeout: o.StartTimeout, CallTimeout: o.CallTimeout, IdleTimeout: o.IdleTimeout,
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
	h := sha256.New()
	// Strings that are not UTF-8 cannot come from a file, but an entry can be
	// made in code; replacing their bytes would make two of them equal.
	if err := json.MarshalWrite(h, d, json.Deterministic(true), jsontext.AllowInvalidUTF8(true)); err != nil {
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
