package result

import "fmt"

// envelope is the outside of a result.
type envelope struct {
	content, structured, isError value
	blocks                       []block
	more                         int    // blocks beyond maxBlocks
	repeated                     string // the name of a member that stands twice
}

// block is the members of a content block, or of the resource in one. Any of them may be of the wrong type.
type block struct {
	all value

	kind, text, data, blob, mimeType, uri, name, title value

	resource *block // nil where there is none; without members where it is no object
}

// open takes a result apart in one pass, and checks all of it.
func open(raw []byte) (e envelope, err error) {
	start := skipSpace(raw, 0)
	if start >= len(raw) || raw[start] != '{' {
		return e, errNoObject
	}
	end, err := eachMember(raw, start, 0, func(name []byte, i int) (int, error) {
		var member *value
		switch string(name) { // exactly: "IsError" is another member (C62)
		case "content":
			e.note(&e.content, name)
			return e.open(raw, i)
		case "structuredContent":
			member = &e.structured
		case "isError":
			member = &e.isError
		default:
			return skipValue(raw, i, 1)
		}
		e.note(member, name)
		var end int
		var err error
		*member, end, err = readValue(raw, i)
		return end, err
	})
	if err == nil && skipSpace(raw, end) != len(raw) {
		err = errSyntax
	}
	if err != nil {
		return e, fmt.Errorf("read the result: %w", err)
	}
	return e, nil
}

// note remembers a member that is there already: the last one counts.
func (e *envelope) note(member *value, name []byte) {
	if member.raw != nil {
		e.repeated = string(name)
	}
}

// open reads the content that begins at raw[i].
func (e *envelope) open(raw []byte, i int) (end int, err error) {
	e.blocks, e.more, e.content = nil, 0, value{}
	switch {
	case i < len(raw) && raw[i] == '[':
		end, err = eachElement(raw, i, 1, func(i int) (int, error) {
			if len(e.blocks) == maxBlocks {
				e.more++
				return skipValue(raw, i, 2)
			}
			b, end, err := openBlock(raw, i, 2)
			e.blocks = append(e.blocks, b)
			return end, err
		})
	case i < len(raw) && raw[i] == '{':
		var b block
		b, end, err = openBlock(raw, i, 1)
		e.blocks = []block{b}
	default:
		e.content, end, err = readValue(raw, i)
		return end, err
	}
	if err == nil {
		e.content = value{raw: raw[i:end], start: i}
	}
	return end, err
}

// openBlock reads the block, or resource, that begins at raw[i]. Of a member that stands twice the last counts.
func openBlock(raw []byte, i, depth int) (b block, end int, err error) {
	if i >= len(raw) || raw[i] != '{' {
		b.all, end, err = readValue(raw, i)
		return b, end, err
	}
	end, err = eachMember(raw, i, depth, func(name []byte, i int) (int, error) {
		var member *value
		switch string(name) {
		case "type":
			member = &b.kind
		case "text":
			member = &b.text
		case "data":
			member = &b.data
		case "blob":
			member = &b.blob
		case "mimeType":
			member = &b.mimeType
		case "uri":
			member = &b.uri
		case "name":
			member = &b.name
		case "title":
			member = &b.title
		case "resource":
			inside, end, err := openBlock(raw, i, depth+1)
			b.resource = &inside
			return end, err
		default:
			return skipValue(raw, i, depth+1)
		}
		var end int
		var err error
		*member, end, err = readValue(raw, i)
		return end, err
	})
	if err == nil {
		b.all = value{raw: raw[i:end], start: i}
	}
	return b, end, err
}
