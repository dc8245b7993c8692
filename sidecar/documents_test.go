package sidecar

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"go.lsp.dev/protocol"
	"pgregory.net/rapid"
)

// Changes that are kept come to the same as changes that are made at once, whoever asks when.
func TestC78_ContentIsWhatTheEditorHas(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		isUTF16 := rapid.Bool().Draw(t, "utf16")
		text := rapid.SampledFrom([]string{"", "a\nb", "😀漢\r\nx\ry"}).Draw(t, "text")
		want, kept := []byte(text), newContent([]byte(text))
		for i := range rapid.IntRange(0, 250).Draw(t, "changes") {
			change := &protocol.TextDocumentContentChangePartial{
				Range: protocol.Range{
					Start: protocol.Position{Line: uint32(i % 4), Character: uint32(i % 7)}, End: protocol.Position{Line: uint32(i % 4), Character: uint32(i % 9)},
				},
				Text: strings.Repeat("😀", i%2) + fmt.Sprint(i%10),
			}
			want = changed(want, change, isUTF16)
			kept = kept.with([]protocol.TextDocumentContentChangeEvent{change}, isUTF16)
			if kept.depth >= maxPending {
				t.Fatalf("%d changes are pending", kept.depth)
			}
		}
		var asking sync.WaitGroup
		for range 3 {
			asking.Go(func() {
				if got := kept.bytes(); string(got) != string(want) {
					t.Errorf("%q, want %q", got, want)
				}
			})
		}
		asking.Wait()
	})
}

// Of a document one tells at a time, so that a folder that hangs holds one goroutine and nobody else, and the last that happened
// is told.
func TestOneTellsOfADocumentAtATime(t *testing.T) {
	t.Parallel()
	var d documents
	if !d.claim("file:///a") || d.claim("file:///a") || !d.claim("file:///b") {
		t.Error("two tell of one, or nobody of the other")
	}
	if !d.release("file:///a") || d.release("file:///a") {
		t.Error("what happened meanwhile is told once")
	}
	if d.release("file:///b") || !d.claim("file:///b") || d.claim("file:///b") {
		t.Error("what was given back is free")
	}
}
