package sidecar

import (
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"pillion/rpc"
	"pillion/sidecar/configdoc"
	"pillion/sidecar/core"
)

// publishSoon tells what is to be said about a document, in the background: it looks at the workspace, which may hang. What
// happens meanwhile is told of at once afterwards, and about every other file nothing is done.
func (s *Session) publishSoon(u uri.URI) {
	if !s.isConfigName(u) || !s.documents.claim(u) {
		return
	}
	s.inBackground(func() {
		for isDue := true; isDue; isDue = s.documents.release(u) {
			s.publish(u)
		}
	})
}

// publish tells what is to be said about an open configuration file, of the text that the editor shows.
func (s *Session) publish(u uri.URI) {
	defer s.recovered()
	if !s.notifier.isOpen() || !s.hasStarted() {
		return // the start of the host publishes everything
	}
	b, isOpen := s.documents.find(u)
	if !isOpen {
		return
	}
	diagnostics, isOurs := s.diagnosticsOf(b)
	if !isOurs {
		return
	}
	if !s.editor.relates() {
		for i := range diagnostics {
			diagnostics[i].RelatedInformation = nil
		}
	}
	s.publishing.Lock()
	defer s.publishing.Unlock()
	if _, isOpen := s.documents.find(u); !isOpen {
		return // it was cleared
	}
	s.tell(rpc.Notify(s.conn, publishDiagnostics, protocol.PublishDiagnosticsParams{
		URI: u, Version: protocol.NewOptional(b.version), Diagnostics: diagnostics,
	}))
}

// diagnosticsOf are those of a document; false for one that is none of Pillion's.
func (s *Session) diagnosticsOf(b buffer) ([]protocol.Diagnostic, bool) {
	path := pathOf(b.uri)
	if path == s.core.Folders.Settings {
		return configdoc.Findings(b.uri, core.SettingsDocument(path, b.text()), configdoc.Units{IsUTF16: s.editor.isUTF16()}), true
	}
	if document, file, isOurs := s.documentOf(b); isOurs {
		return configdoc.Diagnostics(document, s.factsOf(document, file)), true
	}
	if document, isForeign := s.foreignOf(b); isForeign {
		return configdoc.ForeignDiagnostics(document), true
	}
	return nil, false
}

// unpublish clears what was said about a file that is no longer open (U23).
func (s *Session) unpublish(u uri.URI) {
	if !s.isConfigName(u) || !s.notifier.isOpen() {
		return
	}
	s.publishing.Lock()
	defer s.publishing.Unlock()
	s.tell(rpc.Notify(s.conn, publishDiagnostics, protocol.PublishDiagnosticsParams{URI: u, Diagnostics: []protocol.Diagnostic{}}))
}

// publishAll says again what is to be said about every open file.
func (s *Session) publishAll() {
	for _, b := range s.documents.all() {
		s.publishSoon(b.uri)
	}
}
