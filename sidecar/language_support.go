package sidecar

import (
	"context"
	"slices"
	"strings"

	"go.lsp.dev/protocol"

	"pillion/mcp/settings"
	"pillion/rpc"
)

// languageSupport is what an editor declared of the features of a language: those that it has, and of them those that can be
// registered for single files.
type languageSupport struct {
	has, registers map[string]bool
	isMarkdown     bool // hovers may be Markdown
	relates        bool // diagnostics may have related information
	preparesRename bool
}

func languageSupportOf(c protocol.TextDocumentClientCapabilities) languageSupport {
	l := languageSupport{has: map[string]bool{}, registers: map[string]bool{}}
	declare := func(method string, isThere bool, dynamic func() *bool) {
		if isThere {
			registers := dynamic()
			l.has[method], l.registers[method] = true, registers != nil && *registers
		}
	}
	declare(hover.Method, c.Hover != nil, func() *bool { return c.Hover.DynamicRegistration })
	declare(completion.Method, c.Completion != nil, func() *bool { return c.Completion.DynamicRegistration })
	declare(definition.Method, c.Definition != nil, func() *bool { return c.Definition.DynamicRegistration })
	declare(documentSymbol.Method, c.DocumentSymbol != nil, func() *bool { return c.DocumentSymbol.DynamicRegistration })
	declare(foldingRange.Method, c.FoldingRange != nil, func() *bool { return c.FoldingRange.DynamicRegistration })
	declare(codeLens.Method, c.CodeLens != nil, func() *bool { return c.CodeLens.DynamicRegistration })
	declare(inlayHint.Method, c.InlayHint != nil, func() *bool { return c.InlayHint.DynamicRegistration })
	declare(formatting.Method, c.Formatting != nil, func() *bool { return c.Formatting.DynamicRegistration })
	declare(rename.Method, c.Rename != nil, func() *bool { return c.Rename.DynamicRegistration })
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
	l, yes := s.editor.supports(), true
	isStatic := func(method string) bool { return l.has[method] && !l.registers[method] }
	if isStatic(hover.Method) {
		c.HoverProvider = protocol.Boolean(true)
	}
	if isStatic(completion.Method) {
		c.CompletionProvider = &protocol.CompletionOptions{TriggerCharacters: completionTriggers()}
	}
	if isStatic(definition.Method) {
		c.DefinitionProvider = protocol.Boolean(true)
	}
	if isStatic(documentSymbol.Method) {
		c.DocumentSymbolProvider = protocol.Boolean(true)
	}
	if isStatic(foldingRange.Method) {
		c.FoldingRangeProvider = protocol.Boolean(true)
	}
	if isStatic(codeLens.Method) {
		c.CodeLensProvider = &protocol.CodeLensOptions{}
	}
	if isStatic(inlayHint.Method) {
		c.InlayHintProvider = protocol.Boolean(true)
	}
	if isStatic(formatting.Method) && s.formats() {
		c.DocumentFormattingProvider = protocol.Boolean(true)
	}
	switch {
	case isStatic(rename.Method) && l.preparesRename:
		c.RenameProvider = &protocol.RenameOptions{PrepareProvider: &yes}
	case isStatic(rename.Method):
		c.RenameProvider = protocol.Boolean(true)
	}
}

func (s *Session) formats() bool { return s.settings.Resolved().Bool(settings.Format) }

// registerLanguage registers the features of the language for the files that they are of, so that no other file's hover is
// answered with nothing (U14).
func (s *Session) registerLanguage() {
	l := s.editor.supports()
	var list []protocol.Registration
	for method := range l.registers {
		if !l.registers[method] || method == formatting.Method && !s.formats() {
			continue
		}
		options := map[string]any{"documentSelector": documentSelector()}
		switch method {
		case completion.Method:
			options["triggerCharacters"] = completionTriggers()
		case rename.Method:
			options["prepareProvider"] = l.preparesRename
		}
		raw, err := rpc.Marshal(options)
		if err != nil {
			return
		}
		list = append(list, protocol.Registration{ID: "pillion-" + strings.TrimPrefix(method, "textDocument/"), Method: method, RegisterOptions: raw})
	}
	if len(list) == 0 {
		return
	}
	slices.SortFunc(list, func(a, b protocol.Registration) int { return strings.Compare(a.ID, b.ID) })
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
