package native

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/runtime"
)

type clicking struct {
	onTarget
	DoubleClick bool     `json:"doubleClick,omitempty" jsonschema:"click twice"`
	Button      string   `json:"button,omitempty" jsonschema:"left, right or middle; left when left out"`
	Modifiers   []string `json:"modifiers,omitempty" jsonschema:"what is held meanwhile: Alt, Control, ControlOrMeta, Meta, Shift"`
}

func click(ctx context.Context, c *call, in clicking) error {
	button := input.MouseButton(in.Button)
	switch in.Button {
	case "":
		button = input.MouseButtonLeft
	case "left", "right", "middle":
	default:
		return refuseAct("button is left, right or middle, not %s.", quote(bounded(in.Button, 40)))
	}
	held := int64(0)
	for _, name := range in.Modifiers {
		bit, ok := modifiers()[name]
		if !ok {
			return refuseAct("%s cannot be held: name Alt, Control, ControlOrMeta, Meta or Shift.", quote(bounded(name, 40)))
		}
		held |= bit
	}
	times := 1
	if in.DoubleClick {
		times = 2
	}
	return c.act(ctx, in.Target, func(ctx context.Context, e element) error {
		at, err := c.d.where(ctx, c.tab, e)
		if err != nil {
			return err
		}
		return c.d.mouse(ctx, c.tab, at, button, times, held)
	})
}

// act does something to an element and waits for what comes of it.
func (c *call) act(ctx context.Context, ref string, do func(context.Context, element) error) error {
	e, err := c.d.element(ctx, c.tab, ref)
	if err != nil {
		return err
	}
	return c.move(ctx, func(ctx context.Context) error { return do(ctx, e) })
}

// move does something in the page that the page may take long for, or for ever, and waits for what comes of it.
func (c *call) move(ctx context.Context, do func(context.Context) error) error {
	err := c.d.patiently(ctx, 2*c.d.o.Patience.Action, do)
	if errors.Is(err, errSlow) {
		for _, session := range c.d.sessionsOf(c.tab) {
			session.Send(runtime.TerminateExecution.Method, nil)
		}
		return refuseAct("The page did not answer within %s: a script of it seems to run without end. It was stopped; what was asked for may have happened.", 2*c.d.o.Patience.Action)
	}
	if err != nil {
		return err
	}
	return c.rest(ctx)
}

// look reads something of the page, which a page that is busy for ever would never answer; the next call would wait for it too.
func (c *call) look(ctx context.Context, patience time.Duration, do func(context.Context) error) error {
	err := c.d.patiently(ctx, patience, do)
	if errors.Is(err, errSlow) {
		return refuseAct("The page did not answer within %s: a script of it seems to run without end. Open another page, or close the tab.", patience)
	}
	return err
}

// rest waits for what an action set off, and has its result show the page.
func (c *call) rest(ctx context.Context) error {
	c.shows = true
	return c.sayIfSlow(c.d.rest(ctx, c.tab, c.d.o.Patience.Action))
}

func hover(ctx context.Context, c *call, in onTarget) error {
	return c.act(ctx, in.Target, func(ctx context.Context, e element) error {
		at, err := c.d.where(ctx, c.tab, e)
		if err != nil {
			return err
		}
		return c.d.mouse(ctx, c.tab, at, input.MouseButtonNone, 0, 0)
	})
}

type typing struct {
	onTarget
	Text   string `json:"text" jsonschema:"what the field is to hold"`
	Submit bool   `json:"submit,omitempty" jsonschema:"press Enter then"`
	Slowly bool   `json:"slowly,omitempty" jsonschema:"press one key after the other, for pages that watch them"`
}

const maxTypedBytes = 256 << 10

func typeText(ctx context.Context, c *call, in typing) error {
	if len(in.Text) > maxTypedBytes {
		return refuseAct("At most %s can be typed at once.", size(maxTypedBytes))
	}
	return c.act(ctx, in.Target, func(ctx context.Context, e element) error {
		if err := c.d.fill(ctx, c.tab, e, in.Text, in.Slowly); err != nil || !in.Submit {
			return err
		}
		return c.d.press(ctx, c.tab, c.d.browser.Session(e.session), namedKeys()["Enter"], 0)
	})
}

type form struct {
	Fields []field `json:"fields" jsonschema:"in the order in which they are filled"`
}

type field struct {
	onTarget
	Name  string `json:"name,omitempty" jsonschema:"what the field is called, for a person who reads along"`
	Type  string `json:"type,omitempty" jsonschema:"textbox, checkbox, radio, combobox or slider; textbox when left out"`
	Value string `json:"value" jsonschema:"a text; true or false for a checkbox or radio; what an option says or its value for a combobox"`
}

const maxFields = 100

func fillForm(ctx context.Context, c *call, in form) error {
	if len(in.Fields) > maxFields {
		return refuseAct("At most %d fields can be filled at once.", maxFields)
	}
	return c.move(ctx, func(ctx context.Context) error {
		for i, one := range in.Fields {
			e, err := c.d.element(ctx, c.tab, one.Target)
			if err == nil {
				err = c.fillOne(ctx, e, one)
			}
			if err != nil {
				if i > 0 {
					c.say("%d of %d fields were filled before that.", i, len(in.Fields))
				}
				return err
			}
		}
		return nil
	})
}

func (c *call) fillOne(ctx context.Context, e element, one field) error {
	switch one.Type {
	case "", "textbox", "slider":
		return c.d.fill(ctx, c.tab, e, one.Value, false)
	case "checkbox", "radio":
		if one.Value != "true" && one.Value != "false" {
			return refuseAct("%s: the value of a %s is true or false.", e.label, one.Type)
		}
		return c.d.check(ctx, c.tab, e, one.Value == "true")
	case "combobox":
		_, err := c.d.choose(ctx, e, []string{one.Value})
		return err
	}
	return refuseAct("A field is a textbox, checkbox, radio, combobox or slider, not %s.", quote(bounded(one.Type, 40)))
}

type selection struct {
	onTarget
	Values []string `json:"values" jsonschema:"values or texts of the options; all others are not selected then"`
}

func selectOption(ctx context.Context, c *call, in selection) error {
	return c.act(ctx, in.Target, func(ctx context.Context, e element) error {
		selected, err := c.d.choose(ctx, e, in.Values)
		if err != nil {
			return err
		}
		var shown []string
		for _, one := range selected {
			shown = append(shown, quote(bounded(one, 80)))
		}
		c.say("Selected now: %s.", strings.Join(shown, ", "))
		return nil
	})
}

type pressing struct {
	Key string `json:"key" jsonschema:"the key, such as Enter, ArrowDown, F5 or a, with what is held before it, such as Control+Shift+K"`
}

func pressKey(ctx context.Context, c *call, in pressing) error {
	pressed, held, err := parseKey(in.Key)
	if err != nil {
		return &actError{err.Error() + "."}
	}
	return c.move(ctx, func(ctx context.Context) error {
		return c.d.press(ctx, c.tab, c.d.focused(ctx, c.tab), pressed, held)
	})
}

type dialogChoice struct {
	Accept     bool   `json:"accept" jsonschema:"whether the dialog is accepted"`
	PromptText string `json:"promptText,omitempty" jsonschema:"what is typed into a prompt"`
}

func handleDialog(_ context.Context, c *call, in dialogChoice) error {
	c.d.mu.Lock()
	defer c.d.mu.Unlock()
	if c.tab.isClosed {
		return errors.New("the tab was closed")
	}
	c.tab.nextDialog = &dialogAnswer{accepts: in.Accept, text: in.PromptText}
	c.say("The next dialog of this tab will be answered so. Now do what opens it.")
	return nil
}
