package editortest

import (
	"context"
	"slices"
	"strings"
	"time"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"pillion/rpc"
	"pillion/rpc/message"
)

// Connector waits until the connector of a name is in one of the states, and returns it.
func (e *Editor) Connector(name string, states ...message.ConnectorState) message.Connector {
	e.t.Helper()
	e.seed()
	if e.options.IsPlain {
		defer e.keepSeeding()()
	}
	var found message.Connector
	e.Until("connector "+name+" is in one of these states: "+strings.Join(texts(states), ", "), func() bool {
		for _, connector := range e.connectors {
			if connector.Name == name && connector.ShadowedBy == "" && (len(states) == 0 || slices.Contains(states, connector.State)) {
				found = connector
				return true
			}
		}
		return false
	})
	return found
}

// ConnectorThat waits until there is a connector that satisfies a condition, and returns it.
func (e *Editor) ConnectorThat(what string, holds func(message.Connector) bool) message.Connector {
	e.t.Helper()
	e.seed()
	if e.options.IsPlain {
		defer e.keepSeeding()()
	}
	var found message.Connector
	e.Until("a connector "+what, func() bool {
		for _, connector := range e.connectors {
			if holds(connector) {
				found = connector
				return true
			}
		}
		return false
	})
	return found
}

// keepSeeding asks for the list again and again until it is told to stop: a plain editor is told of no changes.
func (e *Editor) keepSeeding() (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		for ctx.Err() == nil {
			list, err := rpc.Call(ctx, e.conn, rpc.EditorRequest[message.Empty, message.ConnectorsResult](message.Connectors), message.Empty{})
			if err != nil {
				return
			}
			e.know(list)
			select {
			case <-ctx.Done():
			case <-time.After(20 * time.Millisecond):
			}
		}
	}()
	return func() { cancel(); <-done }
}

// know takes over a list, unless a notification has told of something later.
func (e *Editor) know(list message.ConnectorsResult) {
	e.mu.Lock()
	if list.Rev < e.rev {
		e.mu.Unlock()
		return
	}
	for _, connector := range list.Connectors {
		e.connectors[connector.ID] = connector
	}
	e.mu.Unlock()
	e.touch()
}

// seed asks for the list once more: what is known may be from before it was asked for.
func (e *Editor) seed() {
	e.t.Helper()
	e.know(Request(e, message.Connectors, message.Empty{}))
}

func texts[S ~string](values []S) []string {
	all := make([]string, len(values))
	for i, value := range values {
		all[i] = string(value)
	}
	return all
}

// Ask waits for an open question of a kind.
func (e *Editor) Ask(kind message.AskKind) message.Ask {
	e.t.Helper()
	var found message.Ask
	e.Until("a question of the kind "+string(kind)+" is open", func() bool {
		for _, ask := range e.asks {
			if ask.Kind == kind {
				found = ask
				return true
			}
		}
		return false
	})
	return found
}

// Answer answers a question and returns what Pillion says to it.
func (e *Editor) Answer(id message.AskID, answer string) message.AskAnswerResult {
	e.t.Helper()
	return Request(e, message.AskAnswer, message.AskAnswerParams{AskID: id, Answer: []byte(answer)})
}

// Allow reviews and allows connectors by name, as the user does.
func (e *Editor) Allow(names ...string) {
	e.t.Helper()
	for _, name := range names {
		connector := e.Connector(name, message.ConnectorWaiting)
		shown := Request(e, message.AskShow, message.AskShowParams{Connector: message.ConnectorRef(connector.ID)})
		if shown.AskID == nil {
			e.fatalf("there is no question about %s", name)
		}
		result := e.Answer(*shown.AskID, e.allowing(*shown.AskID, connector.ID))
		if !result.Accepted {
			e.fatalf("allowing %s was refused: %s", name, result.Reason)
		}
	}
}

// allowing is the answer that allows one connector of a question, with every secret that it lists.
func (e *Editor) allowing(id message.AskID, connector message.ConnectorID) string {
	e.t.Helper()
	for _, ask := range Request(e, message.Asks, message.Empty{}).Asks {
		if ask.AskID != id {
			continue
		}
		body, err := ask.ParseBody()
		if err != nil {
			e.fatalf("question %s: %v", id, err)
		}
		asked, _ := body.(message.ConsentBody)
		answer, err := rpc.Marshal(asked.Deciding(message.ConsentAllow, connector))
		if err != nil {
			e.fatalf("answer to %s: %v", id, err)
		}
		return string(answer)
	}
	e.fatalf("the question %s is not open", id)
	return ""
}

// Approve waits for the next approval and decides about it.
func (e *Editor) Approve(decision message.ApprovalChoice) message.Ask {
	e.t.Helper()
	ask := e.Ask(message.AskApproval)
	if result := e.Answer(ask.AskID, `{"decision":"`+string(decision)+`"}`); !result.Accepted {
		e.fatalf("answer %s was refused: %s", decision, result.Reason)
	}
	return ask
}

// BrowserStates are those that the window's own browser was told to be in, and waits until they end with one.
func (e *Editor) BrowserStates(last message.BrowserState) []message.BrowserState {
	e.t.Helper()
	var told []message.BrowserState
	e.Until("the browser is told to be "+string(last), func() bool {
		told = slices.Clone(e.browsers)
		return len(told) > 0 && told[len(told)-1] == last
	})
	return told
}

// Open opens a document with a text, which need not be what the disk holds.
func (e *Editor) Open(path, text string) {
	e.t.Helper()
	Notify(e, rpc.Notification[protocol.DidOpenTextDocumentParams]{Method: "textDocument/didOpen"}, protocol.DidOpenTextDocumentParams{
		TextDocument: protocol.TextDocumentItem{URI: uri.File(path), LanguageID: "json", Version: 1, Text: text},
	})
}

// Diagnostics waits until those of a document satisfy a condition, and returns their texts.
func (e *Editor) Diagnostics(path, what string, holds func([]protocol.Diagnostic) bool) []protocol.Diagnostic {
	e.t.Helper()
	var found []protocol.Diagnostic
	e.Until("the diagnostics of "+path+": "+what, func() bool {
		diagnostics, isPublished := e.diagnostics[uri.File(path)]
		found = diagnostics
		return isPublished && holds(diagnostics)
	})
	return found
}

// Shown waits for a document that holds a text, and returns it whole.
func (e *Editor) Shown(part string) string {
	e.t.Helper()
	var found string
	e.Until("a document is shown that holds "+part, func() bool {
		for _, text := range e.shown {
			if strings.Contains(text, part) {
				found = text
				return true
			}
		}
		return false
	})
	return found
}

// Told waits for a message that holds a text.
func (e *Editor) Told(part string) string {
	e.t.Helper()
	var found string
	e.Until("a message says "+part, func() bool {
		for _, text := range e.messages {
			if strings.Contains(text, part) {
				found = text
				return true
			}
		}
		return false
	})
	return found
}

// Prompts are the texts of the questions that were asked by window/showMessageRequest.
func (e *Editor) Prompts() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.prompts)
}

// Closed waits until a question has ended, and returns how.
func (e *Editor) Closed(id message.AskID) message.ClosedAsk {
	e.t.Helper()
	var found message.ClosedAsk
	e.Until("the question "+string(id)+" has ended", func() bool {
		for _, closed := range e.closed {
			if closed.AskID == id {
				found = closed
				return true
			}
		}
		return false
	})
	return found
}

// Progress waits until a report of progress satisfies a condition.
func (e *Editor) Progress(what string, holds func(protocol.ProgressParams) bool) {
	e.t.Helper()
	e.Until("progress: "+what, func() bool { return slices.ContainsFunc(e.progress, holds) })
}

// ProgressOf is what was said so far of the progress under a token, in order.
func (e *Editor) ProgressOf(token protocol.ProgressToken) []protocol.LSPAny {
	e.mu.Lock()
	defer e.mu.Unlock()
	var said []protocol.LSPAny
	for _, p := range e.progress {
		if p.Token == token {
			said = append(said, p.Value)
		}
	}
	return said
}

// ShownPaths are the documents that were shown, the first one first.
func (e *Editor) ShownPaths() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.shownPaths)
}

// ShownTexts are the texts of the documents that were shown, the first one first.
func (e *Editor) ShownTexts() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.shown)
}

// Messages are what was told by window/showMessage.
func (e *Editor) Messages() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.messages)
}

// PromptCount and ShownCount are for conditions of [Editor.Until].
func (e *Editor) PromptCount() int { return len(e.prompts) }

// ShownCount is how many documents were shown.
func (e *Editor) ShownCount() int { return len(e.shown) }

// Events are those that were told, once one of them is as it should be.
func (e *Editor) Events(what string, holds func(message.SessionEvent) bool) []message.SessionEvent {
	e.t.Helper()
	var events []message.SessionEvent
	e.Until(what+" is told as an event", func() bool {
		events = slices.Clone(e.events)
		return slices.ContainsFunc(e.events, holds)
	})
	return events
}

// EventCount is how many events were told.
func (e *Editor) EventCount() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.events)
}
