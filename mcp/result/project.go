package result

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// maxInlineBlobBytes is how large a base64 text may be in the canonical content; a larger one is a file.
const maxInlineBlobBytes = 256 << 10

// defaultMaxTextRunes bounds the text projection.
const defaultMaxTextRunes = 12_000

// envelope is the outside of a tools/call result (MCP 2025-11-25, server/tools, CallToolResult).
type envelope struct {
	Content    jsontext.Value `json:"content"`
	Structured jsontext.Value `json:"structuredContent"`
	IsError    jsontext.Value `json:"isError"`
}

// lenient reads what a connector sent as far as it can be read: keys are exact, and of a key that stands twice the last counts.
var lenient = json.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))

// errNoObject is the answer to a result that is no object.
var errNoObject = errors.New("the result is not an object")

// Project projects the result object of a tools/call as it was received. The error is for what is no result object.
func Project(raw []byte, o Options) (Projection, error) {
	if first := bytes.TrimLeft(raw, " \t\r\n"); len(first) == 0 || first[0] != '{' {
		return Projection{}, errNoObject
	}
	clean, isRedacted := o.Redact.Bytes(raw)
	var outside envelope
	if err := json.Unmarshal(clean, &outside, lenient); err != nil {
		return Projection{}, fmt.Errorf("read the result: %w", err)
	}
	p := &projector{options: o, files: folder{path: o.Folder, call: o.CallID}}
	p.out.Redacted = isRedacted
	p.out.IsError = string(outside.IsError) == "true"
	p.content(outside.Content)
	p.structured(outside.Structured)
	p.finish()
	return p.out, nil
}

// projector gathers one projection.
type projector struct {
	options Options
	files   folder
	out     Projection
	text    []string
	// seen are the pictures that are attached, so that one that comes twice is shown once (C46).
	seen map[string]bool
}

func (p *projector) content(raw jsontext.Value) {
	if len(raw) == 0 || raw.Kind() == jsontext.KindNull {
		return
	}
	p.out.Content = raw
	var blocks []jsontext.Value
	switch raw.Kind() {
	case '[':
		if err := json.Unmarshal(raw, &blocks, lenient); err != nil {
			p.warn("the content cannot be read: %v", err)
			return
		}
	case '{':
		blocks = []jsontext.Value{raw} // seen in the wild: a single block without its list
	default:
		p.warn("the content is not a list of blocks")
		return
	}
	isChanged := false
	for i, block := range blocks {
		if replaced := p.block(block); replaced != nil {
			blocks[i], isChanged = replaced, true
		}
	}
	if isChanged {
		if canonical, err := json.Marshal(blocks, lenient); err == nil {
			p.out.Content = canonical
		}
	}
}

func (p *projector) structured(raw jsontext.Value) {
	if len(raw) == 0 || raw.Kind() == jsontext.KindNull {
		return
	}
	p.out.Structured = raw
	if !p.out.IsError { // an error has its own shape (C44)
		if warning := p.options.Schemas.check(p.options.OutputSchema, raw); warning != "" {
			p.warn("%s", warning)
		}
	}
	if len(p.text) == 0 {
		p.text = append(p.text, preview(raw))
	}
}

func (p *projector) finish() {
	whole := strings.Join(p.text, "\n")
	limit := p.options.MaxTextRunes
	if limit <= 0 {
		limit = defaultMaxTextRunes
	}
	shown, left := cut(whole, limit)
	p.out.Text = shown
	if left == 0 {
		return
	}
	p.out.Truncated = true
	path, err := p.files.write("text", ".txt", []byte(whole))
	if err != nil {
		p.out.Text += fmt.Sprintf("\n[%d more characters are left out]", left)
		p.warn("the whole text could not be kept: %v", err)
		return
	}
	p.out.FullTextPath = path
	p.out.Text += fmt.Sprintf("\n[%d more characters are left out; the whole text is in %s]", left, path)
}

func (p *projector) say(text string) { p.text = append(p.text, text) }

func (p *projector) warn(format string, args ...any) {
	p.out.Warnings = append(p.out.Warnings, fmt.Sprintf(format, args...))
}
