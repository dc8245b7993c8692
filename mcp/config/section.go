package config

import (
	"fmt"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"pillion/mcp/settings"
)

// readSection reads the object under "pillion" beside mcpServers: what holds
// for the entries of this file and for no other (S4).
func (d *Document) readSection(m member) {
	if !isObject(m.value) {
		d.add(Error, CodeType, m.span(), "pillion is "+kindName(m.value), `write an object: {"defaults": {…}, "profiles": {…}}`)
		return
	}
	for _, twice := range duplicates(m.value) {
		d.note(duplicateFinding(twice))
	}
	list := members(m.value)
	for _, part := range list[:min(len(list), maxItems)] {
		switch part.key {
		case "defaults":
			d.readDefaults(part)
		case "profiles":
			d.readProfiles(part)
		default:
			f := Finding{Code: CodeUnknownKey, Severity: Hint, Span: part.keySpan,
				Message: "the key " + quoted(part.key) + " is not known and has no effect"}
			if right, near := nearest(part.key, []string{"defaults", "profiles"}, nil); near {
				f.Fix, f.Edit = "write "+quoted(right), &Edit{part.keySpan, `"` + right + `"`}
			}
			d.note(f)
		}
	}
}

// The bounds of what holds for every entry, and so is paid for by every entry.
const (
	maxDefaultOptions = 64
	maxDefaultsBytes  = 16 << 10
)

// optionDefault is one option under "defaults".
type optionDefault struct {
	option string
	// read has the option, and as its fault what is wrong with it.
	read *Entry
}

// readDefaults reads each default once, and says what is wrong with it.
func (d *Document) readDefaults(m member) {
	list := members(m.value)
	switch {
	case !isObject(m.value):
		d.add(Error, CodeType, m.span(), "defaults is "+kindName(m.value), `write an object of options: {"callTimeout": "2m"}`)
		return
	case len(list) > maxDefaultOptions || m.span().End-m.span().Start > maxDefaultsBytes:
		d.add(Error, CodeTooLarge, m.keySpan, "the defaults are too many and have no effect", fmt.Sprintf("use at most %d, and %d bytes", maxDefaultOptions, maxDefaultsBytes))
		return
	}
	for _, option := range list {
		if !canBeDefault(option.key) {
			d.add(Hint, CodeUnusedKey, option.keySpan, quoted(option.key)+" is for one connector and has no effect among the defaults", "write it into an entry")
			continue
		}
		if slices.ContainsFunc(d.defaults, func(other optionDefault) bool { return other.option == option.key }) {
			continue // said already
		}
		read := &Entry{File: d.File}
		r := &entryReader{entry: read, text: d.Text, limit: min(d.budget, maxEntryFindings)}
		r.option(option, "pillion.defaults."+option.key)
		for _, f := range read.Findings {
			d.note(f)
		}
		d.defaults = append(d.defaults, optionDefault{option.key, read})
	}
}

// canBeDefault reports whether an option makes sense for all entries of a file;
// of an unknown one that is said where it is read.
func canBeDefault(option string) bool {
	declared, isKnown := settings.Lookup(settings.Name(option))
	return !isKnown || !declared.IsOfOne
}

// applyDefaults gives an entry the options that it does not set itself. A
// default at fault is the fault of every entry that it was meant for.
func (d *Document) applyDefaults(e *Entry) {
	if e.Narrows || e.Vouches || e.alias != "" {
		return // an alias has those of the entry it stands for
	}
	for _, one := range d.defaults {
		if e.sets(one.option) {
			continue
		}
		e.take(one.read, settings.Name(one.option))
		for key, value := range one.read.extra {
			if e.extra == nil {
				e.extra = map[string]jsontext.Value{}
			}
			e.extra[key] = value
		}
		if one.read.Fault != nil && e.Fault == nil {
			fault := *one.read.Fault
			fault.Entry = e.Name
			e.Fault = &fault
		}
	}
}

// sets reports whether an entry gives an option itself.
func (e *Entry) sets(option string) bool {
	_, ok := e.Field("pillion." + option)
	return ok
}

// take takes one option over from another entry, which may not have it.
func (e *Entry) take(from *Entry, option settings.Name) {
	if value, isGiven := from.given[option]; isGiven {
		e.setOption(option, value)
	}
}
