package native

import (
	"fmt"
	"strings"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/target"
)

const (
	maxNameBytes  = 400
	maxDepth      = 100 // of indentation; what lies deeper is shown at that
	maxFrameDepth = 10
)

// document is what was read of one frame, with what was read of the frames in it.
type document struct {
	frame   cdp.FrameID
	session target.SessionID
	walked  *walked // as a script saw it; nil is as the browser's own tree has it, in what follows
	nodes   []axNode
	inner   map[cdp.BackendNodeID]*document // by the element that holds the frame
	missing string                          // why there is no tree; "" when there is one
}

// title is how the page is called, as far as that is known.
func (d *document) title() string {
	switch {
	case d.walked != nil:
		return d.walked.title
	case len(d.nodes) > 0:
		return text(d.nodes[0].Name)
	}
	return ""
}

// hasTree reports whether some of it is as the browser's own tree has it.
func (d *document) hasTree() bool {
	if d.walked == nil {
		return len(d.nodes) > 0
	}
	for _, inner := range d.walked.inner {
		if inner.hasTree() {
			return true
		}
	}
	return false
}

// renderer writes a document as lines and gives refs.
type renderer struct {
	refs  *refs
	lines []string
	below cdp.BackendNodeID // only what lies in this element is written; 0 is everything

	clickable map[place]bool
}

// place is an element of a session.
type place struct {
	session target.SessionID
	node    cdp.BackendNodeID
}

// branch is where in a document the renderer is.
type branch struct {
	in      *document
	nodes   map[string]*axNode
	depth   int
	name    string // of the line above, when that is made of what it holds
	frames  int
	isShown bool
}

func (r *renderer) document(d *document, depth, frames int, isShown bool) {
	if d.missing != "" {
		if isShown {
			r.write(depth, "- (this frame cannot be read: "+d.missing+")")
		}
		return
	}
	if d.walked != nil {
		if isShown {
			r.walked(d, depth, frames)
		}
		return
	}
	if len(d.nodes) == 0 {
		return
	}
	nodes := make(map[string]*axNode, len(d.nodes))
	for i := range d.nodes {
		nodes[d.nodes[i].NodeID] = &d.nodes[i]
	}
	b := branch{in: d, nodes: nodes, depth: depth, frames: frames, isShown: isShown}
	r.children(&d.nodes[0], b)
}

func (r *renderer) children(node *axNode, b branch) {
	for _, id := range node.ChildIDs {
		if child := b.nodes[id]; child != nil {
			r.node(child, b)
		}
	}
}

func (r *renderer) node(node *axNode, b branch) {
	if r.below != 0 && node.BackendDOMNodeID == r.below {
		b.isShown, b.depth = true, 0
	}
	role := text(node.Role)
	switch {
	case role == "StaticText":
		r.text(node, b)
		return
	case role == "InlineTextBox" || role == "LineBreak" || role == "ListMarker":
		return
	case isPlain(node, role) && !node.Ignored && r.clickable[place{b.in.session, node.BackendDOMNodeID}]:
		role = "clickable"
	case node.Ignored || isPlain(node, role):
		r.children(node, b)
		return
	}
	name := strings.TrimSpace(text(node.Name))
	if role == "clickable" {
		name = words(node, b.nodes)
	}
	inner := b
	if b.isShown {
		r.write(b.depth, r.line(node, role, name, b))
		inner.depth = min(b.depth+1, maxDepth)
	}
	inner.name = ""
	if isMadeOfContent(role) {
		inner.name = name
	}
	if isWhole(role) {
		return
	}
	if frame := b.in.inner[node.BackendDOMNodeID]; frame != nil && b.frames < maxFrameDepth {
		r.document(frame, inner.depth, b.frames+1, inner.isShown)
		return
	}
	r.children(node, inner)
}

// words are those that an element without a name holds, or "" where they are many: then they stand below it.
func words(node *axNode, nodes map[string]*axNode) string {
	var all []string
	bytes := 0
	var collect func(*axNode, int)
	collect = func(node *axNode, depth int) {
		for _, id := range node.ChildIDs {
			child := nodes[id]
			if child == nil || depth > maxDepth || bytes > maxNameBytes {
				return
			}
			if text(child.Role) == "StaticText" {
				one := strings.TrimSpace(text(child.Name))
				bytes += len(one)
				all = append(all, one)
				continue
			}
			collect(child, depth+1)
		}
	}
	collect(node, 0)
	if bytes > maxNameBytes/4 {
		return ""
	}
	return strings.Join(all, " ")
}

// text writes the words of a page, unless the line above has them already.
func (r *renderer) text(node *axNode, b branch) {
	words := strings.TrimSpace(text(node.Name))
	if words == "" || !b.isShown || b.name != "" && strings.Contains(b.name, words) {
		return
	}
	r.write(b.depth, "- text "+quote(bounded(words, 4*maxNameBytes)))
}

func (r *renderer) write(depth int, line string) {
	r.lines = append(r.lines, strings.Repeat("  ", depth)+line)
}

func (r *renderer) line(node *axNode, role, name string, b branch) string {
	var line strings.Builder
	line.WriteString("- " + shownRole(role))
	if name != "" {
		line.WriteString(" " + quote(bounded(name, maxNameBytes)))
	}
	properties := map[accessibility.PropertyName]string{}
	for _, property := range node.Properties {
		properties[property.Name] = text(property.Value)
	}
	if role != "heading" && role != "treeitem" {
		delete(properties, accessibility.PropertyNameLevel)
	}
	states(&line, properties)
	if isTarget(role, properties) && node.BackendDOMNodeID != 0 {
		label := shownRole(role)
		if name != "" {
			label += " " + quote(bounded(name, 80))
		}
		ref := r.refs.add(element{node: node.BackendDOMNodeID, frame: b.in.frame, session: b.in.session, label: label})
		line.WriteString(" [ref=" + ref + "]")
	}
	if url := properties[accessibility.PropertyNameURL]; url != "" && role == "link" {
		line.WriteString(" → " + quote(bounded(url, maxNameBytes)))
	}
	if value := text(node.Value); value != "" && value != name {
		line.WriteString(": " + quote(bounded(value, maxNameBytes)))
	}
	return line.String()
}

// states writes what differs from the usual.
func states(line *strings.Builder, properties map[accessibility.PropertyName]string) {
	for _, name := range []accessibility.PropertyName{
		accessibility.PropertyNameChecked, accessibility.PropertyNamePressed, accessibility.PropertyNameSelected,
		accessibility.PropertyNameExpanded, accessibility.PropertyNameDisabled, accessibility.PropertyNameReadonly,
		accessibility.PropertyNameRequired, accessibility.PropertyNameFocused, accessibility.PropertyNameModal,
		accessibility.PropertyNameInvalid, accessibility.PropertyNameLevel,
	} {
		switch value := properties[name]; {
		case value == "" || value == "false" && name != accessibility.PropertyNameExpanded:
		case value == "true":
			fmt.Fprintf(line, " [%s]", name)
		default:
			fmt.Fprintf(line, " [%s=%s]", name, printable(bounded(value, 40)))
		}
	}
}

// isPlain reports whether a node only groups others.
func isPlain(node *axNode, role string) bool {
	switch role {
	case "none", "presentation", "generic", "Section", "RootWebArea", "LayoutTable", "LayoutTableRow", "LayoutTableCell", "Abbr", "emphasis", "strong", "paragraph",
		"LabelText", "MenuListPopup", "Legend":
		return !isFocusable(node) && strings.TrimSpace(text(node.Name)) == "" || role == "RootWebArea"
	}
	return role == ""
}

// isWhole reports whether what lies in such an element is the browser's own, or its value once more.
func isWhole(role string) bool {
	switch role {
	case "textbox", "searchbox", "spinbutton", "slider", "ColorWell", "Date", "DateTime", "InputTime":
		return true
	}
	return false
}

func isFocusable(node *axNode) bool {
	for _, property := range node.Properties {
		if property.Name == accessibility.PropertyNameFocusable && text(property.Value) == "true" {
			return true
		}
	}
	return false
}

// isTarget reports whether an agent may want to act on it.
func isTarget(role string, properties map[accessibility.PropertyName]string) bool {
	switch role {
	case "button", "link", "textbox", "searchbox", "checkbox", "radio", "combobox", "listbox", "option", "menuitem", "menuitemcheckbox",
		"menuitemradio", "tab", "treeitem", "slider", "spinbutton", "switch", "gridcell", "cell", "row", "columnheader", "listitem",
		"image", "img", "Iframe", "Canvas", "Video", "Audio", "DisclosureTriangle", "heading", "ColorWell", "Date", "DateTime", "InputTime",
		"generic", "clickable", "dialog", "alertdialog", "Pre":
		return true
	}
	return properties[accessibility.PropertyNameFocusable] == "true" || properties[accessibility.PropertyNameEditable] != ""
}

// isMadeOfContent reports whether the name of such an element is what it holds (WAI-ARIA 1.2, 5.2.8.4).
func isMadeOfContent(role string) bool {
	switch role {
	case "button", "link", "checkbox", "radio", "option", "menuitem", "menuitemcheckbox", "menuitemradio", "tab", "treeitem", "switch",
		"cell", "gridcell", "columnheader", "rowheader", "row", "heading", "tooltip", "DisclosureTriangle", "listitem", "generic", "clickable":
		return true
	}
	return false
}

// shownRole is a role as WAI-ARIA would call it.
func shownRole(role string) string {
	switch role {
	case "Iframe":
		return "iframe"
	case "DisclosureTriangle":
		return "summary"
	case "ColorWell", "Date", "DateTime", "InputTime", "Canvas", "Video", "Audio", "Pre":
		return strings.ToLower(role)
	}
	return printable(role)
}
