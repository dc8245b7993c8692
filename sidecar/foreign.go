package sidecar

import (
	"context"
	"fmt"
	"path/filepath"

	"pillion/editors"
	"pillion/mcp/config"
	"pillion/mcp/config/imports"
	"pillion/rpc/message"
	"pillion/sidecar/configdoc"
)

// importPlace is the file of another program that a path is.
func (s *Session) importPlace(path string) (imports.Place, bool) {
	if !s.hasStarted() || path == "" {
		return imports.Place{}, false
	}
	place := imports.PlaceOf(path, s.core.Machine())
	return place, place.Format != ""
}

// foreignOf reads a buffer as another program's file that names connectors; false for every other, and for those that are not
// JSON with comments.
func (s *Session) foreignOf(b buffer) (*configdoc.Foreign, bool) {
	place, isForeign := s.importPlace(pathOf(b.uri))
	if !isForeign || place.Format == imports.Codex {
		return nil, false
	}
	b.parsed.once.Do(func() {
		file := config.File{Path: place.Path, Source: config.SourceImport}
		b.parsed.document = configdoc.New(b.uri, config.ParseDraft(file, b.text()), configdoc.Units{IsUTF16: s.editor.isUTF16()})
	})
	into := filepath.Base(s.core.Folders.UserFile)
	if place.Root != "" {
		into = config.ProjectFileName
	}
	return &configdoc.Foreign{Document: b.parsed.document, Program: place.Format.Title(), Key: imports.ServersKey(place.Format), Into: into}, true
}

// importFile brings entries of another program's file in and shows a report; without a file it lists those that are there.
func (s *Session) importFile(ctx context.Context, arguments message.ImportArguments) (message.Empty, error) {
	if arguments.URI == "" {
		return message.Empty{}, s.showImports(ctx)
	}
	if _, err := s.host(ctx); err != nil {
		return message.Empty{}, err
	}
	params := message.ImportParams{URI: arguments.URI, Names: arguments.Names, Scope: message.FileScopeUser}
	if place, isKnown := s.importPlace(pathOf(arguments.URI)); isKnown && place.Root != "" {
		params.Scope, params.Root = message.FileScopeProject, fileURI(place.Root)
	}
	if b, isOpen := s.documents.find(arguments.URI); isOpen && !s.isAsOnDisk(b) {
		s.editor.showMessage(s, messageWarning, "Pillion: save "+pathOf(arguments.URI)+" first: what you see is not what would be converted.")
		return message.Empty{}, nil
	}
	result, err := s.importEntries(ctx, params)
	if err != nil {
		return message.Empty{}, err
	}
	file, err := s.fileFor(message.ConnectorAddParams{Scope: params.Scope, Root: params.Root})
	if err != nil {
		return message.Empty{}, err
	}
	path, err := s.writeDocument("import", editors.ImportText(pathOf(arguments.URI), file.Path, result))
	if err != nil {
		return message.Empty{}, err
	}
	s.inBackground(func() {
		s.editor.showFile(s, path, fmt.Sprintf("Pillion: %s converted into %s; %s.", editors.Counted(len(result.Added), "connector"), file.Path, editors.Counted(len(result.Report), "remark")))
	})
	return message.Empty{}, nil
}

// isAsOnDisk reports whether a buffer is what its file holds.
func (s *Session) isAsOnDisk(b buffer) bool {
	path := pathOf(b.uri)
	text, err := config.ReadFile(config.File{Path: path, Source: config.SourceImport})
	return err == nil && string(text) == string(b.text())
}

func (s *Session) showImports(ctx context.Context) error {
	found, err := s.imports(ctx, message.Empty{})
	if err != nil {
		return err
	}
	path, err := s.writeDocument("imports", editors.ImportsText(found))
	if err != nil {
		return err
	}
	s.inBackground(func() {
		s.editor.showFile(s, path, "Pillion: connectors named by other programs: "+editors.Counted(len(found.Found), "file")+".")
	})
	return nil
}
