package sidecar

import (
	"context"
	"maps"
	"slices"
	"strings"

	"go.lsp.dev/protocol"

	"pillion/mcp/settings"
	"pillion/rpc"
)

// languageFeature is one feature of the language, as an editor says that it has it and as it is told that Pillion does.
type languageFeature struct {
	method string
	// declared tells whether the editor has it, and whether it lets it be registered.
	declared func(protocol.TextDocumentClientCapabilities) (has bool, registers *bool)
	// provide declares it for all files.
	provide func(*protocol.ServerCapabilities, languageSupport)
	// options are those of its registration besides the files that it is for; nil where it has none.
	options func(languageSupport) map[string]any
}

// languageFeatures are all features of the language but code actions, which other documents have, too.
func languageFeatures() []languageFeature {
	type editorHas = protocol.TextDocumentClientCapabilities
	type server = protocol.ServerCapabilities
	return []languageFeature{
		{
			method: hover.Method,
			declared: func(c editorHas) (bool, *bool) {
				return declared(c.Hover, func(f *protocol.HoverClientCapabilities) *bool { return f.DynamicRegistration })
			},
			provide: func(c *server, _ languageSupport) { c.HoverProvider = protocol.Boolean(true) },
		},
		{
			method: completion.Method,
			declared: func(c editorHas) (bool, *bool) {
				return declared(c.Completion, func(f *protocol.CompletionClientCapabilities) *bool { return f.DynamicRegistration })
			},
			provide: func(c *server, _ languageSupport) {
				c.CompletionProvider = &protocol.CompletionOptions{TriggerCharacters: completionTriggers()}
			},
			options: func(languageSupport) map[string]any { return map[string]any{"triggerCharacters": completionTriggers()} },
		},
		{
			method: definition.Method,
			declared: func(c editorHas) (bool, *bool) {
				return declared(c.Definition, func(f *protocol.DefinitionClientCapabilities) *bool { return f.DynamicRegistration })
			},
			provide: func(c *server, _ languageSupport) { c.DefinitionProvider = protocol.Boolean(true) },
		},
		{
			method: documentSymbol.Method,
			declared: func(c editorHas) (bool, *bool) {
				return declared(c.DocumentSymbol, func(f *protocol.DocumentSymbolClientCapabilities) *bool { return f.DynamicRegistration })
			},
			provide: func(c *server, _ languageSupport) { c.DocumentSymbolProvider = protocol.Boolean(true) },
		},
		{
			method: foldingRange.Method,
			declared: func(c editorHas) (bool, *bool) {
				return declared(c.FoldingRange, func(f *protocol.FoldingRangeClientCapabilities) *bool { return f.DynamicRegistration })
			},
			provide: func(c *server, _ languageSupport) { c.FoldingRangeProvider = protocol.Boolean(true) },
		},
		{
			method: codeLens.Method,
			declared: func(c editorHas) (bool, *bool) {
				return declared(c.CodeLens, func(f *protocol.CodeLensClientCapabilities) *bool { return f.DynamicRegistration })
			},
			provide: func(c *server, _ languageSupport) { c.CodeLensProvider = &protocol.CodeLensOptions{} },
		},
		{
			method: inlayHint.Method,
			declared: func(c editorHas) (bool, *bool) {
				return declared(c.InlayHint, func(f *protocol.InlayHintClientCapabilities) *bool { return f.DynamicRegistration })
			},
			provide: func(c *server, _ languageSupport) { c.InlayHintProvider = protocol.Boolean(true) },
		},
		{
			method: formatting.Method,
			declared: func(c editorHas) (bool, *bool) {
				return declared(c.Formatting, func(f *protocol.DocumentFormattingClientCapabilities) *bool { return f.DynamicRegistration })
			},
			provide: func(c *server, _ languageSupport) { c.DocumentFormattingProvider = protocol.Boolean(true) },
		},
		renaming(),
	}
}

func renaming() languageFeature {
	return languageFeature{
		method: rename.Method,
		declared: func(c protocol.TextDocumentClientCapabilities) (bool, *bool) {
			return declared(c.Rename, func(f *protocol.RenameClientCapabilities) *bool { return f.DynamicRegistration })
		},
		provide: func(c *protocol.ServerCapabilities, l languageSupport) {
			if c.RenameProvider = protocol.Boolean(true); l.preparesRename {
				c.RenameProvider = &protocol.RenameOptions{PrepareProvider: &l.preparesRename}
			}
		},
		options: func(l languageSupport) map[string]any { return map[string]any{"prepareProvider": l.preparesRename} },
	}
}

func declared[C any](capability *C, registers func(*C) *bool) (bool, *bool) {
	if capability == nil {
		return false, nil
	}
	return true, registers(capability)
}

// languageMethods are the requests that are answered of a document as it was when they came.
func languageMethods() map[string]bool {
	methods := map[string]bool{codeAction.Method: true, prepareRename.Method: true}
	for _, feature := range languageFeatures() {
		methods[feature.method] = true
	}
	return methods
}

// languageSupport is what an editor declared of the features of a language.
type languageSupport struct {
	static, registered []languageFeature // those that it has for all files, and those that can be registered for single ones
	isMarkdown         bool              // hovers may be Markdown
	relates            bool              // diagnostics may have related information
	preparesRename     bool
}

func languageSupportOf(c protocol.TextDocumentClientCapabilities) languageSupport {
	var l languageSupport
	for _, feature := range languageFeatures() {
		switch has, registers := feature.declared(c); {
		case has && registers != nil && *registers:
			l.registered = append(l.registered, feature)
		case has:
			l.static = append(l.static, feature)
		}
	}
	if c.Hover != nil {
		l.isMarkdown = slices.Contains(c.Hover.ContentFormat, protocol.MarkupKindMarkdown)
	}
	if c.Rename != nil && c.Rename.PrepareSupport != nil {
		l.preparesRename = *c.Rename.PrepareSupport
	}
	if c.PublishDiagnostics != nil && c.PublishDiagnostics.RelatedInformation != nil {
		l.relates = *c.PublishDiagnostics.RelatedInformation
	}
	return l
}

func (e *editor) supports() languageSupport {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.language
}

func (e *editor) readsMarkdown() bool { return e.supports().isMarkdown }

func (e *editor) relates() bool { return e.supports().relates }

// completionTriggers are the characters after which proposals are of use.
func completionTriggers() []string { return []string{`"`, "{", ":", "$"} }

// provide declares the features of the language that an editor has and cannot register for single files. An editor that has
// not declared one is not told of it.
func (s *Session) provide(c *protocol.ServerCapabilities) {
	l := s.editor.supports()
	for _, feature := range l.static {
		if s.isWanted(feature) {
			feature.provide(c, l)
		}
	}
}

// isWanted reports whether the user wants a feature: formatting has a setting.
func (s *Session) isWanted(feature languageFeature) bool {
	return feature.method != formatting.Method || s.formats()
}

func (s *Session) formats() bool { return s.settings.Resolved().Bool(settings.Format) }

// registerLanguage registers the features of the language for the files that they are of, so that no other file's hover is
// answered with nothing (U14).
func (s *Session) registerLanguage() {
	l := s.editor.supports()
	var list []protocol.Registration
	for _, feature := range l.registered {
		if !s.isWanted(feature) {
			continue
		}
		options := map[string]any{"documentSelector": documentSelector()}
		if feature.options != nil {
			maps.Copy(options, feature.options(l))
		}
		raw, err := rpc.Marshal(options)
		if err != nil {
			return
		}
		id := "pillion-" + strings.TrimPrefix(feature.method, "textDocument/")
		list = append(list, protocol.Registration{ID: id, Method: feature.method, RegisterOptions: raw})
	}
	if len(list) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(s.lifetime, editorAnswerTime)
	defer cancel()
	if _, err := rpc.Call(ctx, s.conn, registerCapability, protocol.RegistrationParams{Registrations: list}); err != nil {
		s.log.Info("the features of .mcp.json are not registered", "error", err)
	}
}

// documentSelector selects the files whose entries are Pillion's: a project's and the user's.
func documentSelector() []map[string]string {
	return []map[string]string{{"scheme": "file", "pattern": "**/.mcp.json"}, {"scheme": "file", "pattern": "**/mcp.json"}}
}
