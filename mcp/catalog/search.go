package catalog

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
)

// Entry is a tool as it is searched for.
type Entry struct {
	Connector, Name, ServedName string
	Title, Description          string
	Tags                        []string
}

// Field is where a word of a query was found, the best place first.
type Field string

// The places, in the order in which they count.
const (
	FieldExact       Field = "exact"       // it is the tool's name, label or served name
	FieldPrefix      Field = "prefix"      // the name begins with it
	FieldTag         Field = "tag"         // it is one of its tags
	FieldSubstring   Field = "substring"   // it stands in the name
	FieldWord        Field = "word"        // a word of the name has the same stem
	FieldPath        Field = "path"        // it stands in connector.tool, across the dot
	FieldConnector   Field = "connector"   // it stands in the connector's name
	FieldDescription Field = "description" // it stands in the title or the description
)

// weights are apart so far that no number of lesser places makes up for a better one among the words of one query.
var weights = [...]struct {
	field  Field
	weight int
}{
	{FieldExact, 1 << 20}, {FieldPrefix, 1 << 17}, {FieldTag, 1 << 14}, {FieldSubstring, 1 << 12},
	{FieldWord, 1 << 10}, {FieldPath, 1 << 8}, {FieldConnector, 1 << 6}, {FieldDescription, 1 << 3},
}

// Found is where a word of the query was found.
type Found struct {
	Term  string
	Field Field
}

// Hit is a tool that was found.
type Hit struct {
	At    int // the place in what was indexed
	Score int
	Found []Found // one for each word that was found, in the order of the query
}

// Index finds entries by words. It is made once for a set of entries and never changes; its methods may be called at once.
type Index struct{ entries []folded }

// folded is an entry in lower case; its name is kept as it is, for its words.
type folded struct {
	raw, name, served, connector string
	prose                        []byte // title and description
	tags                         []string
}

// maxTerms bounds the words of a query that count.
const maxTerms = 16

// NewIndex makes an index of entries, which keep their places.
func NewIndex(entries []Entry) *Index {
	x := &Index{entries: make([]folded, len(entries))}
	for i := range entries {
		x.entries[i] = fold(&entries[i], nil)
	}
	return x
}

// fold has the room for the entry's prose, which grows where it is too small.
func fold(e *Entry, room []byte) folded {
	f := folded{raw: e.Name, name: strings.ToLower(e.Name), served: strings.ToLower(e.ServedName), connector: strings.ToLower(e.Connector)}
	f.prose = append(slices.Grow(room[:0], len(e.Title)+1+len(e.Description)), e.Title...)
	f.prose = lowered(append(append(f.prose, '\n'), e.Description...))
	for _, tag := range e.Tags {
		f.tags = append(f.tags, strings.ToLower(tag))
	}
	return f
}

// Search returns what has all words of a query, the best first, or, where nothing has, what has any: then isPartial is set. What is
// equally good stands with short names before long ones, and by connector and name then. An empty query finds nothing. isWanted leaves
// entries out, by their places; nil wants all.
func (x *Index) Search(query string, isWanted func(at int) bool) (hits []Hit, isPartial bool) {
	finder := NewFinder(query)
	for at := range x.entries {
		if isWanted == nil || isWanted(at) {
			finder.look(at, &x.entries[at])
		}
	}
	return finder.Hits()
}

// Finder is one search without an index, which would not be worth making. It is used by one at a time; several may look at parts of
// the entries, and be joined.
type Finder struct {
	terms  []term
	hits   []candidate
	hasAll bool // what is found has all words
	room   []byte
}

// candidate is a hit as it is kept until all are known: of thousands few are shown.
type candidate struct {
	name, connector string // in lower case, to be sorted by
	at, score       int32
	fields          [maxTerms]int8 // where each word was found, from 1 on; 0 where it was not
	count           int8
}

// NewFinder begins a search.
func NewFinder(query string) *Finder { return &Finder{terms: termsOf(query)} }

// Look looks at one more entry, whose place is its own among all that are looked at.
func (f *Finder) Look(at int, e *Entry) {
	one := fold(e, f.room)
	f.room = one.prose
	f.look(at, &one)
}

func (f *Finder) look(at int, entry *folded) {
	one := candidate{at: int32(at), name: entry.name, connector: entry.connector}
	if !entry.match(f.terms, &one) {
		return
	}
	hasAll := int(one.count) == len(f.terms)
	switch {
	case hasAll && !f.hasAll:
		f.hasAll, f.hits = true, append(f.hits[:0], one) // from here on only what has all
	case hasAll == f.hasAll:
		f.hits = append(f.hits, one)
	}
}

// Join takes over what others have found that looked for the same among other entries; those are of no use any more.
func (f *Finder) Join(others ...*Finder) {
	hasAll, count := f.hasAll, 0
	for _, other := range others {
		hasAll = hasAll || other.hasAll
	}
	if hasAll && !f.hasAll {
		f.hits = f.hits[:0]
	}
	f.hasAll = hasAll
	others = slices.DeleteFunc(slices.Clone(others), func(other *Finder) bool { return other.hasAll != hasAll })
	for _, other := range others {
		count += len(other.hits)
	}
	f.hits = slices.Grow(f.hits, count)
	for _, other := range others {
		f.hits = append(f.hits, other.hits...)
	}
}

// Hits returns what was found, as [Index.Search] does.
func (f *Finder) Hits() (hits []Hit, isPartial bool) { return f.First(len(f.hits)) }

// First is Hits without those after so many; [Finder.Count] says how many there are.
func (f *Finder) First(most int) (hits []Hit, isPartial bool) {
	slices.SortFunc(f.hits, candidate.compare)
	for i := range f.hits[:min(most, len(f.hits))] {
		one := &f.hits[i]
		hit := Hit{At: int(one.at), Score: int(one.score), Found: make([]Found, 0, one.count)}
		for at, field := range one.fields[:len(f.terms)] {
			if field > 0 {
				hit.Found = append(hit.Found, Found{f.terms[at].text, weights[field-1].field})
			}
		}
		hits = append(hits, hit)
	}
	return hits, !f.hasAll && len(f.hits) > 0
}

// Count is how many were found.
func (f *Finder) Count() int { return len(f.hits) }

// compare puts the better one first.
func (a candidate) compare(b candidate) int {
	switch {
	case a.count != b.count:
		return int(b.count) - int(a.count)
	case a.score != b.score:
		return int(b.score) - int(a.score)
	case len(a.name) != len(b.name):
		return len(a.name) - len(b.name)
	}
	return cmp.Or(cmp.Compare(a.connector, b.connector), cmp.Compare(a.name, b.name), cmp.Compare(a.at, b.at))
}

// term is a word of a query.
type term struct {
	text, stem           string
	textBytes, stemBytes []byte
	isPath               bool // it may stand across the border of connector and tool
}

// termsOf are the words of a query, each once; the whole of several is one more name to be looked for.
func termsOf(query string) []term {
	var terms []term
	for _, word := range strings.Fields(strings.ToLower(query)) {
		word = strings.Trim(word, `,;:!?"'()[]{}`)
		if word != "" && len(terms) < maxTerms && !slices.ContainsFunc(terms, func(t term) bool { return t.text == word }) {
			begin := stem(word)
			terms = append(terms, term{word, begin, []byte(word), []byte(begin), strings.ContainsAny(word, "._")})
		}
	}
	return terms
}

// match notes where the words stand in an entry, and reports whether any does.
func (f *folded) match(terms []term, found *candidate) bool {
	for i := range terms {
		at := f.find(&terms[i])
		if at < 0 {
			continue
		}
		found.fields[i] = int8(at + 1)
		found.count++
		found.score += int32(weights[at].weight)
	}
	if len(terms) > 1 && int(found.count) == len(terms) && f.isAll(terms) {
		found.score += int32(weights[0].weight) // its name is just these words
	}
	return found.count > 0
}

// find is the best place of one word, an index into weights; negative where it stands nowhere.
func (f *folded) find(t *term) int {
	switch {
	case t.text == f.name, t.isPath && (t.text == f.label() || t.text == f.served):
		return 0
	case strings.HasPrefix(f.name, t.text):
		return 1
	case slices.Contains(f.tags, t.text):
		return 2
	case strings.Contains(f.name, t.text):
		return 3
	case strings.Contains(f.name, t.stem) && f.hasWord(t):
		return 4
	case t.isPath && (strings.Contains(f.label(), t.text) || strings.Contains(f.served, t.text)):
		return 5
	case strings.Contains(f.connector, t.text):
		return 6
	case t.standsIn(f.prose):
		return 7
	}
	return -1
}

func (f *folded) label() string { return f.connector + "." + f.name }

// standsIn reports whether a text has the word, or another form of it.
func (t *term) standsIn(text []byte) bool {
	if !bytes.Contains(text, t.stemBytes) {
		return false
	}
	return len(t.stem) == len(t.text) || bytes.Contains(text, t.textBytes) || t.hasForm(text)
}

// hasWord reports whether a word of the name has the same stem.
func (f *folded) hasWord(t *term) bool {
	for _, word := range wordsOf(f.raw) {
		if strings.HasPrefix(word, t.stem) && stem(word) == t.stem {
			return true
		}
	}
	return false
}

// hasForm reports whether a word of a text has the same stem.
func (t *term) hasForm(text []byte) bool {
	for {
		at := bytes.Index(text, t.stemBytes)
		if at < 0 {
			return false
		}
		end := at + len(t.stem)
		for end < len(text) && isLetter(text[end]) {
			end++
		}
		if (at == 0 || !isLetter(text[at-1])) && stem(string(text[at:end])) == t.stem {
			return true
		}
		text = text[end:]
	}
}

// isAll reports whether the name has just the words of the query, in whatever spelling.
func (f *folded) isAll(terms []term) bool {
	if len(wordsOf(f.raw)) != len(terms) {
		return false
	}
	for i := range terms {
		if !f.hasWord(&terms[i]) {
			return false
		}
	}
	return true
}
