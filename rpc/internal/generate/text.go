package main

import (
	"go/doc/comment"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

type blockKind int

const (
	paragraph blockKind = iota
	heading
	listItem
	preformatted
)

// block is one part of a documentation text, its links resolved.
type block struct {
	kind   blockKind
	number string // of a numbered list item
	text   string // one line, except where preformatted
}

// texts turns doc comments into blocks.
type texts struct {
	// wire returns what the named Go declaration is called on the wire.
	wire func(recv, name string) (string, bool)
}

func (t texts) parse(source string) []block {
	p := comment.Parser{
		LookupSym: func(recv, name string) bool { _, ok := t.wire(recv, name); return ok },
	}
	var blocks []block
	for _, b := range p.Parse(source).Content {
		switch b := b.(type) {
		case *comment.Paragraph:
			blocks = append(blocks, block{kind: paragraph, text: t.line(b.Text)})
		case *comment.Heading:
			blocks = append(blocks, block{kind: heading, text: t.line(b.Text)})
		case *comment.Code:
			blocks = append(blocks, block{kind: preformatted, text: strings.TrimRight(b.Text, "\n")})
		case *comment.List:
			blocks = append(blocks, t.items(b)...)
		}
	}
	return blocks
}

func (t texts) items(list *comment.List) []block {
	var blocks []block
	for _, item := range list.Items {
		for _, c := range item.Content {
			if p, ok := c.(*comment.Paragraph); ok {
				blocks = append(blocks, block{kind: listItem, number: item.Number, text: t.line(p.Text)})
			}
		}
	}
	return blocks
}

func (t texts) line(parts []comment.Text) string {
	var b strings.Builder
	for _, part := range parts {
		switch part := part.(type) {
		case comment.Plain:
			b.WriteString(string(part))
		case comment.Italic:
			b.WriteString(string(part))
		case *comment.Link:
			b.WriteString(t.line(part.Text))
		case *comment.DocLink:
			name, _ := t.wire(part.Recv, part.Name)
			b.WriteString(name)
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// flat returns the blocks as one paragraph.
func flat(blocks []block) string {
	var lines []string
	for _, b := range blocks {
		lines = append(lines, b.text)
	}
	return strings.Join(lines, " ")
}

// withoutName drops the name that a Go comment begins with.
func withoutName(blocks []block, name string) []block {
	return replaceName(blocks, name, "")
}

// replaceName gives the text its subject's name in another language.
func replaceName(blocks []block, name, other string) []block {
	if len(blocks) == 0 || blocks[0].kind != paragraph {
		return blocks
	}
	rest, ok := strings.CutPrefix(blocks[0].text, name+" ")
	if !ok {
		return blocks
	}
	renamed := append([]block(nil), blocks...)
	if other == "" {
		rest = strings.TrimPrefix(rest, "is ")
		renamed[0].text = capitalized(rest)
	} else {
		renamed[0].text = other + " " + rest
	}
	return renamed
}

func capitalized(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[n:]
}

// sentenceEnd is where a sentence ends and another one begins.
var sentenceEnd = regexp.MustCompile(`([.!?][)"]?) (\x60|["(]?\p{Lu}|-\d)`)

// sentences splits a paragraph into its sentences.
func sentences(text string) []string {
	return strings.Split(sentenceEnd.ReplaceAllString(text, "$1\n$2"), "\n")
}

// wrap breaks a text into lines of at most width characters, where words allow
// it.
func wrap(text string, width int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > width {
			lines = append(lines, line)
			line = ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}

// plain returns blocks as wrapped lines for a comment in a program, an empty
// line between two blocks.
func plain(blocks []block, width int) []string {
	var lines []string
	for i, b := range blocks {
		if i > 0 && (b.kind != listItem || blocks[i-1].kind != listItem) {
			lines = append(lines, "")
		}
		switch b.kind {
		case listItem:
			mark := "- "
			if b.number != "" {
				mark = b.number + ". "
			}
			for j, line := range wrap(b.text, width-len(mark)) {
				if j > 0 {
					mark = strings.Repeat(" ", len(mark))
				}
				lines = append(lines, mark+line)
			}
		case preformatted:
			lines = append(lines, strings.Split(b.text, "\n")...)
		default:
			lines = append(lines, wrap(b.text, width)...)
		}
	}
	return lines
}

// wireName returns the name of a Go type in the other languages.
func wireName(goName string) string {
	if stem, ok := strings.CutSuffix(goName, "ID"); ok {
		return stem + "Id"
	}
	return goName
}

// words splits a Go name where a word begins: ConnectorAdd, AskURL.
func words(goName string) []string {
	var found []string
	runes := []rune(goName)
	start := 0
	for i := 1; i < len(runes); i++ {
		begins := unicode.IsUpper(runes[i]) &&
			(unicode.IsLower(runes[i-1]) || i+1 < len(runes) && unicode.IsLower(runes[i+1]))
		if begins {
			found = append(found, string(runes[start:i]))
			start = i
		}
	}
	return append(found, string(runes[start:]))
}

// camel returns connectorAdd for ConnectorAdd.
func camel(goName string) string {
	parts := words(goName)
	parts[0] = strings.ToLower(parts[0])
	return strings.Join(parts, "")
}

// snake returns connector_add for ConnectorAdd.
func snake(goName string) string {
	return strings.ToLower(strings.Join(words(goName), "_"))
}
