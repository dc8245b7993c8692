package result

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

func FuzzC41_Scan(f *testing.F) {
	for _, text := range []string{
		`{"a":[1,-0.5e+3,"x\u00e9\n",true,false,null,{}]}`, `[]`, `{"a":1,}`, `{"a" 1}`, `01`, `1.`, `"\x"`, `"\u12g4"`, "\"a\nb\"", `tru`, `[1 2]`,
		`{"0123456789abcdef":"0123456789\\\"abcdef0123456789"}`, " \t\r\n[ 1 , 2 ] ", "\"\x80\xff\x7f\x1f\"", `{"a"`, `[`, `-`, `1e`, `"`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		end, err := skipValue(raw, skipSpace(raw, 0), 0)
		valid := err == nil && skipSpace(raw, end) == len(raw)
		if valid != json.Valid(raw) && bytes.Count(raw, []byte("[")) < 1000 {
			t.Fatalf("%q: valid %v, %v at %d", raw, valid, err, end)
		}
		if !valid || !utf8.Valid(raw) { // Project replaces what is not UTF-8 first
			return
		}
		value := raw[skipSpace(raw, 0):end]
		text, isString := unquote(value)
		var want any
		d := json.NewDecoder(bytes.NewReader(value))
		d.UseNumber()
		if err := d.Decode(&want); err != nil {
			t.Fatal(err)
		}
		s, wantString := want.(string)
		if isString != wantString || !utf8.ValidString(text) {
			t.Fatalf("%q: %q, %v", value, text, isString)
		}
		if wantString && !strings.Contains(s, "\ufffd") && s != text {
			t.Fatalf("%q: %q, want %q", value, text, s)
		}
	})
}

func TestScanDepthIsBounded(t *testing.T) {
	t.Parallel()
	for _, opening := range []string{"[", `{"a":`} {
		raw := []byte(strings.Repeat(opening, 2*maxDepth))
		if _, err := skipValue(raw, 0, 0); err != errDepth {
			t.Errorf("%s: %v", opening, err)
		}
	}
}

func BenchmarkScan(b *testing.B) {
	raw, _ := json.Marshal(map[string]any{"content": []any{map[string]any{"type": "text", "text": strings.Repeat("x", 16384)}}})
	b.SetBytes(int64(len(raw)))
	for b.Loop() {
		if _, err := skipValue(raw, 0, 0); err != nil {
			b.Fatal(err)
		}
	}
}
