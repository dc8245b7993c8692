package sidecar

import (
	"context"

	"go.lsp.dev/protocol"

	"pillion/editors"
	"pillion/mcp/settings"
	"pillion/rpc"
)

// settingsSection is the section of an editor's settings that Pillion's stand in.
const settingsSection = "pillion"

var (
	didChangeConfiguration = rpc.Notification[protocol.DidChangeConfigurationParams]{Method: "workspace/didChangeConfiguration"}
	configuration          = rpc.EditorRequest[protocol.ConfigurationParams, []protocol.LSPAny]{Method: "workspace/configuration"}
	registerCapability     = rpc.EditorRequest[protocol.RegistrationParams, rpc.Null]{Method: "client/registerCapability"}
)

// takeSettings takes in an object that the editor sent by a channel; what is no value is logged, since most editors show
// their user what they sent.
func (s *Session) takeSettings(channel settings.Channel, object []byte) {
	given, findings := settings.FromObject(channel, object)
	for _, finding := range findings {
		s.log.Warn("setting ignored", "channel", channel.String(), "error", finding.Text())
	}
	s.settings.Set(channel, given)
}

// promptsAtOnce reports whether the user wants to be asked without having acted first (U1).
func (s *Session) promptsAtOnce() bool {
	return s.settings.Resolved().Word(settings.Ask) == settings.AskByPrompt
}

// notifies reports whether the user wants to be told of questions that wait (U7).
func (s *Session) notifies() bool {
	return s.settings.Resolved().Word(settings.Notifications) != settings.NotifyNone
}

// tellSettings tells the user what was given and does not count (S3).
func (s *Session) tellSettings() {
	if !s.notifier.isOpen() {
		return // the start tells it
	}
	for _, sentence := range s.settings.News() {
		s.editor.showMessage(s, messageWarning, "Pillion: "+editors.Visible(sentence)+".")
	}
}

// didChangeConfiguration takes over what the editor's settings say now: pushed with the message, or asked for.
func (s *Session) didChangeConfiguration(_ context.Context, params protocol.DidChangeConfigurationParams) {
	if section := sectionOf(params.Settings); section != nil {
		s.takeSettings(settings.Configuration, section)
		s.applySettings()
		return
	}
	s.inBackground(s.pullSettings)
}

// sectionOf is the member pillion of the settings that an editor pushes, or nil.
func sectionOf(object []byte) []byte {
	var sections struct {
		Pillion protocol.LSPAny `json:"pillion"`
	}
	if len(object) == 0 || rpc.Unmarshal(object, &sections) != nil {
		return nil
	}
	return sections.Pillion
}

// followSettings asks the editor for its settings, and to be told of changes, where it declared that (U21).
func (s *Session) followSettings() {
	if s.editor.registersConfiguration() {
		options, err := rpc.Marshal(map[string]string{"section": settingsSection})
		if err != nil {
			return
		}
		ctx, cancel := context.WithTimeout(s.lifetime, editorAnswerTime)
		defer cancel()
		if _, err := rpc.Call(ctx, s.conn, registerCapability, protocol.RegistrationParams{Registrations: []protocol.Registration{
			{ID: "pillion-settings", Method: didChangeConfiguration.Method, RegisterOptions: options},
		}}); err != nil {
			s.log.Info("changes of the editor's settings are not told", "error", err)
		}
	}
	s.pullSettings()
}

// pullSettings asks for the section pillion; an editor that does not answer leaves what held.
func (s *Session) pullSettings() {
	if !s.editor.pullsConfiguration() {
		return
	}
	s.pulling.Lock() // the answer to the last question counts
	defer s.pulling.Unlock()
	ctx, cancel := context.WithTimeout(s.lifetime, editorAnswerTime)
	defer cancel()
	section := settingsSection
	answer, err := rpc.Call(ctx, s.conn, configuration, protocol.ConfigurationParams{Items: []protocol.ConfigurationItem{{Section: &section}}})
	if err != nil || len(answer) != 1 {
		s.log.Info("the editor does not say its settings", "error", err)
		return
	}
	s.takeSettings(settings.Configuration, answer[0])
	s.applySettings()
}

// applySettings lets count what the settings say now.
func (s *Session) applySettings() {
	s.inBackground(func() {
		if c, err := s.host(s.lifetime); err == nil {
			c.ApplySettings()
		}
	})
}
