package cases

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"go.lsp.dev/protocol"

	"pillion/editors/editortest"
	"pillion/rpc"
	"pillion/rpc/message"
)

var didChangeConfiguration = rpc.Notification[map[string]any]{Method: "workspace/didChangeConfiguration"}

// settings writes the user's own settings.json and returns its path.
func (w *world) settings(text string) string {
	w.t.Helper()
	return w.write(filepath.Join(w.home, "config", "settings.json"), text)
}

// trustedChannels are the ways by which a session hears whether the workspace is trusted: how it is started, and what the
// editor says then.
func trustedChannels(is bool) map[string]struct {
	change func(*editortest.Options)
	then   func(*editortest.Editor)
} {
	type channel = struct {
		change func(*editortest.Options)
		then   func(*editortest.Editor)
	}
	word := map[bool]string{true: "true", false: "false"}[is]
	section := map[string]any{"trusted": is}
	return map[string]channel{
		"variable": {change: func(o *editortest.Options) {
			o.Environ = append(o.Environ[:len(o.Environ):len(o.Environ)], "PILLION_TRUSTED="+word)
		}},
		"flag":                  {change: func(o *editortest.Options) { o.Command = append(o.Command, "--trusted="+word) }},
		"initializationOptions": {change: func(o *editortest.Options) { o.Initialize = section }},
		"workspace/configuration": {change: func(o *editortest.Options) {
			o.Configuration = func(string) any { return section }
		}},
		"workspace/didChangeConfiguration": {then: func(e *editortest.Editor) {
			editortest.Notify(e, didChangeConfiguration, map[string]any{"settings": map[string]any{"pillion": section}})
		}},
		"pillion/trustChanged": {then: func(e *editortest.Editor) {
			editortest.Notify(e, message.TrustChanged, message.TrustChangedParams{Trusted: is})
		}},
	}
}

// TestS3_NoChannelOfASessionWidensTrust tries every way to say that the workspace is trusted against a user whose own file
// says that none is: nothing changes, and it is said. Every way to say that it is not counts.
func TestS3_NoChannelOfASessionWidensTrust(t *testing.T) {
	t.Parallel()
	for _, is := range []bool{true, false} {
		for name, channel := range trustedChannels(is) {
			t.Run(map[bool]string{true: "widen/", false: "narrow/"}[is]+strings.ReplaceAll(name, "/", " "), func(t *testing.T) {
				t.Parallel()
				w := newWorld(t)
				w.project(servers(map[string]entry{"theirs": fake("")}))
				first := w.edit()
				first.Allow("theirs")
				first.Connector("theirs", message.ConnectorReady)
				first.End()
				if is {
					w.settings(`{"trusted": false}`)
				}
				e := w.edit(func(o *editortest.Options) {
					if channel.change != nil {
						channel.change(o)
					}
				})
				if channel.then != nil {
					channel.then(e)
				}
				if is {
					e.Told("cannot set trusted to true: only your settings.json can allow more. It stays false.")
				}
				e.Connector("theirs", message.ConnectorWaiting)
				if result := call(t, e, "theirs.a", "{}"); result.Status != message.CallNeedsConsent {
					t.Errorf("%+v", result)
				}
			})
		}
	}
}

// TestS3_TrustThatIsGivenLaterCounts has an editor say in its settings too whether the workspace is trusted: what they said
// before does not outlive what it tells, and a user whose settings say no is not overruled.
func TestS3_TrustThatIsGivenLaterCounts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.project(servers(map[string]entry{"theirs": fake("")}))
	first := w.edit()
	first.Allow("theirs")
	first.Connector("theirs", message.ConnectorReady)
	first.End()

	var trusted atomic.Bool
	e := w.edit(func(o *editortest.Options) {
		o.Initialize = map[string]any{"trusted": false}
		o.Configuration = func(string) any { return map[string]any{"trusted": trusted.Load()} }
	})
	e.Connector("theirs", message.ConnectorWaiting)
	editortest.Notify(e, message.TrustChanged, message.TrustChangedParams{Trusted: true})
	if result := call(t, e, "theirs.a", "{}"); result.Status != message.CallNeedsConsent {
		t.Errorf("the editor's settings say no: %+v", result)
	}
	trusted.Store(true)
	editortest.Notify(e, message.TrustChanged, message.TrustChangedParams{Trusted: true})
	e.Connector("theirs", message.ConnectorReady)
}

// TestA6_SettingsFileIsFollowed changes the user's file under a session: what it says counts at once, a text that is no
// settings leaves what held and is a finding, and without the file the default holds.
func TestA6_SettingsFileIsFollowed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.project(servers(map[string]entry{"theirs": fake("")}))
	w.user(servers(nil))
	e := w.edit()
	e.Allow("theirs")
	e.Connector("theirs", message.ConnectorReady)

	path := w.settings(`{"trusted": false}`)
	e.Connector("theirs", message.ConnectorWaiting)

	broken := "{\n  \"trusted\": true,\n  \"trusted\": true\n}"
	w.settings(broken)
	e.Told("settings.json:3:3: one name stands here twice. What it said before goes on holding.")
	e.Connector("theirs", message.ConnectorWaiting)
	e.Open(path, broken)
	found := e.Diagnostics(path, "the fault", func(d []protocol.Diagnostic) bool { return len(d) == 1 })
	if found[0].Severity != protocol.DiagnosticSeverityError || found[0].Range.Start.Line != 2 {
		t.Errorf("%+v", found)
	}

	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	e.Connector("theirs", message.ConnectorReady, message.ConnectorIdle)
}

// TestA6_EditorSettingsArePulledAgain asks the editor when it only says that something changed.
func TestA6_EditorSettingsArePulledAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.project(servers(map[string]entry{"theirs": fake("")}))
	var isUntrusted atomic.Bool
	e := w.edit(func(o *editortest.Options) {
		o.Configuration = func(section string) any {
			if section != "pillion" {
				return nil
			}
			return map[string]any{"trusted": !isUntrusted.Load(), "serverPath": ""}
		}
	})
	e.Registered("workspace/didChangeConfiguration")
	e.Allow("theirs")
	e.Connector("theirs", message.ConnectorReady)
	isUntrusted.Store(true)
	editortest.Notify(e, didChangeConfiguration, map[string]any{"settings": nil})
	e.Connector("theirs", message.ConnectorWaiting)
	isUntrusted.Store(false)
	editortest.Notify(e, didChangeConfiguration, map[string]any{"settings": nil})
	e.Connector("theirs", message.ConnectorReady, message.ConnectorIdle)
	if told := e.Messages(); len(told) > 0 {
		t.Errorf("told %q", told)
	}
}

// TestS3_SettingsThatOthersCanWriteAreRefused holds that such a file counts for nothing, and leaves trust at its narrowest.
func TestS3_SettingsThatOthersCanWriteAreRefused(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("who may write a file is not its mode there")
	}
	w := newWorld(t)
	w.project(servers(map[string]entry{"theirs": fake("")}))
	first := w.edit()
	first.Allow("theirs")
	first.Connector("theirs", message.ConnectorReady)
	first.End()
	if err := os.Chmod(w.settings(`{"trusted": true}`), 0o666); err != nil {
		t.Fatal(err)
	}
	e := w.edit()
	e.Told("settings.json: is writable by others. It is not used: ")
	e.Connector("theirs", message.ConnectorWaiting)
}
