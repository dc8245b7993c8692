package host

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"pillion/mcp/auth"
	"pillion/mcp/config"
	"pillion/mcp/redact"
	"pillion/mcp/state"
)

const canary = "canary-0123456789-abcdef"

// person answers questions for values.
type person struct {
	Asker
	mu    sync.Mutex
	asked []InputQuestion
	// answer is what is said to the next question; nil waits until it is withdrawn.
	answer func(InputQuestion) (InputAnswer, error)
	began  chan struct{}
}

func (p *person) AskInput(ctx context.Context, q InputQuestion) (InputAnswer, error) {
	p.mu.Lock()
	p.asked = append(p.asked, q)
	answer := p.answer
	p.mu.Unlock()
	if p.began != nil {
		p.began <- struct{}{}
	}
	if answer == nil {
		<-ctx.Done()
		return InputAnswer{}, ctx.Err()
	}
	return answer(q)
}

func (p *person) count() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.asked)
}

func says(value string) func(InputQuestion) (InputAnswer, error) {
	return func(InputQuestion) (InputAnswer, error) { return InputAnswer{Value: value, By: "editor"}, nil }
}

// inputHost is a host of a user whose state lies in home, with workspace folders; it starts nothing.
func inputHost(t *testing.T, home string, asker Asker, roots ...string) *Host {
	t.Helper()
	for _, root := range roots {
		if err := os.MkdirAll(root, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	folder, err := state.Open(filepath.Join(home, "state"))
	if err != nil {
		t.Fatal(err)
	}
	return New(Options{
		Logger: slog.New(slog.DiscardHandler), Folder: folder, UserFile: filepath.Join(home, "config", "mcp.json"), Asker: asker,
		Secrets: auth.New(auth.Options{Folder: folder, KeyFolder: filepath.Join(home, "config")}),
		Environ: []string{"HOME=" + home, "REPO=" + filepath.Join(home, "repository")}, Roots: roots,
	})
}

// userEntry is one of the user's own file with an input of this kind.
func userEntry(t *testing.T, home, input, definition string) *config.Entry {
	t.Helper()
	d := config.Parse(config.File{Path: filepath.Join(home, "config", "mcp.json"), Source: config.SourceUser},
		[]byte(`{"inputs":[`+input+`],"mcpServers":{"mine":`+definition+`}}`))
	if e := d.Entry("mine"); e != nil && e.Fault == nil {
		return e
	}
	t.Fatalf("%+v", d.Findings)
	return nil
}

const (
	password = `{"id":"token","type":"promptString","description":"Your key","password":true}`
	plain    = `{"command":"good","args":["--token","${input:token}"]}`
)

// askedIn is what a start gets: the values of an entry where it stands now.
func (h *Host) askedIn(t *testing.T, e *config.Entry) (inputValues, *Problem) {
	t.Helper()
	return h.valuesOf(t.Context(), e, h.groundOf(h.at(e)).root)
}

func (h *Host) at(e *config.Entry) subject {
	return subject{entry: e, roots: cleanRoots(h.options.Roots, h.home())}
}

func gives(t *testing.T, h *Host, e *config.Entry, want string) {
	t.Helper()
	values, problem := h.askedIn(t, e)
	if problem != nil || values["token"] != want {
		t.Errorf("%q, %+v", values, problem)
	}
}

func TestS11_ValuesAreAskedForOncePerRepositoryAndDestination(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	p := &person{answer: says(canary)}
	first, second := filepath.Join(home, "first"), filepath.Join(home, "second")
	asked := func(root, definition string, times int) {
		t.Helper()
		before := p.count()
		gives(t, inputHost(t, home, p, root), userEntry(t, home, password, definition), canary)
		if got := p.count() - before; got != times {
			t.Errorf("%s in %s: asked %d times, want %d", definition, root, got, times)
		}
	}
	bound := `{"command":"good","args":["${workspaceFolder}","${input:token}"]}`
	asked(first, bound, 1)
	asked(first, bound, 0)
	asked(second, bound, 1)
	asked(second, bound, 0)
	asked(first, `{"command":"evil","args":["${workspaceFolder}","${input:token}"]}`, 1)
	asked(first, `{"command":"good","args":["${workspaceFolder}/more","${input:token}"]}`, 1)
	// What belongs to no repository is asked for once for all of them.
	asked(first, plain, 1)
	asked(second, plain, 0)
	asked(second, `{"command":"npx","args":["-y","evil@1.0.0","${input:token}"]}`, 1)
	asked(second, `{"command":"npx","args":["-y","good@1.0.0","${input:token}"]}`, 1)
	asked(first, `{"command":"npx","args":["-y","good@1.0.0","${input:token}"]}`, 0)
	if q := p.asked[0]; q.Name != "mine" || q.Destination != "good ${workspaceFolder} ${input:token}" || q.Input.ID != "token" || !q.Input.IsSecret || q.Input.Description != "Your key" {
		t.Errorf("%+v", q)
	}
}

func TestE7_ValuesAreRedactedBeforeAnythingStarts(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	p := &person{answer: says(canary)}
	h := inputHost(t, home, p)
	gives(t, h, userEntry(t, home, password, plain), canary)
	if text := string(h.Redact([]byte("it is " + canary))); text != "it is "+redact.Marker {
		t.Error(text)
	}
	// In another session too, where it was not typed.
	other := inputHost(t, home, nil)
	gives(t, other, userEntry(t, home, password, plain), canary)
	if text := string(other.Redact([]byte(canary))); text != redact.Marker {
		t.Error(text)
	}
	// An open value is nobody's secret.
	p.answer = says("production-eu")
	open := userEntry(t, home, `{"id":"stage","type":"pickString","options":["production-eu","b"]}`, `{"command":"other","args":["${input:stage}"]}`)
	if values, problem := h.askedIn(t, open); problem != nil || values["stage"] != "production-eu" {
		t.Errorf("%q, %+v", values, problem)
	}
	if text := string(h.Redact([]byte("production-eu"))); text != "production-eu" {
		t.Error(text)
	}
}

func TestA4_WithoutAValueTheConnectorDoesNotStartAndSaysWhatHelps(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	cancels := &person{answer: func(InputQuestion) (InputAnswer, error) { return InputAnswer{IsCancelled: true}, nil }}
	nobody := &person{answer: func(InputQuestion) (InputAnswer, error) { return InputAnswer{}, ErrNobody }}
	for name, asker := range map[string]Asker{"cancelled": cancels, "nobody": nobody, "no asker": nil} {
		_, problem := inputHost(t, home, asker).askedIn(t, userEntry(t, home, password, plain))
		if problem == nil || problem.Kind != "config" || !strings.Contains(problem.Reason, `"token"`) ||
			!slices.ContainsFunc(problem.Steps, func(step string) bool { return strings.Contains(step, "pillion secret set token") }) {
			t.Errorf("%s: %+v", name, problem)
		}
	}
}

func TestA4_AValueThatIsStoredElsewhereAnswersTheQuestion(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	p := &person{began: make(chan struct{}, 1)}
	h, terminal := inputHost(t, home, p), inputHost(t, home, nil)
	e := userEntry(t, home, password, plain)
	stored := make(chan error, 1)
	go func() {
		<-p.began
		stored <- terminal.SetSecret(context.Background(), inputKey(e, "", "token"), canary)
	}()
	gives(t, h, e, canary)
	if err := <-stored; err != nil {
		t.Fatal(err)
	}
	if text := string(h.Redact([]byte(canary))); text != redact.Marker {
		t.Error("it is not redacted")
	}
}

func TestA4_AnEndingWithdrawsTheQuestion(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	p := &person{began: make(chan struct{}, 1)}
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-p.began
		cancel()
	}()
	if values, problem := inputHost(t, home, p).valuesOf(ctx, userEntry(t, home, password, plain), ""); problem == nil {
		t.Errorf("%q", values)
	}
}

func TestS20_AStoreThatCannotBeReadAsksAnewAndSaysSo(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{"newer": `{"version":99,"data":{}}`, "broken": `{`} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			home := t.TempDir()
			p := &person{answer: says(canary)}
			h := inputHost(t, home, p)
			if err := os.WriteFile(filepath.Join(home, "state", "secrets.json"), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			e := userEntry(t, home, password, plain)
			gives(t, h, e, canary)
			warnings := h.inputs.warningsOf(e.ID)
			if len(warnings) == 0 || !strings.Contains(warnings[0], "secrets.json") || strings.Contains(strings.Join(warnings, ""), canary) {
				t.Errorf("%q", warnings)
			}
			gives(t, h, e, canary)
			if p.count() != 1 {
				t.Errorf("asked %d times in one session", p.count())
			}
			gives(t, inputHost(t, home, p), e, canary)
			if want := map[string]int{"newer": 2, "broken": 1}[name]; p.count() != want {
				t.Errorf("asked %d times in two sessions, want %d", p.count(), want)
			}
		})
	}
}

func TestS29_AShortSecretIsWarnedOf(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	h := inputHost(t, home, &person{answer: says("short")})
	e := userEntry(t, home, password, plain)
	gives(t, h, e, "short")
	if warnings := h.inputs.warningsOf(e.ID); len(warnings) != 1 || !strings.Contains(warnings[0], "less than 8 bytes") {
		t.Errorf("%q", warnings)
	}
}

// A chosen value that is no option any more is asked for again.
func TestA4_AnOptionThatIsGoneIsAskedForAgain(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	p := &person{answer: says("one")}
	h := inputHost(t, home, p)
	gives(t, h, userEntry(t, home, `{"id":"token","type":"pickString","options":["one","two"]}`, plain), "one")
	p.answer = says("two")
	gives(t, h, userEntry(t, home, `{"id":"token","type":"pickString","options":["two"]}`, plain), "two")
	if p.count() != 2 {
		t.Errorf("asked %d times", p.count())
	}
}

func TestS11_WhatAValueIsGivenTo(t *testing.T) {
	t.Parallel()
	const secret = "sk-0123456789abcdefghij"
	tests := map[string]string{
		`{"command":"good"}`: `good`,
		`{"command":"npx","args":["-y","@a/b@1.0.0","two words",""]}`: `npx -y @a/b@1.0.0 "two words" ""`,
		`{"command":"a b","args":["c"]}`:                              `"a b" c`,
		`{"command":"a","args":["b c"]}`:                              `a "b c"`,
		`{"command":"x","args":["` + secret + `","--api-key","hunter-22","--token=hunter-22","${input:token}"]}`: `x [REDACTED] --api-key [REDACTED] --token=[REDACTED] ${input:token}`,
		`{"url":"https://api.example.com/mcp?key=hunter-22"}`:                                                    `https://api.example.com`,
	}
	for definition, want := range tests {
		d := config.Parse(config.File{Path: "/u/mcp.json", Source: config.SourceUser}, []byte(`{"mcpServers":{"a":`+definition+`}}`))
		if got := destinationOf(d.Entries[0]); got != want {
			t.Errorf("%s: %s, want %s", definition, got, want)
		}
	}
}

// Another value of the same entry still says that it runs code of a repository.
func TestS1_AnInputHidesNoWorkspace(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	root := filepath.Join(home, "repository")
	h := inputHost(t, home, nil, root)
	if got := h.consentRoot(h.at(userEntry(t, home, password, `{"command":"node","args":["${input:token}","${REPO}/x.js"]}`))); got != root {
		t.Errorf("it waits in %q", got)
	}
	e := userEntry(t, home, password, `{"command":"node","args":["${input:token}"]}`)
	in := func(value string) *Problem {
		expanded, findings := e.Expand(config.Scope{Dir: home, Input: func(string) (string, bool) { return value, true }})
		if len(findings) > 0 {
			t.Fatal(findings)
		}
		return h.reachesWorkspace(h.at(e), expanded)
	}
	if problem := in(filepath.Join(root, "x.js")); problem == nil || problem.Kind != "config" {
		t.Errorf("%+v", problem)
	}
	if problem := in(filepath.Join(home, "elsewhere")); problem != nil {
		t.Errorf("%+v", problem)
	}
}

func TestG3_SecretsAreListedWithoutValues(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	h := inputHost(t, home, nil)
	e := userEntry(t, home, password, plain)
	s := newSlot(e.ID)
	s.entry = e
	h.slots[e.ID], h.order = s, []string{e.ID}
	is := func(want bool) {
		t.Helper()
		secrets, err := h.Secrets()
		if err != nil || len(secrets) != 1 || secrets[0].IsSet != want || secrets[0].ID != "token" || !slices.Equal(secrets[0].Connectors, []string{"mine"}) {
			t.Errorf("%+v, %v", secrets, err)
		}
	}
	is(false)
	k := inputKey(e, "", "token")
	if err := h.SetSecret(t.Context(), k, canary); err != nil {
		t.Fatal(err)
	}
	is(true)
	if text := string(h.Redact([]byte(canary))); text != redact.Marker {
		t.Error("what was set is not redacted")
	}
	if err := h.RemoveSecret(t.Context(), k); err != nil {
		t.Fatal(err)
	}
	is(false)
	if err := h.SetSecret(t.Context(), auth.Key{}, canary); err == nil || strings.Contains(err.Error(), canary) || errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}
