package sidecar

import (
	"context"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"pillion/editors"
	"pillion/mcp/host"
	"pillion/rpc"
	"pillion/rpc/message"
)

// review shows what waits for permission and what is asked, whole, and asks about it.
func (s *Session) review(ctx context.Context, _ message.Empty) (message.Empty, error) {
	c, err := s.host(ctx)
	if err != nil {
		return message.Empty{}, err
	}
	s.afterAnswer(func() {
		s.forgetPutOff()
		s.askAboutStores()
		s.raiseConsent(c.Waiting(true), s.own.caller)
		asks, _ := s.questions.Asks()
		if len(asks) == 0 {
			s.editor.showMessage(s, messageInfo, "Pillion: nothing needs permission and nothing is asked.")
			return
		}
		for _, ask := range asks {
			s.askNow(ask)
		}
	})
	return message.Empty{}, nil
}

// allowConnector shows the question about one connector; without a name it is the only one that waits, or all of them.
func (s *Session) allowConnector(ctx context.Context, arguments message.ConnectorArguments) (message.Empty, error) {
	c, err := s.host(ctx)
	if err != nil {
		return message.Empty{}, err
	}
	if arguments.Connector == "" {
		return s.review(ctx, message.Empty{})
	}
	found, err := c.Connector(string(arguments.Connector))
	if err != nil {
		return message.Empty{}, misuse(err)
	}
	if reason := s.unsaved(found.File); reason != "" {
		s.editor.showMessage(s, messageWarning, reason)
		return message.Empty{}, nil
	}
	waiting, isWaiting := c.WaitingOn(found.ID)
	if !isWaiting {
		s.editor.showMessage(s, messageInfo, "Pillion: the connector "+editors.Quoted(found.Name)+" needs no permission.")
		return message.Empty{}, nil
	}
	s.afterAnswer(func() {
		if ask, isRaised := s.raiseConsent([]host.Permission{waiting}, s.own.caller); isRaised {
			s.askNow(ask)
		}
	})
	return message.Empty{}, nil
}

// unsaved says to save first when the editor shows another text of the file than the disk holds (S18).
func (s *Session) unsaved(path string) string {
	b, isOpen := s.documents.find(fileURI(path))
	if !isOpen {
		return ""
	}
	for _, document := range s.core.Documents() {
		if document.File.Path == path && string(document.Text) != string(b.text()) {
			return "Pillion: save " + path + " first: what you see is not what would run."
		}
	}
	return ""
}

func (s *Session) revokeConnector(ctx context.Context, arguments message.ConnectorArguments) (message.Empty, error) {
	found, err := s.named(ctx, arguments.Connector)
	if err != nil {
		return message.Empty{}, s.orStatus(ctx, err)
	}
	root, isAsked := s.core.ConsentRootOf(found.ID)
	if !isAsked {
		s.editor.showMessage(s, messageInfo, "Pillion: the connector "+editors.Quoted(found.Name)+" is your own and needs no permission.")
		return message.Empty{}, nil
	}
	return message.Empty{}, s.core.Revoke(ctx, root, found.Name)
}

// askPlainly brings a question before an editor that shows no questions of that kind itself. Only the user's own action
// is answered by a prompt; of everything else the user is told, quietly (U1).
func (s *Session) askPlainly(ask message.Ask, caller host.Caller) {
	if s.editor.answers(ask.Kind) || !s.notifier.isOpen() {
		return
	}
	if caller.Kind != s.own.caller.Kind && !s.promptsAtOnce() {
		if s.notifies() {
			s.editor.showMessage(s, messageInfo, "Pillion: a question is waiting. Run pillion.server.review, or `pillion pending` in a terminal.")
		}
		return
	}
	s.afterAnswer(func() { s.askNow(ask) })
}

// askNow shows a question whole and then asks for the answer. What decides nothing leaves it open.
func (s *Session) askNow(ask message.Ask) {
	if s.editor.answers(ask.Kind) {
		return
	}
	if ask.Kind == message.AskInput {
		// Its answer must not be typed where it is shown, kept or logged: neither a document nor a prompt takes it.
		s.editor.showMessage(s, messageInfo, editors.Prompt(ask))
		return
	}
	path := s.shown.review(s, ask)
	if path != "" {
		s.showToBeAsked(path, editors.Prompt(ask))
	}
	choices := editors.Choices(ask)
	if len(choices) == 0 {
		return
	}
	titles := make([]string, len(choices))
	for i, choice := range choices {
		titles[i] = string(choice.Title)
	}
	title, err := s.editor.ask(s.lifetime, s, editors.Prompt(ask), titles)
	if err != nil || title == "" {
		return // it stays open: the document, another window or a terminal may answer it
	}
	answer, isKnown := editors.ChoiceTitled(choices, title)
	if !isKnown {
		return
	}
	result := s.questions.Answer(ask.AskID, answer, s.own.caller.String())
	if !result.Accepted {
		s.editor.showMessage(s, messageInfo, "Pillion: your answer was not needed: "+result.Reason+".")
		return
	}
	s.tellUndo(ask.Kind, answer)
	s.openPage(ask, answer)
}

// drawTime is what an editor has to draw what it has opened before a question takes its screen: Neovim says that a document is
// shown before it is drawn, and draws nothing while it asks. No message of LSP tells that something is drawn.
const drawTime = 100 * time.Millisecond

// showToBeAsked opens what a question is about, and returns when the question may be put.
func (s *Session) showToBeAsked(path, prompt string) {
	if !s.editor.showFile(s, path, prompt) {
		return
	}
	drawn := time.NewTimer(drawTime)
	defer drawn.Stop()
	select {
	case <-drawn.C:
	case <-s.lifetime.Done():
	}
}

// openPage opens the page that a person has agreed to open, in the system's browser: no other program sees what is done there.
func (s *Session) openPage(ask message.Ask, raw []byte) {
	body, err := ask.ParseBody()
	page, isPage := body.(message.ElicitationBody)
	if err != nil || !isPage || page.URL == "" {
		return
	}
	if answer, err := message.ParseElicitationAnswer(raw); err == nil && answer.Action == message.ElicitAccept {
		s.editor.openPage(s, page.URL)
	}
}

// tellUndo says what came of a yes, and how one that stands is taken back (U5).
func (s *Session) tellUndo(kind message.AskKind, answer []byte) {
	if !s.notifies() {
		return
	}
	if kind == message.AskWiden {
		if given, err := message.ParseWidenAnswer(answer); err == nil && given.Decision == message.WidenMake {
			s.editor.showMessage(s, messageInfo, "Pillion: the change is made.")
		}
		return
	}
	if kind != message.AskApproval {
		return
	}
	if given, err := message.ParseApprovalAnswer(answer); err == nil && given.Decision.Stands() {
		s.editor.showMessage(s, messageInfo, "Pillion: this stands from now on. To take it back: pillion.server.permission.remove, or `pillion permissions` in a terminal.")
	}
}

// answerShown takes an answer from the document that shows the question, once (S18).
func (s *Session) answerShown(_ context.Context, arguments message.AskAnswerArguments) (message.AskAnswerResult, error) {
	if err := arguments.Check(); err != nil {
		return message.AskAnswerResult{}, rpc.Errorf(rpc.CodeInvalidParams, "%s", err)
	}
	ask, _ := s.questions.Ask(arguments.AskID)
	if refusal := s.shown.claim(arguments.AskID, arguments.Hash); refusal != "" {
		s.editor.showMessage(s, messageWarning, "Pillion: "+refusal)
		return message.AskAnswerResult{Reason: refusal}, nil
	}
	asked, _ := s.questions.Ask(arguments.AskID)
	result := s.questions.Answer(arguments.AskID, jsontext.Value(arguments.Answer), s.own.caller.String())
	if !result.Accepted {
		if ask.Kind == message.AskElicitation { // the form can be put right
			s.shown.giveBack(arguments.AskID, arguments.Hash)
		}
		s.editor.showMessage(s, messageInfo, "Pillion: "+editors.Visible(result.Reason)+".")
		return result, nil
	}
	s.openPage(ask, arguments.Answer)
	s.tellUndo(asked.Kind, arguments.Answer)
	return result, nil
}
