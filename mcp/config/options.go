package config

import "time"

// When a connector is started.
const (
	StartLazy  = "lazy"
	StartEager = "eager"
)

// Which protocol era is spoken.
const (
	EraAuto   = "auto"
	EraModern = "modern"
	EraLegacy = "legacy"
)

// Options are the keys under "pillion" in an entry. A zero value stands for
// "not given": the host's default holds.
type Options struct {
	Start string // StartLazy when not given
	Era   string // EraAuto when not given

	StartTimeout, CallTimeout time.Duration
	// IdleTimeout is negative for never (written 0).
	IdleTimeout   time.Duration
	MaxConcurrent int

	// InheritEnv names further variables that the child gets from Pillion's
	// own environment; the user's file alone may set it (S4).
	InheritEnv []string
	// TrustReadOnly says that the connector's read-only hints are believed; the
	// user's file alone may set it (S4).
	TrustReadOnly bool

	// Tools, when not nil, are the only ones offered; ExcludeTools are never
	// offered. Exact names, globs (* and ?) and /regular expressions/.
	Tools, ExcludeTools []string

	Description string
}

// Offers reports whether the options let a tool through.
func (o Options) Offers(tool string) bool { panic("unfinished") }

// MatchesTool reports whether one pattern of a tools or excludeTools list
// matches a tool's raw name. A pattern that does not compile matches nothing.
func MatchesTool(pattern, tool string) bool { panic("unfinished") }
