package native

import (
	"context"
	_ "embed" // the script that reads a page
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"

	"pillion/browser/devtools"
)

// A page is read by a script in a world of its own, which asks the browser for the role and the name of each element. The browser's
// own accessibility tree says the same and how each name was come by, which takes it several times as long to tell; it is read where
// the script cannot see everything: roots that a page keeps to itself, controls of the browser's own, browsers that do not
// tell scripts of roles.

//go:embed walk.js
var walkScript string

// worldName is what the world of the script is called in a page's frames.
const worldName = "pillion"

// listenersScript tells which elements wait for clicks. Only the page's own world knows, so that a page can lie about it, as it can
// about everything that it shows.
const listenersScript = `(() => {
  const all = [], found = [];
  const every = (root) => { for (const e of root.querySelectorAll("*")) { all.push(e); if (e.shadowRoot) every(e.shadowRoot); } };
  every(document);
  all.forEach((e, i) => {
    const l = getEventListeners(e);
    if (l.click || l.mousedown || l.mouseup || l.pointerdown || l.pointerup) found.push(i);
  });
  return all.length + ":" + found.join(",");
})()`

const (
	recordEnd = "\x1e"
	fieldEnd  = "\x1f"
)

// walked is a frame as the script saw it.
type walked struct {
	world   runtime.ExecutionContextID
	title   string
	records string
	inner   map[int]*document // by the number of the element that holds the frame
}

// walk has the script read a frame, or what lies in the element with the number below. It returns nil where the script
// cannot see everything.
func (d *driver) walk(ctx context.Context, f frame, isFirst bool, below int) (*walked, error) {
	session := d.browser.Session(f.session)
	// The browser keeps roles and names from here on, instead of finding them anew for each question.
	session.Send(accessibility.Enable.Method, nil)
	waiting := make(chan string, 1)
	go func() { waiting <- awaitsClicks(ctx, session, isFirst) }()
	world, err := cdp.Call(ctx, session, page.CreateIsolatedWorld, page.CreateIsolatedWorldParams{FrameID: f.id, WorldName: worldName})
	if err == nil {
		err = session.Call(ctx, accessibility.GetRootAXNode.Method, accessibility.GetRootAXNodeParams{FrameID: f.id}, nil)
	}
	found := <-waiting
	if err != nil {
		return nil, fmt.Errorf("read the page: %w", err)
	}
	w := &walked{world: world.ExecutionContextID, inner: map[int]*document{}}
	text, err := w.run(ctx, session, walkScript, below, found)
	if err != nil || text == nil {
		return nil, err
	}
	w.title, w.records, _ = strings.Cut(*text, recordEnd)
	return w, nil
}

// run calls a function in the world, and returns the text that it returned, or nil where it returned none or threw.
func (w *walked) run(ctx context.Context, session devtools.Session, function string, arguments ...any) (*string, error) {
	params := runtime.CallFunctionOnParams{FunctionDeclaration: function, ExecutionContextID: w.world, ReturnByValue: new(true), Silent: new(true)}
	for _, one := range arguments {
		encoded, err := json.Marshal(one)
		if err != nil {
			return nil, err
		}
		params.Arguments = append(params.Arguments, &runtime.CallArgument{Value: jsonv2.Value(encoded)})
	}
	returned, err := cdp.Call(ctx, session, runtime.CallFunctionOn, params)
	if err != nil {
		return nil, fmt.Errorf("read the page: %w", err)
	}
	var text *string
	if returned.ExceptionDetails != nil || returned.Result == nil || jsonv2.Unmarshal(returned.Result.Value, &text, jsonv2.AllowInvalidUTF8(true)) != nil {
		return nil, nil
	}
	return text, nil
}

// awaitsClicks is what the script is told of the elements that wait for clicks. A frame that is not the first of its process is not
// asked: its own world has no name.
func awaitsClicks(ctx context.Context, session devtools.Session, isFirst bool) string {
	if !isFirst {
		return ""
	}
	returned, err := cdp.Call(ctx, session, runtime.Evaluate, runtime.EvaluateParams{
		Expression: listenersScript, IncludeCommandLineAPI: new(true), ReturnByValue: new(true), Silent: new(true),
	})
	var text string
	if err != nil || returned.ExceptionDetails != nil || returned.Result == nil || jsonv2.Unmarshal(returned.Result.Value, &text) != nil {
		return ""
	}
	return text
}

// seenElement has the script's own object for an element.
func (d *driver) seenElement(ctx context.Context, e element) (runtime.RemoteObjectID, error) {
	returned, err := cdp.Call(ctx, d.browser.Session(e.session), runtime.Evaluate, runtime.EvaluateParams{
		Expression: "globalThis.pillionSeen?.[" + strconv.Itoa(e.number) + "]", ContextID: e.world, Silent: new(true),
	})
	switch {
	case err != nil:
		return "", whyNot(err, e)
	case returned.Result == nil || returned.Result.ObjectID == "":
		return "", refuseAct("%s cannot be acted on: it has gone. Take a new snapshot.", e.label)
	}
	return returned.Result.ObjectID, nil
}

// described is an element of the script as the browser knows it.
func (d *driver) described(ctx context.Context, e element) (*cdp.Node, error) {
	object, err := d.seenElement(ctx, e)
	if err != nil {
		return nil, err
	}
	session := d.browser.Session(e.session)
	defer session.Send(runtime.ReleaseObject.Method, runtime.ReleaseObjectParams{ObjectID: object})
	found, err := cdp.Call(ctx, session, dom.DescribeNode, dom.DescribeNodeParams{ObjectID: object})
	if err != nil {
		return nil, whyNot(err, e)
	}
	if found.Node == nil {
		return nil, errors.New("the browser does not know the element")
	}
	return found.Node, nil
}

// record is a line of what the script wrote.
type record struct {
	depth                    int
	role                     string // "#" is a text, which is the name
	number                   int
	isFocusable, isEditable  bool
	states, name, url, value string
}

func parseRecord(text string) (r record, ok bool) {
	fields := strings.SplitN(text, fieldEnd, 9)
	if len(fields) != 3 && len(fields) != 8 {
		return record{}, false
	}
	depth, err := strconv.Atoi(fields[0])
	if err != nil || depth < 0 {
		return record{}, false
	}
	r.depth, r.role = depth, fields[1]
	if r.role == "#" {
		r.name = fields[2]
		return r, len(fields) == 3
	}
	if len(fields) != 8 {
		return record{}, false
	}
	r.number, err = strconv.Atoi(fields[2])
	r.isFocusable, r.isEditable = strings.Contains(fields[3], "f"), strings.Contains(fields[3], "e")
	r.states, r.name, r.url, r.value = fields[4], fields[5], fields[6], fields[7]
	return r, err == nil && r.number >= 0
}

// walked writes what the script saw as lines.
func (r *renderer) walked(d *document, depth, frames int) {
	above := make([]string, 1, 32) // for each depth, the name of the line that everything at it lies below, where that is made of what it holds
	for text := range strings.SplitSeq(d.walked.records, recordEnd) {
		one, ok := parseRecord(text)
		if !ok || one.depth >= len(above) {
			continue
		}
		above = above[:one.depth+1]
		indent := min(depth+one.depth, maxDepth)
		if one.role == "#" {
			if name := above[one.depth]; name == "" || !strings.Contains(name, one.name) {
				r.write(indent, "- text "+quote(bounded(one.name, 4*maxNameBytes)))
			}
			continue
		}
		r.write(indent, r.recordLine(one, d))
		name := ""
		if isMadeOfContent(one.role) {
			name = one.name
		}
		above = append(above, name)
		if frame := d.walked.inner[one.number]; frame != nil && frames < maxFrameDepth {
			r.document(frame, indent+1, frames+1, true)
		}
	}
}

func (r *renderer) recordLine(one record, d *document) string {
	var line strings.Builder
	role := shownRole(one.role)
	line.WriteString("- " + role)
	if one.name != "" {
		line.WriteString(" " + quote(bounded(one.name, maxNameBytes)))
	}
	for state := range strings.FieldsSeq(one.states) {
		line.WriteString(" [" + printable(bounded(state, 80)) + "]")
	}
	if one.isFocusable || one.isEditable || isTarget(one.role, nil) {
		label := role
		if one.name != "" {
			label += " " + quote(bounded(one.name, 80))
		}
		ref := r.refs.add(element{number: one.number, world: d.walked.world, frame: d.frame, session: d.session, label: label})
		line.WriteString(" [ref=" + ref + "]")
	}
	if one.url != "" && one.role == "link" {
		line.WriteString(" → " + quote(bounded(one.url, maxNameBytes)))
	}
	if one.value != "" && one.value != one.name {
		line.WriteString(": " + quote(bounded(one.value, maxNameBytes)))
	}
	return line.String()
}
