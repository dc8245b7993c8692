package connector

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

const (
	// maxURIBytes bounds an address that a server lists.
	maxURIBytes = 8 << 10
	// maxShownBytes is how much is kept of a description, which nothing but people and models read.
	maxShownBytes = 4 << 10
	// maxTitleBytes is how much is kept of a name or title that is shown.
	maxTitleBytes = 1 << 10
	// maxPromptArguments bounds the arguments of one prompt.
	maxPromptArguments = 100
)

// readEntries reads the entries of a list one by one, so that a bad one costs nobody but itself. Of two with one key the
// first counts. The warning, if any, tells of what was left out.
func readEntries[E any](entries []jsontext.Value, read func(*E, string, jsontext.Value) error, check func(*E) (key string, err error)) (found []E, warning string) {
	found = make([]E, 0, len(entries))
	seen := map[string]bool{}
	left, first := 0, error(nil)
	for i, entry := range entries {
		one, key, err := readEntry(entry, read, check)
		if err == nil && seen[key] {
			err = fmt.Errorf("another one before it is %s too", visible(key, 100))
		}
		if err != nil {
			if left++; first == nil {
				first = fmt.Errorf("the first is number %d: %w", i+1, err)
			}
			continue
		}
		seen[key] = true
		found = append(found, one)
	}
	if left > 0 {
		warning = fmt.Sprintf("%d entries are left out, %v", left, first)
	}
	return found, warning
}

func readEntry[E any](entry jsontext.Value, read func(*E, string, jsontext.Value) error, check func(*E) (string, error)) (one E, key string, err error) {
	if entry.Kind() != '{' {
		return one, "", fmt.Errorf("it is not an object but %s", kindName(entry.Kind()))
	}
	err = object(entry, func(name string, value jsontext.Value) error {
		if value.Kind() == 'n' {
			return nil
		}
		return read(&one, name, value)
	})
	if err == nil {
		key, err = check(&one)
	}
	return one, key, err
}

// shownText reads a text that is only shown: what is no string says nothing, and what is long is cut.
func shownText(to *string, value jsontext.Value, maxBytes int) {
	said, _ := text(value)
	if len(said) > maxBytes {
		said = strings.ToValidUTF8(said[:maxBytes], "") + "…"
	}
	*to = said
}

// shown is what an entry has for whoever shows it; nil for what an entry of its kind does not have.
type shown struct {
	name, title, description, mimeType *string
	hints                              *jsontext.Value // its annotations
	passed                             *Passed
}

// read takes a member that nothing is decided by.
func (s shown) read(name string, value jsontext.Value) {
	switch {
	case name == "annotations" && s.hints != nil:
		*s.hints = readHints(value)
		return
	case s.passed != nil && readPassed(s.passed, name, value):
		return
	}
	to, maxBytes := map[string]*string{"name": s.name, "title": s.title, "description": s.description, "mimeType": s.mimeType}[name], maxTitleBytes
	if name == "description" {
		maxBytes = maxShownBytes
	}
	if to != nil {
		shownText(to, value, maxBytes)
	}
}

func (r *Resource) read(name string, value jsontext.Value) error {
	switch name {
	case "uri":
		return readText(&r.URI, name, value)
	case "size":
		if size, _, ok := integer(value); ok && size > 0 {
			r.SizeBytes = size
		}
	default:
		shown{&r.Name, &r.Title, &r.Description, &r.MIMEType, &r.Annotations, &r.Passed}.read(name, value)
	}
	return nil
}

func (r *ResourceTemplate) read(name string, value jsontext.Value) error {
	if name == "uriTemplate" {
		return readText(&r.URITemplate, name, value)
	}
	shown{&r.Name, &r.Title, &r.Description, &r.MIMEType, &r.Annotations, &r.Passed}.read(name, value)
	return nil
}

func (p *Prompt) read(name string, value jsontext.Value) error {
	switch name {
	case "name":
		return readText(&p.Name, name, value)
	case "arguments":
		entries, err := elements(value, maxPromptArguments)
		if err != nil {
			return fmt.Errorf("arguments: %w", err)
		}
		for _, entry := range entries {
			argument, _, err := readEntry(entry, (*PromptArgument).read, (*PromptArgument).check)
			if err != nil {
				return fmt.Errorf("an argument: %w", err)
			}
			p.Arguments = append(p.Arguments, argument)
		}
	default:
		shown{title: &p.Title, description: &p.Description, passed: &p.Passed}.read(name, value)
	}
	return nil
}

func (a *PromptArgument) read(name string, value jsontext.Value) error {
	switch name {
	case "name":
		return readText(&a.Name, name, value)
	case "required":
		a.IsRequired = value.Kind() == 't'
	default:
		shown{title: &a.Title, description: &a.Description}.read(name, value)
	}
	return nil
}

func (r *Resource) check() (string, error) { return r.URI, checkURI(r.URI, "uri") }
func (r *ResourceTemplate) check() (string, error) {
	return r.URITemplate, checkURI(r.URITemplate, "uriTemplate")
}
func (p *Prompt) check() (string, error)         { return p.Name, checkName(p.Name) }
func (a *PromptArgument) check() (string, error) { return a.Name, checkName(a.Name) }

// checkURI refuses what is no address that anybody could show or send; whether it names something is the server's business.
func checkURI(uri, member string) error {
	switch {
	case uri == "":
		return errors.New(member + " is missing")
	case len(uri) > maxURIBytes:
		return fmt.Errorf("%s is longer than %d bytes", member, maxURIBytes)
	case !utf8.ValidString(uri) || strings.ContainsFunc(uri, func(r rune) bool { return r <= ' ' || r >= 0x7f && r < 0xa0 }):
		return fmt.Errorf("%s has control characters or white space", member)
	}
	return nil
}
