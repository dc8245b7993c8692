package agents

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/pelletier/go-toml/v2"
)

// errLaidOut says that a TOML file says something in a way that is not edited here.
var errLaidOut = errors.New("it is not written as tables under headings: add it by hand")

func decodeTOML(text []byte) (map[string]any, error) {
	var root map[string]any
	if err := toml.Unmarshal(bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")), &root); err != nil {
		return nil, fmt.Errorf("read TOML: %w", err)
	}
	if root == nil {
		root = map[string]any{}
	}
	return root, nil
}

func valueInTOML(text []byte, path []string) jsontext.Value {
	root, err := decodeTOML(text)
	if err != nil {
		return nil
	}
	return valueAt(any(root), path)
}

// setTOML puts a table, or a plain value of a table that is there, at a path; comments and everything else stay.
func setTOML(text []byte, path []string, value []byte) ([]byte, error) {
	want, err := decodeTOML(text)
	if err != nil {
		return nil, err
	}
	var decoded any
	if err := decodeNumbers(value, &decoded); err != nil {
		return nil, err
	}
	f := splitTOML(text)
	table, isTable := decoded.(map[string]any)
	if isTable {
		f.drop(path)
		f.append(path, table)
	} else if err := f.setKey(path, decoded); err != nil {
		return nil, err
	}
	if err := put(want, path, decoded); err != nil {
		return nil, err
	}
	return f.holding(want)
}

// unsetTOML takes a table with all below it, or a value of a table, out.
func unsetTOML(text []byte, path []string) ([]byte, error) {
	want, err := decodeTOML(text)
	if err != nil {
		return nil, err
	}
	f := splitTOML(text)
	if !f.drop(path) && !f.dropKey(path) {
		return nil, errLaidOut
	}
	parent := want
	for _, key := range path[:len(path)-1] {
		parent, _ = parent[key].(map[string]any)
	}
	delete(parent, path[len(path)-1])
	return f.holding(want)
}

// decodeNumbers reads JSON with whole numbers as such.
func decodeNumbers(value []byte, to *any) error {
	d := json.NewDecoder(bytes.NewReader(value))
	d.UseNumber()
	if err := d.Decode(to); err != nil {
		return err
	}
	*to = plain(*to)
	return nil
}

func plain(v any) any {
	switch v := v.(type) {
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return n
		}
		n, _ := v.Float64()
		return n
	case []any:
		for i := range v {
			v[i] = plain(v[i])
		}
	case map[string]any:
		for key := range v {
			v[key] = plain(v[key])
		}
	}
	return v
}

func put(root map[string]any, path []string, value any) error {
	for _, key := range path[:len(path)-1] {
		if root[key] == nil {
			root[key] = map[string]any{}
		}
		below, isTable := root[key].(map[string]any)
		if !isTable {
			return errLaidOut
		}
		root = below
	}
	root[path[len(path)-1]] = value
	return nil
}

// tomlFile is a TOML text as sections of lines, each of which begins with its heading but the first.
type tomlFile struct {
	eol      string
	sections []section
}

type section struct {
	path  []string // of its heading; nil for what stands before the first, and for a list of tables
	lines []string
}

func splitTOML(text []byte) *tomlFile {
	f := &tomlFile{eol: "\n", sections: []section{{}}}
	if bytes.Contains(text, []byte("\r\n")) {
		f.eol = "\r\n"
	}
	for line := range strings.Lines(string(text)) {
		if trimmed := strings.TrimSpace(line); strings.HasPrefix(trimmed, "[") {
			if path, isHeading := heading(trimmed); isHeading {
				f.sections = append(f.sections, section{path: path})
			}
		}
		last := &f.sections[len(f.sections)-1]
		last.lines = append(last.lines, line)
	}
	return f
}

// heading reads a line that is one.
func heading(line string) (path []string, isHeading bool) {
	root, err := decodeTOML([]byte(line))
	if err != nil || len(root) != 1 {
		return nil, false
	}
	if strings.HasPrefix(line, "[[") {
		return nil, true
	}
	for len(root) == 1 {
		for key, below := range root {
			path = append(path, key)
			root, _ = below.(map[string]any)
		}
	}
	return path, true
}

// drop takes out a table and those below it. A comment that stands at the end of what goes, before the next heading and apart from
// what is above it, is about what follows, and stays.
func (f *tomlFile) drop(path []string) bool {
	found := false
	var kept []section
	for _, s := range f.sections {
		if len(s.path) < len(path) || !slices.Equal(s.path[:len(path)], path) {
			kept = append(kept, s)
			continue
		}
		found = true
		last := &kept[len(kept)-1]
		trailing := trailingComment(s.lines)
		if len(trailing) == 0 { // what parted it from what follows does so again
			trimBlank(&last.lines)
			trailing = blankTail(s.lines)
		}
		last.lines = append(last.lines, trailing...)
	}
	f.sections = kept
	return found
}

func isBlank(line string) bool { return strings.TrimSpace(line) == "" }

func trimBlank(lines *[]string) {
	for len(*lines) > 0 && isBlank((*lines)[len(*lines)-1]) {
		*lines = (*lines)[:len(*lines)-1]
	}
}

// blankTail are the blank lines that a section ends with.
func blankTail(lines []string) []string {
	at := len(lines)
	for at > 0 && isBlank(lines[at-1]) {
		at--
	}
	return lines[at:]
}

// trailingComment is a block of comments that a blank line parts from what stands above it.
func trailingComment(lines []string) []string {
	at, hasComment := len(lines), false
	for at > 0 && (isBlank(lines[at-1]) || strings.HasPrefix(strings.TrimSpace(lines[at-1]), "#")) {
		at--
		hasComment = hasComment || !isBlank(lines[at])
	}
	if !hasComment || at == len(lines) || !isBlank(lines[at]) {
		return nil
	}
	return lines[at+1:]
}

// append writes a table at the end.
func (f *tomlFile) append(path []string, table map[string]any) {
	last := &f.sections[len(f.sections)-1]
	if n := len(last.lines); n > 0 && !strings.HasSuffix(last.lines[n-1], "\n") {
		last.lines[n-1] += f.eol
	}
	if len(f.sections) > 1 || len(last.lines) > 0 {
		last.lines = append(last.lines, f.eol)
	}
	lines := []string{"[" + strings.Join(quotedKeys(path), ".") + "]" + f.eol}
	var below []string
	for _, key := range slices.Sorted(maps.Keys(table)) {
		if _, isTable := table[key].(map[string]any); isTable {
			below = append(below, key)
			continue
		}
		lines = append(lines, f.line(key, table[key]))
	}
	f.sections = append(f.sections, section{path: path, lines: lines})
	for _, key := range below {
		f.append(append(slices.Clone(path), key), table[key].(map[string]any))
	}
}

func (f *tomlFile) line(key string, value any) string {
	text, err := toml.Marshal(map[string]any{key: value})
	if err != nil {
		return ""
	}
	return strings.TrimRight(string(text), "\n") + f.eol
}

func quotedKeys(path []string) []string {
	quoted := make([]string, len(path))
	for i, key := range path {
		text, err := toml.Marshal(map[string]any{key: 1})
		if err != nil {
			return path
		}
		quoted[i] = strings.TrimSuffix(strings.TrimSpace(string(text)), " = 1")
	}
	return quoted
}

// keyLine finds the line of a key in the table that has a heading of its own.
func (f *tomlFile) keyLine(path []string) (in *section, line int) {
	key := path[len(path)-1]
	for i := range f.sections {
		s := &f.sections[i]
		if !slices.Equal(s.path, path[:len(path)-1]) || len(s.path) == 0 {
			continue
		}
		for at, line := range s.lines[1:] {
			one, err := decodeTOML([]byte(line))
			if _, isKey := one[key]; err == nil && isKey && len(one) == 1 {
				return s, at + 1
			}
		}
		return s, -1
	}
	return nil, -1
}

func (f *tomlFile) setKey(path []string, value any) error {
	s, at := f.keyLine(path)
	if s == nil {
		return errLaidOut
	}
	line := f.line(path[len(path)-1], value)
	if at >= 0 {
		s.lines[at] = line
		return nil
	}
	if !strings.HasSuffix(s.lines[0], "\n") {
		s.lines[0] += f.eol
	}
	s.lines = slices.Insert(s.lines, 1, line)
	return nil
}

func (f *tomlFile) dropKey(path []string) bool {
	s, at := f.keyLine(path)
	if s == nil || at < 0 {
		return false
	}
	s.lines = slices.Delete(s.lines, at, at+1)
	return true
}

// holding is the text, once it has been read back and holds what was meant.
func (f *tomlFile) holding(want map[string]any) ([]byte, error) {
	var b strings.Builder
	for _, s := range f.sections {
		for _, line := range s.lines {
			b.WriteString(line)
		}
	}
	got, err := decodeTOML([]byte(b.String()))
	if err != nil || !reflect.DeepEqual(pruned(got), pruned(want)) {
		return nil, errLaidOut
	}
	return []byte(b.String()), nil
}

// pruned is a table without those below it that are empty: a heading may have said no more than that they are there.
func pruned(table map[string]any) map[string]any {
	kept := map[string]any{}
	for key, value := range table {
		if below, isTable := value.(map[string]any); isTable {
			if below = pruned(below); len(below) == 0 {
				continue
			}
			value = below
		}
		kept[key] = value
	}
	return kept
}
