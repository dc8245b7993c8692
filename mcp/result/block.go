package result

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strings"
	"unsafe"

	"github.com/go-json-experiment/json/jsontext"

	"pillion/mcp/redact"
)

// maxNameBytes bounds what is shown of a name or address that a connector chose.
const maxNameBytes = 2000

// block projects one block.
func (p *projector) block(b block) {
	if b.all.raw[0] != '{' {
		p.say("[a content block that is no object]")
		return
	}
	kind, _ := b.kind.text()
	switch kind {
	case "text":
		if text, isText := b.text.text(); isText {
			p.pieces = append(p.pieces, piece{text: text, said: b.text})
		} else {
			p.say("[a text block without text]")
		}
	case "image", "audio":
		p.blob(b.all, blob{kind: kind, data: b.data, claimed: b.mimeType})
	case "resource":
		p.resource(b.all, b.resource)
	case "resource_link":
		// It is named, not opened or read (C75).
		p.say(join("[resource] ", ": ", orElse(line(b.title), line(b.name)), line(b.uri)))
	case "":
		p.say("[a content block without a type]")
	default:
		p.say(fmt.Sprintf("[a content block of the unknown type %q]", cutBytes(kind, 100)))
	}
}

func (p *projector) resource(outside value, r *block) {
	if r == nil || r.all.raw[0] != '{' {
		p.say("[a resource block without a resource]")
		return
	}
	if text, isText := r.text.text(); isText {
		p.pieces = append(p.pieces, piece{head: "[resource] " + line(r.uri) + "\n", text: text, said: r.text})
		return
	}
	p.blob(outside, blob{kind: "resource", name: line(r.uri), data: r.blob, claimed: r.mimeType})
}

// blob is what a block says about the bytes that it holds.
type blob struct {
	kind, name    string
	data, claimed value
}

// blob keeps the bytes of a block as a file.
func (p *projector) blob(outside value, b blob) {
	encoded, isText := b.data.text()
	if !isText {
		p.say(fmt.Sprintf("[%s without data]", article(b.kind)))
		return
	}
	content, err := decode(encoded)
	if err != nil {
		if strings.Contains(encoded, redact.Marker) {
			p.say(fmt.Sprintf("[%s that held a secret]", article(b.kind)))
			return
		}
		p.say(fmt.Sprintf("[%s whose data is not base64]", article(b.kind)))
		return
	}
	p.blobs = append(p.blobs, encoded)
	what := sniff(content)
	description := describe(b, what, len(content))
	path := p.keep(b, what, content)
	if path != "" {
		description += ", " + path
	}
	p.say("[" + description + "]")
	if path != "" && len(content) > maxInlineBlobBytes {
		p.replaced = append(p.replaced, replacement{outside, reference(b.kind, path, len(content))})
	}
}

// keep writes the bytes to a file and attaches it, once. Without a path they could not be kept, and that is said.
func (p *projector) keep(b blob, what kindOfFile, content []byte) (path string) {
	sum := sha256.Sum256(content)
	if path, isKept := p.kept[string(sum[:])]; isKept {
		return path
	}
	if len(p.out.Attachments) >= maxAttachments {
		p.warnOnce(fmt.Sprintf("the result has more than %d attachments; the others are not kept", maxAttachments))
		return ""
	}
	path, err := p.files.write(b.kind, what.extension, unsafe.String(unsafe.SliceData(content), len(content))) // which keeps nothing of it
	if err != nil {
		p.warn("%s could not be kept: %v", article(b.kind), err)
		return ""
	}
	if p.kept == nil {
		p.kept = map[string]string{}
	}
	p.kept[string(sum[:])] = path
	p.out.Attachments = append(p.out.Attachments, Attachment{Path: path, MIMEType: what.mimeType, Bytes: int64(len(content)), Name: b.name})
	return path
}

func (p *projector) warnOnce(text string) {
	if n := len(p.out.Warnings); n == 0 || p.out.Warnings[n-1] != text {
		p.out.Warnings = append(p.out.Warnings, text)
	}
}

// reference stands in the canonical content for a block whose blob is too large to be kept there.
func reference(kind, path string, size int) []byte {
	return fmt.Appendf(nil, `{"type":"%s","uri":%s,"bytes":%d}`, kind, quote(fileURI(path)), size)
}

// describe is the line that stands for bytes in the text.
func describe(b blob, what kindOfFile, size int) string {
	text := fmt.Sprintf("%s: %s, %s bytes", b.kind, what.mimeType, number(size))
	if b.name != "" {
		text += ", " + b.name
	}
	if claimed := line(b.claimed); claimed != "" && claimed != what.mimeType {
		text += fmt.Sprintf(", said to be %q", cutBytes(claimed, 100))
	}
	if what.reason != "" {
		text += ", " + what.reason
	}
	return text
}

func article(kind string) string {
	if kind == "image" || kind == "audio" {
		return "an " + kind
	}
	return "a " + kind
}

// decode takes the alphabets and paddings that are seen in the wild.
func decode(encoded string) ([]byte, error) {
	encoded = strings.TrimRight(encoded, "= \t\r\n")
	if strings.ContainsAny(encoded, " \t-_") {
		encoded = strings.NewReplacer(" ", "", "\t", "", "-", "+", "_", "/").Replace(encoded)
	}
	return base64.RawStdEncoding.DecodeString(encoded) // which skips line ends
}

// line is what a JSON string says, as one bounded line; "" for anything else.
func line(v value) string {
	text, _ := v.text()
	text = strings.Map(func(r rune) rune {
		if r < 0x20 || r == 0x7f || r == '\u2028' || r == '\u2029' || r == '\u0085' {
			return ' '
		}
		return r
	}, text)
	return cutBytes(text, maxNameBytes)
}

func orElse(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}

// join puts the parts that are not empty behind head.
func join(head, separator string, parts ...string) string {
	var there []string
	for _, part := range parts {
		if part != "" {
			there = append(there, part)
		}
	}
	return head + strings.Join(there, separator)
}

func quote(text string) []byte {
	quoted, err := jsontext.AppendQuote(nil, strings.ToValidUTF8(text, "\uFFFD"))
	if err != nil {
		return []byte(`""`)
	}
	return bytes.Clone(quoted)
}
