// Package result turns what a tool returned into bounded text, attachments and the canonical value.
// It does not judge what a connector says: its text stays data.
//
// A result is projected once. Programs get the content as it was received; people and agents get the text, which is cut,
// and files in a private folder for what is no text. No file is named after anything that a connector said (C75).
package result

import "pillion/mcp/redact"

// Options of a projection.
type Options struct {
	MaxTextRunes int    // 12,000 where zero
	Folder       string // private folder (0700) for blobs and full texts; "" keeps nothing
	CallID       string // decides nothing but which files belong together
	// IsWithoutText leaves the text out, and with it the file of a text that would be cut.
	IsWithoutText bool
	Redact        *redact.Set
	OutputSchema  []byte   // of the tool, as received; empty where it has none
	Schemas       *Schemas // compiled schemas, kept between calls; nil compiles anew
}

// Projection is what became of a result. Its bytes may be those of the result that was given.
type Projection struct {
	Text         string
	Truncated    bool   // Text is not all of the text; it says what is left out
	FullTextPath string // of the whole text where Truncated and it could be kept
	Redacted     bool
	Content      []byte // the content as received but for secrets and blobs above 256 KiB; nil where there was none
	Structured   []byte // the structured content as received but for secrets; nil where there was none
	Attachments  []Attachment
	IsError      bool
	Warnings     []string // what is odd about the result; nothing is withheld for it
}

// Attachment is a file in Options.Folder.
type Attachment struct {
	Path     string
	MIMEType string // by the bytes, not by what the connector said
	Bytes    int64
	Name     string // what the connector calls it, for display alone; may be ""
}
