package native

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/cdp/jsonv2"
)

// axTree is what the browser answers to a question for an accessibility tree, as far as it is shown. Most of an answer says how
// each name was come by, which nobody wants to know; to keep that would cost more than all the rest.
type axTree struct {
	Nodes []axNode `json:"nodes"`
}

type axNode struct {
	NodeID           string            `json:"nodeId"`
	Ignored          bool              `json:"ignored"`
	Role             axValue           `json:"role"`
	Name             axValue           `json:"name"`
	Value            axValue           `json:"value"`
	Properties       []axProperty      `json:"properties"`
	ChildIDs         []string          `json:"childIds"`
	BackendDOMNodeID cdp.BackendNodeID `json:"backendDOMNodeId"`
}

type axProperty struct {
	Name  accessibility.PropertyName `json:"name"`
	Value axValue                    `json:"value"`
}

type axValue struct {
	Value jsonv2.Value `json:"value"`
}

// text is a value of the tree as text.
func text(value axValue) string {
	raw := []byte(value.Value)
	if n := len(raw); n >= 2 && raw[0] == '"' && bytes.IndexByte(raw, '\\') < 0 && utf8.Valid(raw) {
		return string(raw[1 : n-1])
	}
	var words string
	if json.Unmarshal(raw, &words) == nil {
		return words
	}
	return string(raw)
}
