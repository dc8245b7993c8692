package native

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-json-experiment/json"

	"pillion/browser"
	"pillion/browser/devtools"
)

// Provider is the browser without Node, as what can be chosen to drive one.
type Provider struct {
	// Argument is what has Pillion's own program serve; see [Serve].
	Argument string
}

var _ browser.Provider = Provider{}

// Name implements browser.Provider.
func (Provider) Name() browser.Name { return browser.Native }

// Check implements browser.Provider.
func (Provider) Check(_ context.Context, m browser.Machine) *browser.Problem {
	if m.Attach != "" {
		if _, err := devtools.LoopbackAddress(m.Attach); err != nil {
			return &browser.Problem{Reason: "a browser at " + m.Attach + " is not attached to: " + err.Error(), Steps: []string{
				`Correct "browserAttach" in your settings.json, or remove it to have a browser started.`,
			}}
		}
		return nil
	}
	_, err := devtools.Find(devtools.Search{Program: m.Program, Path: m.Path, Outside: m.Outside, Getenv: getenv(m.Environ)})
	var missing *devtools.NotFoundError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &missing) && m.Program != "":
		return &browser.Problem{Reason: missing.Error(), Steps: []string{
			`Correct "browserProgram" in your settings.json, or remove it to have a browser looked for.`,
		}}
	}
	return &browser.Problem{Reason: err.Error(), Steps: []string{
		"Install Google Chrome, Chromium or Microsoft Edge (on Debian and Ubuntu: apt install chromium-headless-shell, or chromium).",
		`Or name the one that you have: "browserProgram" in your settings.json.`,
	}}
}

// IsPrepared implements browser.Provider.
func (Provider) IsPrepared(browser.Machine) bool { return true }

// Prepare implements browser.Provider: there is nothing to bring.
func (Provider) Prepare(context.Context, browser.Machine, func(string)) error { return nil }

// Definition implements browser.Provider.
func (p Provider) Definition(m browser.Machine, output string) (browser.Definition, error) {
	env := map[string]string{
		AttachVar:  m.Attach, // also where it is none: what the environment says counts for nothing (S3)
		OutputVar:  output,
		OutsideVar: strings.Join(m.Outside, string(filepath.ListSeparator)),
	}
	if m.Program != "" {
		env[ProgramVar] = m.Program
	}
	if m.IsWithoutSandbox {
		env[WithoutSandboxVar] = "1"
	}
	return browser.Definition{Program: m.Executable, Args: []string{p.Argument}, Env: env}, nil
}

// Rule implements browser.Provider.
func (Provider) Rule(tool string) browser.Rule {
	switch tool {
	case "browser_navigate", "browser_navigate_back", "browser_snapshot", "browser_click", "browser_hover", "browser_type",
		"browser_fill_form", "browser_select_option", "browser_press_key", "browser_handle_dialog", "browser_wait_for", "browser_tabs",
		"browser_console_messages", "browser_network_requests", "browser_network_request", "browser_take_screenshot", "browser_close":
		return browser.Free
	case "browser_evaluate":
		return browser.Ask
	}
	return browser.Never
}

// Destinations implements browser.Provider.
func (Provider) Destinations(tool string, arguments []byte) []string {
	if tool != "browser_navigate" && tool != "browser_tabs" {
		return nil
	}
	var in struct {
		URL string `json:"url"`
	}
	if json.Unmarshal(arguments, &in) != nil || in.URL == "" {
		return nil
	}
	return []string{in.URL}
}

// HoldsRequests implements browser.Provider.
func (Provider) HoldsRequests() bool { return true }

// Rewrite implements browser.Provider: snapshots and console entries are in its results already, marked as the page's.
func (Provider) Rewrite(_ string, result []byte, _ *os.Root) []byte { return result }

func getenv(environ []string) func(string) string {
	values := map[string]string{}
	for _, variable := range environ {
		name, value, _ := strings.Cut(variable, "=")
		values[name] = value
	}
	return func(name string) string { return values[name] }
}
