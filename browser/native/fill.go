package native

import (
	"context"
	"fmt"
	"strings"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/input"
)

// readyScript makes an element ready to be typed into, with what it holds selected, and tells what it is.
const readyScript = `function() {
  const kind = this.tagName === "INPUT" ? this.type : this.tagName.toLowerCase();
  if (this.disabled) return { kind, problem: "it is disabled" };
  if (this.readOnly) return { kind, problem: "it is read-only" };
  if (["date", "datetime-local", "month", "time", "week", "color", "range"].includes(kind)) return { kind, isSet: true };
  if (["checkbox", "radio", "button", "submit", "reset", "image", "file", "hidden"].includes(kind)) return { kind, problem: "nothing can be typed into it" };
  if (kind === "select") return { kind, problem: "it is a list to select from; use browser_select_option" };
  this.focus();
  if (this.select && kind !== "div") this.select();
  else if (this.isContentEditable) {
    const range = this.ownerDocument.createRange();
    range.selectNodeContents(this);
    const selection = this.ownerDocument.defaultView.getSelection();
    selection.removeAllRanges();
    selection.addRange(range);
  } else return { kind, problem: "nothing can be typed into it" };
  return { kind, holds: "value" in this ? this.value !== "" : this.textContent !== "" };
}`

// setScript gives a value to an element that no keyboard could fill, as if a person had chosen it.
const setScript = `function(value) {
  const before = this.value;
  Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set.call(this, value);
  if (this.value !== value && !(this.type === "range" && Number(this.value) === Number(value))) {
    const is = this.value;
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set.call(this, before);
    return { problem: "it does not take that value, but made it " + JSON.stringify(is) };
  }
  this.dispatchEvent(new Event("input", { bubbles: true, composed: true }));
  this.dispatchEvent(new Event("change", { bubbles: true }));
  return {};
}`

// selectScript selects options by value or by what they say.
const selectScript = `function(wanted) {
  if (this.tagName !== "SELECT") return { problem: "it is no list to select from" };
  if (this.disabled) return { problem: "it is disabled" };
  const options = [...this.options];
  const find = (one) => options.find((o) => o.value === one) || options.find((o) => o.label.trim() === one.trim()) || options.find((o) => o.text.trim() === one.trim());
  const found = wanted.map(find);
  if (found.includes(undefined)) return { problem: "it has no such option", has: options.slice(0, 50).map((o) => o.label) };
  if (!this.multiple && found.length > 1) return { problem: "only one of it can be selected" };
  for (const option of options) option.selected = found.includes(option);
  this.dispatchEvent(new Event("input", { bubbles: true, composed: true }));
  this.dispatchEvent(new Event("change", { bubbles: true }));
  return { selected: [...this.selectedOptions].map((o) => o.label) };
}`

// checkedScript tells whether something is checked.
const checkedScript = `function() {
  if (this.disabled) return { problem: "it is disabled" };
  if ("checked" in this) return { checked: this.checked };
  return { checked: this.getAttribute("aria-checked") === "true" };
}`

type outcome struct {
	Kind     string   `json:"kind"`
	Problem  string   `json:"problem"`
	IsSet    bool     `json:"isSet"`
	Holds    bool     `json:"holds"`
	Checked  bool     `json:"checked"`
	Selected []string `json:"selected"`
	Has      []string `json:"has"`
}

func (o outcome) err(e element) error {
	if o.Problem == "" {
		return nil
	}
	text := fmt.Sprintf("%s: %s.", e.label, printable(bounded(o.Problem, 200)))
	if len(o.Has) > 0 {
		var has []string
		for _, one := range o.Has {
			has = append(has, quote(bounded(one, 80)))
		}
		text += " It has " + strings.Join(has, ", ") + "."
	}
	return &actError{text}
}

// fill replaces what an element holds by a text.
func (d *driver) fill(ctx context.Context, t *tab, e element, words string, isSlow bool) error {
	var ready outcome
	if err := d.onElement(ctx, e, readyScript, &ready); err != nil {
		return err
	}
	if err := ready.err(e); err != nil {
		return err
	}
	if ready.IsSet {
		var set outcome
		if err := d.onElement(ctx, e, setScript, &set, words); err != nil {
			return err
		}
		return set.err(e)
	}
	session := d.browser.Session(e.session)
	if _, err := cdp.Call(ctx, session, dom.Focus, dom.FocusParams{BackendNodeID: e.node}); err != nil {
		return whyNot(err, e)
	}
	if ready.Holds && (words == "" || isSlow) {
		if err := d.press(ctx, t, session, namedKeys()["Delete"], 0); err != nil {
			return err
		}
	}
	if !isSlow {
		if words == "" {
			return nil
		}
		_, err := cdp.Call(ctx, session, input.InsertText, input.InsertTextParams{Text: words})
		return err
	}
	for _, r := range words {
		if err := d.press(ctx, t, session, typed(r), 0); err != nil {
			return err
		}
	}
	return nil
}

// choose selects options of a list, and tells what is selected then.
func (d *driver) choose(ctx context.Context, e element, values []string) ([]string, error) {
	var o outcome
	if err := d.onElement(ctx, e, selectScript, &o, values); err != nil {
		return nil, err
	}
	return o.Selected, o.err(e)
}

// check checks or unchecks, by a click as a person would.
func (d *driver) check(ctx context.Context, t *tab, e element, wanted bool) error {
	var before, after outcome
	if err := d.onElement(ctx, e, checkedScript, &before); err != nil {
		return err
	}
	if err := before.err(e); err != nil || before.Checked == wanted {
		return err
	}
	at, err := d.where(ctx, t, e)
	if err != nil {
		return err
	}
	if err := d.mouse(ctx, t, at, input.MouseButtonLeft, 1, 0); err != nil {
		return err
	}
	if err := d.onElement(ctx, e, checkedScript, &after); err != nil {
		return err
	}
	if after.Checked != wanted {
		return refuseAct("%s was clicked and stayed as it was.", e.label)
	}
	return nil
}
