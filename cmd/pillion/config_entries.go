package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"pillion/editors"
	"pillion/mcp/config"
	"pillion/mcp/settings"
	"pillion/sidecar/core"
)

// entriesThatSet are the entries of the user's own file and of these folders' that set an option, by the option. A file that
// cannot be read has none; mcp list says why.
func (p *program) entriesThatSet(roots []string) (map[settings.Name][]entryShape, error) {
	folders, err := core.FindFolders(p.environ)
	if err != nil {
		return nil, err
	}
	home, _ := os.UserHomeDir()
	found := map[settings.Name][]entryShape{}
	for _, file := range append([]config.File{{Path: folders.UserFile, Source: config.SourceUser}}, config.ProjectFiles(roots, home)...) {
		text, err := config.ReadFile(file)
		if err != nil {
			if !errors.Is(err, fs.ErrNotExist) {
				p.sayf("pillion: %s.", editors.Visible(err.Error()))
			}
			continue
		}
		for _, entry := range config.Parse(file, text).Entries {
			for _, option := range settings.EntryOptions() {
				if span, isSet := entry.Field("pillion." + string(option.Name)); isSet {
					found[option.Name] = append(found[option.Name], entrySets(entry, option, text, span))
				}
			}
		}
	}
	return found, nil
}

// entrySets is what an entry says of an option, and what holds of it.
func entrySets(entry *config.Entry, option settings.Setting, text []byte, span config.Span) entryShape {
	channel := settings.UserEntry
	if entry.File.Source == config.SourceProject {
		channel = settings.ProjectEntry
	}
	line, _ := config.Position(text, span.Start, false)
	given := settings.Given{Name: option.Name, Channel: channel, Where: fmt.Sprintf("%s:%d", entry.File.Path, line+1)}
	shape := entryShape{Entry: entry.Name, Where: given.Where}
	value, faults := option.Decode(text[span.Start:span.End])
	if len(faults) > 0 {
		shape.Value, shape.Refused = option.DefaultValue().JSON(), given.Where+" "+faults[0].Message
		return shape
	}
	given.Value = value
	resolved := settings.Resolve(given)
	shape.Value = resolved.Value(option.Name).JSON()
	for _, refusal := range resolved.Refusals() {
		shape.Refused = refusal.String()
	}
	return shape
}
