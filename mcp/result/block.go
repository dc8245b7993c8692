package result

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// block is one content block (MCP 2025-11-25, server/tools); every member may be of the wrong type.
type block struct {
	Type     jsontext.Value `json:"type"`
	Text     jsontext.Value `json:"text"`
	Data     jsontext.Value `json:"data"`
	MIMEType jsontext.Value `json:"mimeType"`
	Resource jsontext.Value `json:"resource"`
	URI      jsontext.Value `json:"uri"`
	Name     jsontext.Value `json:"name"`
	Title    jsontext.Value `json:"title"`
}

type resource struct {
	URI      jsontext.Value `json:"uri"`
	MIMEType jsontext.Value `json:"mimeType"`
	Text     jsontext.Value `json:"text"`
	Blob     jsontext.Value `json:"blob"`
}

// block projects one block. It returns what stands for the block in the canonical content where its blob is too large to
// be kept there, else nil.
func (p *projector) block(raw jsontext.Value) jsontext.Value {
	var b block
	if raw.Kind() != '{' || json.Unmarshal(raw, &b, lenient) != nil {
		p.say("[a content block that is no object]")
		return nil
	}
	kind, _ := text(b.Type)
	switch kind {
	case "text":
		if content, isText := text(b.Text); isText {
			p.say(content)
		} else {
			p.say("[a text block without text]")
		}
	case "image", "audio":
		return p.blob(raw, kind, "", b.Data, textOr(b.MIMEType, ""))
	case "resource":
		return p.resource(raw, b.Resource)
	case "resource_link":
		p.say(link(b))
	case "":
		p.say("[a content block without a type]")
	default:
		p.say(fmt.Sprintf("[a content block of the unknown type %q]", kind))
	}
	return nil
}

// link names a resource by name and address; it is not opened or read (C75).
func link(b block) string {
	name := textOr(b.Title, textOr(b.Name, ""))
	uri := textOr(b.URI, "")
	if name == "" {
		return "[resource] " + uri
	}
	return "[resource] " + name + ": " + uri
}

func (p *projector) resource(raw, inside jsontext.Value) jsontext.Value {
	var r resource
	if inside.Kind() != '{' || json.Unmarshal(inside, &r, lenient) != nil {
		p.say("[a resource block without a resource]")
		return nil
	}
	uri := textOr(r.URI, "")
	if content, isText := text(r.Text); isText {
		p.say("[resource] " + uri + "\n" + content)
		return nil
	}
	return p.blob(raw, "resource", uri, r.Blob, textOr(r.MIMEType, ""))
}

// blob keeps the bytes of a block as a file.
func (p *projector) blob(raw jsontext.Value, kind, name string, data jsontext.Value, claimed string) jsontext.Value {
	encoded, isText := text(data)
	if !isText {
		p.say(fmt.Sprintf("[%s without data]", article(kind)))
		return nil
	}
	content, err := decode(encoded)
	if err != nil {
		p.say(fmt.Sprintf("[%s whose data is not base64]", article(kind)))
		return nil
	}
	what := sniff(content)
	p.say(describe(kind, name, what.mimeType, claimed, len(content)))
	if sum := sha256.Sum256(content); p.seen[string(sum[:])] {
		return nil
	} else if p.seen == nil {
		p.seen = map[string]bool{string(sum[:]): true}
	} else {
		p.seen[string(sum[:])] = true
	}
	path, err := p.files.write(kind, what.extension, content)
	if err != nil {
		p.warn("%s could not be kept: %v", article(kind), err)
		return nil
	}
	p.out.Attachments = append(p.out.Attachments, Attachment{Path: path, MIMEType: what.mimeType, Bytes: int64(len(content)), Name: name})
	if len(encoded) <= maxInlineBlobBytes {
		return nil
	}
	return reference(kind, path, len(content))
}

func reference(kind, path string, size int) jsontext.Value {
	raw, err := json.Marshal(struct {
		Type  string `json:"type"`
		URI   string `json:"uri"`
		Bytes int    `json:"bytes"`
	}{kind, fileURI(path), size})
	if err != nil {
		return nil
	}
	return raw
}

// describe is the line that stands for bytes in the text.
func describe(kind, name, mimeType, claimed string, size int) string {
	line := fmt.Sprintf("[%s: %s, %d bytes", kind, mimeType, size)
	if name != "" {
		line += ", " + name
	}
	if claimed != "" && claimed != mimeType {
		line += fmt.Sprintf(", said to be %q", claimed)
	}
	return line + "]"
}

func article(kind string) string {
	if kind == "image" || kind == "audio" {
		return "an " + kind
	}
	return "a " + kind
}

// decode takes the alphabets and paddings that are seen in the wild.
func decode(encoded string) ([]byte, error) {
	encoded = strings.TrimRight(strings.Map(func(r rune) rune {
		switch r {
		case '\n', '\r', ' ', '\t':
			return -1
		case '-':
			return '+'
		case '_':
			return '/'
		}
		return r
	}, encoded), "=")
	return base64.RawStdEncoding.DecodeString(encoded)
}

func text(raw jsontext.Value) (string, bool) {
	if raw.Kind() != '"' {
		return "", false
	}
	unquoted, err := jsontext.AppendUnquote(nil, raw)
	if err != nil && unquoted == nil {
		return "", false
	}
	return strings.ToValidUTF8(string(unquoted), "\uFFFD"), true
}

func textOr(raw jsontext.Value, otherwise string) string {
	if value, isText := text(raw); isText {
		return value
	}
	return otherwise
}
