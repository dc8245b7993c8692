package result

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	// defaultMaxTextRunes bounds the text projection.
	defaultMaxTextRunes = 12_000
	// maxInlineBlobBytes is how large a blob may be in the canonical content; a larger one is a file.
	maxInlineBlobBytes = 256 << 10
	// maxBlocks and maxAttachments bound what one result is turned into; the content holds the rest.
	maxBlocks      = 10_000
	maxAttachments = 100
)

// errNoObject is the answer to a result that is no object.
var errNoObject = errors.New("the result is not an object")

// Project projects the result object of a tools/call as it was received (MCP 2025-11-25, server/tools, CallToolResult).
// The error is for what is no result object; everything else that is wrong with a result costs its own part alone.
func Project(raw []byte, o Options) (Projection, error) {
	p := &projector{options: o, files: folder{path: o.Folder, call: o.CallID}}
	if !utf8.Valid(raw) {
		raw = bytes.ToValidUTF8(raw, []byte("\uFFFD"))
		p.warn("the result is not valid UTF-8; what is not stands as U+FFFD")
	}
	received, err := open(raw)
	if err != nil {
		return Projection{}, err
	}
	outside := received
	clean, isRedacted := o.Redact.Bytes(raw)
	if isRedacted {
		if outside, err = open(clean); err != nil {
			return Projection{}, err
		}
	}
	p.out.Redacted = isRedacted
	if outside.repeated != "" {
		p.warn("the result holds %q more than once; the last one counts", outside.repeated)
	}
	p.isError(outside.isError)
	p.content(outside)
	p.structured(outside.structured)
	p.check(received.structured)
	p.finish(outside)
	return p.out, nil
}

// projector gathers one projection.
type projector struct {
	options Options
	files   folder
	out     Projection
	pieces  []piece
	// replaced are the parts of the content that stand otherwise in the canonical value.
	replaced []replacement
	// kept are the files of this result by what is in them, so that a picture that comes twice is attached once (C46).
	kept map[string]string
	// blobs are the base64 texts of the blocks, so that copies of them in text are not shown (C46).
	blobs []string
	// written counts the files of a resource.
	written int
}

// piece is what one block says in the text.
type piece struct {
	head string // ours
	text string // the connector's
	said value  // the JSON string that text stands in, a part of the content; none for structured content
}

// replacement is what stands for part of the content.
type replacement struct {
	old value
	new []byte
}

func (p *projector) isError(v value) {
	p.out.IsError = string(v.raw) == "true"
	if !p.out.IsError && !v.isNull() && string(v.raw) != "false" {
		p.warn("isError is neither true nor false; the result is taken for no error")
	}
}

func (p *projector) content(of envelope) {
	v := of.content
	if v.isNull() {
		return
	}
	switch v.raw[0] {
	case '[':
	case '{':
		p.warn("the content is a block, not a list of blocks")
	case '"':
		p.warn("the content is a text, not a list of blocks")
		text, _ := v.text()
		p.pieces = append(p.pieces, piece{text: text, said: v})
	default:
		p.warn("the content is not a list of blocks")
	}
	for _, b := range of.blocks {
		p.block(b)
	}
	if of.more > 0 {
		p.say(fmt.Sprintf("[%s more content blocks are left out]", number(of.more)))
	}
}

func (p *projector) structured(v value) {
	if v.isNull() {
		return
	}
	p.out.Structured = v.raw
	if !slices.ContainsFunc(p.pieces, func(one piece) bool { return one.said.raw != nil }) {
		p.pieces = append(p.pieces, piece{text: string(v.raw)}) // no text says the same (C43)
	}
}

// check compares the structured content as received with the schema of the tool. An error has its own shape (C44).
func (p *projector) check(structured value) {
	if len(p.options.OutputSchema) == 0 || p.out.IsError {
		return
	}
	if structured.isNull() {
		p.warn("the tool announced structured content and returned none")
		return
	}
	if warning := p.options.Schemas.check(p.options.OutputSchema, structured.raw); warning != "" {
		p.warn("%s", warning)
	}
}

// finish puts the pieces together and bounds them.
func (p *projector) finish(of envelope) {
	p.redactPieces()
	p.out.Content = splice(of.content, p.replaced)
	if p.options.IsWithoutText {
		return
	}
	limit := p.options.MaxTextRunes
	if limit <= 0 {
		limit = defaultMaxTextRunes
	}
	whole, preview := p.texts()
	shown, left := cut(preview, limit)
	p.out.Text = shown
	if shown == whole {
		return
	}
	p.out.Truncated = true
	note := "long data is left out"
	if left > 0 {
		note = fmt.Sprintf("%s more characters are left out", number(left))
	}
	path, err := p.files.write("text", ".txt", whole)
	if err != nil {
		p.warn("the whole text could not be kept: %v", err)
		p.out.Text += "\n[" + note + "]"
		return
	}
	p.out.FullTextPath = path
	p.out.Text += "\n[" + note + "; the whole text is in " + path + "]"
}

// redactPieces finds the secrets that only show once strings are unquoted, or blocks read one after the other (S29).
func (p *projector) redactPieces() {
	texts, escaped := make([]string, len(p.pieces)), false
	for i, one := range p.pieces {
		texts[i] = one.text
		escaped = escaped || len(one.said.raw) > 0 && !one.said.plain && p.options.Redact.Escapes()
	}
	if len(texts) < 2 && !escaped {
		return // the result as a whole was searched, and that is all there is
	}
	clean, isRedacted := p.options.Redact.Parts(texts)
	if !isRedacted {
		return
	}
	p.out.Redacted = true
	for i := range p.pieces {
		one := &p.pieces[i]
		if one.text == clean[i] {
			continue
		}
		if one.text = clean[i]; one.said.raw != nil {
			p.replaced = append(p.replaced, replacement{one.said, quote(one.text)})
		}
	}
}

// texts returns the whole text and the one to show, which are the same string where nothing long is left out.
func (p *projector) texts() (whole, preview string) {
	wholes, previews := make([]string, len(p.pieces)), make([]string, len(p.pieces))
	for i, one := range p.pieces {
		wholes[i] = one.head + one.text
		previews[i] = wholes[i]
		if one.said.raw == nil && one.text != "" {
			previews[i] = one.head + elideLongStrings(one.text)
		} else if short := elideBlobs(one.text, p.blobs); len(short) < len(one.text) {
			previews[i] = one.head + short
		}
	}
	return strings.Join(wholes, "\n"), strings.Join(previews, "\n")
}

func (p *projector) say(text string) { p.pieces = append(p.pieces, piece{head: text}) }

func (p *projector) warn(format string, args ...any) {
	text, _ := p.options.Redact.Text(fmt.Sprintf(format, args...))
	p.out.Warnings = append(p.out.Warnings, text)
}

// splice returns the content with its parts replaced; nil where there is none.
func splice(content value, replaced []replacement) []byte {
	if content.isNull() {
		return nil
	}
	if len(replaced) == 0 {
		return content.raw
	}
	slices.SortFunc(replaced, func(a, b replacement) int { return a.old.start - b.old.start })
	var out []byte
	done := 0
	for _, r := range replaced {
		from := r.old.start - content.start
		out = append(append(out, content.raw[done:from]...), r.new...)
		done = from + len(r.old.raw)
	}
	return append(out, content.raw[done:]...)
}
