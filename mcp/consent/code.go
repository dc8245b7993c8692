package consent

import (
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
	"strings"
)

const (
	// maxRefs and maxSnapshots bound what a yes remembers; what was seen longest ago asks again.
	maxRefs      = 100
	maxSnapshots = 10
)

// Code is what of a workspace and of this machine a definition comes to, as it stands at one moment (S2).
type Code struct {
	// Ref is the branch that is checked out, or the commit; empty where that is not known.
	Ref string
	// Files are the sums of the files that the definition names and of those that steer its runner, by path.
	Files map[string]string
	// Program is the file that is started, or the origin of a remote server's address; empty as long as neither was looked up.
	Program string
	// Values are the parts of the definition with their variables replaced, by where they stand ("args[1]"). They may be
	// secret: what is kept of them is a salted hash.
	Values map[string]string
}

// covered is the code that a yes covers.
type covered struct {
	Refs      []string            `json:"refs,omitempty"`  // newest last
	Snapshots []map[string]string `json:"files,omitempty"` // newest last
	Program   string              `json:"program,omitzero"`
	Salt      string              `json:"salt,omitzero"`
	Values    map[string]string   `json:"values,omitempty"`
}

// Difference is one part of the code that a yes does not cover.
type Difference struct {
	// Path is a file of the workspace, or one of the names below, or where a value stands.
	Path string
	// Before and After are sums of files, empty where there is none; for the rest they are what a person can read, and for
	// values nothing, because they may be secret.
	Before, After string
}

// What a [Difference] is about, when it is no file.
const (
	DifferentRef     = "checked-out branch"
	DifferentProgram = "program"
)

// and returns what is covered with the code of now. It changes neither.
func (c covered) and(now Code) covered {
	c.Refs = newestLast(c.Refs, now.Ref, maxRefs, func(a, b string) bool { return a == b })
	files := now.Files
	if files == nil {
		files = map[string]string{}
	}
	c.Snapshots = newestLast(c.Snapshots, files, maxSnapshots, maps.Equal[map[string]string])
	if now.Program != "" {
		return c.withStart(now)
	}
	return c
}

// ValueOfFile begins the names of values that are sums of files which the definition names only once it is started.
const ValueOfFile = "file "

// withStart returns what is covered with what a start has come to; its files were shown before.
func (c covered) withStart(now Code) covered {
	c.Program, c.Salt = now.Program, rand.Text()
	c.Values = c.sealed(now.Values)
	return c
}

// withFile returns what is covered with another content of a file that is covered.
func (c covered) withFile(path, sum string) covered {
	files := maps.Clone(last(c.Snapshots))
	if _, isCovered := files[path]; !isCovered {
		return c
	}
	files[path] = sum
	c.Snapshots = newestLast(c.Snapshots, files, maxSnapshots, maps.Equal[map[string]string])
	return c
}

func newestLast[T any](list []T, one T, most int, same func(a, b T) bool) []T {
	kept := slices.DeleteFunc(slices.Clone(list), func(other T) bool { return same(one, other) })
	if kept = append(kept, one); len(kept) > most {
		kept = kept[len(kept)-most:]
	}
	return kept
}

func (c covered) sealed(values map[string]string) map[string]string {
	sealed := make(map[string]string, len(values))
	for name, value := range values {
		sum := sha256.Sum256([]byte(c.Salt + "\x00" + name + "\x00" + value))
		sealed[name] = hex.EncodeToString(sum[:])
	}
	return sealed
}

// differences lists what of the code is not covered, by path. With follows, files and branches count as covered.
func (c covered) differences(now Code, follows bool) []Difference {
	var found []Difference
	if !follows {
		if !slices.Contains(c.Refs, now.Ref) {
			found = append(found, Difference{DifferentRef, last(c.Refs), now.Ref})
		}
		if !slices.ContainsFunc(c.Snapshots, func(files map[string]string) bool { return maps.Equal(files, now.Files) }) {
			found = append(found, between(last(c.Snapshots), now.Files)...)
		}
	}
	if c.Program != "" && now.Program != "" {
		if c.Program != now.Program {
			found = append(found, Difference{DifferentProgram, c.Program, now.Program})
		}
		for _, difference := range between(c.Values, c.sealed(now.Values)) {
			if follows && strings.HasPrefix(difference.Path, ValueOfFile) {
				continue
			}
			found = append(found, Difference{Path: difference.Path})
		}
	}
	return found
}

func last[T any](list []T) (newest T) {
	if len(list) > 0 {
		newest = list[len(list)-1]
	}
	return newest
}

// between lists the entries that differ, by key.
func between(before, after map[string]string) []Difference {
	var found []Difference
	for key, sum := range after {
		if old, was := before[key]; !was || old != sum {
			found = append(found, Difference{key, old, sum})
		}
	}
	for key, old := range before {
		if _, is := after[key]; !is {
			found = append(found, Difference{key, old, ""})
		}
	}
	slices.SortFunc(found, func(a, b Difference) int { return cmp.Compare(a.Path, b.Path) })
	return found
}
