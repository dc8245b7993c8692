package configdoc

import (
	"go.lsp.dev/protocol"
)

// Format indents every line as the brackets around it say, in the file's own steps, and leaves comments, blank lines and line
// ends; nothing where the text must be corrected first.
func Format(d *Document) []protocol.TextEdit {
	return d.edits(d.Draft.Indented())
}
