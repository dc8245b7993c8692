package cases

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pillion/editors/editortest"
	"pillion/mcp/mcptest"
	"pillion/rpc/message"
)

// typed is a value that a person types; its characters are spelt otherwise in JSON and in URLs.
const typed = `canary/0123+4567 "89"-abcdefgh`

const (
	tokenInput = `{"type": "promptString", "id": "token", "description": "Your key", "password": true}`
	stageInput = `{"type": "pickString", "id": "stage", "options": ["one", "two"], "default": "two"}`
)

// sealed makes values go to the file, whatever keyring the machine has.
func (w *world) sealed() {
	w.t.Helper()
	w.write(w.file("state/secrets.json"), `{"version":1,"data":{"place":"file","entries":[]}}`)
}

// inputs is the text of a configuration file with inputs beside its entries.
func inputs(list string, entries map[string]entry) string {
	return `{"inputs": [` + list + `],` + strings.TrimPrefix(servers(entries), "{")
}

// inputOf is an open question for a value, and what it asks.
func inputOf(t testing.TB, e *editortest.Editor) (message.Ask, message.InputBody) {
	t.Helper()
	ask := e.Ask(message.AskInput)
	return ask, bodyOf[message.InputBody](t, ask)
}

// gives answers the question for a value.
func gives(t testing.TB, e *editortest.Editor, value string) {
	t.Helper()
	ask, _ := inputOf(t, e)
	answers(t, e, ask, value)
}

func answers(t testing.TB, e *editortest.Editor, ask message.Ask, value string) {
	t.Helper()
	text, err := json.Marshal(map[string]string{"value": value})
	if err != nil {
		t.Fatal(err)
	}
	if result := e.Answer(ask.AskID, string(text)); !result.Accepted {
		t.Fatalf("%+v", result)
	}
	e.Closed(ask.AskID)
}

func storedSecrets(e *editortest.Editor) []message.Secret {
	return editortest.Request(e, message.Secrets, message.Empty{}).Secrets
}

// The journey of an input: a connector starts, a person is asked, the call works, and the value stands nowhere.
func TestS29_AValueThatIsTypedStandsNowhere(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.sealed()
	trace := w.file("trace")
	w.environ = append(w.environ, "PILLION_LOG=debug")
	w.user(inputs(tokenInput, map[string]entry{
		"mine":    w.puppet("mine").withEnv("API_TOKEN=Bearer ${input:token}"),
		"dumping": fake("dump", readOnly).with("args", []string{"--token", "${input:token}"}),
		"dying":   fake("exit=3").withEnv("NOTE=${input:token}").with("args", []string{"dies"}),
	}))
	h := &heard{}
	e := w.edit(func(o *editortest.Options) { o.Heard, o.Command = h.hear, append(o.Command, "--trace", trace) })
	seen := map[string]bool{}
	for range 3 { // one question for each destination
		ask, body := inputOf(t, e)
		if body.ID != "token" || !body.Secret || body.Description != "Your key" || body.Connector == "" || seen[body.Destination] {
			t.Fatalf("%+v", body)
		}
		seen[body.Destination] = true // any of the three may be asked about first
		for _, no := range []string{`{}`, `{"value":null}`, `{"value":"a\u0000b"}`, `{"value":"x","cancelled":true}`, `"x"`} {
			if result := e.Answer(ask.AskID, no); result.Accepted {
				t.Errorf("%s was taken", no)
			}
		}
		answers(t, e, ask, typed)
	}
	e.Connector("mine", message.ConnectorReady)
	e.Connector("dumping", message.ConnectorReady)
	e.Connector("dying", message.ConnectorFailed)
	const sum = "sha256 "
	if result := call(t, e, "mine.look", told(t, map[string]any{"text": sum, "variable": "API_TOKEN"})); result.Text != sum+"[REDACTED] "+sumOf("Bearer "+typed) || !result.Redacted {
		t.Errorf("%+v", result)
	}
	if result := call(t, e, "dumping.a", "{}"); !strings.Contains(result.Text, "[REDACTED]") || !result.Redacted {
		t.Errorf("%+v", result)
	}
	for _, secret := range storedSecrets(e) {
		if secret.ID != "token" || secret.Source != "user" || secret.Root != "" || !secret.Set || !seen[secret.Destination] {
			t.Errorf("%+v", secret)
		}
	}
	execute(e, "pillion.server.status")
	e.Shown("connectors")
	for _, c := range editortest.Request(e, message.Connectors, message.Empty{}).Connectors {
		editortest.Request(e, message.Why, message.WhyParams{Connector: message.ConnectorRef(c.ID)})
	}
	e.End()
	for line := range bytes.Lines(h.bytes()) {
		if found := traces(typed, line); len(found) != 0 {
			t.Errorf("said was, with the value in the forms %q: %.700s", found, line)
		}
	}
	if found := traces(typed, []byte(e.Stderr())); len(found) != 0 {
		t.Errorf("stderr has it: %q", found)
	}
	hasTrace(t, trace)
	keptNowhere(t, w, typed)
	for _, kind := range []string{"ask", "answer"} {
		if !slices.ContainsFunc(audited(t, w), func(r map[string]any) bool { return r["kind"] == kind && r["message"] == "input token" }) {
			t.Errorf("the audit log has no %s", kind)
		}
	}

	// Another window asks for nothing.
	e = w.edit()
	e.Connector("mine", message.ConnectorReady)
	if asks := editortest.Request(e, message.Asks, message.Empty{}).Asks; len(asks) != 0 {
		t.Errorf("%+v", asks)
	}
}

func TestG3_ASecretIsSetAndRemovedFromTheEditor(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.sealed()
	trace := w.file("trace")
	w.user(inputs(tokenInput, map[string]entry{"mine": w.puppet("mine").withEnv("API_TOKEN=${input:token}")}))
	e := w.edit(func(o *editortest.Options) { o.Command = append(o.Command, "--trace", trace) })
	ask, body := inputOf(t, e)
	set := message.SecretSetParams{ID: "token", Source: "user", Destination: body.Destination, Value: typed}
	editortest.Request(e, message.SecretSet, set)
	if closed := e.Closed(ask.AskID); closed.How != message.AskWithdrawn {
		t.Errorf("%+v", closed)
	}
	c := e.Connector("mine", message.ConnectorReady)
	if secrets := storedSecrets(e); len(secrets) != 1 || !secrets[0].Set {
		t.Errorf("%+v", secrets)
	}
	editortest.Request(e, message.SecretRemove, message.SecretRemoveParams{ID: "token", Source: "user", Destination: body.Destination})
	if secrets := storedSecrets(e); len(secrets) != 1 || secrets[0].Set {
		t.Errorf("%+v", secrets)
	}
	restarted := editortest.Go(t.Context(), e, message.ConnectorRestart, message.ConnectorParams{Connector: message.ConnectorRef(c.ID)})
	gives(t, e, "another value")
	if outcome := <-restarted; outcome.Err != nil {
		t.Fatal(outcome.Err)
	}
	if result := call(t, e, "mine.look", told(t, map[string]any{"variable": "API_TOKEN"})); !strings.Contains(result.Text, sumOf("another value")) {
		t.Errorf("%+v", result)
	}
	e.End()
	keptNowhere(t, w, typed)
}

// A value is bound to the repository whose code is given it, and to what it is given to.
func TestS11_AnotherRepositoryAndAnotherDestinationAreAskedFor(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.sealed()
	bound := w.puppet("mine").withEnv("API_TOKEN=${input:token}", "FOLDER=${workspaceFolder}")
	w.user(inputs(tokenInput, map[string]entry{"mine": bound}))
	second := w.file("second")
	w.write(filepath.Join(second, "README"), "")
	visit := func(root, value string) {
		t.Helper()
		e := w.edit(func(o *editortest.Options) { o.Roots = []string{root} })
		e.Allow("mine")
		gives(t, e, value)
		e.Connector("mine", message.ConnectorReady)
		if result := call(t, e, "mine.look", told(t, map[string]any{"variable": "API_TOKEN"})); !strings.Contains(result.Text, sumOf(value)) {
			t.Errorf("%+v", result)
		}
		quit(e)
	}
	visit(w.repository, "value of the first")
	visit(second, "value of the second")
	for root, value := range map[string]string{w.repository: "value of the first", second: "value of the second"} {
		e := w.edit(func(o *editortest.Options) { o.Roots = []string{root} })
		e.Connector("mine", message.ConnectorReady)
		if result := call(t, e, "mine.look", told(t, map[string]any{"variable": "API_TOKEN"})); !strings.Contains(result.Text, sumOf(value)) {
			t.Errorf("%s: %+v", root, result)
		}
		quit(e)
	}
	// The same id for another program: what is stored is not for it.
	w.user(inputs(tokenInput, map[string]entry{"other": fake("dump", readOnly).with("args", []string{"${input:token}"})}))
	e := w.edit()
	ask, body := inputOf(t, e)
	if !strings.Contains(body.Destination, "fakestdio") {
		t.Errorf("%+v", body)
	}
	if result := e.Answer(ask.AskID, `{"cancelled":true}`); !result.Accepted {
		t.Errorf("%+v", result)
	}
	e.Connector("other", message.ConnectorFailed)
}

func TestA4_AValueThatIsNotGivenStartsNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.sealed()
	touched := w.file("touched")
	w.user(inputs(stageInput, map[string]entry{"mine": fake("touch="+touched, readOnly).withEnv("STAGE=${input:stage}")}))
	e := w.edit()
	ask, body := inputOf(t, e)
	if body.Secret || !slices.Equal(body.Options, []string{"one", "two"}) || body.Default != "two" {
		t.Errorf("%+v", body)
	}
	if result := e.Answer(ask.AskID, `{"value":"three"}`); result.Accepted {
		t.Error("what was not offered was taken")
	}
	if result := e.Answer(ask.AskID, `{"cancelled":true}`); !result.Accepted {
		t.Errorf("%+v", result)
	}
	c := e.Connector("mine", message.ConnectorFailed)
	if c.Problem == nil || !strings.Contains(c.Problem.Reason, `"stage"`) || len(c.Problem.Steps) < 2 || !strings.Contains(c.Problem.Steps[0], "pillion secret set stage") || exists(touched) {
		t.Errorf("%+v", c.Problem)
	}
	restarted := editortest.Go(t.Context(), e, message.ConnectorRestart, message.ConnectorParams{Connector: message.ConnectorRef(c.ID)})
	gives(t, e, "one")
	if outcome := <-restarted; outcome.Err != nil || outcome.Result.Connector.State != message.ConnectorReady {
		t.Errorf("%+v", outcome)
	}
	if secrets := storedSecrets(e); len(secrets) != 1 || !secrets[0].Set {
		t.Errorf("%+v", secrets)
	}
}

func TestA4_AQuestionEndsWithWhatItIsFor(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.sealed()
	mine := w.puppet("mine").withEnv("API_TOKEN=${input:token}")
	w.user(inputs(tokenInput, map[string]entry{"mine": mine}))
	e := w.edit()
	ask, _ := inputOf(t, e)
	c := e.Connector("mine", message.ConnectorStarting)
	editortest.Request(e, message.ConnectorStop, message.ConnectorParams{Connector: message.ConnectorRef(c.ID)})
	if closed := e.Closed(ask.AskID); closed.How != message.AskWithdrawn {
		t.Errorf("%+v", closed)
	}
	if result := e.Answer(ask.AskID, `{"value":"too late"}`); result.Accepted {
		t.Error("a question that was withdrawn was answered")
	}
	if secrets := storedSecrets(e); len(secrets) != 1 || secrets[0].Set {
		t.Errorf("%+v", secrets)
	}
}

// A client without a view of its own is told where to type a value, and never asked to type it: neither a prompt nor a
// document takes one.
func TestS29_APlainEditorIsNotAskedForAValue(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.sealed()
	w.user(inputs(tokenInput+","+stageInput, map[string]entry{"mine": w.puppet("mine").withEnv("API_TOKEN=${input:token}", "STAGE=${input:stage}")}))
	e := w.edit(func(o *editortest.Options) {
		o.IsPlain = true
		o.Choose = func(string, []string) string { return "" }
	})
	for _, id := range []string{"stage", "token"} {
		told := e.Told(`its input "` + id + `"`)
		if !strings.Contains(told, "pillion secret set "+id) || !strings.Contains(told, "pillion answer ") {
			t.Error(told)
		}
		execute(e, "pillion.server.review")
		set := message.SecretSetParams{ID: id, Source: "user", Destination: storedSecrets(e)[0].Destination, Value: map[string]string{"token": typed, "stage": "one"}[id]}
		editortest.Request(e, message.SecretSet, set)
	}
	eventually(t, "the connector is ready", func() bool {
		all := editortest.Request(e, message.Connectors, message.Empty{}).Connectors
		return len(all) == 1 && all[0].State == message.ConnectorReady
	})
	if len(e.Prompts()) != 0 || e.ShownCount() != 0 {
		t.Errorf("prompts %q, documents %q", e.Prompts(), e.ShownPaths())
	}
	e.End()
	keptNowhere(t, w, typed)
}

// A repository asks for nothing: neither its inputs nor its references count.
func TestS11_ARepositoryAsksForNoValue(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.sealed()
	w.user(inputs(tokenInput, map[string]entry{"mine": w.puppet("mine").withEnv("API_TOKEN=${input:token}")}))
	e := w.edit()
	gives(t, e, typed)
	e.Connector("mine", message.ConnectorReady)
	quit(e)
	touched := w.file("touched")
	w.project(inputs(tokenInput, map[string]entry{"theirs": fake("touch=" + touched).withEnv("API_TOKEN=${input:token}")}))
	e = w.edit()
	c := e.Connector("theirs", message.ConnectorFailed)
	if c.Problem == nil || !strings.Contains(c.Problem.Reason, "your own mcp.json alone") || exists(touched) {
		t.Errorf("%+v", c.Problem)
	}
	e.Connector("mine", message.ConnectorReady)
	if asks := editortest.Request(e, message.Asks, message.Empty{}).Asks; len(asks) != 0 {
		t.Errorf("%+v", asks)
	}
}

func TestS20_AStoreOfSecretsThatCannotBeRead(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{"broken": `{"version":1,"data":{"entries":[{`, "newer": `{"version":7,"data":{}}`} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			path := w.write(w.file("state/secrets.json"), text)
			w.user(inputs(tokenInput, map[string]entry{"mine": w.puppet("mine").withEnv("API_TOKEN=${input:token}")}))
			e := w.edit()
			gives(t, e, typed)
			c := e.ConnectorThat("it is ready and says what is wrong", func(c message.Connector) bool {
				return c.Name == "mine" && c.State == message.ConnectorReady && len(c.Warnings) > 0
			})
			if !strings.Contains(c.Warnings[0], path) {
				t.Errorf("%q", c.Warnings)
			}
			if result := call(t, e, "mine.look", told(t, map[string]any{"variable": "API_TOKEN"})); !strings.Contains(result.Text, sumOf(typed)) {
				t.Errorf("%+v", result)
			}
			e.End()
			kept, err := filepath.Glob(path + "*")
			if err != nil {
				t.Fatal(err)
			}
			if !slices.ContainsFunc(kept, func(path string) bool { return string(read(t, path)) == text }) {
				t.Errorf("what was there is gone: %q", kept)
			}
		})
	}
}

// A value that is too short to be found in what is said is named where it is typed, and with its connector.
func TestS29_AShortValueIsWarnedOf(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.sealed()
	w.user(inputs(tokenInput, map[string]entry{"mine": fake("", readOnly, mcptest.LogVar+"="+w.log("mine")).withEnv("API_TOKEN=${input:token}")}))
	e := w.edit()
	gives(t, e, "short")
	e.Told("less than 8 bytes")
	c := e.Connector("mine", message.ConnectorReady)
	if len(c.Warnings) != 1 || !strings.Contains(c.Warnings[0], "less than 8 bytes") {
		t.Errorf("%q", c.Warnings)
	}
}

// Nothing of the secret store is read or made where no connector refers to an input.
func TestG3_NothingTouchesTheStoreThatNeedsNoValue(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.user(inputs(tokenInput, map[string]entry{"mine": w.puppet("mine"), "off": w.puppet("off").withEnv("API_TOKEN=${input:token}").with("disabled", true)}))
	e := w.edit()
	e.Connector("mine", message.ConnectorReady)
	e.Connector("off", message.ConnectorDisabled)
	if result := call(t, e, "mine.look", `{}`); result.Status != message.CallOK {
		t.Errorf("%+v", result)
	}
	quit(e)
	for _, pattern := range []string{"state/secrets*", "config/secrets*"} {
		if found, err := filepath.Glob(w.file(pattern)); err != nil || len(found) > 0 {
			t.Errorf("%q, %v", found, err)
		}
	}
}
