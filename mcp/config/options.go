package config

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/tailscale/hujson"
)

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
	Start string // empty counts as StartLazy
	Era   string // empty counts as EraAuto

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
	// offered. Exact names, globs and /regular expressions/.
	Tools, ExcludeTools []string

	// Description is also read from the entry itself.
	Description string
}

// Offers reports whether the options let a tool through.
func (o Options) Offers(tool string) bool {
	matches := func(pattern string) bool { return MatchesTool(pattern, tool) }
	return !slices.ContainsFunc(o.ExcludeTools, matches) && (o.Tools == nil || slices.ContainsFunc(o.Tools, matches))
}

// MatchesTool reports whether one pattern of a tools or excludeTools list
// matches a tool's raw name. A pattern that does not compile matches nothing.
func MatchesTool(pattern, tool string) bool {
	if pattern == tool {
		return true
	}
	if expression, ok := regularExpression(pattern); ok {
		compiled, err := regexp.Compile(expression)
		return err == nil && compiled.MatchString(tool)
	}
	// A slash in a tool's name separates nothing: * goes across it.
	flat := strings.NewReplacer("/", "\x00")
	ok, err := doublestar.Match(flat.Replace(pattern), flat.Replace(tool))
	return err == nil && ok
}

func regularExpression(pattern string) (expression string, ok bool) {
	if len(pattern) < 3 || pattern[0] != '/' || pattern[len(pattern)-1] != '/' {
		return "", false
	}
	return pattern[1 : len(pattern)-1], true
}

// checkPattern says what is wrong with a pattern, or returns "".
func checkPattern(pattern string) string {
	if pattern == "" {
		return "is empty"
	}
	if expression, ok := regularExpression(pattern); ok {
		if _, err := regexp.Compile(expression); err != nil {
			return "is not a regular expression"
		}
		return ""
	}
	if !doublestar.ValidatePattern(strings.ReplaceAll(pattern, "/", "\x00")) {
		return "is not a glob"
	}
	return ""
}

func optionKeys() []string {
	return []string{"start", "startTimeout", "callTimeout", "idleTimeout", "maxConcurrent", "era", "inheritEnv",
		"trustReadOnly", "tools", "excludeTools", "description"}
}

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

func (r *entryReader) option(m member, path string) {
	o := &r.entry.Options
	switch m.key {
	case "start":
		o.Start = r.choice(m, path, StartLazy, StartEager)
	case "era":
		o.Era = r.choice(m, path, EraAuto, EraModern, EraLegacy)
	case "startTimeout":
		o.StartTimeout = r.positive(m, path)
	case "callTimeout":
		o.CallTimeout = r.positive(m, path)
	case "idleTimeout":
		idle, ok := r.duration(m, path)
		if ok && idle == 0 {
			idle = -1
		}
		o.IdleTimeout = idle
	case "maxConcurrent":
		o.MaxConcurrent = r.count(m, path)
	case "description":
		r.description(m)
	case "tools":
		o.Tools = r.patterns(m, path)
	case "excludeTools":
		o.ExcludeTools = r.patterns(m, path)
	case "inheritEnv", "trustReadOnly", "seat":
		r.trustOption(m, path)
	case "toolPrefix", "extraIncludeTools", "tags", "toolTags", "profiles", "default", "sharing", "scope", "max",
		"reconnect", "maxInstructionBytes", "stderrLevel", "aliasOf":
		r.keepOption(m)
		r.hint(CodeUnsupported, m.keySpan, path+" is not supported yet and has no effect", "")
	default:
		r.unknownOption(m)
	}
}

// trustOption reads what only the user's own file may say (S4).
func (r *entryReader) trustOption(m member, path string) {
	if r.entry.File.Source == SourceProject {
		r.warn(CodeTrust, m.keySpan, path+" works in your own mcp.json alone and is ignored here", "remove it")
		return
	}
	o := &r.entry.Options
	switch m.key {
	case "inheritEnv":
		o.InheritEnv = r.strings(m, path, func(name string) string {
			if name == "" || strings.ContainsAny(name, "=\x00") {
				return "is not a variable's name"
			}
			return ""
		})
	case "trustReadOnly":
		literal := string(r.text[m.value.StartOffset:m.value.EndOffset])
		if literal != "true" && literal != "false" {
			r.warn(CodeType, m.span(), path+" is "+kindName(m.value)+" and counts as false", "write true or false")
		}
		o.TrustReadOnly = literal == "true"
	default:
		r.keepOption(m)
		r.hint(CodeUnsupported, m.keySpan, path+" is not supported yet and has no effect", "")
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

// choice reads one word of several; anything else counts as not given.
func (r *entryReader) choice(m member, path string, words ...string) string {
	if m.value.Value.Kind() == '"' {
		if word := decodeString(m.value.Value); slices.Contains(words, word) {
			return word
		}
	}
	r.warn(CodeValue, m.span(), path+" is none of the words it can be, and has no effect", `write "`+strings.Join(words, `" or "`)+`"`)
	return ""
}

func (r *entryReader) count(m member, path string) int {
	const most = 1_000
	n, err := strconv.Atoi(string(r.text[m.value.StartOffset:m.value.EndOffset]))
	if err != nil || n < 1 || n > most {
		r.warn(CodeValue, m.span(), path+" cannot be that, and has no effect", fmt.Sprintf("write a whole number from 1 to %d", most))
		return 0
	}
	return n
}

// positive reads a duration that cannot be nothing.
func (r *entryReader) positive(m member, path string) time.Duration {
	d, ok := r.duration(m, path)
	if ok && d == 0 {
		r.warn(CodeValue, m.span(), path+" is zero and has no effect", `write a duration such as "30s"`)
	}
	return d
}

// maxDuration bounds what a duration can be: beyond it is a mistake.
const maxDuration = 365 * 24 * time.Hour

// duration reads a string with units, or a number of milliseconds.
func (r *entryReader) duration(m member, path string) (time.Duration, bool) {
	var d time.Duration
	var err error
	switch m.value.Value.Kind() {
	case '"':
		d, err = time.ParseDuration(decodeString(m.value.Value))
	case '0':
		var milliseconds float64
		milliseconds, err = strconv.ParseFloat(string(m.value.Value.(hujson.Literal)), 64)
		if err == nil && milliseconds <= float64(maxDuration/time.Millisecond) {
			d = time.Duration(milliseconds * float64(time.Millisecond))
		} else {
			d = maxDuration + 1
		}
	default:
		r.warn(CodeType, m.span(), path+" is "+kindName(m.value)+" and has no effect", `write a duration such as "30s", or milliseconds`)
		return 0, false
	}
	if err != nil || d < 0 || d > maxDuration {
		r.warn(CodeValue, m.span(), path+" is not a duration that can be, and has no effect", `write a duration such as "30s" or "5m", or milliseconds`)
		return 0, false
	}
	if m.value.Value.Kind() == '0' && 0 < d && d < time.Second && path == "timeout" {
		r.hint(CodeValue, m.span(), "timeout is in milliseconds", fmt.Sprintf(`write "%ss" if seconds are meant`, m.value.Value))
	}
	return d, true
}

// patterns reads a list of tool patterns. A bad one is a fault: without it more
// tools would be offered than were meant.
func (r *entryReader) patterns(m member, path string) []string {
	return r.strings(m, path, checkPattern)
}

func (r *entryReader) strings(m member, path string, check func(string) string) []string {
	list, ok := m.value.Value.(*hujson.Array)
	if !ok {
		r.refuse(CodeType, m.span(), path+" is "+kindName(m.value), "write an array of strings")
		return nil
	}
	if r.tooMany(m, len(list.Elements)) {
		return nil
	}
	values := make([]string, 0, len(list.Elements))
	for i := range list.Elements {
		v := &list.Elements[i]
		if v.Value.Kind() != '"' {
			r.refuse(CodeType, spanOf(v), fmt.Sprintf("%s[%d] is %s", path, i, kindName(v)), "write a string")
			continue
		}
		value := decodeString(v.Value)
		if wrong := check(value); wrong != "" {
			r.refuse(CodeValue, spanOf(v), quoted(value)+" "+wrong+" ("+path+")", "correct or remove it")
			continue
		}
		values = append(values, value)
	}
	return values
}
