package core

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"slices"
	"sync"

	"pillion/mcp/config"
	"pillion/mcp/host"
	"pillion/mcp/settings"
	"pillion/mcp/state"
)

// Settings are the settings of one session: what came in by each channel, and what holds.
// All methods may be called at once from several goroutines.
type Settings struct {
	environ []string
	level   slog.LevelVar

	mu       sync.Mutex
	given    map[settings.Channel][]settings.Given
	resolved settings.Resolved
	isRead   bool // the user's file was read whole before
	news     []string
	said     map[string]bool
}

// NewSettings returns what the environment and the flags of this process say; [Settings.Load] adds the user's file.
func NewSettings(environ []string, flags []settings.Given) *Settings {
	s := &Settings{environ: environ, given: map[settings.Channel][]settings.Given{}, said: map[string]bool{}}
	given, findings := settings.FromEnvironment(environ)
	s.given[settings.Environment], s.given[settings.Flag] = given, flags
	for _, finding := range findings {
		s.say(finding.Text())
	}
	s.resolve()
	return s
}

// LogLevel is the level that holds, now and later.
func (s *Settings) LogLevel() slog.Leveler { return &s.level }

// Resolved is what holds.
func (s *Settings) Resolved() settings.Resolved {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.resolved
}

// News are sentences for the user about what was given and does not count, each of them once.
func (s *Settings) News() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	news := s.news
	s.news = nil
	return news
}

// Set replaces what came in by a channel.
func (s *Settings) Set(channel settings.Channel, given []settings.Given) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.given[channel] = given
	s.resolve()
}

// SetOne replaces one value of those that came in by its channel.
func (s *Settings) SetOne(given settings.Given) {
	s.mu.Lock()
	defer s.mu.Unlock()
	others := slices.DeleteFunc(slices.Clone(s.given[given.Channel]), func(g settings.Given) bool { return g.Name == given.Name })
	s.given[given.Channel] = append(others, given)
	s.resolve()
}

// Load reads the user's file, which may not lie in one of these folders (S3). A file that cannot be read whole leaves what
// it said last; one that somebody else may have written counts for nothing and, like one that was never read, leaves what
// is about trust at its narrowest.
func (s *Settings) Load(roots []string) {
	folders, err := FindFolders(s.environ)
	if err != nil {
		return // nothing works without them, and who opens them says so
	}
	given, findings, err := readSettings(folders.Settings, roots)
	s.mu.Lock()
	defer s.mu.Unlock()
	var refused *config.RefusedError
	switch {
	case err == nil:
		s.given[settings.UserFile], s.isRead = given, true
	case errors.As(err, &refused) || !s.isRead:
		s.given[settings.UserFile], s.isRead = settings.Narrowest(settings.UserFile, folders.Settings), false
		s.say(err.Error() + ". It is not used: everything has its default, and what grants trust grants none")
	default:
		s.say(err.Error() + ". What it said before goes on holding")
	}
	for _, finding := range findings {
		if finding.Code != settings.CodeRefused {
			s.say(finding.Text())
		}
	}
	s.resolve()
}

// unreadableError says that a text is no settings; the finding says why.
type unreadableError struct{ settings.Finding }

func (e unreadableError) Error() string { return "your settings cannot be read: " + e.Text() }

// readSettings reads the user's file; one that is absent says nothing.
func readSettings(path string, roots []string) ([]settings.Given, []settings.Finding, error) {
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err := config.CheckUserFile(path, roots); err != nil {
		return nil, nil, err
	}
	text, err := config.ReadFile(config.File{Path: path, Source: config.SourceUser})
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	given, findings, ok := settings.FromFile(path, text)
	if !ok {
		return nil, nil, unreadableError{findings[0]}
	}
	return given, findings, nil
}

// resolve is called with s.mu held.
func (s *Settings) resolve() {
	var all []settings.Given
	for _, channel := range settings.Channels() {
		all = append(all, s.given[channel]...)
	}
	s.resolved = settings.Resolve(all...)
	for _, refusal := range s.resolved.Refusals() {
		s.say(refusal.String())
	}
	var level slog.Level
	_ = level.UnmarshalText([]byte(s.resolved.Word(settings.LogLevel))) // its words are slog's
	s.level.Set(level)
}

func (s *Settings) say(sentence string) {
	if !s.said[sentence] {
		s.said[sentence] = true
		s.news = append(s.news, sentence)
	}
}

// SettingsDocument is the text of the user's settings as a document with findings, as those of connectors are.
func SettingsDocument(path string, text []byte) *config.Document {
	document := &config.Document{File: config.File{Path: path, Source: config.SourceUser}, Text: text}
	_, findings, ok := settings.FromFile(path, text)
	document.Parsed = ok
	for _, f := range findings {
		severity := config.Warning
		if f.Code == settings.CodeSyntax {
			severity = config.Error
		}
		f.Where = ""
		document.Findings = append(document.Findings, config.Finding{
			Code: f.Code, Severity: severity, Span: config.Span{Start: f.Start, End: f.End}, Message: f.Message, Fix: f.Fix,
		})
	}
	return document
}

// Reload reads the settings and the files of connectors again, and brings the connectors in line with them.
func (c *Core) Reload() {
	c.settings.Load(c.Roots())
	c.ApplySettings()
	c.Host.Reload()
}

// ApplySettings lets count what the settings say now.
func (c *Core) ApplySettings() {
	c.applying.Lock()
	defer c.applying.Unlock()
	if isTrusted := c.settings.Resolved().Bool(settings.Trusted); isTrusted != c.isTrusted {
		c.isTrusted = isTrusted
		c.SetTrusted(isTrusted)
	}
	if c.settingsChanged != nil {
		c.settingsChanged()
	}
}

// setSetting writes one setting into the user's own settings.json and reads that again; the value is JSON.
func (c *Core) setSetting(ctx context.Context, name settings.Name, value string) error {
	path := c.Folders.Settings
	if err := config.CheckUserFile(path, c.Roots()); err != nil {
		return fmt.Errorf("set %s: %w", name, err)
	}
	folder, err := state.Open(c.Folders.State)
	if err != nil {
		return fmt.Errorf("set %s: %w", name, err)
	}
	err = host.Rewrite(ctx, folder, config.File{Path: path, Source: config.SourceUser}, func(text []byte) ([]byte, error) {
		return settings.Edit(text, name, value)
	})
	if err != nil {
		return fmt.Errorf("set %s in %s: %w", name, path, err)
	}
	c.settings.Load(c.Roots())
	c.ApplySettings()
	return nil
}
