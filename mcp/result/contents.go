package result

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	// maxInlineTextBytes is how long a text of a resource may be where it is returned; a longer one is cut, and a file.
	maxInlineTextBytes = 256 << 10
	// maxInlineTotalBytes bounds the texts of one answer together.
	maxInlineTotalBytes = 1 << 20
	// maxContents bounds the parts of one resource, and the messages of one prompt.
	maxContents = 1000
)

// Content is one part of a resource that was read.
type Content struct {
	URI string // as the connector writes it, for display alone
	// MIMEType is by the bytes for what is no text, and else what the connector says, bounded.
	MIMEType string
	Text     string // redacted; the beginning where Truncated
	IsText   bool
	// Truncated says that Text is not all of it; the whole is in Path.
	Truncated bool
	Path      string // file in Options.Folder with the bytes; "" for a text that is whole, or where it could not be kept
	Bytes     int64
}

// Contents is what became of a resource that was read. No bytes that are no text are in it: they are in files (C75).
type Contents struct {
	Contents []Content
	Redacted bool
	Warnings []string
}

// ProjectContents projects the result object of a resources/read as it was received (MCP 2025-11-25, ReadResourceResult).
// The error is for what is no such object; everything else that is wrong costs its own part alone.
func ProjectContents(raw []byte, o Options) (Contents, error) {
	p := &projector{options: o, files: folder{path: o.Folder, call: o.CallID}}
	if !utf8.Valid(raw) {
		raw = bytes.ToValidUTF8(raw, []byte("\uFFFD"))
	}
	out := Contents{Contents: []Content{}}
	blocks, more, err := listOf(raw, "contents")
	if err != nil {
		return out, err
	}
	left := maxInlineTotalBytes
	for _, b := range blocks {
		content, isThere := p.part(b, left)
		if isThere {
			left -= len(content.Text)
			out.Contents = append(out.Contents, content)
		}
	}
	if more > 0 {
		p.warn("%s more parts are left out", number(more))
	}
	out.Redacted, out.Warnings = p.out.Redacted, p.out.Warnings
	return out, nil
}

// part projects one part of a resource; left is how much text may still be returned.
func (p *projector) part(b block, left int) (Content, bool) {
	if b.all.raw[0] != '{' {
		p.warn("a part of the resource is no object")
		return Content{}, false
	}
	content := Content{URI: p.clean(line(b.uri)), MIMEType: p.clean(cutBytes(line(b.mimeType), 200))}
	if text, isText := b.text.text(); isText {
		return p.textPart(content, text, left), true
	}
	encoded, isBlob := b.blob.text()
	if !isBlob {
		p.warn("a part of the resource has neither text nor bytes")
		return Content{}, false
	}
	decoded, err := decode(encoded)
	if err != nil {
		p.warn("the bytes of a part of the resource are not base64")
		return Content{}, false
	}
	if clean, isRedacted := p.options.Redact.Bytes(decoded); isRedacted {
		p.out.Redacted = true
		decoded = clean
	}
	what := sniff(decoded)
	content.MIMEType, content.Bytes = what.mimeType, int64(len(decoded))
	content.Path = p.file("resource", what.extension, string(decoded))
	return content, true
}

func (p *projector) textPart(content Content, text string, left int) Content {
	content.IsText, content.Text = true, p.clean(text)
	content.Bytes = int64(len(content.Text))
	if limit := min(maxInlineTextBytes, left); len(content.Text) > limit {
		content.Truncated = true
		content.Path = p.file("resource", ".txt", content.Text)
		content.Text = strings.ToValidUTF8(content.Text[:max(limit, 0)], "")
	}
	return content
}

// clean takes secrets out of a text.
func (p *projector) clean(text string) string {
	clean, isRedacted := p.options.Redact.Text(text)
	p.out.Redacted = p.out.Redacted || isRedacted
	return clean
}

// file keeps bytes, and warns where they cannot be.
func (p *projector) file(kind, extension, content string) string {
	if p.written == maxAttachments {
		p.warnOnce(fmt.Sprintf("it has more than %d files; the others are not kept", maxAttachments))
		return ""
	}
	path, err := p.files.write(kind, extension, content)
	if err != nil {
		p.warn("%s could not be kept: %v", article(kind), err)
		return ""
	}
	p.written++
	return path
}

// Message is one message of a prompt.
type Message struct {
	// Role is user or assistant; anything else that a connector says reads as user.
	Role string
	Text string // redacted, bounded like the text of a result
	// Truncated says that Text is not all of it; the whole is in FullTextPath.
	Truncated    bool
	FullTextPath string
	Attachments  []Attachment
}

// Messages is what became of a prompt.
type Messages struct {
	Description string
	Messages    []Message
	Redacted    bool
	Warnings    []string
}

// ProjectMessages projects the result object of a prompts/get as it was received (MCP 2025-11-25, GetPromptResult). The error
// is that of [ProjectContents].
func ProjectMessages(raw []byte, o Options) (Messages, error) {
	if !utf8.Valid(raw) {
		raw = bytes.ToValidUTF8(raw, []byte("\uFFFD"))
	}
	out := Messages{Messages: []Message{}}
	blocks, more, err := listOf(raw, "messages")
	if err != nil {
		return out, err
	}
	out.Description = cutBytes(description(raw), 4<<10)
	if clean, isRedacted := o.Redact.Text(out.Description); isRedacted {
		out.Description, out.Redacted = clean, true
	}
	for i, b := range blocks {
		role, content, isMessage := message(b.all.raw)
		if !isMessage {
			out.Warnings = append(out.Warnings, fmt.Sprintf("message %d is none", i+1))
			continue
		}
		if content[0] == '{' {
			content = slices.Concat([]byte("["), content, []byte("]"))
		}
		one, err := Project(slices.Concat([]byte(`{"content":`), content, []byte("}")), Options{
			MaxTextRunes: o.MaxTextRunes, Folder: o.Folder, CallID: fmt.Sprintf("%s message %d", o.CallID, i), Redact: o.Redact,
		})
		if err != nil {
			out.Warnings = append(out.Warnings, fmt.Sprintf("message %d: %v", i+1, err))
			continue
		}
		out.Redacted = out.Redacted || one.Redacted
		out.Warnings = append(out.Warnings, one.Warnings...)
		out.Messages = append(out.Messages, Message{
			Role: role, Text: one.Text, Truncated: one.Truncated, FullTextPath: one.FullTextPath, Attachments: one.Attachments,
		})
	}
	if more > 0 {
		out.Warnings = append(out.Warnings, fmt.Sprintf("%s more messages are left out", number(more)))
	}
	return out, nil
}

// message takes one message of a prompt apart.
func message(raw []byte) (role string, content []byte, isMessage bool) {
	if raw[0] != '{' {
		return "", nil, false
	}
	role = "user"
	_, err := eachMember(raw, 0, 0, func(name []byte, i int) (int, error) {
		v, end, err := readValue(raw, i)
		switch string(name) {
		case "role":
			if said, _ := v.text(); said == "assistant" {
				role = said
			}
		case "content":
			content = v.raw
		}
		return end, err
	})
	return role, content, err == nil && content != nil
}

func description(raw []byte) (text string) {
	start := skipSpace(raw, 0)
	_, _ = eachMember(raw, start, 0, func(name []byte, i int) (int, error) {
		v, end, err := readValue(raw, i)
		if string(name) == "description" {
			text, _ = v.text()
		}
		return end, err
	})
	return text
}

// listOf reads the objects of the array that a result object has under a name; more is how many there are beyond the bound.
func listOf(raw []byte, member string) (blocks []block, more int, err error) {
	start := skipSpace(raw, 0)
	if start >= len(raw) || raw[start] != '{' {
		return nil, 0, errNoObject
	}
	hasList := false
	end, err := eachMember(raw, start, 0, func(name []byte, i int) (int, error) {
		if string(name) != member || i >= len(raw) || raw[i] != '[' {
			return skipValue(raw, i, 1)
		}
		hasList, blocks, more = true, nil, 0
		return eachElement(raw, i, 1, func(i int) (int, error) {
			if len(blocks) == maxContents {
				more++
				return skipValue(raw, i, 2)
			}
			b, end, err := openBlock(raw, i, 2)
			if err == nil {
				b.all.raw = raw[i:end]
				blocks = append(blocks, b)
			}
			return end, err
		})
	})
	switch {
	case err == nil && skipSpace(raw, end) != len(raw):
		err = errSyntax
	case err == nil && !hasList:
		err = fmt.Errorf("it has no list of %s", member)
	}
	if err != nil {
		return nil, 0, fmt.Errorf("read the result: %w", err)
	}
	return blocks, more, nil
}
