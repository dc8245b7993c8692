package sidecar

import (
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"pillion/mcp/config"
	"pillion/mcp/host"
	"pillion/rpc"
	"pillion/sidecar/configdoc"
	"pillion/sidecar/core"
)

// publish tells what is to be said about an open configuration file, of the text that the editor shows.
func (s *Session) publish(u uri.URI) {
	if !isConfigName(u) || !s.notifier.isOpen() {
		return
	}
	if !s.hasStarted() {
		return // the start of the host publishes everything
	}
	s.publishing.Lock()
	defer s.publishing.Unlock()
	b, isOpen := s.documents.find(u)
	if !isOpen {
		return
	}
	if pathOf(u) == s.core.Folders.Settings {
		s.publishDocument(u, b, core.SettingsDocument(pathOf(u), b.text), nil)
		return
	}
	file, isOurs := s.fileOf(pathOf(u))
	if !isOurs {
		return
	}
	document := config.Parse(file, b.text)
	var connectors []host.Connector
	all := s.core.Connectors()
	for _, connector := range all {
		// What runs is the saved text: of an entry that was edited since, its state says nothing.
		entry := document.Entry(connector.Name)
		if connector.File == file.Path && entry != nil && entry.Hash() == connector.FileHash {
			connectors = append(connectors, connector)
		}
	}
	s.publishDocument(u, b, document, connectors)
}

func (s *Session) publishDocument(u uri.URI, b buffer, document *config.Document, connectors []host.Connector) {
	diagnostics := configdoc.Diagnostics(document, connectors, configdoc.Units{IsUTF16: s.editor.isUTF16()})
	s.tell(rpc.Notify(s.conn, publishDiagnostics, protocol.PublishDiagnosticsParams{
		URI: u, Version: protocol.NewOptional(b.version), Diagnostics: diagnostics,
	}))
}

// unpublish clears what was said about a file that is no longer open (U23).
func (s *Session) unpublish(u uri.URI) {
	if !isConfigName(u) || !s.notifier.isOpen() {
		return
	}
	s.publishing.Lock()
	defer s.publishing.Unlock()
	s.tell(rpc.Notify(s.conn, publishDiagnostics, protocol.PublishDiagnosticsParams{URI: u, Diagnostics: []protocol.Diagnostic{}}))
}

// publishAll says again what is to be said about every open file.
func (s *Session) publishAll() {
	for _, b := range s.documents.all() {
		s.publish(b.uri)
	}
}

// fileOf tells which of the session's configuration files a path is.
func (s *Session) fileOf(path string) (config.File, bool) {
	if path == s.core.Folders.UserFile {
		return config.File{Path: path, Source: config.SourceUser}, true
	}
	for _, file := range config.ProjectFiles(s.core.Roots(), "") {
		if file.Path == path {
			return file, true
		}
	}
	return config.File{}, false
}
