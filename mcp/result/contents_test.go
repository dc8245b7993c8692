package result

import (
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"pillion/mcp/redact"
)

func TestC75_ContentsAreBoundedAndTheirBytesAreFiles(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("ü", maxInlineTextBytes)
	read, err := ProjectContents([]byte(`{"contents":[{"uri":"a","text":"`+long+`"},{"uri":"b","blob":"SGFsbG8="},{"uri":"c","text":"my hunter22 key"},{"uri":"d"}]}`),
		Options{Folder: t.TempDir(), Redact: redact.New("hunter22")})
	if err != nil || len(read.Contents) != 3 || len(read.Warnings) != 1 || !read.Redacted {
		t.Fatalf("%+v, %v", read.Warnings, err)
	}
	cut := read.Contents[0]
	whole, err := os.ReadFile(cut.Path)
	if err != nil || string(whole) != long || !cut.Truncated || len(cut.Text) > maxInlineTextBytes || !utf8.ValidString(cut.Text) {
		t.Errorf("%v: %d of %d bytes", err, len(cut.Text), len(whole))
	}
	kept, err := os.ReadFile(read.Contents[1].Path)
	if err != nil || string(kept) != "Hallo" || read.Contents[1].Text != "" || read.Contents[1].IsText {
		t.Errorf("%q, %v, %+v", kept, err, read.Contents[1])
	}
	if read.Contents[2].Text != "my "+redact.Marker+" key" {
		t.Errorf("%+v", read.Contents[2])
	}
}

func TestF1_WhatIsNoContents(t *testing.T) {
	t.Parallel()
	for _, raw := range []string{``, `[]`, `{}`, `{"contents":null}`, `{"contents":{}}`, `{"Contents":[]}`, `{"contents":[1,]}`, `{"contents":[]} x`} {
		if read, err := ProjectContents([]byte(raw), Options{}); err == nil {
			t.Errorf("%s: %+v", raw, read)
		}
		if got, err := ProjectMessages([]byte(strings.Replace(raw, "ontents", "essages", 1)), Options{}); err == nil && raw != `{"Contents":[]}` {
			t.Errorf("%s: %+v", raw, got)
		}
	}
	read, err := ProjectContents([]byte(`{"contents":[1,null,"x",{"text":5},{"text":"kept"}]}`), Options{})
	if err != nil || len(read.Contents) != 1 || read.Contents[0].Text != "kept" {
		t.Errorf("%+v, %v", read, err)
	}
	got, err := ProjectMessages([]byte(`{"description":"d","messages":[1,{"role":"robot","content":{"type":"text","text":"t"}},{"role":"assistant"},{"role":"assistant","content":[{"type":"text","text":"u"}]}]}`), Options{})
	if err != nil || got.Description != "d" || len(got.Messages) != 2 || got.Messages[0].Role != "user" || got.Messages[1].Role != "assistant" || len(got.Warnings) != 2 {
		t.Errorf("%+v, %v", got, err)
	}
}

func FuzzContents(f *testing.F) {
	f.Add([]byte(`{"contents":[{"uri":"a","text":"x"},{"blob":"SGFsbG8="}],"messages":[{"role":"user","content":{"type":"text","text":"t"}}]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		if read, err := ProjectContents(raw, Options{}); err == nil {
			for _, content := range read.Contents {
				if !utf8.ValidString(content.Text) || len(content.Text) > maxInlineTextBytes {
					t.Errorf("%q", content.Text)
				}
			}
		}
		_, _ = ProjectMessages(raw, Options{})
	})
}
