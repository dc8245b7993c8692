package config

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/tailscale/hujson"

	"pillion/mcp/settings"
)

// Profile is a subset of a file's entries under a name.
type Profile struct {
	Name, Description string
	// Connectors are the entries that the profile names, beside those that name
	// it; "*" names all.
	Connectors []string
	// Span is the name with its quotes; zero for one that only entries name.
	Span Span
}

// readProfiles reads "profiles" beside "defaults": for each name a list of
// connectors, or an object with one and a description.
func (d *Document) readProfiles(m member) {
	if !isObject(m.value) {
		d.add(Error, CodeType, m.span(), "profiles is "+kindName(m.value), `write an object: {"work": ["github"]}`)
		return
	}
	list := members(m.value)
	if len(list) > maxProfiles {
		d.add(Error, CodeTooLarge, m.keySpan, "there are too many profiles and none has an effect", fmt.Sprintf("use at most %d", maxProfiles))
		return
	}
	judged := &Entry{File: d.File}
	r := &entryReader{entry: judged, text: d.Text, limit: min(d.budget, maxEntryFindings)}
	for _, one := range list {
		d.readProfile(r, one)
	}
	for _, f := range judged.Findings {
		d.note(f)
	}
}

func (d *Document) readProfile(r *entryReader, m member) {
	p := Profile{Name: m.key, Span: m.keySpan}
	if f := checkName(m.key); f != nil && f.Severity == Error && f.Code != CodeReservedName {
		r.refuse(CodeProfile, m.keySpan, quoted(m.key)+" cannot be a profile's name", f.Fix)
		return
	}
	path := "profiles." + m.key
	switch m.value.Value.(type) {
	case *hujson.Array:
		p.Connectors = r.names(m, path)
	case *hujson.Object:
		for _, part := range members(m.value) {
			switch part.key {
			case "connectors":
				p.Connectors = r.names(part, path+".connectors")
			case "description":
				if value, ok := r.value(part, settings.Setting{Kind: settings.Text}, path+".description"); ok {
					p.Description = value.Text()
				}
			default:
				r.hint(CodeUnknownKey, part.keySpan, "the key "+quoted(part.key)+" is not known and has no effect", `write "connectors" or "description"`)
			}
		}
	default:
		r.refuse(CodeType, m.span(), path+" is "+kindName(m.value), `write a list of connectors: ["github"]`)
		return
	}
	if !slices.ContainsFunc(d.Profiles, func(other Profile) bool { return other.Name == p.Name }) {
		d.Profiles = append(d.Profiles, p)
	}
}

// maxProfiles is how many profiles a file has.
const maxProfiles = 100

// everyName stands for all connectors in a profile, and for all profiles in an
// entry.
const everyName = "*"

// names reads a list of names.
func (r *entryReader) names(m member, path string) []string {
	value, _ := r.value(m, settings.Setting{Kind: settings.Names}, path)
	return value.List()
}

// settleProfiles finds out which entries belong to which profile, adds the
// profiles that only entries name, and points at what names nothing.
func (d *Document) settleProfiles() {
	members := map[string]map[string]bool{} // of a profile, by the entry's name
	for _, p := range d.Profiles {
		members[p.Name] = map[string]bool{}
		for _, name := range p.Connectors {
			members[p.Name][name] = true
			if name != everyName && d.byName[name] == nil {
				d.add(Hint, CodeProfile, p.Span, "the profile "+quoted(p.Name)+" names "+quoted(name)+", and no connector of this file is called so", "")
			}
		}
	}
	isDescribed := len(d.Profiles) > 0
	for _, e := range d.Entries {
		for _, name := range e.Options.Profiles {
			if name == everyName || members[name] != nil || len(d.Profiles) >= maxProfiles {
				continue
			}
			members[name] = map[string]bool{}
			d.Profiles = append(d.Profiles, Profile{Name: name})
			if isDescribed {
				d.note(Finding{Code: CodeProfile, Severity: Hint, Span: e.KeySpan, Entry: e.Name,
					Message: "the profile " + quoted(name) + " is not among those that the file describes"})
			}
		}
	}
	slices.SortStableFunc(d.Profiles, func(a, b Profile) int { return cmp.Compare(a.Name, b.Name) })
	d.belongs = map[*Entry][]string{}
	for _, e := range d.Entries {
		own := map[string]bool{}
		for _, name := range e.Options.Profiles {
			own[name] = true
		}
		for _, p := range d.Profiles {
			if named := members[p.Name]; named[e.Name] || named[everyName] || own[p.Name] || own[everyName] {
				d.belongs[e] = append(d.belongs[e], p.Name)
			}
		}
	}
}

// Belongs are the profiles of the file that an entry of it belongs to, sorted.
func (d *Document) Belongs(e *Entry) []string { return d.belongs[e] }
