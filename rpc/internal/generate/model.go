package main

// model is the protocol as the package rpc/message declares it.
type model struct {
	rules    []block    // package documentation, from its first heading on
	sections []*section // in the order of the documentation
	types    map[string]*typeDecl
	asks     []askShape
}

// section is one subject: what the files declare that share its title.
type section struct {
	weight    int
	title     string
	intro     []block
	types     []*typeDecl
	methods   []*method
	constants []constant
}

type typeKind int

const (
	kindStruct typeKind = iota
	kindEnum            // a string with declared values
	kindAlias           // another name of a simple type
	kindUnion           // one of several structs
)

// typeDecl is one shape of the wire.
type typeDecl struct {
	name    string // in Go
	kind    typeKind
	doc     []block
	fields  []field  // of a struct, in order
	values  []value  // of an enum
	base    *ref     // of an alias
	union   string   // what of each question a union is of: body or answer
	members []string // of a union, Go names
}

// field is one member of an object. Optional ones may be absent, nullable ones
// are there and may be null.
type field struct {
	name     string // in Go
	json     string
	ref      *ref
	optional bool
	nullable bool
	doc      string // one paragraph
}

// value is one value of an enum.
type value struct {
	name string // in Go
	text string
	doc  string
}

type constant struct {
	name    string // in Go
	literal string // as Go source
	doc     []block
}

// askShape is the shape of the body and the answer of one kind of question.
type askShape struct {
	kind, body, answer string
	doc                string
}

type direction string

const (
	request       direction = "Request"
	notification  direction = "Notification"
	editorRequest direction = "EditorRequest"
	event         direction = "Event"
	command       direction = "Command"
)

// method is one descriptor: a message or a server command.
type method struct {
	name      string // in Go
	wire      string // method or command
	direction direction
	params    *ref
	result    *ref // nil where it is not answered
	doc       []block
	people    bool // for people only
}

type refKind int

const (
	refString refKind = iota
	refInt
	refFloat
	refBool
	refRaw    // any JSON value
	refObject // any JSON object
	refToken  // a number or a string
	refNamed
	refList
	refMap
)

// ref is the type of a value.
type ref struct {
	kind refKind
	name string // of a named one, in Go
	key  *ref   // of a map
	elem *ref   // of a list or map
}

// method returns the methods of a direction, in the order of the documentation.
func (m *model) methods(d direction) []*method {
	var found []*method
	for _, s := range m.sections {
		for _, x := range s.methods {
			if x.direction == d {
				found = append(found, x)
			}
		}
	}
	return found
}
