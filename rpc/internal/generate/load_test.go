package main

import (
	"strings"
	"testing"
)

// source is a file of a small protocol, with the given declarations.
func source(declarations string) map[string][]byte {
	return map[string][]byte{"subject.go": []byte(`// Package message is a small protocol.
//
// # Rules
//
// There are none.
package message

//pillion:section 1 Subject
//
// About [Thing] and [Start].

// Thing is a thing. It is small.
type Thing struct {
	ID    ThingID  ` + "`json:\"id\"`" + `
	Names []string ` + "`json:\"names,omitzero\"`" + ` // what [Thing.ID] is called
}

// ThingID names a thing.
type ThingID string

// Start starts a thing.
var Start = rpc.Request[Thing, Thing]{Method: "pillion/thing/start"}

` + declarations)}
}

func TestLoadReadsAProtocol(t *testing.T) {
	m, err := load(source(`
// Color is a color.
type Color string

const (
	// ColorRed is red.
	ColorRed  Color = "red"
	ColorBlue Color = "blue" // like the sky
)

// Box holds things.
type Box struct {
	Things map[ThingID]Thing ` + "`json:\"things\"`" + `
	Lid    *Color            ` + "`json:\"lid\"`" + `
	Spare  *Color            ` + "`json:\"spare,omitzero\"`" + `
	Any    jsontext.Value    ` + "`json:\"any\"`" + ` // anything
	Object jsontext.Value    ` + "`json:\"object\" wire:\"object\"`" + ` // an object
	Named  jsontext.Value    ` + "`json:\"named\" wire:\"Thing?\"`" + ` // a thing
	Big    int64             ` + "`json:\"big,string\"`" + ` // digits
	At     time.Time         ` + "`json:\"at\"`" + ` // a time
}

// Opened tells that a box is open.
//
//pillion:people
var Opened = rpc.Event[Box]{Method: "pillion/box/opened"}
`))
	if err != nil {
		t.Fatal(err)
	}
	ts, luaText := string(typescript(m)), string(lua(m))
	for _, want := range []string{
		"export type Color =\n  /** It is red. */\n  | \"red\"\n  /** like the sky */\n  | \"blue\";",
		"  things: Record<ThingId, Thing>;", "  lid: Color | null;", "  spare?: Color;", "  any: unknown;",
		"  object: Record<string, unknown>;", "  named: Thing | null;", "  big: string;", "  at: string;",
		"  /** what id is called */\n  names?: string[];",
		`  "pillion/thing/start": { params: Thing; result: Thing };`,
		`  "pillion/box/opened": { params: Box };`, "export interface Events {", "  start: \"pillion/thing/start\",",
	} {
		if !strings.Contains(ts, want) {
			t.Errorf("TypeScript lacks %q:\n%s", want, ts)
		}
	}
	for _, want := range []string{
		"---@alias pillion.Color\n---| \"red\" # It is red.\n", "---@field things table<pillion.ThingId, pillion.Thing>",
		"---@field lid? pillion.Color", "---@field object table<string, any>", "  start = 'pillion/thing/start',",
		"M.events = {\n  ---Tells that a box is open.\n  ---\n  ---Params: `pillion.Box`.\n  opened = 'pillion/box/opened',\n}",
	} {
		if !strings.Contains(luaText, want) {
			t.Errorf("Lua lacks %q:\n%s", want, luaText)
		}
	}
	if page := string(markdown(m)); !strings.Contains(page, "About Thing and `pillion/thing/start`.") {
		t.Errorf("links are not resolved:\n%s", page)
	}
	if opened := m.methods(event)[0]; !opened.people || opened.direction != event {
		t.Errorf("%+v", opened)
	}
}

// TestLoadRefuses holds the traps: each of them would make a form that says
// something else than the wire.
func TestLoadRefuses(t *testing.T) {
	field := func(decl string) string { return "// T is a type.\ntype T struct {\n" + decl + "\n}" }
	for _, test := range []struct{ name, declarations, want string }{
		{"undocumented type", "type T struct{}", "type T has no documentation"},
		{"undocumented field", field("A string `json:\"a\"`"), "T.A has no documentation"},
		{"undocumented method", "var Stop = rpc.Request[Thing, Thing]{Method: \"x\"}", "Stop has no documentation"},
		{"undocumented value", "// C is a color.\ntype C string\n\nconst CRed C = \"red\"", "CRed has no documentation"},
		{"no json name", field("A string // a"), "T.A has no json name"},
		{"omitempty", field("A int `json:\"a,omitempty\"` // a"), "omitempty"},
		{"64 bits as a number", field("A int64 `json:\"a\"` // a"), "crosses as digits"},
		{"unsigned 64 bits as a number", field("A uint64 `json:\"a\"` // a"), "crosses as digits"},
		{"any value", field("A any `json:\"a\"` // a"), "no form on the wire"},
		{"a duration", field("A time.Duration `json:\"a\"` // a"), "time.Duration has no form"},
		{"bytes", field("A []byte `json:\"a\"` // a"), "byte has no form"},
		{"embedding", field("Thing"), "embedded"},
		{"unexported field", field("a string `json:\"a\"` // a"), "unexported"},
		{"unknown shape", field("A Nothing `json:\"a\"`"), `"Nothing", which is no shape`},
		{"unknown raw shape", field("A jsontext.Value `json:\"a\" wire:\"Nothing\"` // a"), `"Nothing", which is no shape`},
		{"unknown params", "// Stop stops.\nvar Stop = rpc.Request[Nothing, Thing]{Method: \"x\"}", `"Nothing", which is no shape`},
		{"one method twice", "// Stop stops.\nvar Stop = rpc.Request[Thing, Thing]{Method: \"pillion/thing/start\"}", "declared twice"},
		{"variable", "// V is one.\nvar V = 1", "no descriptor"},
		{"union of nothing", "// U is one.\ntype U interface{ u() }", "//pillion:union"},
		{"generic type", "// G is one.\ntype G[T any] struct{}", "no form on the wire"},
		{"bad section", "//pillion:section Title", "//pillion:section WEIGHT TITLE"},
	} {
		if _, err := load(source(test.declarations)); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", test.name, err, test.want)
		}
	}
}

func TestLoadWantsSections(t *testing.T) {
	files := map[string][]byte{"a.go": []byte("package message\n\n// T names one.\ntype T string\n")}
	if _, err := load(files); err == nil || !strings.Contains(err.Error(), "no //pillion:section") {
		t.Error(err)
	}
}
