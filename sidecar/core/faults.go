package core

import (
	"errors"
	"fmt"
	"io/fs"

	"pillion/mcp/config"
)

// Faults say which configuration files of these folders give no connectors and why, one a line: a file that cannot be read
// must not look like one that names nothing (C04).
func (f Folders) Faults(roots []string, home string) []string {
	var faults []string
	files := append([]config.File{{Path: f.UserFile, Source: config.SourceUser}}, config.ProjectFiles(roots, home)...)
	for _, file := range files {
		text, err := config.ReadFile(file)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			faults = append(faults, fmt.Sprintf("%s: %s", file.Path, err))
			continue
		}
		for _, finding := range config.Parse(file, text).Findings {
			if finding.Entry == "" && finding.Severity == config.Error {
				line, character := config.Position(text, finding.Span.Start, false)
				faults = append(faults, fmt.Sprintf("%s:%d:%d: %s", file.Path, line+1, character+1, finding.Text()))
			}
		}
	}
	return faults
}
