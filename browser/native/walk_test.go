package native

import (
	"strings"
	"testing"
)

func recordsOf(lines ...string) *document {
	for i := range lines {
		lines[i] = strings.ReplaceAll(lines[i], "|", fieldEnd)
	}
	return &document{walked: &walked{world: 7, records: strings.Join(lines, recordEnd)}}
}

func TestWalked_AsLines(t *testing.T) {
	d := recordsOf(
		"0|heading|0|||A form||", "0|form|1|||||", "1|textbox|2|f|required|Name||old", "1|#|words of\u202e it",
		"1|button|3|f|disabled pressed=mixed|Go on||", "2|#|Go", "2|#|elsewhere", "0|link|4|f||Away|http://a.test/|",
		"0|Iframe|5|f||inner||", "0|generic|6|e||||", "9|button|7|||too deep||",
	)
	d.walked.inner = map[int]*document{5: recordsOf("0|button|0|f||Inside||")}
	r := renderer{refs: &refs{snapshot: 1}}
	r.document(d, 0, 0, true)
	want := `- heading "A form" [ref=s1e1]
- form
  - textbox "Name" [required] [ref=s1e2]: "old"
  - text "words of\u202e it"
  - button "Go on" [disabled] [pressed=mixed] [ref=s1e3]
    - text "elsewhere"
- link "Away" [ref=s1e4] → "http://a.test/"
- iframe "inner" [ref=s1e5]
  - button "Inside" [ref=s1e6]
- generic [ref=s1e7]`
	if got := strings.Join(r.lines, "\n"); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	if e, err := r.refs.find("s1e3", 0); err != nil || e.number != 3 || e.world != 7 || e.label != `button "Go on"` {
		t.Errorf("%+v, %v", e, err)
	}
}

func FuzzWalked(f *testing.F) {
	f.Add("0\x1fbutton\x1f0\x1ff\x1f\x1fGo\x1f\x1f\x1e1\x1f#\x1fGo")
	f.Add("1\x1f#\x1f\x1e\x1e-1\x1f#\x1fx")
	f.Fuzz(func(t *testing.T, records string) {
		d := &document{walked: &walked{world: 1, records: records}}
		r := renderer{refs: &refs{}}
		r.document(d, 0, 0, true)
		if len(r.lines) > strings.Count(records, recordEnd)+1 {
			t.Fatalf("%d lines", len(r.lines))
		}
		for _, line := range r.lines {
			if !strings.HasPrefix(strings.TrimLeft(line, " "), "- ") || strings.ContainsAny(line, "\n\r\x1e\x1f") {
				t.Fatalf("%q", line)
			}
		}
	})
}
