package main

import (
	"context"
	"fmt"
	"strings"

	"pillion/editors"
	"pillion/mcp/host"
	"pillion/mcp/settings"
	"pillion/rpc/message"
)

type browserGrammar struct {
	Status browserStatusVerb `cmd:"" default:"1" help:"Say what the browser of this folder's session does."`
	Start  browserStartVerb  `cmd:"" help:"Start it in the editor's window."`
	Stop   browserStopVerb   `cmd:"" help:"End it."`
	Open   browserOpenVerb   `cmd:"" help:"Have it open an address, and print what is there."`
	Auto   browserAutoVerb   `cmd:"" help:"Say whether a session has a browser without a question."`

	Install browserInstallVerb `cmd:"" help:"Install what drives a browser in Node."`
}

// browserShape is what status, start and stop print with --json.
type browserShape struct {
	Window  string                `json:"window"`
	Browser message.BrowserResult `json:"browser"`
}

type browserStatusVerb struct{}

// Help explains the verb.
func (browserStatusVerb) Help() string {
	return `Says what the browser of the session does whose editor's window is open on this folder, what drives it and why, and what is missing for it. It starts nothing.

Without a window nothing runs; then it says what would.

With --json: {"window": string, "browser": BrowserResult}.`
}

// Run looks and says.
func (browserStatusVerb) Run(p *program) error {
	h, err := p.open(p.ctx, ownOptions{})
	if err != nil {
		return err
	}
	defer h.close()
	now, err := h.browser(p.ctx)
	if err != nil {
		return err
	}
	return p.printBrowser(h, now)
}

// printBrowser says how it stands.
func (p *program) printBrowser(h hub, now message.BrowserResult) error {
	if p.isJSON {
		return p.printJSON(browserShape{h.window(), now})
	}
	where := ""
	if h.window() == "" {
		where = ", for no editor's window is open on this folder"
	}
	p.print("Browser: " + editors.BrowserWords(now.State) + where)
	p.print("Driven by: " + now.Provider + ", because " + editors.Visible(now.Because))
	if now.Doing != "" {
		p.print("Now: " + editors.Visible(now.Doing))
	}
	asks := "at the first use in a session"
	if now.Auto {
		asks = "never whether it may start, as browserAuto in your settings says"
	}
	p.print("Asks: " + asks)
	if now.Problem != nil {
		p.print("What is missing: " + editors.Visible(now.Problem.Reason))
		for i, step := range now.Problem.Steps {
			p.print(fmt.Sprintf("  %d. %s", i+1, editors.Visible(step)))
		}
	}
	return nil
}

type browserStartVerb struct{}

// Help explains the verb.
func (browserStartVerb) Help() string {
	return `Starts the browser of the session whose editor's window is open on this folder. Where that was not allowed it is asked on the terminal itself and in the window, and the first answer counts.

Once it is there, its tools run without a question on pages of this machine; every other origin, and a script in a page, asks.

Exit codes: 0 it is there; 3 refused; 4 it does not run, or no window is open; 75 nobody could be asked.

With --json: {"window": string, "browser": BrowserResult}, whatever became of it; nothing where no window is open.`
}

// Run starts it.
func (browserStartVerb) Run(p *program) error {
	return p.inWindow(func(h *windowHub) error {
		result, err := p.startBrowser(h, message.BrowserStartParams{})
		if err != nil {
			return err
		}
		if p.isJSON || result.State == message.BrowserRunning {
			err = p.printBrowser(h, result)
		}
		if err == nil {
			err = browserFailure(p, result)
		}
		return err
	})
}

// inWindow runs f, for people alone, with the editor's window on this folder.
func (p *program) inWindow(f func(*windowHub) error) error {
	if err := forPeople(); err != nil {
		return err
	}
	joined, err := p.joinWindow(p.ctx)
	if err != nil {
		return fmt.Errorf("join the editor's window: %w", err)
	}
	if joined == nil {
		return fail(exitDown, []string{"Open this folder in an editor that runs Pillion, or have a page opened by this program itself: pillion browser open URL"},
			"no editor's window is open on this folder, and a browser ends with its session")
	}
	defer joined.close()
	return f(joined)
}

// startBrowser starts it and puts the questions that come up.
func (p *program) startBrowser(h hub, params message.BrowserStartParams) (message.BrowserResult, error) {
	d, _ := openDevice()
	params.CallID = message.CallID(host.NewCallID())
	return asking(p, h, d, params.CallID, func(ctx context.Context) (message.BrowserResult, error) {
		return h.browserStart(ctx, params, p.progressLines())
	})
}

// browserFailure is how a start ended that came to nothing; nil for one that did not.
func browserFailure(p *program, result message.BrowserResult) error {
	reason, steps := result.Message, result.Steps
	if result.Problem != nil {
		reason, steps = "the browser does not run: "+result.Problem.Reason, result.Problem.Steps
	}
	code := exitDown
	switch result.State {
	case message.BrowserRunning:
		return nil
	case message.BrowserRefused:
		code = exitNotAllowed
	case message.BrowserOff:
		if result.Message != "" && result.Problem == nil { // with a problem an answer would help nothing
			code = exitUnanswered
		}
	}
	if p.isJSON {
		return ended(code)
	}
	if reason == "" {
		reason = "the browser is " + editors.BrowserWords(result.State)
	}
	return fail(code, steps, "%s", reason)
}

type browserStopVerb struct{}

// Help explains the verb.
func (browserStopVerb) Help() string {
	return `Ends the browser of the session whose editor's window is open on this folder, with all its tabs; the next use asks again. It takes away and needs no question.

With --json: {"window": string, "browser": BrowserResult}.`
}

// Run ends it.
func (browserStopVerb) Run(p *program) error {
	h, err := p.open(p.ctx, ownOptions{})
	if err != nil {
		return err
	}
	defer h.close()
	now, err := h.browserStop(p.ctx)
	switch {
	case err != nil:
		return err
	case p.isJSON:
		return p.printBrowser(h, now)
	case h.window() == "":
		p.print("No editor's window is open on this folder: no browser runs.")
	default:
		p.print("The browser has ended. The next use asks again.")
	}
	return nil
}

type browserOpenVerb struct {
	URL string `arg:"" name:"url" help:"The address; without http:// or https:// before it, http:// is meant."`
}

// Help explains the verb.
func (browserOpenVerb) Help() string {
	return `Opens an address in the browser of the session whose editor's window is open on this folder, and prints what is there, as agents see it. Without a window this program itself starts a browser and ends it afterwards.

The browser is asked about first, where it was not allowed, and so is an origin that is not of this machine; both on the terminal itself and in the window.

Exit codes: 0 the page is there; 1 it did not open; 3 refused; 4 the browser does not run; 75 nobody could be asked.

With --json: {"window": string, "browser": BrowserResult}; what came of it is under "call".`
}

// Run opens it.
func (v browserOpenVerb) Run(p *program) error {
	if err := forPeople(); err != nil {
		return err
	}
	if !strings.Contains(v.URL, "://") {
		v.URL = "http://" + v.URL
	}
	params := message.BrowserStartParams{URL: v.URL}
	if err := params.Check(); err != nil {
		return &failure{code: exitUsage, err: err}
	}
	d, _ := openDevice()
	h, err := p.open(p.ctx, ownOptions{hasPerson: d != nil})
	if err != nil {
		return err
	}
	defer h.close()
	result, err := p.startBrowser(h, params)
	if err != nil {
		return err
	}
	if p.isJSON {
		err = p.printBrowser(h, result)
	}
	if err == nil {
		err = browserFailure(p, result)
	}
	if err != nil || result.Call == nil {
		return err
	}
	if !p.isJSON {
		if err := (callVerb{}).print(p, h, *result.Call); err != nil {
			return err
		}
	}
	return ended(codeOfCall(result.Call.Status))
}

type browserAutoVerb struct {
	On string `arg:"" enum:"on,off" help:"on or off."`
}

// Help explains the verb.
func (browserAutoVerb) Help() string {
	return `Writes into your own settings.json whether a session has a browser without a question. On gives more: it is shown whole and asked for on the terminal itself, and nothing else is a yes. Off takes away and needs no question. What a browser may reach is asked about all the same.

With --json: {"auto": boolean}.`
}

// autoShape is what auto --json prints.
type autoShape struct {
	Auto bool `json:"auto"`
}

const autoQuestion = `May every session have a browser without a question, in every folder?

It has no window, and a profile in memory: no cookies, passwords or extensions of yours. Its tools then run without a question on pages of this machine. Every other origin is asked about, and so is each script in a page.

It is the setting "browserAuto" of your own settings.json. To take it back: pillion browser auto off
`

// Run asks where it must, and writes.
func (v browserAutoVerb) Run(p *program) error {
	return p.withOwnHost(func(h *ownHub) error {
		isOn := v.On == "on"
		if isOn && !p.settings.Resolved().Bool(settings.BrowserAuto) {
			if err := p.approveOnDevice(autoQuestion); err != nil {
				return err
			}
		}
		if err := h.SetBrowserAuto(p.ctx, isOn); err != nil {
			return err
		}
		if p.isJSON {
			return p.printJSON(autoShape{isOn})
		}
		if isOn {
			p.print("A session has a browser without a question from now on. To take that back: pillion browser auto off")
		} else {
			p.print("The first use of a browser in a session asks from now on.")
		}
		return nil
	})
}

// approveOnDevice asks on the terminal itself, and returns nil for a yes alone.
func (p *program) approveOnDevice(question string) error {
	d, err := openDevice()
	if err != nil {
		return fail(exitUnanswered, []string{"Run this in a terminal."}, "%w; nothing was changed", err)
	}
	isYes, err := d.approves(p.ctx, question)
	switch {
	case err != nil:
		return fail(exitUnanswered, nil, "%w; nothing was changed", errUndecided)
	case !isYes:
		return fail(exitNotAllowed, nil, "%w", errKept)
	}
	return nil
}
