package sidecar

import (
	"context"
	"slices"
	"sync"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"pillion/mcp/config"
	"pillion/mcp/host"
	"pillion/rpc"
	"pillion/sidecar/configdoc"
	"pillion/sidecar/core"
)

// The requests about a configuration file. One about another file is answered with nothing.
var (
	hover          = rpc.Request[protocol.HoverParams, *protocol.Hover]{Method: "textDocument/hover"}
	completion     = rpc.Request[protocol.CompletionParams, []protocol.CompletionItem]{Method: "textDocument/completion"}
	definition     = rpc.Request[protocol.DefinitionParams, []protocol.Location]{Method: "textDocument/definition"}
	documentSymbol = rpc.Request[protocol.DocumentSymbolParams, []protocol.DocumentSymbol]{Method: "textDocument/documentSymbol"}
	foldingRange   = rpc.Request[protocol.FoldingRangeParams, []protocol.FoldingRange]{Method: "textDocument/foldingRange"}
	codeLens       = rpc.Request[protocol.CodeLensParams, []protocol.CodeLens]{Method: "textDocument/codeLens"}
	inlayHint      = rpc.Request[protocol.InlayHintParams, []protocol.InlayHint]{Method: "textDocument/inlayHint"}
	formatting     = rpc.Request[protocol.DocumentFormattingParams, []protocol.TextEdit]{Method: "textDocument/formatting"}
	prepareRename  = rpc.Request[protocol.PrepareRenameParams, *protocol.PrepareRenamePlaceholder]{Method: "textDocument/prepareRename"}
	rename         = rpc.Request[protocol.RenameParams, *protocol.WorkspaceEdit]{Method: "textDocument/rename"}
)

func (s *Session) handleLanguage(r *rpc.Router) {
	rpc.Handle(r, hover, func(ctx context.Context, p protocol.HoverParams) (*protocol.Hover, error) {
		return answered(ctx, s, p.TextDocument.URI, func(l language) *protocol.Hover {
			return configdoc.Hover(l.document, l.facts, l.document.Offset(p.Position), s.editor.readsMarkdown())
		})
	})
	rpc.Handle(r, completion, func(ctx context.Context, p protocol.CompletionParams) ([]protocol.CompletionItem, error) {
		return answered(ctx, s, p.TextDocument.URI, func(l language) []protocol.CompletionItem {
			return configdoc.Complete(l.document, l.facts, l.document.Offset(p.Position))
		})
	})
	rpc.Handle(r, definition, func(ctx context.Context, p protocol.DefinitionParams) ([]protocol.Location, error) {
		return answered(ctx, s, p.TextDocument.URI, func(l language) []protocol.Location {
			return configdoc.Definition(l.document, l.facts, l.document.Offset(p.Position))
		})
	})
	rpc.Handle(r, documentSymbol, func(ctx context.Context, p protocol.DocumentSymbolParams) ([]protocol.DocumentSymbol, error) {
		return answered(ctx, s, p.TextDocument.URI, func(l language) []protocol.DocumentSymbol { return configdoc.Symbols(l.document) })
	})
	rpc.Handle(r, foldingRange, func(ctx context.Context, p protocol.FoldingRangeParams) ([]protocol.FoldingRange, error) {
		return answered(ctx, s, p.TextDocument.URI, func(l language) []protocol.FoldingRange { return configdoc.Folds(l.document) })
	})
	rpc.Handle(r, codeLens, func(ctx context.Context, p protocol.CodeLensParams) ([]protocol.CodeLens, error) {
		return answered(ctx, s, p.TextDocument.URI, func(l language) []protocol.CodeLens { return configdoc.Lenses(l.document, l.facts) })
	})
	rpc.Handle(r, inlayHint, func(ctx context.Context, p protocol.InlayHintParams) ([]protocol.InlayHint, error) {
		return answered(ctx, s, p.TextDocument.URI, func(l language) []protocol.InlayHint { return configdoc.Hints(l.document, l.facts, p.Range) })
	})
	rpc.Handle(r, formatting, func(ctx context.Context, p protocol.DocumentFormattingParams) ([]protocol.TextEdit, error) {
		return answered(ctx, s, p.TextDocument.URI, func(l language) []protocol.TextEdit {
			if !s.formats() {
				return nil
			}
			return configdoc.Format(l.document)
		})
	})
	rpc.Handle(r, prepareRename, s.prepareRename)
	rpc.Handle(r, rename, s.rename)
}

// language is a configuration file with what is known of it.
type language struct {
	document *configdoc.Document
	facts    configdoc.Facts
}

// answered answers a request about a document as it was when the request came; nothing for one that is none of Pillion's files.
func answered[R any](ctx context.Context, s *Session, u uri.URI, answer func(language) R) (R, error) {
	var none R
	b, isOpen := bufferIn(ctx, u)
	if !isOpen || !s.isConfigName(u) {
		return none, nil
	}
	if _, err := s.host(ctx); err != nil {
		return none, err
	}
	document, file, isOurs := s.documentOf(b)
	if !isOurs {
		return none, nil
	}
	return answer(language{document, s.factsOf(document, file)}), nil
}

// parsed is what a buffer was understood as, once it is asked for.
type parsed struct {
	once     sync.Once
	document *configdoc.Document
}

// documentOf reads a buffer as the file that it is of the session's; false for any other.
func (s *Session) documentOf(b buffer) (*configdoc.Document, config.File, bool) {
	file, isOurs := s.fileOf(pathOf(b.uri))
	if !isOurs {
		return nil, config.File{}, false
	}
	b.parsed.once.Do(func() {
		b.parsed.document = configdoc.New(b.uri, config.ParseDraft(file, b.text()), configdoc.Units{IsUTF16: s.editor.isUTF16()})
	})
	return b.parsed.document, b.parsed.document.Draft.Document.File, true
}

// factsOf is what is known of the connectors of a file, and what may be looked up of it.
func (s *Session) factsOf(d *configdoc.Document, file config.File) configdoc.Facts {
	f := configdoc.Facts{Connectors: map[string]configdoc.Connector{}, HasProgram: s.core.HasProgram, Variables: s.core.Variables}
	if file.Root != "" {
		f.HasFile = func(relative string) bool { return core.HasFile(file.Root, relative) }
	}
	changed := s.core.ChangedTools()
	saved := s.savedDocument(file.Path)
	all := s.core.Connectors()
	byID := map[string]host.Connector{}
	for _, c := range all {
		byID[c.ID] = c
	}
	for _, c := range all {
		if c.File != file.Path {
			if c.File == s.core.Folders.UserFile {
				f.Names = append(f.Names, c.Name)
			}
			continue
		}
		known := configdoc.Connector{Connector: c, ChangedTools: changed[c.ID]}
		known.IsCurrent = isCurrent(d.Draft.Document, saved, c)
		if other, isThere := byID[c.ShadowedBy]; isThere && c.ShadowedBy != "" {
			if at := s.rangeIn(other.File, other.KeySpan); at != nil {
				known.Shadow = &protocol.Location{URI: uri.File(other.File), Range: *at}
			}
		}
		f.Connectors[c.Name] = known
	}
	f.IsSet = func(e *config.Entry, name string) bool { return s.core.HasVariable(e.ID, name) }
	f.Tools = func(id string) []host.Tool {
		return slices.DeleteFunc(s.core.Tools(), func(t host.Tool) bool { return t.Connector != id })
	}
	f.Version = func(e *config.Entry, p config.Package) string {
		if c := f.Connectors[e.Name]; !c.IsCurrent || c.State == host.StateWaiting || c.State == host.StateDenied {
			return "" // nothing is looked up before a yes (B6)
		}
		return s.core.InstalledVersion(p)
	}
	return f
}

// savedDocument is a file as it runs, or nil.
func (s *Session) savedDocument(path string) *config.Document {
	for _, document := range s.core.Documents() {
		if document.File.Path == path {
			return document
		}
	}
	return nil
}

// isCurrent reports whether an entry that is being written says what the host knows of it. What runs is the saved text: of an
// entry that was edited since, its state says nothing. The same text need not be hashed to be told.
func isCurrent(written, saved *config.Document, c host.Connector) bool {
	entry := written.Entry(c.Name)
	return entry != nil && (saved != nil && written.SaysTheSame(saved, c.Name) || entry.Hash() == c.FileHash)
}
