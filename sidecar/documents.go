package sidecar

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"sync"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"pillion/mcp/config"
	"pillion/rpc"
)

var (
	didOpen   = rpc.Notification[protocol.DidOpenTextDocumentParams]{Method: "textDocument/didOpen"}
	didChange = rpc.Notification[protocol.DidChangeTextDocumentParams]{Method: "textDocument/didChange"}
	didSave   = rpc.Notification[protocol.DidSaveTextDocumentParams]{Method: "textDocument/didSave"}
	didClose  = rpc.Notification[protocol.DidCloseTextDocumentParams]{Method: "textDocument/didClose"}
)

// buffer is an open document as the editor has it; a value that never changes.
type buffer struct {
	uri     uri.URI
	version int32
	content *content
	parsed  *parsed
}

// text is what the buffer holds.
func (b buffer) text() []byte {
	if b.content == nil {
		return nil
	}
	return b.content.bytes()
}

// content is a text, or one before it with what was changed since: nothing is copied while somebody types in a file that is
// none of Pillion's. It may be asked by several at once.
type content struct {
	once    sync.Once
	text    []byte
	before  *content
	changes []protocol.TextDocumentContentChangeEvent
	isUTF16 bool
	depth   int // how many there are before it
}

// maxPending bounds how many changes are kept before they are made.
const maxPending = 2000

func newContent(text []byte) *content { return &content{text: text} }

// with is the content after changes.
func (c *content) with(changes []protocol.TextDocumentContentChangeEvent, isUTF16 bool) *content {
	next := &content{before: c, changes: changes, isUTF16: isUTF16, depth: c.depth + 1}
	if next.depth >= maxPending {
		return newContent(next.bytes())
	}
	return next
}

func (c *content) bytes() []byte {
	c.once.Do(func() {
		if c.before == nil {
			return
		}
		c.text = c.before.bytes()
		for _, change := range c.changes {
			c.text = changed(c.text, change, c.isUTF16)
		}
		c.before, c.changes = nil, nil
	})
	return c.text
}

// documents are the open documents.
type documents struct {
	mu   sync.Mutex
	open map[uri.URI]buffer
	// claimed are those that somebody tells of, each with whether it is to be told of again.
	claimed map[uri.URI]bool
}

func (s *Session) handleDocuments(r *rpc.Router) {
	rpc.HandleNotification(r, didOpen, s.didOpen)
	rpc.HandleNotification(r, didChange, s.didChange)
	rpc.HandleNotification(r, didSave, s.didSave)
	rpc.HandleNotification(r, didClose, s.didClose)
}

func (s *Session) didOpen(_ context.Context, params protocol.DidOpenTextDocumentParams) {
	item := params.TextDocument
	s.documents.set(buffer{uri: item.URI, version: item.Version, content: newContent([]byte(item.Text)), parsed: &parsed{}})
	s.publishSoon(item.URI)
}

func (s *Session) didChange(_ context.Context, params protocol.DidChangeTextDocumentParams) {
	b, isOpen := s.documents.find(params.TextDocument.URI)
	if !isOpen {
		s.log.Warn("change of a document that is not open", "uri", params.TextDocument.URI)
		return
	}
	b.version, b.parsed = params.TextDocument.Version, &parsed{}
	b.content = b.content.with(params.ContentChanges, s.editor.isUTF16())
	s.documents.set(b)
	s.publishSoon(b.uri)
}

func changed(text []byte, change protocol.TextDocumentContentChangeEvent, isUTF16 bool) []byte {
	switch c := change.(type) {
	case *protocol.TextDocumentContentChangeWholeDocument:
		return []byte(c.Text)
	case *protocol.TextDocumentContentChangePartial:
		start := config.Offset(text, int(c.Range.Start.Line), int(c.Range.Start.Character), isUTF16)
		end := max(start, config.Offset(text, int(c.Range.End.Line), int(c.Range.End.Character), isUTF16))
		whole := make([]byte, 0, len(text)-(end-start)+len(c.Text))
		whole = append(whole, text[:start]...)
		whole = append(whole, c.Text...)
		return append(whole, text[end:]...)
	}
	return text
}

// didSave reads the files again at once: saved text is what runs, and the watch may be slower or absent. Of other files it
// says that their change is the user's own (U11).
func (s *Session) didSave(_ context.Context, params protocol.DidSaveTextDocumentParams) {
	b, isOpen := s.documents.find(params.TextDocument.URI) // as it was saved, whatever is typed meanwhile
	s.inBackground(func() {
		c, err := s.host(s.lifetime)
		if err != nil {
			return
		}
		if s.isConfigName(params.TextDocument.URI) {
			c.Reload()
			s.moveDecisions(pathOf(params.TextDocument.URI))
		}
		if isOpen {
			sum := sha256.Sum256(b.text())
			c.Saved(s.lifetime, pathOf(params.TextDocument.URI), hex.EncodeToString(sum[:]))
		}
	})
}

func (s *Session) didClose(_ context.Context, params protocol.DidCloseTextDocumentParams) {
	s.documents.remove(params.TextDocument.URI)
	s.unpublish(params.TextDocument.URI)
}

func (d *documents) set(b buffer) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.open == nil {
		d.open = map[uri.URI]buffer{}
	}
	d.open[b.uri] = b
}

func (d *documents) find(u uri.URI) (buffer, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	b, isOpen := d.open[u]
	return b, isOpen
}

func (d *documents) remove(u uri.URI) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.open, u)
}

func (d *documents) all() []buffer {
	d.mu.Lock()
	defer d.mu.Unlock()
	all := make([]buffer, 0, len(d.open))
	for _, b := range d.open {
		all = append(all, b)
	}
	return all
}

type snapshotKey struct{}

// snapshot gives a request the document it speaks of as it was when the request came.
func (s *Session) snapshot(ctx context.Context, method string) context.Context {
	ctx = s.own.with(ctx)
	if !s.languageMethods[method] {
		return ctx
	}
	return context.WithValue(ctx, snapshotKey{}, s.documents.copied())
}

func (d *documents) copied() map[uri.URI]buffer {
	d.mu.Lock()
	defer d.mu.Unlock()
	return maps.Clone(d.open)
}

// bufferIn returns a document as it was when the request of ctx came.
func bufferIn(ctx context.Context, u uri.URI) (buffer, bool) {
	documents, _ := ctx.Value(snapshotKey{}).(map[uri.URI]buffer)
	b, isOpen := documents[u]
	return b, isOpen
}

// claim reports whether nobody tells of a document at present; who claims it does, and is told by release of what has happened
// meanwhile.
func (d *documents) claim(u uri.URI) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	_, isClaimed := d.claimed[u]
	if d.claimed == nil {
		d.claimed = map[uri.URI]bool{}
	}
	d.claimed[u] = isClaimed
	return !isClaimed
}

// release gives a document back that was told of, or reports that it is to be told of again.
func (d *documents) release(u uri.URI) (isDue bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if isDue = d.claimed[u]; isDue {
		d.claimed[u] = false
	} else {
		delete(d.claimed, u)
	}
	return isDue
}
