package native

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/runtime"

	"pillion/browser/devtools"
)

// point is where in the page's window something is, in CSS pixels.
type point struct{ x, y float64 }

// actError is an action that the page does not allow, with what to do about it.
type actError struct{ reason string }

func (e *actError) Error() string { return e.reason }

func refuseAct(format string, values ...any) error { return &actError{fmt.Sprintf(format, values...)} }

// where finds where an element can be clicked, after bringing it into view.
func (d *driver) where(ctx context.Context, t *tab, e element) (point, error) {
	session := d.browser.Session(e.session)
	if _, err := cdp.Call(ctx, session, dom.ScrollIntoViewIfNeeded, dom.ScrollIntoViewIfNeededParams{BackendNodeID: e.node}); err != nil {
		return point{}, whyNot(err, e)
	}
	var found struct {
		Covered string `json:"covered"`
	}
	if err := d.onElement(ctx, e, coverScript, &found); err != nil {
		return point{}, err
	}
	if found.Covered != "" {
		return point{}, refuseAct("%s is covered by %s. Deal with that first, or wait for it to go.", e.label, quote(bounded(found.Covered, 200)))
	}
	at, err := d.middle(ctx, session, e)
	if err != nil {
		return point{}, err
	}
	return d.inPage(ctx, t, e, at)
}

// coverScript tells what lies over the middle of an element, if anything does.
const coverScript = `function() {
  const box = this.getBoundingClientRect();
  if (!box.width && !box.height) return { covered: "" };
  const view = this.ownerDocument.defaultView;
  const left = Math.max(box.left, 0), right = Math.min(box.right, view.innerWidth);
  const top = Math.max(box.top, 0), bottom = Math.min(box.bottom, view.innerHeight);
  if (right <= left || bottom <= top) return { covered: "" };
  let hit = this.ownerDocument.elementFromPoint((left + right) / 2, (top + bottom) / 2);
  while (hit && hit.shadowRoot) {
    const inner = hit.shadowRoot.elementFromPoint((left + right) / 2, (top + bottom) / 2);
    if (!inner || inner === hit) break;
    hit = inner;
  }
  for (let up = hit; up; up = up.assignedSlot || up.parentNode || up.host) if (up === this) return { covered: "" };
  for (let up = this; up; up = up.assignedSlot || up.parentNode || up.host) if (up === hit) return { covered: "" };
  const label = hit && hit.closest && hit.closest("label");
  if (!hit || label && label.control === this) return { covered: "" };
  return { covered: "<" + hit.tagName.toLowerCase() + (hit.id ? " id=" + hit.id : "") + "> " + (hit.textContent || "").trim().slice(0, 80) };
}`

// middle is the middle of what is seen of an element, in its frame's own window.
func (d *driver) middle(ctx context.Context, session devtools.Session, e element) (point, error) {
	quads, err := cdp.Call(ctx, session, dom.GetContentQuads, dom.GetContentQuadsParams{BackendNodeID: e.node})
	if err != nil {
		return point{}, whyNot(err, e)
	}
	for _, quad := range quads.Quads {
		if len(quad) != 8 {
			continue
		}
		at := point{(quad[0] + quad[2] + quad[4] + quad[6]) / 4, (quad[1] + quad[3] + quad[5] + quad[7]) / 4}
		if area(quad) >= 1 {
			return at, nil
		}
	}
	return point{}, refuseAct("%s is not visible. Take a new snapshot, or make it visible first.", e.label)
}

func area(quad []float64) float64 {
	sum := 0.0
	for i := 0; i < 8; i += 2 {
		j := (i + 2) % 8
		sum += quad[i]*quad[j+1] - quad[j]*quad[i+1]
	}
	return max(sum, -sum) / 2
}

// inPage moves a point of a frame with a process of its own to the page's window.
func (d *driver) inPage(ctx context.Context, t *tab, e element, at point) (point, error) {
	session, id := e.session, e.frame
	for session != t.session.ID {
		d.mu.Lock()
		f := d.frames[id]
		for f != nil && f.parent != "" && d.frames[f.parent] != nil && d.frames[f.parent].session == session {
			f = d.frames[f.parent]
		}
		var outer *frame
		if f != nil {
			outer = d.frames[f.parent]
		}
		d.mu.Unlock()
		if outer == nil {
			return point{}, refuseAct("The frame of %s has gone. Take a new snapshot.", e.label)
		}
		above := d.browser.Session(outer.session)
		owner, err := cdp.Call(ctx, above, dom.GetFrameOwner, dom.GetFrameOwnerParams{FrameID: f.id})
		if err != nil {
			return point{}, whyNot(err, e)
		}
		box, err := cdp.Call(ctx, above, dom.GetBoxModel, dom.GetBoxModelParams{BackendNodeID: owner.BackendNodeID})
		if err != nil || box.Model == nil || len(box.Model.Content) != 8 {
			return point{}, refuseAct("The frame of %s is not visible.", e.label)
		}
		at.x, at.y = at.x+box.Model.Content[0], at.y+box.Model.Content[1]
		session, id = outer.session, outer.id
	}
	return at, nil
}

// whyNot is what an error of the browser about an element means for the agent.
func whyNot(err error, e element) error {
	var answered *devtools.Error
	if errors.As(err, &answered) {
		return refuseAct("%s cannot be acted on: %s. Take a new snapshot.", e.label, printable(answered.Message))
	}
	return err
}

// mouse moves the pointer to a place and presses the button so many times.
func (d *driver) mouse(ctx context.Context, t *tab, at point, button input.MouseButton, times int, held int64) error {
	event := input.DispatchMouseEventParams{Type: input.DispatchMouseEventTypeMouseMoved, X: at.x, Y: at.y, Modifiers: held}
	if _, err := cdp.Call(ctx, t.session, input.DispatchMouseEvent, event); err != nil {
		return err
	}
	for i := range times {
		event.Button, event.ClickCount = button, int64(i+1)
		for _, kind := range []input.DispatchMouseEventType{input.DispatchMouseEventTypeMousePressed, input.DispatchMouseEventTypeMouseReleased} {
			event.Type = kind
			if err := d.dispatch(ctx, t, func() error {
				_, err := cdp.Call(ctx, t.session, input.DispatchMouseEvent, event)
				return err
			}); err != nil {
				return err
			}
		}
	}
	return nil
}

// dispatch sends an input event, after which the page may be gone, which is no fault.
func (d *driver) dispatch(ctx context.Context, t *tab, send func() error) error {
	err := send()
	var answered *devtools.Error
	if errors.As(err, &answered) && ctx.Err() == nil {
		d.mu.Lock()
		defer d.mu.Unlock()
		if t.isClosed || len(t.loading) > 0 {
			return nil
		}
	}
	return err
}

// press presses a key in whatever has the focus of the session.
func (d *driver) press(ctx context.Context, t *tab, session devtools.Session, k key, held int64) error {
	for _, event := range k.strokes(held) {
		if err := d.dispatch(ctx, t, func() error {
			_, err := cdp.Call(ctx, session, input.DispatchKeyEvent, event)
			return err
		}); err != nil {
			return err
		}
	}
	return nil
}

// onElement calls a function with an element as this, and reads what it returns into result, unless that is nil.
func (d *driver) onElement(ctx context.Context, e element, function string, result any, arguments ...any) error {
	session := d.browser.Session(e.session)
	resolved, err := cdp.Call(ctx, session, dom.ResolveNode, dom.ResolveNodeParams{BackendNodeID: e.node})
	if err != nil {
		return whyNot(err, e)
	}
	defer session.Send(runtime.ReleaseObject.Method, runtime.ReleaseObjectParams{ObjectID: resolved.Object.ObjectID})
	params := runtime.CallFunctionOnParams{
		FunctionDeclaration: function, ObjectID: resolved.Object.ObjectID, ReturnByValue: new(true), AwaitPromise: new(true), UserGesture: new(true),
	}
	for _, one := range arguments {
		encoded, err := json.Marshal(one)
		if err != nil {
			return err
		}
		params.Arguments = append(params.Arguments, &runtime.CallArgument{Value: jsonv2.Value(encoded)})
	}
	returned, err := cdp.Call(ctx, session, runtime.CallFunctionOn, params)
	switch {
	case err != nil:
		return whyNot(err, e)
	case returned.ExceptionDetails != nil:
		return refuseAct("%s: %s", e.label, quote(bounded(thrown(returned.ExceptionDetails), 400)))
	case result == nil:
		return nil
	}
	return json.Unmarshal(returned.Result.Value, result)
}
