package catalog

import (
	"strings"
	"testing"
)

func TestSignature(t *testing.T) {
	for name, test := range map[string]struct{ input, output, want string }{
		"plain":                    {`{"type":"object","properties":{"b":{"type":"string"},"a":{"type":"integer"}},"required":["b"]}`, ``, `(args: { b: string; a?: number }) => Promise<unknown>`},
		"nothing":                  {`{"type":"object","additionalProperties":false}`, `{"type":"object","properties":{"n":{"type":"number"}},"required":["n"]}`, `(args: {}) => Promise<{ n: number }>`},
		"open":                     {`{"type":"object"}`, ``, `(args: Record<string, unknown>) => Promise<unknown>`},
		"enum, const, null":        {`{"properties":{"e":{"enum":["x",2,null]},"c":{"const":"k"},"n":{"type":["string","null"]}}}`, ``, `(args: { e?: "x" | 2 | null; c?: "k"; n?: string | null }) => Promise<unknown>`},
		"lists":                    {`{"properties":{"l":{"type":"array","items":{"anyOf":[{"type":"string"},{"type":"number"}]}},"m":{"type":"array"}}}`, ``, `(args: { l?: (string | number)[]; m?: unknown[] }) => Promise<unknown>`},
		"references (C37)":         {`{"$defs":{"Q":{"type":"object","properties":{"s":{"type":"string"}}}},"type":"object","properties":{"q":{"$ref":"#/$defs/Q"}},"required":["q"]}`, ``, `(args: { q: { s?: string } }) => Promise<unknown>`},
		"boolean schemas (C34)":    {`{"properties":{"p":true,"q":false}}`, ``, `(args: { p?: unknown; q?: never }) => Promise<unknown>`},
		"odd names":                {`{"properties":{"a-b":{"type":"string"},"1":{"type":"string"},"a*/\n":{"type":"string"}}}`, ``, `(args: { "a-b"?: string; "1"?: string; "a*/\n"?: string }) => Promise<unknown>`},
		"leads out (C35)":          {`{"properties":{"r":{"$ref":"http://127.0.0.1:1/x"}}}`, ``, `(args: { r?: unknown }) => Promise<unknown>`},
		"no schema (C35)":          {``, ``, `(args: unknown) => Promise<unknown>`},
		"unknown type (C35)":       {`{"type":"int"}`, ``, `(args: unknown) => Promise<unknown>`},
		"required of another type": {`{"type":"object","required":"a"}`, ``, `(args: unknown) => Promise<unknown>`},
	} {
		if got := Signature("x", []byte(test.input), []byte(test.output)); got != test.want+`  // "x"` {
			t.Errorf("%s:\n got %s\nwant %s", name, got, test.want)
		}
	}
}

func TestC36_RecursionAndDepthAreBounded(t *testing.T) {
	deep := strings.Repeat(`{"type":"array","items":`, 5000) + `true` + strings.Repeat(`}`, 5000)
	wide := `{"$defs":{"a0":{"type":"string"}`
	for i := 1; i <= 20; i++ {
		wide += `,"a` + string(rune('a'+i)) + `":{"type":"object","properties":{"x":{"$ref":"#/$defs/N"},"y":{"$ref":"#/$defs/N"}}}`
	}
	wide += `,"N":{"type":"object","properties":{"l":{"$ref":"#/$defs/N"},"r":{"$ref":"#/$defs/N"},"m":{"$ref":"#/$defs/N"},"k":{"$ref":"#/$defs/N"}}}},"$ref":"#/$defs/N"}`
	for name, schema := range map[string]string{"itself": `{"$ref":"#"}`, "deep": deep, "wide": wide} {
		if got := Signature("x", []byte(schema), nil); len(got) > 8*maxTypeBytes {
			t.Errorf("%s: %d bytes", name, len(got))
		}
	}
}

func FuzzSignature(f *testing.F) {
	f.Add([]byte(`{"type":"object","properties":{"a":{"enum":["x"]}}}`))
	f.Fuzz(func(t *testing.T, schema []byte) {
		if got := Signature("x", schema, schema); strings.ContainsAny(got, "\n\r") {
			t.Fatalf("%q gives several lines: %q", schema, got)
		}
	})
}
