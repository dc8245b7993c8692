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
	var documents []*config.Document
	files := append([]config.File{{Path: f.UserFile, Source: config.SourceUser}}, config.ProjectFiles(roots, home)...)
	for _, file := range files {
		text, err := config.ReadFile(file)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		document := config.Parse(file, text)
		if err != nil {
			document = &config.Document{File: file, Findings: []config.Finding{{Severity: config.Error, Message: err.Error()}}}
		}
		documents = append(documents, document)
	}
	return FaultsOf(documents)
}

// FaultsOf are those of files that were read.
func FaultsOf(documents []*config.Document) []string {
	var faults []string
	for _, d := range documents {
		for _, finding := range d.Findings {
			switch {
			case finding.Entry != "" || finding.Severity != config.Error:
			case d.Text == nil: // it could not be read at all
				faults = append(faults, fmt.Sprintf("%s: %s", d.File.Path, finding.Message))
			default:
				line, character := config.Position(d.Text, finding.Span.Start, false)
				faults = append(faults, fmt.Sprintf("%s:%d:%d: %s", d.File.Path, line+1, character+1, finding.Text()))
			}
		}
	}
	return faults
}
