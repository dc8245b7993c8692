// Package policy reads an administrator's rules about which connectors may run on a machine.
// It grants nothing: what it lets through still needs every yes that it needed before.
package policy

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/go-json-experiment/json"
)

const (
	version = 1
	// maxBytes bounds the file.
	maxBytes = 1 << 20
)

// Policy are the rules of one file. The zero value lets everything through.
type Policy struct {
	// Path is the file.
	Path        string
	allow, deny []rule
	isList      bool // allow is a list of all that may run, even when it is empty
}

// rule matches connectors by one of its members; exactly one is set.
type rule struct {
	Name    string   `json:"name,omitzero"`    // a glob
	Command []string `json:"command,omitzero"` // a glob for the program and one for each argument; a last "**" stands for any
	URL     string   `json:"url,omitzero"`     // a glob; * ends at a slash, ** does not
}

type file struct {
	Version    int `json:"version"`
	Connectors struct {
		Allow *[]rule `json:"allow,omitzero"`
		Deny  []rule  `json:"deny,omitzero"`
	} `json:"connectors"`
}

// Connector is what is judged. Before a start its values are those of the file, at the start those that it comes to.
type Connector struct {
	Name string
	// Command is the program and its arguments; Program is the file that the program was found to be, once it is known.
	Command []string
	Program string
	// Real is Program with its links followed. InWorkspace is set where either lies in a workspace folder: a name alone then
	// means none that an administrator lists.
	Real        string
	InWorkspace bool
	URL         string
	// IsWritten is set where the values may hold variables: whether the connector is listed is then open until its start.
	IsWritten bool
}

func (c Connector) isOpen() bool {
	return c.IsWritten && strings.Contains(strings.Join(append([]string{c.URL}, c.Command...), ""), "${")
}

// Read reads a policy; a file that is not there is a policy without rules.
// A file that cannot be understood, and one that somebody else than its owner may write, is an error: then nothing may run.
// Owner is the user id that it must have, which Windows does not know.
func Read(path string, owner int) (Policy, error) {
	text, err := readOwned(path, owner)
	if errors.Is(err, fs.ErrNotExist) {
		return Policy{Path: path}, nil
	}
	if err != nil {
		return Policy{}, fmt.Errorf("read the policy %s: %w", path, err)
	}
	p, err := parse(text)
	if err != nil {
		return Policy{}, fmt.Errorf("read the policy %s: %w", path, err)
	}
	p.Path = path
	return p, nil
}

func readOwned(path string, owner int) ([]byte, error) {
	// Before it is opened: opening a pipe would wait for somebody who writes.
	if info, err := os.Stat(path); err != nil {
		return nil, err
	} else if !info.Mode().IsRegular() {
		return nil, errors.New("it is no regular file")
	}
	in, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("it is no regular file")
	}
	if err := checkOwner(info, owner); err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(in, maxBytes+1))
	if err != nil {
		return nil, err
	}
	if len(text) > maxBytes {
		return nil, fmt.Errorf("it is larger than %d bytes", maxBytes)
	}
	return text, nil
}

// parse is exact: a misspelt rule must not read as no rule.
func parse(text []byte) (Policy, error) {
	var f file
	if err := json.Unmarshal(text, &f, json.RejectUnknownMembers(true)); err != nil {
		return Policy{}, err
	}
	if f.Version != version {
		return Policy{}, fmt.Errorf("its version is %d, and this Pillion knows %d", f.Version, version)
	}
	p := Policy{deny: f.Connectors.Deny}
	if f.Connectors.Allow != nil {
		p.allow, p.isList = *f.Connectors.Allow, true
	}
	for i, r := range slices.Concat(p.deny, p.allow) {
		if err := r.check(); err != nil {
			return Policy{}, fmt.Errorf("rule %d: %w", i, err)
		}
	}
	return p, nil
}

func (r rule) check() error {
	patterns := slices.Concat([]string{r.Name, r.URL}, r.Command)
	for _, pattern := range patterns {
		if !doublestar.ValidatePattern(pattern) {
			return fmt.Errorf("%q is no glob", pattern)
		}
	}
	set := 0
	for _, isSet := range []bool{r.Name != "", r.URL != "", len(r.Command) > 0} {
		if isSet {
			set++
		}
	}
	if set != 1 {
		return errors.New(`it needs exactly one of "name", "command" and "url"`)
	}
	return nil
}

// Refusal says why the connector may not run, or is empty.
func (p Policy) Refusal(c Connector) string {
	if slices.ContainsFunc(p.deny, func(r rule) bool { return r.mayMean(c) }) {
		return fmt.Sprintf("the policy %s forbids it", p.Path)
	}
	if p.isList && !c.isOpen() && !slices.ContainsFunc(p.allow, func(r rule) bool { return r.means(c) }) {
		return fmt.Sprintf("the policy %s does not list it", p.Path)
	}
	return ""
}

// means reports whether the rule is certainly about the connector.
func (r rule) means(c Connector) bool {
	switch {
	case r.Name != "":
		return matches(r.Name, c.Name)
	case r.URL != "":
		return matchesAddress(r.URL, c.URL)
	}
	return len(c.Command) > 0 && matchesEach(r.Command[1:], c.Command[1:]) &&
		(matches(r.Command[0], c.Command[0]) && !(c.InWorkspace && !strings.ContainsAny(r.Command[0], `/\`)) || c.Program != "" && matches(r.Command[0], c.Program))
}

// mayMean is means for a prohibition: the case of letters, a folder or an ending of the program do not lead past it.
func (r rule) mayMean(c Connector) bool {
	if r.means(c) {
		return true
	}
	switch {
	case r.Name != "":
		return matches(strings.ToLower(r.Name), strings.ToLower(c.Name))
	case r.URL != "":
		return c.URL != "" && mayMatchAddress(r.URL, c.URL)
	case len(c.Command) == 0 || !matchesEach(r.Command[1:], c.Command[1:]):
		return false
	}
	pattern := strings.ToLower(r.Command[0])
	for _, program := range []string{c.Command[0], c.Program, c.Real} {
		base := strings.ToLower(filepath.Base(filepath.ToSlash(program)))
		if program != "" && (matches(pattern, strings.ToLower(filepath.Clean(program))) || matches(pattern, base) || matches(pattern, strings.TrimSuffix(base, filepath.Ext(base)))) {
			return true
		}
	}
	return false
}

func matchesEach(patterns, values []string) bool {
	for i, pattern := range patterns {
		if pattern == "**" && i == len(patterns)-1 {
			return true
		}
		if i >= len(values) || !matches(pattern, values[i]) {
			return false
		}
	}
	return len(patterns) == len(values)
}

func matches(pattern, value string) bool {
	isMatch, err := doublestar.Match(pattern, value)
	return err == nil && isMatch
}
