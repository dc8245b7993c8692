package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"pillion/mcp/settings"
)

// aliasOf reads the name of the entry that this one is a second name of.
func (r *entryReader) aliasOf(m member, path string) {
	if m.value.Value.Kind() != '"' || decodeString(m.value.Value) == "" {
		r.refuse(CodeType, m.span(), path+" is no connector's name", "write the name of a connector of this file")
		return
	}
	r.entry.alias, r.entry.aliasAt = decodeString(m.value.Value), m.span()
}

// refuseOwn refuses what an alias cannot have of its own: what runs is that of
// the entry it stands for.
func (r *entryReader) refuseOwn() {
	for _, key := range []string{"command", "args", "env", "cwd", "envFile", "type", "url", "headers"} {
		if m, ok := r.has[key]; ok {
			r.add(Finding{Code: CodeConflict, Severity: Error, Span: m.keySpan, Related: []Span{r.entry.aliasAt},
				Message: "an alias has no " + key + " of its own", Fix: "remove it, or aliasOf"})
			return
		}
	}
}

const (
	// maxGuessed is how many names are looked at for one that was meant.
	maxGuessed = 100
	// maxChain is how far an alias of an alias is followed.
	maxChain = 100
)

// resolveAliases gives every alias what it is an alias of.
func (d *Document) resolveAliases() {
	n := 0
	for _, e := range d.Entries {
		if e.alias == "" {
			continue
		}
		if n++; n > maxItems {
			r := &entryReader{entry: e, limit: len(e.Findings) + 1}
			r.refuse(CodeTooLarge, e.aliasAt, fmt.Sprintf("the file has more than %d aliases", maxItems), "remove some")
			continue
		}
		d.resolveAlias(e)
	}
}

func (d *Document) resolveAlias(e *Entry) {
	r := &entryReader{entry: e, text: d.Text, limit: len(e.Findings) + 1}
	target := d.byName[e.alias]
	switch {
	case target == nil:
		d.noSuchAlias(r)
		return
	case target.alias != "":
		d.aliasOfAlias(r, target)
		return
	}
	e.AliasOf, e.aliased = target.ID, target
	if target.Fault != nil {
		r.refuse(CodeAlias, e.aliasAt, "the connector "+quoted(target.Name)+" that it is an alias of cannot run", "correct that one first")
	}
	e.takeFrom(target)
	e.isShared = e.ProcessHash() == target.ProcessHash()
}

func (d *Document) noSuchAlias(r *entryReader) {
	f := Finding{Code: CodeAlias, Severity: Error, Span: r.entry.aliasAt,
		Message: "there is no connector " + quoted(r.entry.alias) + " in this file to be an alias of",
		Fix:     "write the name of a connector of this file"}
	var names []string
	for _, other := range d.Entries[:min(len(d.Entries), maxGuessed)] {
		if other != r.entry && other.alias == "" {
			names = append(names, other.Name)
		}
	}
	if right, near := nearest(r.entry.alias, names, nil); near {
		f.Fix, f.Edit = "write "+quoted(right), aliasEdit(r.entry, right)
	}
	r.add(f)
}

// aliasOfAlias refuses one with the name to point at, or a circle of them.
func (d *Document) aliasOfAlias(r *entryReader, target *Entry) {
	path := []*Entry{r.entry}
	for at := target; at != nil && at.alias != ""; at = d.byName[at.alias] {
		if i := slices.Index(path, at); i >= 0 {
			r.add(cycleFinding(r.entry, path[i:]))
			return
		}
		if len(path) == maxChain {
			break
		}
		path = append(path, at)
	}
	f := Finding{Code: CodeAlias, Severity: Error, Span: r.entry.aliasAt,
		Message: quoted(target.Name) + " is an alias itself", Fix: "write the name of a connector that is none"}
	if last := d.byName[path[len(path)-1].alias]; last != nil && last.alias == "" {
		f.Fix, f.Edit = "write "+quoted(last.Name), aliasEdit(r.entry, last.Name)
	}
	r.add(f)
}

func cycleFinding(e *Entry, circle []*Entry) Finding {
	const most = 8
	names := make([]string, 0, most+1)
	var related []Span
	for _, one := range circle[:min(len(circle), most)] {
		names = append(names, quoted(one.Name))
		if one != e {
			related = append(related, one.aliasAt)
		}
	}
	if len(circle) > most {
		names = append(names, "…")
	}
	return Finding{Code: CodeAliasCycle, Severity: Error, Span: e.aliasAt, Related: related,
		Message: "aliases point in a circle: " + strings.Join(append(names, quoted(circle[0].Name)), " → "),
		Fix:     "let one of them name a program or an address"}
}

func aliasEdit(e *Entry, name string) *Edit {
	return &Edit{e.aliasAt, quoteJSON(name)}
}

// quoteJSON is a text as a string of JSON.
func quoteJSON(text string) string {
	literal, err := jsontext.AppendQuote(nil, strings.ToValidUTF8(text, "\ufffd"))
	if err != nil { // the text is valid
		panic(err)
	}
	return string(literal)
}

// takeFrom gives an alias what runs, and every option that it does not set. What
// the other one excludes it excludes as well.
func (e *Entry) takeFrom(target *Entry) {
	e.Transport, e.Command, e.Args, e.Env = target.Transport, target.Command, target.Args, target.Env
	e.Cwd, e.EnvFile, e.URL, e.Headers = target.Cwd, target.EnvFile, target.URL, target.Headers
	e.Inputs, e.Pillion = target.Inputs, target.Pillion
	own := &Entry{Options: e.Options, given: e.given}
	e.Options, e.given = target.Options, maps.Clone(target.given)
	for _, option := range settings.EntryOptions() {
		if e.sets(string(option.Name)) && option.Name != settings.ExcludeTools {
			e.take(own, option.Name)
		}
	}
	e.Options.ExcludeTools = slices.Concat(own.Options.ExcludeTools, target.Options.ExcludeTools)
	e.Options.ImportedFrom, e.Options.ToolPrefix = own.Options.ImportedFrom, own.Options.ToolPrefix
	if own.Options.Description != "" {
		e.Options.Description = own.Options.Description
	}
	if _, ok := e.Field("timeout"); !ok {
		e.Timeout = target.Timeout
	}
	extra := maps.Clone(target.extra)
	if extra == nil {
		extra = map[string]jsontext.Value{}
	}
	maps.Copy(extra, e.extra)
	e.extra = extra
	for _, f := range target.fields {
		if _, ok := e.Field(f.path); !ok {
			e.fields = append(e.fields, f)
		}
	}
}

// ProcessHash is over what shapes the process or connection alone: the
// [Entry.Hash] of the entry without the options that hold for each name by
// itself, such as what it offers and when it is started.
func (e *Entry) ProcessHash() string {
	shaping := *e
	shaping.Options, shaping.given, shaping.Timeout = Options{}, nil, 0
	shaping.extra = maps.Clone(e.extra)
	for _, option := range settings.EntryOptions() {
		if option.Weight != settings.OfProcess {
			delete(shaping.extra, "pillion."+string(option.Name))
			continue
		}
		shaping.take(e, option.Name)
	}
	return shaping.Hash()
}

// ProcessID is the ID of the entry whose process this one is a name of: its own,
// but for an alias that changes nothing of what shapes the process (A7).
func (e *Entry) ProcessID() string {
	if e.aliased != nil && e.isShared {
		return e.aliased.ID
	}
	return e.ID
}
