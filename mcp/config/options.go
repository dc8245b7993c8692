package config

import (
	"fmt"
	"slices"
	"time"

	"github.com/tailscale/hujson"

	"pillion/mcp/settings"
)

// When a connector is started.
const (
	StartLazy  = settings.StartLazy
	StartEager = settings.StartEager
)

// Which protocol era is spoken.
const (
	EraAuto   = settings.EraAuto
	EraModern = settings.EraModern
	EraLegacy = settings.EraLegacy
)

// Options are the keys under "pillion" in an entry, as [settings.EntryOptions]
// declares them. A zero value stands for "not given": the host's default holds.
type Options struct {
	Start string // empty counts as StartLazy
	Era   string // empty counts as EraAuto

	StartTimeout, CallTimeout time.Duration
	// IdleTimeout is negative for never (written 0).
	IdleTimeout   time.Duration
	MaxConcurrent int
	// PingInterval is negative for never (written 0).
	PingInterval time.Duration

	// InheritEnv names further variables that the child gets from Pillion's
	// own environment; the user's file alone may set it (S4).
	InheritEnv []string
	// TrustReadOnly says that the connector's read-only hints are believed, and
	// DoubtReadOnly, that they are not though the connector is the user's own; the
	// user's file alone may set them (S4).
	TrustReadOnly, DoubtReadOnly bool

	// Tools, when not nil, are the only ones offered; ExcludeTools are never
	// offered. Exact names, globs and /regular expressions/.
	Tools, ExcludeTools []string
	// ExtraIncludeTools are offered beside Tools, where there are such.
	ExtraIncludeTools []string

	// ToolPrefix stands in the place of the connector's name before its tools'
	// served names.
	ToolPrefix string
	// Tags are those of all tools, ToolTags those of tools by patterns of their
	// names.
	Tags     []string
	ToolTags map[string][]string
	// IsOffByDefault says that the connector is on only where a profile that is
	// chosen has it.
	IsOffByDefault bool
	// MaxInstructionBytes bounds what is passed on of the server's instructions;
	// negative for nothing (written 0).
	MaxInstructionBytes int
	// StderrLevel is that at which standard error is logged beside the
	// connector's own log; empty for not at all.
	StderrLevel string

	// Reconnect says how it comes back after it ended by itself.
	Reconnect Reconnect
	// Sharing, Scope and Max say how calls come by its processes; empty and 0 are
	// the host's defaults.
	Sharing, Scope string
	Max            int

	// Seat is what the connector is the one provider of in a session; the user's
	// file alone may set it (S4).
	Seat string

	// Description is also read from the entry itself.
	Description string

	// Profiles are those that the entry belongs to; "*" stands for all. They only
	// select.
	Profiles []string

	// ImportedFrom says whose entry this was before it was imported; it only
	// describes. See [Entry.Origin].
	ImportedFrom string
}

// Reconnect says how a connector comes back that ended by itself; zero values
// stand for the host's defaults.
type Reconnect struct {
	Attempts                int // negative for never (written 0)
	Delay, MaxDelay, Stable time.Duration
}

func reconnectOf(v settings.Value) Reconnect {
	r := Reconnect{
		Attempts: v.Member(settings.ReconnectAttempts).Count(), Delay: v.Member(settings.ReconnectDelay).Duration(),
		MaxDelay: v.Member(settings.ReconnectMaxDelay).Duration(), Stable: v.Member(settings.ReconnectStable).Duration(),
	}
	if v.Member(settings.ReconnectAttempts).IsSet() && r.Attempts == 0 {
		r.Attempts = -1
	}
	return r
}

// Offers reports whether the options let a tool through.
func (o Options) Offers(tool string) bool {
	matches := func(pattern string) bool { return MatchesTool(pattern, tool) }
	return !slices.ContainsFunc(o.ExcludeTools, matches) &&
		(o.Tools == nil || slices.ContainsFunc(o.Tools, matches) || slices.ContainsFunc(o.ExtraIncludeTools, matches))
}

// TagsOf are the tags of a tool, sorted.
func (o Options) TagsOf(tool string) []string {
	tags := slices.Clone(o.Tags)
	for pattern, more := range o.ToolTags {
		if MatchesTool(pattern, tool) {
			tags = append(tags, more...)
		}
	}
	slices.Sort(tags)
	return slices.Compact(tags)
}

// MatchesTool reports whether one pattern of a tools or excludeTools list
// matches a tool's raw name. A pattern that does not compile matches nothing.
func MatchesTool(pattern, tool string) bool { return settings.MatchesPattern(pattern, tool) }

// options reads the object under "pillion".
func (r *entryReader) options(m member) {
	if !isObject(m.value) {
		r.refuse(CodeType, m.span(), "pillion is "+kindName(m.value), `write an object of options: {"start": "eager"}`)
		return
	}
	for _, option := range r.members(m) {
		path := "pillion." + option.key
		r.entry.fields = append(r.entry.fields, field{path: path, span: option.span(), literal: option.value.Value.Kind() == '"'})
		r.option(option, path)
	}
}

// option reads one option as it is declared.
func (r *entryReader) option(m member, path string) {
	declared, isKnown := settings.Lookup(settings.Name(m.key))
	switch {
	case !isKnown || declared.Owner != settings.OfEntry:
		r.unknownOption(m)
	case !declared.Has(r.channel()):
		r.warn(CodeTrust, m.keySpan, path+" works in your own mcp.json alone and is ignored here", "remove it") // S4
	case declared.IsAhead:
		r.keepOption(m)
		r.hint(CodeUnsupported, m.keySpan, path+" is not supported yet and has no effect", "")
	case declared.Name == settings.AliasOf:
		r.aliasOf(m, path)
	default:
		value, ok := r.value(m, declared, path)
		if !ok && declared.IsTrust {
			value, ok = declared.Narrowest(), true
		}
		if ok {
			r.entry.setOption(declared.Name, value)
			r.weigh(m, declared)
		}
	}
}

// setOption gives the entry an option, and remembers it for those who take it over.
func (e *Entry) setOption(name settings.Name, value settings.Value) {
	if e.given == nil {
		e.given = map[settings.Name]settings.Value{}
	}
	e.given[name] = value
	e.Options.set(name, value)
}

// weigh lets the hash look at what is written for an option that is part of the
// definition, but for those that have a place of their own in it.
func (r *entryReader) weigh(m member, declared settings.Setting) {
	if declared.Weight != settings.OfNothing && !hasPlace(declared.Name) {
		r.keepOption(m)
	}
}

// channel is by which way the file's options come in.
func (r *entryReader) channel() settings.Channel {
	if r.entry.File.Source == SourceProject {
		return settings.ProjectEntry
	}
	return settings.UserEntry
}

// value reads a value as it is declared, and says what is wrong with it. It
// reports false where nothing counts.
func (r *entryReader) value(m member, declared settings.Setting, path string) (settings.Value, bool) {
	if list, ok := m.value.Value.(*hujson.Array); ok && r.tooMany(m, len(list.Elements)) {
		return settings.Value{}, false
	}
	value, faults := declared.Decode(r.text[m.value.StartOffset:m.value.EndOffset])
	for _, fault := range faults {
		r.valueFault(m, declared, path, fault)
	}
	return value, value.IsSet()
}

func (r *entryReader) valueFault(m member, declared settings.Setting, path string, fault settings.Fault) {
	code, at := CodeValue, m.span()
	if fault.IsType {
		code = CodeType
	}
	if list, ok := m.value.Value.(*hujson.Array); ok && fault.Item >= 0 {
		path, at = fmt.Sprintf("%s[%d]", path, fault.Item), spanOf(&list.Elements[fault.Item])
	}
	switch {
	case declared.Kind == settings.Patterns || declared.Kind == settings.Names:
		// Without a pattern more tools would be offered than were meant.
		r.refuse(code, at, path+" "+fault.Message, fault.Fix)
	case declared.IsTrust:
		r.warn(code, at, path+" "+fault.Message+", and counts as "+declared.Narrowest().String(), fault.Fix)
	default:
		r.warn(code, at, path+" "+fault.Message+", and has no effect", fault.Fix)
	}
}

// set takes over one option.
func (o *Options) set(name settings.Name, v settings.Value) {
	switch name {
	case settings.Start:
		o.Start = v.Text()
	case settings.Era:
		o.Era = v.Text()
	case settings.StartTimeout:
		o.StartTimeout = v.Duration()
	case settings.CallTimeout:
		o.CallTimeout = v.Duration()
	case settings.IdleTimeout:
		if o.IdleTimeout = v.Duration(); o.IdleTimeout == 0 {
			o.IdleTimeout = -1
		}
	case settings.MaxConcurrent:
		o.MaxConcurrent = v.Count()
	case settings.PingInterval:
		if o.PingInterval = v.Duration(); o.PingInterval == 0 {
			o.PingInterval = -1
		}
	case settings.InheritEnv:
		o.InheritEnv = v.List()
	case settings.TrustReadOnly:
		o.TrustReadOnly, o.DoubtReadOnly = v.Bool(), !v.Bool()
	case settings.Tools:
		o.Tools = v.List()
	case settings.ExcludeTools:
		o.ExcludeTools = v.List()
	case settings.ExtraIncludeTools:
		o.ExtraIncludeTools = v.List()
	case settings.ToolPrefix:
		o.ToolPrefix = v.Text()
	case settings.Tags:
		o.Tags = v.List()
	case settings.ToolTags:
		o.ToolTags = v.Lists()
	case settings.OnByDefault:
		o.IsOffByDefault = !v.Bool()
	case settings.MaxInstructionBytes:
		if o.MaxInstructionBytes = v.Count(); o.MaxInstructionBytes == 0 {
			o.MaxInstructionBytes = -1
		}
	case settings.StderrLevel:
		o.StderrLevel = v.Text()
	case settings.Reconnect:
		o.Reconnect = reconnectOf(v)
	case settings.Sharing:
		o.Sharing = v.Text()
	case settings.Scope:
		o.Scope = v.Text()
	case settings.Max:
		o.Max = v.Count()
	case settings.Seat:
		o.Seat = v.Text()
	case settings.Description:
		if o.Description == "" {
			o.Description = v.Text()
		}
	case settings.Profiles:
		o.Profiles = v.List()
	case settings.ImportedFrom:
		o.ImportedFrom = v.Text()
	}
}

// keepOption remembers an option that only the hash looks at.
func (r *entryReader) keepOption(m member) {
	m.key = "pillion." + m.key
	r.keep(m)
}

func (r *entryReader) unknownOption(m member) {
	r.keepOption(m)
	f := Finding{Code: CodeUnknownKey, Severity: Hint, Span: m.keySpan,
		Message: "the option " + quoted(m.key) + " is not known and has no effect"}
	if right, near := nearest(m.key, optionKeys(), nil); near {
		f.Fix, f.Edit = "write "+quoted(right), &Edit{m.keySpan, `"` + right + `"`}
		if takesAway(right, m.value) {
			f.Severity = Error
		}
	}
	r.add(f)
}

func optionKeys() []string {
	var keys []string
	for _, option := range settings.EntryOptions() {
		keys = append(keys, string(option.Name))
	}
	return keys
}

// timeout reads the entry's own timeout, which other hosts read as milliseconds.
func (r *entryReader) timeout(m member) {
	value, ok := r.value(m, settings.Setting{Kind: settings.Duration}, m.key)
	if !ok {
		return
	}
	d := value.Duration()
	if m.value.Value.Kind() == '0' && 0 < d && d < time.Second {
		r.hint(CodeValue, m.span(), "timeout is in milliseconds", fmt.Sprintf(`write "%ss" if seconds are meant`, m.value.Value))
	}
	r.entry.Timeout = d
}
