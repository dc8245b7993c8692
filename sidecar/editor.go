package sidecar

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"pillion/editors"
	"pillion/rpc"
	"pillion/rpc/message"
)

// The messages of LSP that Pillion sends.
var (
	showMessage        = rpc.Event[protocol.ShowMessageParams]{Method: "window/showMessage"}
	showMessageRequest = rpc.EditorRequest[protocol.ShowMessageRequestParams, *protocol.MessageActionItem]{Method: "window/showMessageRequest"}
	showDocument       = rpc.EditorRequest[protocol.ShowDocumentParams, *protocol.ShowDocumentResult]{Method: "window/showDocument"}
	createProgress     = rpc.EditorRequest[protocol.WorkDoneProgressCreateParams, rpc.Null]{Method: "window/workDoneProgress/create"}
	progress           = rpc.Event[protocol.ProgressParams]{Method: "$/progress"}
	cancelProgress     = rpc.Notification[protocol.WorkDoneProgressCancelParams]{Method: "window/workDoneProgress/cancel"}
	publishDiagnostics = rpc.Event[protocol.PublishDiagnosticsParams]{Method: "textDocument/publishDiagnostics"}
)

// showPage is showDocument for an address that is sent byte for byte: the library's own type of one encodes it anew.
var showPage = rpc.EditorRequest[pageParams, *protocol.ShowDocumentResult]{Method: "window/showDocument"}

type pageParams struct {
	URI        string `json:"uri"`
	IsExternal bool   `json:"external"`
}

const (
	messageError   = protocol.MessageTypeError
	messageWarning = protocol.MessageTypeWarning
	messageInfo    = protocol.MessageTypeInfo
)

// editorAnswerTime bounds how long an editor may take over what needs no person.
const editorAnswerTime = 10 * time.Second

// editor is what is known of the editor: what it declared. What was not declared is never sent (U21).
type editor struct {
	mu       sync.Mutex
	name     string
	own      message.ClientCapability // zero for a plain client
	isOwn    bool
	isUTF8   bool
	asks     bool // window/showMessageRequest
	shows    bool // window/showDocument
	progress bool // window/workDoneProgress/create
	pulls    bool // workspace/configuration
	follows  bool // the registration of workspace/didChangeConfiguration
	language languageSupport
}

func (e *editor) declare(params protocol.InitializeParams) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.name = params.ClientInfo.Name
	e.own, e.isOwn = message.ParseClientCapability(params.Capabilities.Experimental)
	if general := params.Capabilities.General; general != nil {
		// The client's first choice counts, and UTF-16 is always among them.
		first := slices.IndexFunc(general.PositionEncodings, func(k protocol.PositionEncodingKind) bool {
			return k == protocol.PositionEncodingKindUTF8 || k == protocol.PositionEncodingKindUTF16
		})
		e.isUTF8 = first >= 0 && general.PositionEncodings[first] == protocol.PositionEncodingKindUTF8
	}
	// LSP has no capability for the request itself: it is sent to everybody, and who refuses it is shown a document (U16).
	e.asks = true
	if window := params.Capabilities.Window; window != nil {
		e.shows = window.ShowDocument != nil && window.ShowDocument.Support
		e.progress = window.WorkDoneProgress != nil && *window.WorkDoneProgress
	}
	if text := params.Capabilities.TextDocument; text != nil {
		e.language = languageSupportOf(*text)
	}
	if workspace := params.Capabilities.Workspace; workspace != nil {
		e.pulls = workspace.Configuration != nil && *workspace.Configuration
		change := workspace.DidChangeConfiguration
		e.follows = change != nil && change.DynamicRegistration != nil && *change.DynamicRegistration
	}
}

func (e *editor) encoding() protocol.PositionEncodingKind {
	if e.isUTF16() {
		return protocol.PositionEncodingKindUTF16
	}
	return protocol.PositionEncodingKindUTF8
}

func (e *editor) isUTF16() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return !e.isUTF8
}

// speaksPillion reports whether pillion/… notifications may go to the editor.
func (e *editor) speaksPillion() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.isOwn
}

// wantsEvents reports whether the editor declared that it wants the stream of events.
func (e *editor) wantsEvents() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.isOwn && e.own.Events
}

// answers reports whether the editor shows questions of a kind itself.
func (e *editor) answers(kind message.AskKind) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.isOwn && e.own.Answers(kind)
}

// pullsConfiguration reports whether the editor's settings can be asked for.
func (e *editor) pullsConfiguration() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.pulls
}

// registersConfiguration reports whether the editor takes a registration for changes of its settings.
func (e *editor) registersConfiguration() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.follows
}

func (e *editor) clientName() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.name
}

func (e *editor) canCreateProgress() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.progress
}

func (e *editor) showMessage(s *Session, kind protocol.MessageType, text string) {
	s.messageHappened(kind, text)
	if err := rpc.Notify(s.conn, showMessage, protocol.ShowMessageParams{Type: kind, Message: text}); err != nil {
		s.log.Debug("message not shown", "error", err)
	}
}

// showFile opens a file beside what the user is doing, and reports whether that was done; an editor that cannot gets the beginning
// and the path (U21).
func (e *editor) showFile(s *Session, path, beginning string) (isShown bool) {
	e.mu.Lock()
	shows := e.shows
	e.mu.Unlock()
	if shows {
		ctx, cancel := context.WithTimeout(s.lifetime, editorAnswerTime)
		defer cancel()
		no := false
		result, err := rpc.Call(ctx, s.conn, showDocument, protocol.ShowDocumentParams{URI: uri.File(path), TakeFocus: &no})
		if err == nil && result != nil && result.Success {
			return true
		}
	}
	// The path comes first: some editors show one line and cut it (Helix), and without the path there is no way on.
	e.showMessage(s, messageInfo, "Pillion: see "+atHome(path)+" \n"+clipped(beginning, 300))
	return false
}

// atHome is a path as people type it, below their home folder with a tilde.
func atHome(path string) string {
	home, err := os.UserHomeDir()
	if err != nil {
		return path
	}
	below, isBelow := strings.CutPrefix(path, filepath.Clean(home)+string(filepath.Separator))
	if !isBelow || runtime.GOOS == "windows" {
		return path
	}
	return "~" + string(filepath.Separator) + below
}

// openPage opens a page outside the editor, exactly as the address was shown; an editor that cannot is told the address.
func (e *editor) openPage(s *Session, address string) {
	e.mu.Lock()
	shows := e.shows
	e.mu.Unlock()
	if shows {
		ctx, cancel := context.WithTimeout(s.lifetime, editorAnswerTime)
		defer cancel()
		result, err := rpc.Call(ctx, s.conn, showPage, pageParams{URI: address, IsExternal: true})
		if err == nil && result != nil && result.Success {
			return
		}
	}
	e.showMessage(s, messageInfo, "Pillion: open this page in your browser: "+editors.Visible(address))
}

// ask puts a question with titles and returns the one chosen, empty for none. The error says that the editor cannot ask.
func (e *editor) ask(ctx context.Context, s *Session, text string, titles []string) (string, error) {
	actions := make([]protocol.MessageActionItem, len(titles))
	for i, title := range titles {
		actions[i] = protocol.MessageActionItem{Title: title}
	}
	chosen, err := rpc.Call(ctx, s.conn, showMessageRequest, protocol.ShowMessageRequestParams{
		Type: messageWarning, Message: text, Actions: actions,
	})
	if err != nil || chosen == nil {
		return "", err
	}
	return chosen.Title, nil
}

// clipped is the beginning of a text, whole where it is short.
func clipped(text string, maxRunes int) string {
	runes := []rune(text)
	if len(runes) <= maxRunes {
		return text
	}
	return string(runes[:maxRunes]) + "…"
}
