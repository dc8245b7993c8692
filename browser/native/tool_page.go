package native

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/runtime"

	"pillion/browser/devtools"
)

type reading struct {
	Target string `json:"target,omitempty" jsonschema:"a ref of the last snapshot; only what lies in that element is returned"`
	From   int    `json:"from,omitempty" jsonschema:"the line to begin with, counted from 1, where an earlier snapshot did not fit"`
}

func readPage(ctx context.Context, c *call, in reading) error {
	made, err := c.d.takeSnapshot(ctx, c.tab, in.Target)
	if err != nil {
		return err
	}
	c.snapshot, c.from, c.limit = made, max(in.From, 1), snapshotBytes
	return nil
}

type waiting struct {
	Text     string  `json:"text,omitempty" jsonschema:"wait until this is on the page"`
	TextGone string  `json:"textGone,omitempty" jsonschema:"wait until this is not on the page"`
	Time     float64 `json:"time,omitempty" jsonschema:"wait so many seconds, at most 30; with a text, for at most that long"`
}

const maxWait = 30 * time.Second

func waitFor(ctx context.Context, c *call, in waiting) error {
	limit := maxWait
	if in.Time < 0 || in.Time > maxWait.Seconds() {
		return refuseAct("The time is 0 to %.0f seconds.", maxWait.Seconds())
	}
	if in.Time > 0 {
		limit = time.Duration(in.Time * float64(time.Second))
	}
	if in.Text == "" && in.TextGone == "" && in.Time == 0 {
		return refuseAct("Name a text, a textGone or a time to wait for.")
	}
	c.shows = true
	end := time.Now().Add(limit)
	for {
		c.d.mu.Lock()
		changed := c.d.changed
		c.d.mu.Unlock()
		holds, err := c.isAsWanted(ctx, in)
		switch {
		case err != nil:
			return err
		case holds && (in.Text != "" || in.TextGone != ""):
			return nil
		case time.Now().After(end) && in.Text == "" && in.TextGone == "":
			return nil
		case time.Now().After(end):
			return refuseAct("That did not come about within %s.", limit)
		}
		if err := c.d.awaitChange(ctx, changed, min(100*time.Millisecond, time.Until(end)+time.Millisecond)); err != nil {
			return err
		}
		// A page that tells a lot is not asked all the time.
		if err := pause(ctx, 20*time.Millisecond); err != nil {
			return err
		}
	}
}

func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (c *call) isAsWanted(ctx context.Context, in waiting) (bool, error) {
	if in.Text == "" && in.TextGone == "" {
		return false, nil
	}
	isThere, isGone := in.Text == "", true
	for _, session := range c.d.sessionsOf(c.tab) {
		var holds [2]bool
		err := inPage(ctx, session, fmt.Sprintf("(%s)(%s, %s)", holdsScript, literal(in.Text), literal(in.TextGone)), &holds)
		if errors.Is(err, devtools.ErrClosed) || ctx.Err() != nil {
			return false, err
		}
		isThere = isThere || err == nil && holds[0]
		isGone = isGone && (err != nil || !holds[1] || in.TextGone == "")
	}
	return isThere && isGone, nil
}

// holdsScript tells whether two texts are seen on a page, in its shadow trees and in the frames that it may look into.
const holdsScript = `function(one, other) {
  const found = [false, false];
  const look = (root) => {
    const body = root.body || root;
    const text = body.innerText === undefined ? body.textContent || "" : body.innerText;
    if (one && text.includes(one)) found[0] = true;
    if (other && text.includes(other)) found[1] = true;
    for (const element of root.querySelectorAll("*")) {
      if (element.shadowRoot) for (const child of element.shadowRoot.children) lookAt(child);
      if (element.tagName === "IFRAME") { try { if (element.contentDocument) look(element.contentDocument); } catch {} }
    }
  };
  const lookAt = (element) => {
    const text = element.innerText === undefined ? element.textContent || "" : element.innerText;
    if (one && text.includes(one)) found[0] = true;
    if (other && text.includes(other)) found[1] = true;
    if (element.shadowRoot) for (const child of element.shadowRoot.children) lookAt(child);
    for (const child of element.querySelectorAll("*")) if (child.shadowRoot) for (const inner of child.shadowRoot.children) lookAt(inner);
  };
  look(document);
  return found;
}`

// sessionsOf are the sessions that a page is read through: its own and those of frames with a process of their own.
func (d *driver) sessionsOf(t *tab) []devtools.Session {
	d.mu.Lock()
	defer d.mu.Unlock()
	sessions := []devtools.Session{t.session}
	for _, one := range d.sessions {
		if one.tab == t && one.info.Type == "iframe" {
			sessions = append(sessions, one.session)
		}
	}
	return sessions
}

// inPage runs an expression of ours in a page and reads what it gives.
func inPage(ctx context.Context, session devtools.Session, expression string, into any) error {
	ctx, cancel := context.WithTimeoutCause(ctx, 5*time.Second, errors.New("the page did not answer in time"))
	defer cancel()
	given, err := cdp.Call(ctx, session, runtime.Evaluate, runtime.EvaluateParams{Expression: expression, ReturnByValue: new(true), Silent: new(true)})
	switch {
	case err != nil:
		return err
	case given.ExceptionDetails != nil:
		return errors.New(thrown(given.ExceptionDetails))
	}
	return json.Unmarshal(given.Result.Value, into)
}

// literal is a text as JavaScript writes it.
func literal(text string) string {
	encoded, _ := json.Marshal(text) // a string always encodes
	return strings.NewReplacer("\u2028", `\u2028`, "\u2029", `\u2029`).Replace(string(encoded))
}

// focused is the session of the frame that has the focus, as far as the page tells.
func (d *driver) focused(ctx context.Context, t *tab) devtools.Session {
	for _, session := range d.sessionsOf(t) {
		var has bool
		expression := `document.hasFocus() && !(document.activeElement && document.activeElement.tagName === "IFRAME")`
		if err := inPage(ctx, session, expression, &has); err == nil && has {
			return session
		}
	}
	return t.session
}

type script struct {
	Function string `json:"function" jsonschema:"a JavaScript function without arguments, such as () => document.title; with a target it is given the element, such as (element) => element.textContent"`
	Target   string `json:"target,omitempty" jsonschema:"a ref of the last snapshot"`
	Element  string `json:"element,omitempty" jsonschema:"what the element is, in words, for a person who reads along"`
}

const maxReturnedBytes = 32 << 10

func evaluate(ctx context.Context, c *call, in script) error {
	var returned json.RawMessage
	err := c.d.patiently(ctx, c.d.o.Patience.Script, func(ctx context.Context) (err error) {
		returned, err = c.evaluated(ctx, in)
		return err
	})
	if errors.Is(err, errSlow) {
		c.tab.session.Send(runtime.TerminateExecution.Method, nil)
		return refuseAct("The script did not end within %s and was stopped.", c.d.o.Patience.Script)
	}
	if err != nil {
		return err
	}
	if err := c.d.rest(ctx, c.tab, c.d.o.Patience.Action); err != nil && !errors.Is(err, errSlow) {
		return err
	}
	if len(returned) == 0 {
		c.say("It returned nothing.")
		return nil
	}
	if len(returned) > maxReturnedBytes {
		c.say("It returned %s of JSON, of which the first %s are shown. Return less to see all.", size(len(returned)), size(maxReturnedBytes))
	} else {
		c.say("It returned:")
	}
	// JSON escapes control characters; what else is invisible is escaped here.
	c.pageText = append(c.pageText, visible(bounded(string(returned), maxReturnedBytes)))
	return nil
}

func (c *call) evaluated(ctx context.Context, in script) (json.RawMessage, error) {
	if in.Target != "" {
		e, err := c.d.element(ctx, c.tab, in.Target)
		if err != nil {
			return nil, err
		}
		var returned json.RawMessage
		err = c.d.onElement(ctx, e, "function() { return (\n"+in.Function+"\n)(this); }", &returned)
		return returned, err
	}
	given, err := cdp.Call(ctx, c.tab.session, runtime.Evaluate, runtime.EvaluateParams{
		Expression: "(\n" + in.Function + "\n)()", ReturnByValue: new(true), AwaitPromise: new(true), UserGesture: new(true),
	})
	switch {
	case err != nil:
		return nil, err
	case given.ExceptionDetails != nil:
		return nil, refuseAct("The script failed: %s", quote(bounded(thrown(given.ExceptionDetails), 2000)))
	case given.Result.UnserializableValue != "":
		return json.RawMessage(given.Result.UnserializableValue), nil
	}
	return json.RawMessage(given.Result.Value), nil
}
